import { LOST_DELAY_MS } from '@intake/bus';
import type { events } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { Refusal } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { configOf, type Hook, type Hooks } from '../hook/hook';
import { predecessorsOf } from '../hook/order';
import type { LogStore } from '../log/log.store';
import type { AnnotationPayloads } from '../payload/annotation-payload';
import { callIdOf } from '../webhook/call-id';
import type { JsonObject, Outcome } from '../webhook/outcome';
import { nextAttempt } from '../webhook/retry';
import type { Call, Webhooks } from '../webhook/webhooks';
import type { Claim, NewWork, WorkStore } from '../work/work.store';
import type { Result } from '../work/worker';
import type { ReceiverStore } from './receiver.store';

/** Only what changes of state say is a notification. */
export const EVENT = 'annotation_status';
export const ACTION = 'changed';
/** A receiver whose every notification has failed for so long is not called any more, in milliseconds. */
const FAILING_MS = 5 * 24 * 3600 * 1000;
/** So long after a start there may be events that a process which died had in hand: they come again later than those after them. */
const LATE_MS = LOST_DELAY_MS + 15_000;

export interface NotificationsOptions {
  readonly hooks: Hooks;
  readonly payloads: AnnotationPayloads;
  readonly webhooks: Webhooks;
  readonly work: WorkStore;
  readonly logs: LogStore;
  readonly receivers: ReceiverStore;
  readonly log: Logger;
  /** Whether an event was acted on whose id begins so. */
  readonly hasActedOn: (start: string) => Promise<boolean>;
}

/** Tells hooks of changes of state, whose answer nobody waits for. API: hooks-and-connectors.md section 5. */
export type Notifications = ReturnType<typeof createNotifications>;

export function createNotifications(options: NotificationsOptions) {
  const { hooks, payloads, webhooks, work, logs, receivers, log, hasActedOn } = options;
  const startedAt = Date.now();
  /** Throws SERVICE_UNAVAILABLE, so that the change is tried again: the one before it is still to come. */
  const requirePredecessor = async ({ annotationId, previousStatus }: events.AnnotationChanged): Promise<void> => {
    if (previousStatus === '' || Date.now() - startedAt > LATE_MS) return;
    if (await hasActedOn(`annotation.${previousStatus}/annotation:${annotationId}:`)) return;
    throw new Refusal('SERVICE_UNAVAILABLE', {
      cause: `the change of ${annotationId} to ${previousStatus} was not told yet`,
    });
  };
  const callOf = (hook: Hook, requestId: string, at: Date, about: Call['about'], parts: JsonObject): Call => ({
    ...{ hook, event: EVENT, action: ACTION, requestId, at, about, parts },
  });

  /** Answers why the hook is not to be called any more, if so. */
  const reasonToDisable = async (hook: Hook, outcome: Outcome): Promise<string | null> => {
    if (outcome.kind === 'answered') {
      await receivers.noteSuccess(hook.id);
      return null;
    }
    if (outcome.status === 410) return 'It answered 410 (Gone), so the hook was switched off.';
    const since = await receivers.noteFailure(hook.id);
    if (Date.now() - since.getTime() < FAILING_MS) return null;
    return `Every notification has failed since ${since.toISOString()}, so the hook was switched off.`;
  };

  const disable = async (call: Call, message: string): Promise<void> => {
    const { hook } = call;
    log.warn({ hook: hook.id, message }, 'hook is switched off');
    await hooks.disable(hook);
    await receivers.noteSuccess(hook.id);
    await logs.add([webhooks.record(call, message, 'WARNING')]);
  };

  return {
    /** The effect of a change of state: a notification for each hook that listens. */
    async prepare(changed: events.AnnotationChanged): Promise<(session: ClientSession) => Promise<void>> {
      const { organizationId, queueId, annotationId, version, status, previousStatus } = changed;
      // Told already, or the state is what it was: a review that its holder begins once more.
      if (changed.trigger === 'resend' || status === previousStatus) return async () => undefined;
      const listening = await hooks.listening(organizationId, queueId, `${EVENT}.${ACTION}`);
      const subject = listening.length > 0 ? await payloads.find(organizationId, annotationId) : undefined;
      if (!subject) return async () => undefined;
      await requirePredecessor(changed);
      const createdAt = changed.at ?? new Date();
      const idOf = (hook: Hook) => callIdOf(`${EVENT}/${annotationId}:${version}/${hook.id}`);
      const told = { status, previousStatus: previousStatus || null };
      const called = listening.filter(({ type }) => type === 'webhook');
      const works = await Promise.all(
        called.map(
          async (hook): Promise<NewWork> => ({
            id: idOf(hook),
            kind: 'notification',
            ...{ organizationId, queueId, annotationId, createdAt },
            hookId: hook.id,
            group: `hook:${hook.id}`,
            lane: `${hook.id}/${annotationId}`,
            sequence: version,
            after: predecessorsOf(hook, called).map(idOf),
            data: { parts: await payloads.ofStatus(subject, told, hook.sideload) },
          }),
        ),
      );
      const about = { queueId, annotationId };
      const records = listening
        .filter(({ type }) => type !== 'webhook')
        .map((hook) => webhooks.recordFunction(callOf(hook, idOf(hook), createdAt, about, {})));
      return async (session) => {
        await work.add(session, works);
        await logs.add(records, session);
      };
    },

    /** One attempt of a notification. */
    async deliver({ work: one }: Claim, signal: AbortSignal): Promise<Result> {
      const { id, organizationId, queueId, annotationId, hookId, attempts, createdAt, data } = one;
      const hook = await hooks.find(organizationId, hookId ?? 0);
      if (!hook) await work.cancelOfHook(organizationId, hookId ?? 0);
      if (!hook?.active || hook.type !== 'webhook') return { kind: 'cancelled' };
      const about = { queueId: queueId ?? undefined, annotationId: annotationId ?? undefined };
      const call = { ...callOf(hook, id, createdAt, about, data.parts as JsonObject), signal };
      const outcome = await webhooks.notify(call);
      signal.throwIfAborted();
      const problem = await reasonToDisable(hook, outcome);
      if (problem) {
        await disable(call, problem);
        return { kind: 'parked' };
      }
      if (outcome.kind === 'answered') return { kind: 'done' };
      if (!outcome.retryable) return { kind: 'parked' };
      const { retry_count: retryCount } = configOf(hook);
      const next = nextAttempt(attempts, { retryCount, goesOn: true, retryAfterMs: outcome.retryAfterMs });
      return next ? { kind: 'again', delayMs: next.delayMs, isSettled: next.isLate } : { kind: 'parked' };
    },
  };
}
