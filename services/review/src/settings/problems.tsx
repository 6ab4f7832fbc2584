import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { call } from '../api/client';
import { useRefetchInterval } from '../api/live';
import { type AnnotationPage, queries } from '../api/queries';
import type { Annotation } from '../api/types';
import { AGAIN } from '../documents/again';
import { texts } from '../texts';
import { formatTime, formatWhen } from '../ui/format';
import { Loading, Problem } from '../ui/problem';
import { StateBadge } from '../ui/state-badge';
import { showToast } from '../ui/toast';

const t = texts.settings.problem;

/** Documents of all queues that could not be read or exported, or do not go on; what failed is tried again. */
export function Problems() {
  const client = useQueryClient();
  const refetchInterval = useRefetchInterval();
  const problems = useQuery({ ...queries.problems(), refetchInterval });
  const [isBusy, setBusy] = useState(false);
  const retry = async (rows: readonly Annotation[]) => {
    setBusy(true);
    let done = 0;
    try {
      for (const { url, status } of rows) {
        await call(url, { method: 'PATCH', body: { status: AGAIN[status] } });
        done += 1;
      }
    } catch (error) {
      showToast((error as Error).message, true);
    }
    if (done > 0) showToast(t.retried(done));
    setBusy(false);
    for (const key of ['annotations', 'queues']) void client.invalidateQueries({ queryKey: [key] });
  };
  if (problems.error) return <Problem error={problems.error} onRetry={() => void problems.refetch()} />;
  if (!problems.data) return <Loading />;
  const { failed, stuck } = problems.data;
  const waiting = stuck.filter(({ results }) => results.length > 0);
  return (
    <>
      {failed.results.length === 0 && waiting.length === 0 && <p className="muted empty card">{t.none}</p>}
      {failed.results.length > 0 && (
        <section aria-label={t.failed}>
          <div className="title-row">
            <h2>{t.failed}</h2>
            <span className="spacer" />
            <button type="button" disabled={isBusy} onClick={() => void retry(failed.results)}>
              {t.retryAll}
            </button>
          </div>
          <ProblemTable list={failed} isBusy={isBusy} onRetry={(row) => void retry([row])} />
        </section>
      )}
      {waiting.length > 0 && (
        <section aria-label={t.stuck} className="gap">
          <h2>{t.stuck}</h2>
          <p className="muted small">{t.stuckHint}</p>
          {waiting.map((list) => (
            <ProblemTable key={list.results[0]?.status} list={list} isBusy={isBusy} />
          ))}
        </section>
      )}
      <p className="gap">
        <Link to="/settings/hooks?show=failed">{t.calls}</Link>
      </p>
    </>
  );
}

function ProblemTable({
  list,
  isBusy,
  onRetry,
}: {
  readonly list: AnnotationPage;
  readonly isBusy: boolean;
  readonly onRetry?: (row: Annotation) => void;
}) {
  const queues = useQuery(queries.queues());
  const names = new Map(queues.data?.map(({ url, name }) => [url, name]));
  const documents = new Map(list.documents.map((document) => [document.url, document.original_file_name]));
  const more = list.pagination.total - list.results.length;
  return (
    <div className="table-box gap">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.document}</th>
            <th scope="col">{t.queue}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.reason}</th>
            <th scope="col">{t.since}</th>
            <th scope="col">
              <span className="hidden">{t.retry}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.results.map((row) => {
            const since = row.modified_at ?? row.arrived_at;
            const reasons = row.messages?.filter(({ type }) => type === 'error').map(({ content }) => content) ?? [];
            const name = documents.get(row.document) || `#${row.id}`;
            return (
              <tr key={row.id}>
                <td className="break" dir="auto">
                  <Link to={`/annotations/${row.id}`}>{name}</Link>
                </td>
                <td className="break">{names.get(row.queue)}</td>
                <td>
                  <StateBadge status={row.status} />
                </td>
                <td className="small break">{reasons.join(' ') || (onRetry && t.noReason)}</td>
                <td className="muted" title={formatTime(since)}>
                  {formatWhen(since)}
                </td>
                <td className="number">
                  {onRetry && (
                    <button
                      type="button"
                      disabled={isBusy}
                      aria-label={`${t.retry}: ${name}`}
                      onClick={() => onRetry(row)}
                    >
                      {t.retry}
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {more > 0 && <p className="muted small padded-line">{t.more(more)}</p>}
    </div>
  );
}
