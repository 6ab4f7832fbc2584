import { EventEmitter } from 'node:events';
import type { Backbone } from '@intake/bus';
import type { annotation } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { TaskStore } from '../task/task.store';
import { type Candidate, candidatesOf } from './unpack-archives';
import { type Import, missingImports, nextLook, type Upload, type UploadAnnotation, type Values } from './upload';
import type { UploadStore } from './upload.store';

/** A file as hooks are asked about it. */
export interface AskedFile {
  readonly documentId: number;
  /** The engine cannot read it. */
  readonly preventImporting: boolean;
  readonly values: Values;
}

/** What hooks say about a file. */
export interface HookedFile extends AskedFile {
  readonly messages: readonly annotation.Message[];
  /** Why it cannot be imported; empty: it can be tried. */
  readonly failure: string;
}

/** How a document is announced. */
type Announcement = Import & {
  /** Annotations of it that wait go on, and no other is opened. */
  readonly onlyCreated?: boolean;
};

export interface ImportUploadOptions {
  readonly backbone: Backbone;
  readonly documents: DocumentStore;
  readonly uploads: UploadStore;
  readonly tasks: TaskStore;
  /** Opens the archives among the documents that were sent: their members are documents then. */
  readonly unpackArchives: (upload: Upload, sent: readonly Document[]) => Promise<void>;
  /** Shows the files to the queue's `upload.created` hooks; null: they have not answered yet, and `upload.answered` says when they have. */
  readonly callHooks: (upload: Upload, files: readonly AskedFile[]) => Promise<readonly HookedFile[] | null>;
  /** Whether the engine can read it, as far as its type tells. */
  readonly isReadable: (document: Document) => Promise<boolean>;
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
  /** Puts uploads that rest on the bus, those that have rested longest first, and no more than `most`. Answers how many. */
  pushResting(now: Date, most: number): Promise<number>;
}

/** How long a waiting call leaves the database alone, in milliseconds: another replica may finish the upload. */
const LONGEST_PAUSE_MS = 250;

type ValuedCandidate = Candidate & { readonly document: Document; readonly values: Values };

