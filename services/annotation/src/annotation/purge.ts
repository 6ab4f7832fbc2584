import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import { createDuplicates } from '../relation/duplicates';
import type { AnnotationTools } from './annotation-tools';
import { changeState } from './changes';

/** How long one replica may go on alone. */
const LEASE_MS = 60_000;
const BATCH = 50;

/**
 * Purging: the data of deleted annotations goes, their metadata stays (API: annotations.md section 6). One replica purges at a
 * time, so that the last annotation of a document knows that it is the last; document-storage then removes the bytes.
 */
export function createPurge(tools: AnnotationTools) {
  const { backbone, store, content, history, readings, blockers, suggestedEdits } = tools;
  const duplicates = createDuplicates(tools);

  const purge = async (caller: Caller, id: number): Promise<void> => {
    await changeState(tools, caller, id, 'purge', {
      unless: ({ status, purgeRequestedAt }) => status !== 'deleted' || purgeRequestedAt === null,
      patchOf: ({ purgeRequestedById }) => ({ purgedById: purgeRequestedById }),
      requestedBy: ({ purgeRequestedById }) => purgeRequestedById,
      patch: {
        messages: [],
        values: {},
        fileName: '',
        pageIds: [],
        automationBlockerId: null,
        suggestedEditId: null,
        rirPollId: null,
        fingerprint: null,
        givenJson: null,
      },
      alongside: async (session, after) => {
        await content.replaceAll(session, id, []);
        await history.forgetValues(session, id);
        await readings.remove(session, [id]);
        await blockers.remove(session, id);
        await suggestedEdits.removeOfAnnotation(session, id);
        await duplicates.leave(session, id);
        return {
          lastOfDocument: !(await store.isDocumentNeeded(session, after)),
          lastOfEmail: after.emailId !== null && !(await store.isEmailNeeded(session, after)),
        };
      },
    });
  };

  const purgeRequested = async (): Promise<void> => {
    const lease = await backbone.leases.acquire('purge', LEASE_MS);
    if (!lease) return;
    try {
      for (;;) {
        const waiting = await store.findPurgeable(BATCH);
        if (waiting.length === 0 || !(await lease.renew())) return;
        for (const { id, organizationId } of waiting) await purge(systemCaller('annotation', organizationId), id);
      }
    } finally {
      await lease.release();
    }
  };

  return {
    /** Marks what is deleted of these; `purgeRequested` does the rest. */
    async request(
      caller: Caller,
      which: { readonly ids: readonly number[]; readonly queueId: number | undefined },
    ): Promise<void> {
      if (which.ids.length === 0 && which.queueId === undefined) {
        throw new Refusal('INVALID', { fields: { non_field_errors: ['Give annotations or a queue.'] } });
      }
      await store.requestPurge(caller, which, new Date());
    },
    purgeRequested,
  };
}
