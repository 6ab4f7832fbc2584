import { transaction } from '@intake/mongo';
import { systemCaller } from '@intake/rpc';
import type { Annotation } from './annotation.types';
import { type ChangeTools, changeState, eventFor, extractedEventFor } from './changes';

/** Reviews whose time is over that are ended before the next are looked for. */
const EXPIRED_AT_ONCE = 200;

/** What becomes of annotations that nobody does anything with. */
export function createResting(tools: ChangeTools) {
  const { backbone, store } = tools;

  return {
    /** Puts what rests too long in a passing state on the bus again. */
    async resend(status: 'importing' | 'exporting', restingMs: number): Promise<number> {
      const resting = await store.findResting(status, new Date(Date.now() - restingMs), 200);
      for (const annotation of resting) await resendOne(annotation);
      return resting.length;
    },

    /** What has rested in a passing state since before `before`, for operators, and trying one of them again. */
    stuck: {
      kind: 'annotation',
      async list(before: Date, limit: number) {
        const [importing, exporting] = [
          await store.findResting('importing', before, limit),
          await store.findResting('exporting', before, limit),
        ];
        return [...importing, ...exporting].map(({ id, organizationId, status, restingSince, resends }) => ({
          id: String(id),
          since: restingSince ?? before,
          reason: `It is in ${status}${resends > 0 ? `, put on the bus again ${resends} times` : ''}.`,
          organizationId,
        }));
      },
      async retry(id: string) {
        if (!/^\d+$/.test(id)) return false;
        const resting = await store.findRestingById(Number(id));
        if (resting) await resendOne(resting);
        return resting !== null;
      },
    },

    /** Ends the reviews whose holder has done nothing for the queue's session time-out. */
    async endExpiredReviews(): Promise<void> {
      const now = new Date();
      for (;;) {
        const expired = await store.findExpiredReviews(now, EXPIRED_AT_ONCE);
        for (const { id, organizationId } of expired) {
          await changeState(tools, systemCaller('annotation', organizationId), id, 'time_out', {
            unless: ({ status, reviewUntil }) => status !== 'reviewing' || reviewUntil === null || reviewUntil > now,
          });
        }
        if (expired.length < EXPIRED_AT_ONCE) return;
      }
    },
  };

  /** Puts an annotation that rests in a passing state on the bus again. */
  async function resendOne(annotation: Annotation): Promise<void> {
    const caller = systemCaller('annotation', annotation.organizationId);
    await transaction(backbone.database, async (session) => {
      const now = new Date();
      if (!(await store.markResent(session, annotation, now))) return;
      const again = { ...annotation, resends: annotation.resends + 1 };
      if (annotation.status === 'importing' && again.extractedPollId === again.rirPollId)
        backbone.emit(session, extractedEventFor(again));
      else backbone.emit(session, eventFor({ ...again, version: again.statusVersion }, '', 'resend', caller, now));
    });
  }
}
