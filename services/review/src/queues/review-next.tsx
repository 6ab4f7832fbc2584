import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call, idOf } from '../api/client';
import type { Queue } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { showToast } from '../ui/toast';

/** Starts the next document of a queue; null when none waits. Throws ApiError. */
export async function startNext(queueId: number): Promise<number | null> {
  const { annotation } = await call<{ annotation: string | null }>(`/queues/${queueId}/next`, { method: 'POST' });
  return annotation ? idOf(annotation) : null;
}

/** Goes to the document that has waited longest. */
export function ReviewNextButton({ queue }: { readonly queue: Pick<Queue, 'id' | 'name' | 'counts'> }) {
  const { rights } = useUser();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  if (!rights.mayReview) return null;
  const go = async () => {
    setBusy(true);
    try {
      const next = await startNext(queue.id);
      if (next) return navigate(`/annotations/${next}`);
      showToast(texts.documents.nothingNext);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  const waits = (queue.counts.to_review ?? 0) > 0;
  return (
    <button
      type="button"
      className={waits ? 'primary' : undefined}
      disabled={isBusy}
      aria-label={texts.queues.reviewNext(queue.name)}
      onClick={go}
    >
      {texts.documents.reviewNext}
    </button>
  );
}