/** The import of uploads. API: documents-and-uploads.md section 2, processing order. */
export function createImportUpload(options: ImportUploadOptions): ImportUpload {
  const { backbone, documents, uploads, tasks, unpackArchives, callHooks, isReadable } = options;
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
  const announce = async (session: ClientSession, upload: Upload, imports: readonly Announcement[]): Promise<void> => {
    const ids = imports.map((one) => one.documentId);
    const announced = await documents.countAnnouncements(session, upload.organizationId, ids);
    for (const { documentId, values, failure, messages = [], onlyCreated = false } of imports) {
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
          messages: [...messages],
          onlyCreated,
        },
      });
    }
  };

  /**
   * Goes on to the imports; does nothing for an upload that is further already.
   *
   * @param madeIds documents that hooks made
   * @param vetoedIds documents that hooks do not want imported
   */
  const startImporting = async (
    session: ClientSession,
    organizationId: number,
    uploadId: number,
    imports: readonly Import[],
    failure: string,
    madeIds: readonly number[] = [],
    vetoedIds: readonly number[] = [],
  ): Promise<void> => {
    const lookAgainAt = nextLook(0, new Date());
    const upload = await uploads.startImporting(session, organizationId, uploadId, imports, failure, lookAgainAt);
    if (!upload) return;
    if (madeIds.length > 0) {
      await uploads.addDocuments(session, uploadId, madeIds);
      await documents.adopt(session, organizationId, madeIds, upload);
    }
    const settled = new Set([...vetoedIds, ...imports.map(({ documentId }) => documentId)]);
    const unlisted = madeIds.filter((id) => !settled.has(id));
    await announce(session, upload, [
      ...imports,
      ...unlisted.map((documentId) => ({ documentId, values: upload.values, failure: '', onlyCreated: true })),
    ]);
    if (missingImports(upload).length > 0) return;
    const { id, state, version } = finish(session, upload);
    await uploads.changeMany(session, [{ id, state, version }]);
    await endTasks(session, [upload]);
  };

  /** Ends the tasks of uploads that are finished. */
  const endTasks = async (session: ClientSession, ended: readonly Upload[]): Promise<void> => {
    const succeeded = ended.filter(({ failure }) => failure === '');
    await tasks.end(
      session,
      succeeded.map(({ taskId }) => taskId),
      { status: 'succeeded' },
    );
    for (const { taskId, failure: detail } of ended) {
      if (detail) await tasks.end(session, [taskId], { status: 'failed', detail, code: 'error' });
    }
  };

  const findDocuments = async ({ organizationId }: Upload, ids: readonly number[]): Promise<Document[]> => {
    const found = await documents.findMany(systemCaller('document-storage', organizationId), ids);
    return found.sort((a, b) => a.id - b.id);
  };

  /** What is to be imported of an upload, as far as its archives are opened; each with its values. */
  const candidatesIn = async (upload: Upload): Promise<ValuedCandidate[]> => {
    const { documentIds, additionalDocumentIds, values, documentValues } = upload;
    const found = await findDocuments(upload, [...documentIds, ...additionalDocumentIds]);
    const byId = new Map(found.map((document) => [document.id, document]));
    return candidatesOf(upload, found).map((candidate) => {
      const document = byId.get(candidate.documentId) as Document;
      // Members of an archive have its values.
      const own = documentValues[document.id] ?? documentValues[document.parentId ?? 0];
      return { ...candidate, document, values: { ...values, ...own } };
    });
  };

  /** The same, as the upload is now. */
  const findCandidates = async (organizationId: number, uploadId: number): Promise<ValuedCandidate[]> => {
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
      const asked = await Promise.all(
        files.map(async ({ documentId, document, values }): Promise<AskedFile> => {
          return { documentId, preventImporting: !(await isReadable(document)), values };
        }),
      );
      const answer = await callHooks(upload, asked);
      if (!answer) return async () => undefined;
      const verdicts = new Map(answer.map((file) => [file.documentId, file]));
      const listed = answer.filter(({ documentId }) => !candidates.some((one) => one.documentId === documentId));
      const toImports = (documentId: number, given: Values): Import[] => {
        const verdict = verdicts.get(documentId);
        if (!verdict || verdict.preventImporting) return [];
        const { values, failure, messages } = verdict;
        return [{ documentId, values: { ...given, ...values }, failure, messages }];
      };
      const imports = [
        ...candidates.flatMap(({ documentId, failure, values }): Import[] =>
          failure ? [{ documentId, values, failure }] : toImports(documentId, values),
        ),
        ...listed.flatMap(({ documentId }) => toImports(documentId, upload.values)),
      ];
      const madeFor = (await documents.findMadeFor(organizationId, uploadId)).map(({ id }) => id);
      const knownIds = [...candidates.map(({ documentId }) => documentId), ...upload.documentIds, ...madeFor];
      const descendants = await documents.findDescendants(organizationId, [...new Set(knownIds)]);
      const made = [...madeFor, ...descendants.map(({ id }) => id), ...listed.map(({ documentId }) => documentId)];
      const current = await uploads.find(systemCaller('document-storage', organizationId), uploadId);
      const madeIds = [...new Set(made)].filter((id) => !current?.additionalDocumentIds.includes(id));
      const vetoedIds = answer.flatMap(({ documentId, preventImporting }) => (preventImporting ? documentId : []));
      const problem = candidates.every(({ isUnopened }) => isUnopened) && candidates[0]?.failure;
      return async (session) => {
        const failure = problem ? `${problem} (error ${eventId})` : '';
        await startImporting(session, organizationId, uploadId, imports, failure, madeIds, vetoedIds);
      };
    },

    async giveUp(session, organizationId, uploadId, eventId) {
      const upload = await uploads.load(session, organizationId, uploadId);
      if (upload?.state !== 'created') return;
      const detail = `The upload could not be processed (error ${eventId}).`;
      await tasks.end(session, [upload.taskId], { status: 'failed', detail, code: 'error' });
      const candidates = await findCandidates(organizationId, uploadId);
      const imports = candidates.map(({ documentId, values }) => ({ documentId, values, failure: detail }));
      await startImporting(session, organizationId, uploadId, imports, detail);
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
      await endTasks(
        session,
        changed.filter(({ state }) => state === 'finished'),
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

    async pushResting(now, most) {
      const resting = await uploads.findResting(now, most);
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
