import { isMongoUnavailable } from '@intake/mongo';
import { isNeighbourAway } from '@intake/rpc';
import { contextFromTraceparent, type Runtime, runInContext } from '@intake/service';
import { CLAIM_MS, type Claim, type Work, type WorkKind, type WorkStore } from './work.store';

/** What came of a try. */
export type Result =
  | { readonly kind: 'done' | 'parked' | 'cancelled' }
  | { readonly kind: 'again'; readonly delayMs: number; readonly isSettled: boolean };

/** What is done about one kind of work. */
export interface Handler {
  readonly run: (claim: Claim, signal: AbortSignal) => Promise<Result>;
  /** After the last try that failed in a way nobody thought of: makes it visible to the user. */
  readonly giveUp?: (work: Work, claim: Claim) => Promise<void>;
}
export type Handlers = Readonly<Record<WorkKind, Handler>>;

const POLL_MS = 500;
/** Works of one group at the same time in one process, and of all together. */
const GROUP_LIMIT = 8;
const TOTAL_LIMIT = 1000;
/** Works that are taken at the same time; a group may have so many more than its limit for a moment. */
const AT_ONCE = 4;
const AWAY_MS = 2000;
/** Before a work is tried again that failed in a way that nobody thought of. */
const UNEXPECTED_MS = [1000, 5000, 30_000, 120_000];
/** Calls under way have so long to end when the service stops. */
const DRAIN_MS = 10_000;

/** Does background work: what is due, of many receivers at the same time, each with a limit of its own. */
export function startWorker(runtime: Runtime, store: WorkStore, handlers: Handlers): void {
  const running = new Map<string, Promise<void>>();
  const inGroup = new Map<string, number>();
  const stopping = new AbortController();
  let looking = false;
  let again = false;
  let stopped = false;

  const settle = async (claim: Claim): Promise<void> => {
    const { work } = claim;
    try {
      const result = await handlers[work.kind].run(claim, stopping.signal);
      if (result.kind === 'again') await store.putOff(claim, result.delayMs, result.isSettled);
      else await store.finish(claim, result.kind);
    } catch (error) {
      await afterError(claim, error);
    }
  };
  const afterError = async (claim: Claim, error: unknown): Promise<void> => {
    const { work } = claim;
    if (stopping.signal.aborted || isNeighbourAway(error) || isMongoUnavailable(error)) {
      runtime.log.info({ err: error, work: work.id }, 'work waits for what is away');
      await store.release(claim, stopping.signal.aborted ? 0 : AWAY_MS);
      return;
    }
    const delayMs = UNEXPECTED_MS[work.attempts - 1];
    runtime.log.error({ err: error, work: work.id, delayMs }, 'work failed');
    if (delayMs === undefined) {
      await handlers[work.kind].giveUp?.(work, claim);
      await store.finish(claim, 'parked');
    } else await store.putOff(claim, delayMs, false);
  };

  const run = async (claim: Claim): Promise<void> => {
    const keeping = setInterval(() => void store.renew(claim).catch(() => undefined), CLAIM_MS / 3);
    try {
      await runInContext({ requestId: claim.work.id, otel: contextFromTraceparent(undefined) }, () => settle(claim));
    } catch (error) {
      // The claim ends by itself, and somebody takes it again.
      runtime.log.warn({ err: error, work: claim.work.id }, 'what came of work could not be noted');
    } finally {
      clearInterval(keeping);
    }
  };

  const begin = (claim: Claim): void => {
    const { group } = claim.work;
    inGroup.set(group, (inGroup.get(group) ?? 0) + 1);
    const task = run(claim).finally(() => {
      running.delete(claim.token);
      const left = (inGroup.get(group) ?? 1) - 1;
      if (left > 0) inGroup.set(group, left);
      else inGroup.delete(group);
      look();
    });
    running.set(claim.token, task);
  };

  const look = (): void => {
    again = true;
    if (looking || stopped) return;
    looking = true;
    void (async () => {
      try {
        while (again && !stopped) {
          again = false;
          // One first: mostly there is none.
          for (let wanted = 1; !stopped && running.size < TOTAL_LIMIT; wanted = AT_ONCE) {
            const busy = [...inGroup].filter(([, count]) => count >= GROUP_LIMIT).map(([group]) => group);
            const claims = await Promise.all(Array.from({ length: wanted }, () => store.claim(busy)));
            const taken = claims.filter((claim) => claim !== null);
            for (const claim of taken) begin(claim);
            if (taken.length < wanted) break;
          }
        }
      } catch (error) {
        runtime.log.warn({ err: error }, 'work cannot be looked for');
      } finally {
        looking = false;
      }
    })();
  };

  store.onAdded(look);
  const timer = setInterval(look, POLL_MS);
  runtime.onStop('background work', async () => {
    stopped = true;
    clearInterval(timer);
    const giveUp = setTimeout(() => stopping.abort(), DRAIN_MS);
    await Promise.all(running.values());
    clearTimeout(giveUp);
  });
}
