import { EventEmitter } from 'node:events';
import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { TaskStore } from '../task/task.store';
import {
  type Import,
  importFailureOf,
  missingImports,
  nextLook,
  type Upload,
  type UploadAnnotation,
  type Values,
} from './upload';
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
  /** Shows the files to the queue's `upload.created` hooks. */
  readonly callHooks: (upload: Upload, files: readonly HookedFile[]) => Promise<readonly HookedFile[]>;
}

type Effect = (session: ClientSession) => Promise<void>;

/** The way of an upload from its files to its annotations. */
export interface ImportUpload {
  /** Calls the hooks and announces what is to be imported; does nothing for an upload that is further already. */
  start(organizationId: number, uploadId: number): Promise<Effect>;
  /** Hooks failed for good: the task fails, and each document gets an annotation that says so. */
  giveUp(session: ClientSession, organizationId: number, uploadId: number, eventId: string): Promise<void>;
  /** Notes an annotation on its document and upload; the last one finishes the upload. */
  recordAnnotation(
    session: ClientSession,
    organizationId: number,
    annotation: UploadAnnotation,
    uploadId: number | undefined,
  ): Promise<void>;
  /** The upload as soon as it is finished, or as it is at `until`. Throws NOT_FOUND. */
  await(caller: Caller, uploadId: number, until: Date): Promise<Upload>;
  /** Puts uploads that rest on the bus again. Answers how many. */
  pushResting(now: Date): Promise<number>;
}

/** How long a waiting call leaves the database alone, in milliseconds: another replica may finish the upload. */
const LONGEST_PAUSE_MS = 250;
const SWEEP_BATCH = 200;

/** The import of uploads. API: documents-and-uploads.md section 2, processing order. */
export function createImportUpload(options: ImportUploadOptions): ImportUpload {
  const { backbone, documents, uploads, tasks, callHooks } = options;
  const { database, emit } = backbone;
  const finished = new EventEmitter().setMaxListeners(0);

  const finish = async (session: ClientSession, upload: Upload): Promise<void> => {
    const version = upload.version + 1;
    await uploads.change(session, upload.id, { state: 'finished', version });
    await tasks.end(session, upload.taskId, { status: 'succeeded' });
    const { id: uploadId, organizationId, queueId } = upload;
    await emit(session, {
      subject: 'upload.finished',
      aggregate: `upload:${uploadId}`,
      version,
      payload: { uploadId, organizationId, queueId },
    });
    finished.emit(String(uploadId));
  };

  /** Says that documents are ready to be imported. */
  const announce = async (session: ClientSession, upload: Upload, imports: readonly Import[]): Promise<void> => {
    const ids = imports.map((one) => one.documentId);
    const versions = await documents.countAnnouncements(session, ids);
    const found = await documents.findMany(systemCaller('document-storage', upload.organizationId), ids);
    const byId = new Map(found.map((document) => [document.id, document]));
    for (const { documentId, values, failure } of imports) {
      const document = byId.get(documentId);
      if (!document) continue;
      await emit(session, {
        subject: 'document.stored',
        aggregate: `document:${documentId}`,
        version: versions.get(documentId) ?? 1,
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
        },
      });
    }
  };

  const startImporting = async (session: ClientSession, upload: Upload, imports: readonly Import[]): Promise<void> => {
    const changes = { state: 'importing', imports, looks: 0, lookAgainAt: nextLook(0, new Date()) } as const;
    await uploads.change(session, upload.id, changes);
    await announce(session, upload, imports);
    if (imports.length === 0) await finish(session, upload);
  };

  const documentsOf = async (upload: Upload): Promise<Document[]> => {
    const found = await documents.findMany(systemCaller('document-storage', upload.organizationId), upload.documentIds);
    return found.sort((a, b) => a.id - b.id);
  };

  return {
    async start(organizationId, uploadId) {
      const upload = await uploads.find(systemCaller('document-storage', organizationId), uploadId);
      if (upload?.state !== 'created') return async () => undefined;
      const files = await documentsOf(upload);
      const answer = await callHooks(
        upload,
        files.map(({ id }) => ({ documentId: id, preventImporting: false, values: upload.values })),
      );
      const verdicts = new Map(answer.map((file) => [file.documentId, file]));
      const imports = files.flatMap((document): Import[] => {
        const verdict = verdicts.get(document.id);
        if (!verdict || verdict.preventImporting) return [];
        const values = { ...upload.values, ...verdict.values };
        return [{ documentId: document.id, values, failure: importFailureOf(document.mimeType) }];
      });
      return async (session) => {
        const now = await uploads.load(session, organizationId, uploadId);
        if (now?.state === 'created') await startImporting(session, now, imports);
      };
    },

    async giveUp(session, organizationId, uploadId, eventId) {
      const upload = await uploads.load(session, organizationId, uploadId);
      if (upload?.state !== 'created') return;
      const detail = `The upload could not be processed (error ${eventId}).`;
      await tasks.end(session, upload.taskId, { status: 'failed', detail, code: 'error' });
      const imports = upload.documentIds.map((documentId) => ({
        documentId,
        values: upload.values,
        failure: detail,
      }));
      await startImporting(session, upload, imports);
    },

    async recordAnnotation(session, organizationId, annotation, uploadId) {
      const { documentId, annotationId } = annotation;
      await documents.addAnnotation(session, organizationId, documentId, annotationId);
      const upload = uploadId === undefined ? null : await uploads.load(session, organizationId, uploadId);
      if (!upload || upload.annotations.some((known) => known.annotationId === annotationId)) return;
      const annotations = [...upload.annotations, annotation];
      await uploads.change(session, upload.id, { annotations });
      if (upload.state === 'importing' && missingImports({ ...upload, annotations }).length === 0)
        await finish(session, upload);
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

    async pushResting(now) {
      const resting = await uploads.findResting(now, SWEEP_BATCH);
      for (const { id, organizationId } of resting) {
        await transaction(database, async (session) => {
          const upload = await uploads.load(session, organizationId, id);
          if (!upload || upload.state === 'finished' || upload.lookAgainAt > now) return;
          const looks = upload.looks + 1;
          const seen = { looks, lookAgainAt: nextLook(looks, now) };
          if (upload.state === 'importing') {
            await uploads.change(session, id, seen);
            await announce(session, upload, missingImports(upload));
            return;
          }
          const version = upload.version + 1;
          await uploads.change(session, id, { ...seen, version });
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
