import { Cross2Icon, ReloadIcon, ScissorsIcon } from '@radix-ui/react-icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call, idOf, localUrl } from '../api/client';
import { queries } from '../api/queries';
import type { Annotation, PageObject, SuggestedEdit } from '../api/types';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { showToast } from '../ui/toast';
import { editOf, isChanged, type PagePlan, partsOf, planOf, suggestedPlan } from './page-plan';

const t = texts.review.pages;

/** Cuts a document into several, turns its pages and leaves some out. The service reads what becomes of it again. */
export function PagesDialog({
  annotation,
  pages,
  suggestion,
  onDismiss,
  onClose,
}: {
  readonly annotation: Annotation;
  readonly pages: readonly PageObject[];
  /** What is filled in at the beginning. */
  readonly suggestion?: SuggestedEdit;
  readonly onDismiss?: () => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const [plan, setPlan] = useState<readonly PagePlan[]>(() =>
    suggestion ? suggestedPlan(pages, suggestion, annotation.queue) : planOf(pages),
  );
  const change = (at: number, to: Partial<PagePlan>) =>
    setPlan((before) => before.map((one, i) => (i === at ? { ...one, ...to } : one)));
  const parts = partsOf(plan);
  const goals = new Set(plan.flatMap(({ goal }) => goal?.queue ?? []));
  const queues = useQuery({ ...queries.queues(), enabled: goals.size > 0 });
  const nameOf = (queue: string) => queues.data?.find(({ url }) => url === queue)?.name ?? `#${idOf(queue)}`;
  const save = async () => {
    setBusy(true);
    try {
      const { path, body } = editOf(parts);
      const { results } = await call<{ results: { annotation: string }[] }>(`/annotations/${annotation.id}/${path}`, {
        method: 'POST',
        body,
      });
      client.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(annotation.id) });
      for (const key of ['annotations', 'queues']) void client.invalidateQueries({ queryKey: [key] });
      showToast(t.done(parts.length));
      onClose();
      if (results.some(({ annotation: url }) => idOf(url) === annotation.id)) return location.reload();
      navigate(`/queues/${idOf(annotation.queue)}`);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  return (
    <Dialog title={t.title} onClose={onClose} wide>
      <p>{suggestion ? texts.review.suggested.hint : t.hint}</p>
      <ol className="page-plan">
        {plan.map((one, i) => {
          const { number } = one;
          const view = (one.turned - one.wasTurned + 360) % 360;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a suggestion may have a page twice, and none is moved
            <li key={i} className={one.isOut ? 'out' : ''}>
              {i > 0 && (
                <button
                  type="button"
                  className="cut"
                  aria-pressed={one.isCut}
                  aria-label={`${t.cut} ${number}`}
                  onClick={() => change(i, { isCut: !one.isCut })}
                >
                  <ScissorsIcon />
                </button>
              )}
              <div className="page-card">
                <span className="page-image">
                  <img
                    className={`turned-${view}`}
                    src={`${localUrl(one.page)}/preview`}
                    alt={texts.review.pageImage(number)}
                  />
                </span>
                <span className="row">
                  {number}
                  <button
                    type="button"
                    className="icon"
                    aria-label={`${t.turn} ${number}`}
                    onClick={() => change(i, { turned: (one.turned + 90) % 360 })}
                  >
                    <ReloadIcon />
                  </button>
                  <button
                    type="button"
                    className="icon"
                    aria-pressed={one.isOut}
                    aria-label={`${t.leaveOut} ${number}`}
                    onClick={() => change(i, { isOut: !one.isOut })}
                  >
                    <Cross2Icon />
                  </button>
                </span>
                {one.goal?.queue && !one.isOut && one.goal !== plan[i - 1]?.goal && (
                  <span className="small muted break">{t.goesTo(nameOf(one.goal.queue))}</span>
                )}
              </div>
            </li>
          );
        })}
      </ol>
      <p className="muted">{t.becomes(parts.length)}</p>
      <div className="row end">
        {onDismiss && (
          <button type="button" className="danger" onClick={onDismiss}>
            {texts.review.suggested.dismiss}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
        <button
          type="button"
          className="primary"
          disabled={isBusy || parts.length === 0 || !isChanged(plan)}
          onClick={() => void save()}
        >
          {t.save}
        </button>
      </div>
    </Dialog>
  );
}
