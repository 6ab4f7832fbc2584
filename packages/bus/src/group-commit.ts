import { setImmediate } from 'node:timers/promises';
import { type ClientSession, type Database, type Inbox, transaction } from '@intake/mongo';
import { currentContext, type RequestContext, runInContext } from '@intake/service';
import type { BusEvent } from './event';
import type { Effect, JointEffect } from './handlers';

/** What became of an event: it took effect, or it had done so before. */
export type Outcome = 'done' | 'repeated';

/** Commits the effect of an event, once. */
export type Commit = (event: BusEvent, effect: Effect | JointEffect) => Promise<Outcome>;

interface Waiting {
  readonly event: BusEvent;
  readonly effect: Effect | JointEffect;
  readonly context: RequestContext;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Effects in one transaction at most. */
const LARGEST_GROUP = 32;

/**
 * Commits effects of events, each together with the note that its event was seen. Those that become ready while a
 * transaction runs share the next one: a backlog costs few commits, and a single event waits for nothing. When a transaction
 * fails, each of its effects gets one of its own, so that a failure is that of its event alone.
 */
export function createGroupCommit(database: Database, inbox: Inbox, consumer: string): Commit {
  let waiting: Waiting[] = [];
  let running = false;

  const commit = (group: readonly Waiting[]): Promise<boolean[]> =>
    transaction(database, async (session) => {
      const ids = group.map(({ event }) => event.id);
      const isNew = await inbox.claim(session, consumer, ids);
      const fresh = group.filter((_, i) => isNew[i]);
      await takeEffect(session, fresh);
      return isNew;
    });

  const settle = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const isNew = await commit(group);
      for (const [i, { resolve }] of group.entries()) resolve(isNew[i] ? 'done' : 'repeated');
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else await Promise.all(group.map((one) => settle([one])));
    }
  };

  const run = async (): Promise<void> => {
    running = true;
    for (;;) {
      await setImmediate(); // what was delivered together goes together
      if (waiting.length === 0) break;
      const group = waiting.slice(0, LARGEST_GROUP);
      waiting = waiting.slice(LARGEST_GROUP);
      await settle(group);
    }
    running = false;
  };

  return (event, effect) =>
    new Promise((resolve, reject) => {
      waiting.push({ event, effect, context: currentContext(), resolve, reject });
      if (!running) void run();
    });
}

/** Joint effects are taken by one call for all their events, the others one after the other. */
async function takeEffect(session: ClientSession, group: readonly Waiting[]): Promise<void> {
  const joint = new Map<JointEffect['together'], Waiting[]>();
  for (const one of group) {
    const { effect, context } = one;
    if (typeof effect === 'function') await runInContext(context, () => effect(session));
    else joint.set(effect.together, [...(joint.get(effect.together) ?? []), one]);
  }
  for (const [together, members] of joint) {
    const arrivals = members.map(({ event, context }) => ({
      event,
      within: <T>(fn: () => T) => runInContext(context, fn),
    }));
    await together(session, arrivals);
  }
}
