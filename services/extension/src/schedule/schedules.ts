import type { queue } from '@intake/contracts';
import { type Database, transaction } from '@intake/mongo';
import { type Client, systemCaller } from '@intake/rpc';
import { Cron } from 'croner';
import { configOf, type Hook, type Hooks } from '../hook/hook';
import { callIdOf } from '../webhook/call-id';
import type { Webhooks } from '../webhook/webhooks';
import type { NewWork, WorkStore } from '../work/work.store';
import type { Handler } from '../work/worker';

export interface SchedulesOptions {
  readonly database: Database;
  readonly queues: Pick<Client<typeof queue.QueueServiceService>, 'listScheduledHooks'>;
  readonly hooks: Hooks;
  readonly webhooks: Webhooks;
  readonly work: WorkStore;
}

const EVENT = 'invocation';
const ACTION = 'scheduled';
/** A turn that was missed for longer, while nothing ran, is not made up for: in milliseconds. */
const LATEST_MS = 10 * 60_000;

/** The last turn of a schedule (UTC) at or before `now`, if it is not too long ago and the hook was there already. */
export function lastTurn(cron: string, now: Date, since: Date): Date | null {
  const earliest = new Date(Math.max(now.getTime() - LATEST_MS, since.getTime()));
  try {
    // Turns strictly after a time are asked for, and `earliest` may be one.
    const next = new Cron(cron, { paused: true, timezone: 'UTC' }).nextRun(new Date(earliest.getTime() - 1000));
    return next && next >= earliest && next <= now ? next : null;
  } catch {
    return null;
  }
}

/** Calls hooks by the clock: `invocation.scheduled`. API: hooks-and-connectors.md sections 1.1 and 3.5. */
export function createSchedules({ database, queues, hooks, webhooks, work }: SchedulesOptions) {
  const workOf = (hook: Hook, at: Date): NewWork => ({
    ...{ id: callIdOf(`${EVENT}.${ACTION}/${hook.id}/${at.toISOString()}`), kind: 'schedule' },
    ...{ organizationId: hook.organizationId, queueId: null, annotationId: null, hookId: hook.id },
    // One call of a hook at a time.
    ...{ group: `schedule/hook:${hook.id}`, lane: `schedule/${hook.id}`, sequence: at.getTime(), after: [] },
    ...{ data: {}, createdAt: at },
  });
  const handler: Handler = {
    async run({ work: { id, organizationId, hookId, createdAt: at } }, signal) {
      const hook = await hooks.find(organizationId, hookId ?? 0);
      if (!hook?.active || hook.type !== 'webhook' || !hook.events.includes(`${EVENT}.${ACTION}`)) {
        return { kind: 'cancelled' };
      }
      const call = { hook, event: EVENT, action: ACTION, requestId: id, at, parts: {}, about: {}, signal };
      const { kind } = await webhooks.call(call, false);
      signal.throwIfAborted();
      return { kind: kind === 'answered' ? 'done' : 'parked' };
    },
  };
  return {
    handlers: { schedule: handler },

    /** Puts the calls whose time has come among the work; each turn of a hook once. */
    async callDue(now: Date): Promise<void> {
      const { hooks: scheduled } = await queues.listScheduledHooks({}, systemCaller('extension'));
      const due = scheduled.flatMap((hook) => {
        const { cron } = (configOf(hook).schedule ?? {}) as { cron?: unknown };
        const since = hook.modifiedAt ?? hook.createdAt ?? now;
        const at = typeof cron === 'string' ? lastTurn(cron, now, since) : null;
        return at ? [workOf(hook, at)] : [];
      });
      if (due.length > 0) await transaction(database, (session) => work.add(session, due));
    },
  };
}
