import { Readable } from 'node:stream';
import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { Refusal, systemCaller } from '@intake/rpc';
import {
  type ArchiveError,
  type ArchiveJobs,
  acceptsMimeType,
  type ChildPool,
  JobError,
  type UnpackedArchive,
} from '@intake/untrusted';
import { ARCHIVE_STATUSES, type ArchiveStatus, type Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { Files, StoredFile } from '../file/file';
import type { FileStore } from '../file/file.store';
import type { ObjectStore } from '../object-store/object-store';
import type { Upload } from './upload';
import type { UploadStore } from './upload.store';

export interface UnpackArchivesOptions {
  readonly backbone: Backbone;
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly objects: ObjectStore;
  readonly documents: DocumentStore;
  readonly uploads: UploadStore;
  readonly unpacker: ChildPool<ArchiveJobs>;
  /** The files of a PDF portfolio; null: it is another PDF. Throws ArchiveError. */
  readonly openPortfolio: (bytes: Buffer) => Promise<UnpackedArchive | null>;
  /** The files as they become documents: those of an ISDOC package are put together. */
  readonly joinPackage: (archive: UnpackedArchive) => Promise<UnpackedArchive>;
  readonly findAcceptedTypes: (upload: Upload) => Promise<readonly string[]>;
  /** What the inbox of an e-mail makes of files of an archive, in their order; null: there is no inbox any more. */
  readonly judgeMailed: (
    upload: Upload,
    emailId: number,
    files: readonly StoredFile[],
  ) => Promise<readonly Verdict[] | null>;
}

/** What is to become of a member. */
export interface Verdict {
  /** `attachment_status`: `processed`, or why not. */
  readonly status: string;
  /** In words for people; empty when it is imported. */
  readonly reason: string;
}

/** A document of an upload that is to be imported. */
export interface Candidate {
  readonly documentId: number;
  /** Why it cannot be; empty when it can be tried. */
  readonly failure: string;
  /** It is an archive that could not be opened. */
  readonly isUnopened: boolean;
}

const ZIP = 'application/zip';
const PDF = 'application/pdf';
/** API: limits.md, message content. */
const MAX_MESSAGE = 4096;

/**
 * Opens the archives and PDF portfolios among the documents that were sent, each once: its members become documents of the upload,
 * and the archive says what became of it. API: documents-and-uploads.md section 2, zip files.
 */
export function createUnpackArchives(options: UnpackArchivesOptions) {
  const {
    backbone,
    files,
    fileStore,
    objects,
    documents,
    uploads,
    unpacker,
    openPortfolio,
    joinPackage,
    findAcceptedTypes,
    judgeMailed,
  } = options;
  const { database, ids } = backbone;

  const storeMembers = async (archive: Document, { files: members }: UnpackedArchive): Promise<StoredFile[]> => {
    const caller = systemCaller('document-storage', archive.organizationId);
    const stored: StoredFile[] = [];
    for (const { fileName, bytes } of members) {
      const header = { fileName, declaredMimeType: '', maxSize: 0 };
      stored.push(await files.put(caller, header, Readable.from([bytes])));
    }
    return stored;
  };

  const judge = async (upload: Upload, stored: readonly StoredFile[]): Promise<readonly Verdict[]> => {
    if (stored.length === 0) return [];
    const told = upload.emailId === null ? null : await judgeMailed(upload, upload.emailId, stored);
    if (told) return told;
    const accepted = await findAcceptedTypes(upload);
    return stored.map(({ mimeType }) =>
      acceptsMimeType(accepted, mimeType)
        ? { status: 'processed', reason: '' }
        : { status: 'filtered_by_queue_mime_type', reason: `The queue takes no ${mimeType}.` },
    );
  };

  const unpack = async (upload: Upload, archive: Document): Promise<void> => {
    const bytes = await objects.readAll(archive.s3Name);
    const isPortfolio = archive.mimeType === PDF;
    if (!bytes && isPortfolio) return;
    if (!bytes) throw new Refusal('NOT_FOUND');
    const opened = await open(() => (isPortfolio ? openPortfolio(bytes) : unpacker.run('unpack', { bytes })));
    if (!opened) return;
    const stored = 'files' in opened ? await storeMembers(archive, await joinPackage(opened)) : [];
    const firstId = stored.length > 0 ? await ids.next('document', stored.length) : 0;
    const verdicts = await judge(upload, stored);
    const members = stored.map((file, i) => memberOf(archive, file, firstId + i, verdicts[i] as Verdict));
    // What is in a portfolio may be of no use: its cover is read then, as other PDFs are.
    if (isPortfolio && 'files' in opened && !members.some(isImportable))
      return files.discard(stored.map(({ key }) => key));
    const outcome = 'files' in opened ? describe(opened, members) : opened;
    await transaction(database, async (session) => {
      if (!(await documents.markUnpacked(session, archive, outcome)) || members.length === 0) return;
      const keys = stored.map(({ key }) => key);
      if (!(await fileStore.hold(session, keys, `document:${archive.id}`))) throw new Refusal('CONFLICT');
      await documents.insert(session, members);
      const memberIds = members.map(({ id }) => id);
      await uploads.addDocuments(session, upload.id, memberIds);
    });
    // Of a call that came second; those that are held stay.
    await files.discard(stored.map(({ key }) => key));
  };

  return async (upload: Upload, sent: readonly Document[]): Promise<void> => {
    for (const document of sent)
      if (!isUnpacked(document) && (isArchive(document) || document.mimeType === PDF)) await unpack(upload, document);
  };
}

/**
 * What is to be imported of an upload whose archives are opened: files that were sent, with the members of an archive in its
 * place. An uploaded archive that gave nothing stands for itself; of those that came by e-mail nothing remains to be done.
 */
export function candidatesOf(
  upload: Pick<Upload, 'documentIds' | 'emailId'>,
  documents: readonly Document[],
): Candidate[] {
  const sent = documents.filter(({ id }) => upload.documentIds.includes(id));
  return sent.flatMap((document): Candidate[] => {
    if (!isArchive(document)) return [{ documentId: document.id, failure: '', isUnopened: false }];
    const members = documents.filter((member) => member.parentId === document.id && isImportable(member));
    if (members.length > 0) return members.map(({ id }) => ({ documentId: id, failure: '', isUnopened: false }));
    if (upload.emailId !== null) return [];
    const isUnopened = document.attachmentStatus !== 'extracted_archive';
    return [{ documentId: document.id, failure: document.message || 'The archive was not opened.', isUnopened }];
  });
}

type Outcome = { readonly status: ArchiveStatus; readonly message: string };

async function open<T>(opening: () => Promise<T>): Promise<T | Outcome> {
  try {
    return await opening();
  } catch (error) {
    const { name, reason, message } = error as ArchiveError;
    if (name === 'ArchiveError') return { status: reason, message };
    if (!(error instanceof JobError)) throw error;
    return {
      status: 'failed_to_extract',
      message: 'Opening the archive took too much time or memory and was stopped.',
    };
  }
}

function memberOf(archive: Document, file: StoredFile, id: number, { status, reason }: Verdict): Document {
  const { key, fileName, mimeType, size, sha256, md5 } = file;
  const passed = mimeType === ZIP || archive.emailId === null ? null : 'processed';
  return {
    ...archive,
    ...{ id, s3Name: key, originalFileName: fileName, mimeType, size, sha256, md5 },
    ...{ parentId: archive.id, annotationIds: [], rendition: null, metadata: {}, createdAt: new Date() },
    attachmentStatus: status === 'processed' ? passed : status,
    message: reason,
  };
}

/** Names what is left out. */
function describe({ skipped }: UnpackedArchive, members: readonly Document[]): Outcome {
  const leftOut = [
    ...skipped.map(({ path, why }) => ({ name: path, why })),
    ...members.flatMap(({ originalFileName: name, mimeType, message }) => {
      if (message) return [{ name, why: message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '') }];
      return mimeType === ZIP ? [{ name, why: 'archives in archives are not opened' }] : [];
    }),
  ];
  const parts = [
    ...(members.some(isImportable) ? [] : ['The archive holds no file that can be imported.']),
    ...(leftOut.length > 0
      ? [`Left out: ${leftOut.map(({ name, why }) => `${quote(name)} (${why})`).join(', ')}.`]
      : []),
  ];
  return { status: 'extracted_archive', message: parts.join(' ').slice(0, MAX_MESSAGE) };
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}

/** A zip, or a PDF that was found to be a portfolio. */
function isArchive(document: Document): boolean {
  return document.mimeType === ZIP || isUnpacked(document);
}

function isUnpacked({ attachmentStatus }: Document): boolean {
  return ARCHIVE_STATUSES.some((status) => status === attachmentStatus);
}

function isImportable({ mimeType, attachmentStatus }: Document): boolean {
  return mimeType !== ZIP && (attachmentStatus === null || attachmentStatus === 'processed');
}
