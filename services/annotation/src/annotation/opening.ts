import type { documentStorage, events } from '@intake/contracts';
import { type ClientSession, isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, Refusal, seesQueue, systemCaller } from '@intake/rpc';
import type { Annotation } from './annotation.types';
import type { AnnotationTools } from './annotation-tools';
import { changeInSession, openAnnotation } from './changes';
import { newAnnotation, toMessage } from './new-annotation';

export type Opening = ReturnType<typeof createOpening>;

/** The first annotation of documents that were sent. */
export function createOpening(tools: AnnotationTools) {
  const { backbone, store, storage, rules } = tools;

  /** Goes on with an annotation that was opened before its document was ready: by `openWaiting`, or by a hook. */
  const importWaiting = async (
    session: ClientSession,
    caller: Caller,
    one: Annotation,
    { uploadId, queueId, values, metadata, failure, messages: given }: events.DocumentStored,
  ): Promise<void> => {
    const messages = given.map(toMessage);
    const patch =
      one.uploadId === uploadId
        ? { values, metadata: metadata ?? {}, messages }
        : { values: { ...values, ...one.values }, messages, ...(one.queueId === queueId && { uploadId }) };
    await changeInSession(tools, session, caller, one.id, 'import', { patch });
    if (!failure) return;
    await changeInSession(tools, session, caller, one.id, 'fail_extraction', {
      patch: { messages: [...messages, { id: 'all', type: 'error', content: failure }] },
    });
  };

  return {
    /** Opens an annotation for a document that is ready, or goes on with the one that waits; the effect of `document.stored`. */
    async prepare(event: events.DocumentStored): Promise<(session: ClientSession) => Promise<void>> {
      const caller = systemCaller('annotation', event.organizationId);
      const q = await rules.getQueue(event);
      const annotation = newAnnotation(await backbone.ids.next('annotation'), event, q, new Date());
      return async (session) => {
        const there = event.uploadId ? await store.findOfDocument(caller, event.documentId, session) : [];
        const opened = there.find(({ uploadId }) => uploadId === event.uploadId);
        // What was announced before, and is announced once more.
        if (opened && opened.status !== 'created') return;
        const waiting = there.filter(({ status }) => status === 'created');
        for (const one of waiting) await importWaiting(session, caller, one, event);
        if (event.onlyCreated || waiting.some(({ queueId }) => queueId === event.queueId)) return;
        await openAnnotation(tools, session, caller, annotation);
      };
    },

    /**
     * Annotations in `created` for what an upload waits with; those that exist are answered as they are. Throws NOT_FOUND.
     * API: documents-and-uploads.md section 2, legacy.
     */
    async openWaiting(caller: Caller, uploadId: number): Promise<Annotation[]> {
      const upload = await storage.getUpload({ id: uploadId }, caller);
      if (!seesQueue(caller, upload.queueId)) throw new Refusal('NOT_FOUND');
      const system = systemCaller('annotation', upload.organizationId);
      const ids = upload.waitingDocumentIds;
      const [q, { documents }] = await Promise.all([rules.getQueue(upload), storage.getDocuments({ ids }, system)]);
      const first = documents.length > 0 ? await backbone.ids.next('annotation', documents.length) : 0;
      const now = new Date();
      const opened = documents
        .sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
        .map((document, i): Annotation => {
          const annotation = newAnnotation(first + i, waitingOf(upload, document), q, now);
          return { ...annotation, status: 'created' };
        });
      const open = () =>
        transaction(backbone.database, async (session) => {
          const all: Annotation[] = [];
          for (const annotation of opened) {
            const existing = await store.findByUpload(uploadId, annotation.documentId, session);
            if (!existing) await openAnnotation(tools, session, caller, annotation);
            all.push(existing ?? annotation);
          }
          return all;
        });
      // The document may become ready at this very moment.
      return open().catch((error) => {
        if (!isDuplicateKey(error)) throw error;
        return open();
      });
    },
  };
}

/** What the event will say of a document when the upload goes on, as far as that is known. */
function waitingOf(
  { id: uploadId, organizationId, queueId, creatorId, emailId, values, metadata }: documentStorage.Upload,
  { id: documentId, mimeType, originalFileName: fileName, createdAt: arrivedAt, md5 }: documentStorage.Document,
): events.DocumentStored {
  const of = { documentId, organizationId, queueId, uploadId, creatorId, emailId };
  return { ...of, mimeType, fileName, arrivedAt, values, metadata, failure: '', md5, messages: [], onlyCreated: false };
}
