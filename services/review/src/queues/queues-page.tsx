import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useRefetchInterval } from '../api/live';
import { queries } from '../api/queries';
import type { Queue } from '../api/types';
import { ALL_SHOWN } from '../documents/list-address';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { ReviewNextButton } from './review-next';

/** States worth a word beside the number of documents that wait. */
const SHOWN = ALL_SHOWN.filter((status) => status !== 'to_review' && status !== 'split');

/** Every queue with what waits in it. */
export function QueuesPage() {
  const refetchInterval = useRefetchInterval();
  const queues = useQuery({ ...queries.queues(), refetchInterval });
  const workspaces = useQuery(queries.workspaces());
  if (queues.isPending) return <p className="waiting">{texts.loading}</p>;
  const groups = groupByWorkspace(queues.data ?? [], workspaces.data ?? []);
  return (
    <main className="content" id="content">
      <div className="title-row">
        <h1>{texts.queues.title}</h1>
        <span className="spacer" />
        {(queues.data?.length ?? 0) > 1 && (
          <Link to="/documents" className="button">
            {texts.documents.allDocuments}
          </Link>
        )}
      </div>
      {queues.error && <Problem error={queues.error} onRetry={() => void queues.refetch()} />}
      {queues.data?.length === 0 && <p className="muted">{texts.queues.none}</p>}
      {groups.map(({ name, queues: rows }) => (
        <section key={name} aria-label={name}>
          {groups.length > 1 && <h2 className="group">{name}</h2>}
          <ul className="queues">
            {rows.map((queue) => (
              <QueueCard key={queue.id} queue={queue} />
            ))}
          </ul>
        </section>
      ))}
    </main>
  );
}

function groupByWorkspace(queues: readonly Queue[], workspaces: readonly { url: string; name: string }[]) {
  const names = new Map(workspaces.map(({ url, name }) => [url, name]));
  const groups = Map.groupBy(
    queues,
    ({ workspace }) => (workspace && names.get(workspace)) ?? texts.queues.noWorkspace,
  );
  return [...groups].map(([name, rows]) => ({ name, queues: rows }));
}

function QueueCard({ queue }: { readonly queue: Queue }) {
  const waiting = queue.counts.to_review ?? 0;
  const others = SHOWN.filter((status) => (queue.counts[status] ?? 0) > 0);
  return (
    <li className="card queue">
      <Link to={`/queues/${queue.id}`} className="queue-name">
        {queue.name}
      </Link>
      <Link to={`/queues/${queue.id}?show=waiting`} className={waiting > 0 ? 'waits' : 'waits none'}>
        <strong>{waiting}</strong> {texts.queues.toReview}
      </Link>
      <p className="counts">
        {others.map((status) => (
          <Link key={status} to={`/queues/${queue.id}?show=${status}`} className={`state state-${status}`}>
            {texts.states[status]} {queue.counts[status]}
          </Link>
        ))}
      </p>
      <ReviewNextButton queue={queue} />
    </li>
  );
}
