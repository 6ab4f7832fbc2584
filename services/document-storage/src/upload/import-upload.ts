import { EventEmitter } from 'node:events';
import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { TaskStore } from '../task/task.store';
import { type Candidate, candidatesOf } from './unpack-archives';
import { type Import, missingImports, nextLook, type Upload, type UploadAnnotation, type Values } from './upload';
import type { UploadStore } from './upload.store';

/** What hooks say about a file. */
export interface HookedFile {
  readonly documentId: number;
  readonly preventImporting: boolean;
  readonly values: Values;
}

export interface ImportUploadOptions {
  readonly backbone: Backbone;
  readonly documents: DocumentStore;
  readonly uploads: UploadStore;
  readonly tasks: TaskStore;
  /** Opens the archives among the documents that were sent: their members are documents then. */
  readonly unpackArchives: (upload: Upload, sent: readonly Document[]) => Promise<void>;
  /** Shows the files to the queue's `upload.created` hooks. */
  readonly callHooks: (upload: Upload, files: readonly HookedFile[]) => Promise<readonly HookedFile[]>;
}

/** An annotation that was opened. */
export interface NewAnnotation extends UploadAnnotation {
  readonly organizationId: number;
  readonly uploadId?: number | undefined;
  /** What happened to it. */
  readonly trigger: string;
  /** Runs what follows from it as a part of the request that it was opened in. */
  within<T>(fn: () => T): T;
}

type Effect = (session: ClientSession) => Promise<void>;

/** The way of an upload from its files to its annotations. */
export interface ImportUpload {
  /** Opens archives, calls the hooks and announces what is to be imported; does nothing for an upload that is further already. */
  start(organizationId: number, uploadId: number, eventId: string): Promise<Effect>;
  /** Hooks failed for good: the task fails, and each document gets an annotation that says so. */
  giveUp(session: ClientSession, organizationId: number, uploadId: number, eventId: string): Promise<void>;
  /** Notes annotations on their documents and uploads; the last one of an upload finishes it. */
  recordAnnotations(session: ClientSession, annotations: readonly NewAnnotation[]): Promise<void>;
  /** Documents that are to be imported and have no annotation yet, as far as they are known. */
  findWaiting(upload: Upload): Promise<number[]>;
  /** The upload as soon as it is finished, or as it is at `until`. Throws NOT_FOUND. */
  await(caller: Caller, uploadId: number, until: Date): Promise<Upload>;
  /** Imports further documents of an upload, with the values of the one they were made of. */
  importParts(session: ClientSession, original: Document, partIds: readonly number[]): Promise<void>;
  /** Puts uploads that rest on the bus again. Answers how many. */
  pushResting(now: Date): Promise<number>;
}

/** How long a waiting call leaves the database alone, in milliseconds: another replica may finish the upload. */
const LONGEST_PAUSE_MS = 250;
const SWEEP_BATCH = 200;

