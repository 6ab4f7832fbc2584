import type { QueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../api/client';
import { queries } from '../api/queries';
import type { Annotation, Message } from '../api/types';
import type { Rights } from '../session/roles';
import { nameOf } from '../shell/user-context';
import { texts } from '../texts';
import { AGAIN } from './again';

/** What is done to several documents at once. */
export type Action = 'confirm' | 'postpone' | 'restore' | 'again' | 'export' | 'move' | 'copy' | 'delete';

interface Row {
  /** States that it is offered in. API: states.md sections 2 and 3. */
  readonly from: readonly string[];
  readonly may: keyof Rights;
  /** It asks for a queue. */
  readonly asksQueue?: true;
  readonly run: (annotation: Annotation, queueUrl: string) => Promise<unknown>;
}

const post = (id: number, action: string, body: object = {}) =>
  call(`/annotations/${id}/${action}`, { method: 'POST', body });
const patch = (id: number, body: object) => call(`/annotations/${id}`, { method: 'PATCH', body });

export const ACTIONS: Readonly<Record<Action, Row>> = {
  confirm: { from: ['to_review', 'postponed', 'reviewing'], may: 'mayReview', run: confirm },
  postpone: {
    from: ['to_review', 'reviewing', 'confirmed', 'rejected', 'failed_export'],
    may: 'mayDispose',
    run: ({ id }) => post(id, 'postpone'),
  },
  restore: {
    from: ['postponed', 'rejected', 'deleted', 'failed_export'],
    may: 'mayDispose',
    run: ({ id }) => patch(id, { status: 'to_review' }),
  },
  again: {
    from: Object.keys(AGAIN),
    may: 'mayDispose',
    run: ({ id, status }) => patch(id, { status: AGAIN[status] }),
  },
  export: { from: ['confirmed'], may: 'mayDispose', run: ({ id }) => patch(id, { status: 'exporting' }) },
  move: {
    from: ['to_review', 'postponed', 'confirmed', 'rejected', 'failed_import', 'failed_export'],
    may: 'mayDispose',
    asksQueue: true,
    run: ({ id }, queue) => patch(id, { queue }),
  },
  copy: {
    from: [
      'to_review',
      'reviewing',
      'postponed',
      'confirmed',
      'exported',
      'rejected',
      'failed_import',
      'failed_export',
    ],
    may: 'mayDispose',
    asksQueue: true,
    run: ({ id }, target_queue) => post(id, 'copy', { target_queue }),
  },
  delete: {
    from: [
      ...['importing', 'to_review', 'reviewing', 'postponed', 'confirmed', 'exported', 'rejected'],
      ...['failed_import', 'failed_export', 'split'],
    ],
    may: 'mayDispose',
    run: ({ id }) => post(id, 'delete'),
  },
};

/** A document is confirmed in a review; where it cannot be, it is given back as it was. */
async function confirm({ id, status }: Annotation): Promise<void> {
  await post(id, 'start', { statuses: ['to_review', 'postponed', 'reviewing'] });
  try {
    await post(id, 'confirm');
  } catch (error) {
    if (status !== 'reviewing') await post(id, 'cancel').catch(() => undefined);
    throw error;
  }
}

/** Calls on their way at the same time. */
const PARALLEL = 4;
const TRY_AGAIN_MS = 3000;
const MOST_TRIES = 20;

/** What became of a document; undefined text: it is done. */
export type Outcome = { readonly problem?: string };

/** Does one thing to documents, and tells of each what became of it. What one meets does not stop the others; `signal` does. */
export async function runAll(
  client: QueryClient,
  action: Action,
  annotations: readonly Annotation[],
  queueUrl: string,
  { signal, onOutcome }: { readonly signal: AbortSignal; readonly onOutcome: (id: number, outcome: Outcome) => void },
): Promise<void> {
  const waiting = [...annotations];
  const line = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      onOutcome(next.id, await runOne(client, action, next, queueUrl, signal));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, line));
}

async function runOne(
  client: QueryClient,
  action: Action,
  annotation: Annotation,
  queueUrl: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { from, run } = ACTIONS[action];
  if (!from.includes(annotation.status)) return { problem: texts.bulk.notNow(texts.states[annotation.status] ?? '') };
  for (let tries = 1; ; tries++) {
    try {
      await run(annotation, queueUrl);
      return {};
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status !== 429 || tries === MOST_TRIES || signal.aborted) {
        return { problem: await describe(client, annotation.id, error) };
      }
      // More than the service takes in a minute: the rest comes later.
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}

/** Why a document was refused: who has it, or what is wrong with its values. */
async function describe(client: QueryClient, id: number, error: ApiError): Promise<string> {
  if (error.code === 'conflict_user') {
    const holder = await call<Annotation>(`/annotations/${id}`)
      .then(({ modifier }) => client.fetchQuery(queries.userOf(modifier)))
      .catch(() => null);
    return texts.bulk.heldBy(holder ? nameOf(holder) : texts.review.someone);
  }
  const messages = (Array.isArray(error.body.messages) ? error.body.messages : []) as Message[];
  const wrong = messages.filter(({ type }) => type === 'error').map(({ content }) => content);
  return [error.message, ...new Set(wrong)].join(' ');
}
