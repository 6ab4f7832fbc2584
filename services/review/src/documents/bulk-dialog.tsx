import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { queries } from '../api/queries';
import type { Annotation } from '../api/types';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { Dialog } from '../ui/dialog';
import { showToast } from '../ui/toast';
import { ACTIONS, type Action, type Outcome, runAll } from './bulk';

/** Asks whether something is to be done to several documents, does it, and says of each that it was not done to why. */
export function BulkDialog({
  action,
  annotations,
  nameOf,
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly annotations: readonly Annotation[];
  readonly nameOf: (annotation: Annotation) => string;
  /** It is over; `left`: to whom it was not done. */
  readonly onDone: (left: readonly number[]) => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const queues = useQuery(queries.queues());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome> | null>(null);
  const [isRunning, setRunning] = useState(false);
  const stopper = useMemo(() => new AbortController(), []);
  const ended = useRef<HTMLButtonElement>(null);
  const { asksQueue } = ACTIONS[action];
  const total = annotations.length;
  const words = texts.bulk.actions[action];

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const queueUrl = String(new FormData(event.currentTarget).get('queue') ?? '');
    const found = new Map<number, Outcome>();
    const onOutcome = (id: number, outcome: Outcome) => setOutcomes(new Map(found.set(id, outcome)));
    setOutcomes(found);
    setRunning(true);
    await runAll(client, action, annotations, queueUrl, { signal: stopper.signal, onOutcome });
    setRunning(false);
    for (const key of ['annotations', 'queues']) void client.invalidateQueries({ queryKey: [key] });
    const left = annotations.filter(({ id }) => found.get(id)?.problem !== undefined || !found.has(id));
    onDone(left.map(({ id }) => id));
    if (left.length > 0) return;
    showToast(words.done(total));
    onClose();
  };
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: Event) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);
  const isOver = outcomes !== null && !isRunning;
  useEffect(() => {
    if (isOver) ended.current?.focus();
  }, [isOver]);

  const done = outcomes ? [...outcomes.values()].filter(({ problem }) => problem === undefined).length : 0;
  const others = (queues.data ?? []).filter(({ url }) => annotations.some(({ queue }) => queue !== url));
  return (
    <Dialog title={words.title(total)} onClose={isRunning ? undefined : onClose} wide={outcomes !== null}>
      {outcomes === null ? (
        <form className="form" onSubmit={submit}>
          <p>{words.hint}</p>
          {asksQueue && (
            <Choice
              name="queue"
              required
              label={texts.bulk.target}
              options={[['', ''], ...others.map(({ url, name }) => [url, name] as const)]}
            />
          )}
          <div className="row end">
            <button type="button" onClick={onClose}>
              {texts.cancel}
            </button>
            <button type="submit" className="primary">
              {words.name}
            </button>
          </div>
        </form>
      ) : (
        <>
          <p role="status">
            {isRunning ? texts.bulk.running(outcomes.size, total) : texts.bulk.over(done, total - done)}
          </p>
          {isRunning && <progress value={outcomes.size} max={total} aria-label={words.title(total)} />}
          <ul className="outcomes">
            {annotations.map((annotation) => {
              const outcome = outcomes.get(annotation.id);
              const problem = outcome ? outcome.problem : isRunning ? undefined : texts.bulk.stopped;
              return (
                <li key={annotation.id}>
                  <Link to={`/annotations/${annotation.id}`}>{nameOf(annotation)}</Link>
                  <span className={problem ? 'problem' : 'muted'}>{problem ?? (outcome ? texts.bulk.done : '…')}</span>
                </li>
              );
            })}
          </ul>
          <div className="row end">
            {isRunning ? (
              <button type="button" onClick={() => stopper.abort()}>
                {texts.bulk.stop}
              </button>
            ) : (
              <button type="button" ref={ended} onClick={onClose}>
                {texts.close}
              </button>
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}