/** The import of uploads. API: documents-and-uploads.md section 2, processing order. */
export function createImportUpload(options: ImportUploadOptions): ImportUpload {
  const { backbone, documents, uploads, tasks, unpackArchives, callHooks } = options;
  const { database, emit } = backbone;
  const finished = new EventEmitter().setMaxListeners(0);

  /** Tells that an upload has all its annotations; answers the upload as it then is. */
  const finish = (session: ClientSession, upload: Upload): Upload => {
    const after = { ...upload, state: 'finished', version: upload.version + 1 } as const;
    const { id: uploadId, organizationId, queueId, version } = after;
    emit(session, {
      subject: 'upload.finished',
      aggregate: `upload:${uploadId}`,
      version,
      payload: { uploadId, organizationId, queueId },
    });
    finished.emit(String(uploadId));
    return after;
  };

  /** Says that documents are ready to be imported. */
  const announce = async (session: ClientSession, upload: Upload, imports: readonly Import[]): Promise<void> => {
    const ids = imports.map((one) => one.documentId);
    const announced = await documents.countAnnouncements(session, upload.organizationId, ids);
    for (const { documentId, values, failure } of imports) {
      const document = announced.get(documentId);
      if (!document) continue;
      emit(session, {
        subject: 'document.stored',
        aggregate: `document:${documentId}`,
        version: document.announcements,
        payload: {
          documentId,
          organizationId: upload.organizationId,
          queueId: upload.queueId,
          uploadId: upload.id,
          creatorId: upload.creatorId ?? undefined,
          emailId: upload.emailId ?? undefined,
          mimeType: document.mimeType,
          fileName: document.originalFileName,
          arrivedAt: document.createdAt,
          values,
          metadata: upload.metadata,
          failure,
          md5: document.md5,
        },
      });
    }
  };

  /** Goes on to the imports; does nothing for an upload that is further already. */
  const startImporting = async (
    session: ClientSession,
    organizationId: number,
    uploadId: number,
    imports: readonly Import[],
  ): Promise<void> => {
    const lookAgainAt = nextLook(0, new Date());
    const upload = await uploads.startImporting(session, organizationId, uploadId, imports, lookAgainAt);
    if (!upload) return;
    await announce(session, upload, imports);
    if (missingImports(upload).length > 0) return;
    const { id, state, version } = finish(session, upload);
    await uploads.changeMany(session, [{ id, state, version }]);
    await tasks.end(session, [upload.taskId], { status: 'succeeded' });
  };

  const findDocuments = async ({ organizationId }: Upload, ids: readonly number[]): Promise<Document[]> => {
    const found = await documents.findMany(systemCaller('document-storage', organizationId), ids);
    return found.sort((a, b) => a.id - b.id);
  };

  const candidatesIn = async (upload: Upload): Promise<Candidate[]> => {
    const { documentIds, additionalDocumentIds } = upload;
    return candidatesOf(upload, await findDocuments(upload, [...documentIds, ...additionalDocumentIds]));
  };

  /** What is to be imported of an upload, archives opened. */
  const findCandidates = async (organizationId: number, uploadId: number): Promise<Candidate[]> => {
    const upload = await uploads.find(systemCaller('document-storage', organizationId), uploadId);
    return upload ? candidatesIn(upload) : [];
  };

  return {
    async start(organizationId, uploadId, eventId) {
      const upload = await uploads.find(systemCaller('document-storage', organizationId), uploadId);
      if (upload?.state !== 'created') return async () => undefined;
      const sent = await findDocuments(upload, upload.documentIds);
      await unpackArchives(upload, sent);
      const candidates = await findCandidates(organizationId, uploadId);
      const files = candidates.filter(({ failure }) => failure === '');
      const answer = await callHooks(
        upload,
        files.map(({ documentId }) => ({ documentId, preventImporting: false, values: upload.values })),
      );
      const verdicts = new Map(answer.map((file) => [file.documentId, file]));
      const imports = candidates.flatMap(({ documentId, failure }): Import[] => {
        if (failure) return [{ documentId, values: upload.values, failure }];
        const verdict = verdicts.get(documentId);
        if (!verdict || verdict.preventImporting) return [];
        return [{ documentId, values: { ...upload.values, ...verdict.values }, failure }];
      });
      const problem = candidates.every(({ isUnopened }) => isUnopened) && candidates[0]?.failure;
      return async (session) => {
        if (problem) {
          const detail = `${problem} (error ${eventId})`;
          await tasks.end(session, [upload.taskId], { status: 'failed', detail, code: 'error' });
        }
        await startImporting(session, organizationId, uploadId, imports);
      };
    },

    async giveUp(session, organizationId, uploadId, eventId) {
      const upload = await uploads.load(session, organizationId, uploadId);
      if (upload?.state !== 'created') return;
      const detail = `The upload could not be processed (error ${eventId}).`;
      await tasks.end(session, [upload.taskId], { status: 'failed', detail, code: 'error' });
      const candidates = await findCandidates(organizationId, uploadId);
      const imports = candidates.map(({ documentId }) => ({ documentId, values: upload.values, failure: detail }));
      await startImporting(session, organizationId, uploadId, imports);
    },

    async recordAnnotations(session, annotations) {
      await documents.addAnnotations(session, annotations);
      for (const annotation of annotations) {
        if (annotation.trigger === 'edit_in_place') await documents.leaveParent(session, annotation);
      }
      const before = await uploads.loadMany(
        session,
        annotations.flatMap(({ uploadId }) => uploadId ?? []),
      );
      const after = new Map(before);
      for (const { organizationId, uploadId = 0, annotationId, documentId, within } of annotations) {
        const upload = after.get(uploadId);
        if (upload?.organizationId !== organizationId) continue;
        if (upload.annotations.some((known) => known.annotationId === annotationId)) continue;
        const noted = { ...upload, annotations: [...upload.annotations, { annotationId, documentId }] };
        const complete = noted.state === 'importing' && missingImports(noted).length === 0;
        after.set(uploadId, complete ? within(() => finish(session, noted)) : noted);
      }
      const changed = [...after.values()].filter((upload) => upload !== before.get(upload.id));
      await uploads.changeMany(
        session,
        changed.map(({ id, annotations, state, version }) => ({ id, annotations, state, version })),
      );
      const finishedNow = changed.filter(({ state }) => state === 'finished');
      await tasks.end(
        session,
        finishedNow.map(({ taskId }) => taskId),
        { status: 'succeeded' },
      );
    },

    async findWaiting(upload) {
      if (upload.state === 'finished') return [];
      if (upload.state === 'importing') return missingImports(upload).map(({ documentId }) => documentId);
      const known = new Set(upload.annotations.map(({ documentId }) => documentId));
      const candidates = await candidatesIn(upload);
      // An archive may still be opened, and has no annotation then.
      return candidates.flatMap(({ documentId, failure }) => (failure || known.has(documentId) ? [] : [documentId]));
    },

    async await(caller, uploadId, until) {
      let pause = LONGEST_PAUSE_MS;
      for (;;) {
        const upload = await uploads.find(caller, uploadId);
        if (!upload) throw new Refusal('NOT_FOUND');
        const left = until.getTime() - Date.now();
        if (upload.state === 'finished' || left <= 0) return upload;
        const woken = await waitForSignal(finished, String(uploadId), Math.min(pause, left));
        // The signal comes a moment before the transaction is committed.
        pause = woken ? 10 : Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    },

    async importParts(session, original, partIds) {
      const upload = await uploads.load(session, original.organizationId, original.uploadId ?? 0);
      if (!upload) throw new Refusal('NOT_FOUND', { detail: `Document ${original.id} belongs to no upload.` });
      const values = upload.imports.find(({ documentId }) => documentId === original.id)?.values ?? upload.values;
      const imports = partIds.map((documentId) => ({ documentId, values, failure: '' }));
      await uploads.addImports(session, upload, imports, nextLook(0, new Date()));
      await announce(session, upload, imports);
    },

    async pushResting(now) {
      const resting = await uploads.findResting(now, SWEEP_BATCH);
      for (const { id, organizationId } of resting) {
        await transaction(database, async (session) => {
          const upload = await uploads.load(session, organizationId, id);
          if (!upload || upload.state === 'finished' || upload.lookAgainAt > now) return;
          const looks = upload.looks + 1;
          const seen = { looks, lookAgainAt: nextLook(looks, now) };
          if (upload.state === 'importing') {
            await uploads.changeMany(session, [{ id, ...seen }]);
            await announce(session, upload, missingImports(upload));
            return;
          }
          const version = upload.version + 1;
          await uploads.changeMany(session, [{ id, ...seen, version }]);
          await emit(session, {
            subject: 'upload.created',
            aggregate: `upload:${id}`,
            version,
            payload: { uploadId: id, organizationId, queueId: upload.queueId },
          });
        });
      }
      return resting.length;
    },
  };
}

/** True when the signal came, false when the time was over. */
function waitForSignal(emitter: EventEmitter, name: string, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const onSignal = () => done(true);
    const timer = setTimeout(() => done(false), ms);
    const done = (woken: boolean) => {
      clearTimeout(timer);
      emitter.off(name, onSignal);
      resolve(woken);
    };
    emitter.once(name, onSignal);
  });
}
