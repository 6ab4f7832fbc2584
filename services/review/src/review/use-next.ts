import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { localUrl } from '../api/client';
import { queries } from '../api/queries';
import { listPlace, wantedOf } from '../documents/list-address';
import { goesOn, type OpenedFrom, startNextInList, waitingInList } from '../documents/opened-from';
import { startNext } from '../queues/review-next';
import { texts } from '../texts';
import { showToast } from '../ui/toast';

/** The documents of a queue that wait longest, first of all. */
const waiting = (queueId: number) =>
  queries.annotations({
    ...wantedOf(queueId, new URLSearchParams()),
    statuses: ['to_review'],
    ordering: 'arrived_at',
  });

/**
 * Goes to the next document of a queue, or of the list that it was opened from, where that was narrowed. The one that will most likely be next is read while the present one is reviewed, so that it
 * is there at once.
 */
export function useNext(
  queueId: number,
  annotationId: number,
  isOwner: boolean,
  userUrl: string,
  from: OpenedFrom | null,
) {
  const client = useQueryClient();
  const navigate = useNavigate();

  useEffect(() => {
    if (!isOwner) return;
    let ended = false;
    const readAhead = async () => {
      const list = goesOn(from)
        ? (await waitingInList(client, from, annotationId))?.page
        : await client.fetchQuery({ ...waiting(queueId), staleTime: 10_000 });
      const next = list?.results.find(({ id }) => id !== annotationId);
      if (!list || !next || ended) return;
      const { id } = next;
      client.setQueryData(queries.annotation(id).queryKey, next, { updatedAt: 0 });
      const found = list.documents.find(({ url }) => url === next.document);
      if (found) client.setQueryData(queries.document(found.url).queryKey, found);
      void client.prefetchQuery(queries.content(id));
      void client.prefetchQuery(queries.schema(next.schema));
      void client.prefetchQuery(queries.words(id, 1));
      await client.prefetchQuery(queries.pages(id));
      const [first] = client.getQueryData(queries.pages(id).queryKey) ?? [];
      if (first) new Image().src = localUrl(first.content);
    };
    const timer = setTimeout(() => void readAhead().catch(() => undefined), 300);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [client, queueId, annotationId, isOwner, from]);

  return async () => {
    try {
      const started = goesOn(from) ? await startNextInList(client, from, annotationId) : null;
      const next = goesOn(from) ? (started?.id ?? null) : await startNext(queueId);
      if (next !== null && next !== annotationId) {
        // It was started for this user a moment ago: what was read ahead says the same now.
        client.setQueryData(
          queries.annotation(next).queryKey,
          (known) => known && { ...known, status: 'reviewing', modifier: userUrl },
        );
        return navigate(`/annotations/${next}`, { replace: true, state: started?.from ?? from });
      }
      showToast(goesOn(from) ? texts.review.allDoneInList : texts.review.allDone);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    navigate(from?.list ?? listPlace(queueId));
  };
}
