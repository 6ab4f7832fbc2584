import type { operations } from '@intake/contracts';
import type { StuckSource } from '@intake/service';
import { requireSystem } from './caller';
import type { Handlers } from './methods';

const MOST = 1000;

/** What operators ask every service: `intake status`, `intake retry`. */
export function createOperations(
  sources: readonly StuckSource[],
): Handlers<typeof operations.OperationsServiceService> {
  return {
    async listStuck({ seconds, limit }, caller) {
      requireSystem(caller);
      const before = new Date(Date.now() - seconds * 1000);
      const most = Math.min(Math.max(limit, 1), MOST);
      const lists = await Promise.all(
        sources.map(async ({ kind, list }) => (await list(before, most)).map((one) => ({ kind, ...one }))),
      );
      return { stuck: lists.flat() };
    },
    async retryStuck({ kind, id }, caller) {
      requireSystem(caller);
      const source = sources.find((one) => one.kind === kind);
      return { found: (await source?.retry(id)) ?? false };
    },
  };
}
