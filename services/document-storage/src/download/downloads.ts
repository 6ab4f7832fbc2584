import type { Readable } from 'node:stream';
import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal } from '@intake/rpc';
import { ZipFile } from 'yazl';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { ObjectStore } from '../object-store/object-store';
import { TASK_LIFE_MS } from '../task/task';
import type { TaskStore } from '../task/task.store';
import type { Download, DownloadStore } from './download.store';

/** What is to be downloaded. */
export interface WantedDownload {
  readonly documentIds: readonly number[];
  readonly fileName: string;
  /** Instead of each document the farthest one that it was made of. */
  readonly sources: boolean;
  readonly zip: boolean;
}

export interface DownloadsOptions {
  readonly backbone: Backbone;
  readonly downloads: DownloadStore;
  readonly documents: DocumentStore;
  readonly tasks: TaskStore;
  readonly objects: ObjectStore;
}

/** API: limits.md, documents per download and download archive life. */
const MOST_DOCUMENTS = 500;
const LIFE_MS = 2 * 3600 * 1000;
/** Documents are made of documents only a few times. */
const MOST_ANCESTORS = 20;

export type Downloads = ReturnType<typeof createDownloads>;

/**
 * Archives of documents. They are packed while they are fetched, and nothing is kept: the task of a download has succeeded as
 * soon as it is made. API: documents-and-uploads.md section 4.
 */
export function createDownloads({ backbone, downloads, documents, tasks, objects }: DownloadsOptions) {
  const { database, ids } = backbone;

  /** The documents in the given order. Throws INVALID when one is unknown or purged. */
  const findAll = async (caller: Caller, documentIds: readonly number[]): Promise<Document[]> => {
    const found = new Map((await documents.findMany(caller, documentIds)).map((document) => [document.id, document]));
    return documentIds.map((id) => {
      const document = found.get(id);
      if (!document || document.purgedAt) throw unknownDocument();
      return document;
    });
  };

  const sourceOf = async (caller: Caller, document: Document): Promise<Document> => {
    let source = document;
    for (let i = 0; i < MOST_ANCESTORS && source.parentId !== null; i++) {
      const parent = await documents.find(caller, { id: source.parentId });
      if (!parent || parent.purgedAt) break;
      source = parent;
    }
    return source;
  };

  return {
    /** Answers the id of the task. Throws INVALID. */
    async create(caller: Caller, { documentIds, fileName, sources, zip }: WantedDownload): Promise<number> {
      const wanted = [...new Set(documentIds)];
      if (wanted.length === 0) throw invalidField('documents', 'This list may not be empty.');
      if (wanted.length > MOST_DOCUMENTS) {
        throw invalidField('documents', `Ensure this field has no more than ${MOST_DOCUMENTS} elements.`);
      }
      if (!zip && wanted.length > 1)
        throw invalidField('zip', 'Several documents can be downloaded as an archive only.');
      let found = await findAll(caller, wanted);
      if (sources) found = await Promise.all(found.map((document) => sourceOf(caller, document)));
      const [id, taskId] = await Promise.all([ids.next('download'), ids.next('task')]);
      const own = { organizationId: organizationOf(caller), creatorId: caller.userId };
      const now = Date.now();
      await transaction(database, async (session) => {
        const unique = [...new Set(found.map((document) => document.id))];
        const expiresAt = new Date(now + LIFE_MS);
        await downloads.insert(session, { id, ...own, fileName, expiresAt, documentIds: unique, zip });
        await tasks.insert(session, {
          id: taskId,
          ...own,
          type: 'documents_download',
          status: 'succeeded',
          expiresAt: new Date(now + TASK_LIFE_MS),
          detail: null,
          code: null,
          uploadId: null,
          emailId: null,
          downloadId: id,
          fileName,
        });
      });
      return taskId;
    },

    /** Throws NOT_FOUND. */
    async find(caller: Caller, id: number): Promise<Download> {
      const download = await downloads.find(caller, id, new Date());
      if (!download) throw new Refusal('NOT_FOUND');
      return download;
    },

    /** The documents of a download, as far as the caller may still see them, packed on the way. */
    async pack(caller: Caller, { documentIds }: Download): Promise<Readable> {
      const found = await findAll(caller, documentIds).catch((error) => {
        throw error instanceof Refusal && error.reason === 'INVALID' ? new Refusal('NOT_FOUND') : error;
      });
      const zip = new ZipFile();
      const names = uniqueNames(found.map(({ originalFileName }) => originalFileName || 'document'));
      for (const [i, { s3Name, createdAt }] of found.entries()) {
        // What is packed already is not packed again; each object is opened when it is its turn.
        zip.addReadStreamLazy(names[i] as string, { mtime: createdAt, compress: false }, (give) => {
          objects.read(s3Name).then(
            (stream) => (stream ? give(null, stream) : give(new Error(`object ${s3Name} has gone`), null as never)),
            (error) => give(error, null as never),
          );
        });
      }
      zip.on('error', (error) => (zip.outputStream as Readable).destroy(error as Error));
      zip.end();
      return zip.outputStream as Readable;
    },
  };
}

/** Equal names get ` (1)`, ` (2)`, ... before their extension; on some disks, large and small letters are the same. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
    let unique = name;
    for (let i = 1; taken.has(unique.toLowerCase()); i++) unique = `${stem} (${i})${extension}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

function unknownDocument(): Refusal {
  return invalidField('documents', 'Invalid hyperlink - Object does not exist.');
}
