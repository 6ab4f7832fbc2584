import {
  type ClientSession,
  type Database,
  FILLED,
  findPage,
  type PageRequest,
  rowsOf,
  toOrder,
  transaction,
} from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { FileStore } from '../file/file.store';
import {
  ARCHIVE_STATUSES,
  type ArchiveStatus,
  type Document,
  type DocumentFilter,
  type StoredRendition,
} from './document';

/** Documents, always inside the caller's organization and what it may see there. */
export interface DocumentStore {
  /** @param unclaimedSince they are made for annotations that are not there yet */
  insert(session: ClientSession, documents: readonly Document[], unclaimedSince?: Date): Promise<void>;
  /** Documents that were made for annotations before a moment, and of which none has told yet. */
  findUnclaimed(before: Date, limit: number): Promise<Document[]>;
  /** The annotation that it was made for is there. */
  claim(id: number): Promise<void>;
  /** The document by id or by the name of its file, or null when the caller cannot see it. */
  find(caller: Caller, which: { id: number } | { s3Name: string }): Promise<Document | null>;
  /** Those of the documents that the caller can see. */
  findMany(caller: Caller, ids: readonly number[]): Promise<Document[]>;
  list(
    caller: Caller,
    filter: DocumentFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ documents: Document[]; total: number }>;
  /** Whether the organization has a document with these bytes and this name. */
  hasIdentical(
    session: ClientSession,
    organizationId: number,
    file: { sha256: string; size: number; fileName: string },
  ): Promise<boolean>;
  /** Ids of the documents that were made of this one, in the order in which they were made. */
  findPartIds(session: ClientSession, organizationId: number, parentId: number): Promise<number[]>;
  /** The document with other metadata, or null when the caller cannot see it. */
  setMetadata(caller: Caller, id: number, metadata: Readonly<Record<string, unknown>>): Promise<Document | null>;
  /** What was made of it is made of nothing then. */
  remove(session: ClientSession, organizationId: number, id: number): Promise<void>;
  /** Notes what became of an archive, once; false when that is known already. */
  markUnpacked(
    session: ClientSession,
    document: Pick<Document, 'id' | 'organizationId'>,
    outcome: { readonly status: ArchiveStatus; readonly message: string },
  ): Promise<boolean>;
  /** Documents that extensions made which were asked about an upload. */
  findMadeFor(organizationId: number, uploadId: number): Promise<Document[]>;
  /** Documents that were made of these, and of those again. */
  findDescendants(organizationId: number, ids: readonly number[]): Promise<Document[]>;
  /** Notes what became of documents of an e-mail; those that belong to none become its. */
  setAttachments(
    organizationId: number,
    email: { readonly emailId: number; readonly queueId: number },
    attachments: readonly { readonly documentId: number; readonly status: string }[],
  ): Promise<void>;
  /** Documents that hooks made become those of an upload, and are seen by those who see its queue. */
  adopt(
    session: ClientSession,
    organizationId: number,
    ids: readonly number[],
    upload: { readonly id: number; readonly queueId: number },
  ): Promise<void>;
  /** Documents that are there already become those of an upload. */
  joinUpload(session: ClientSession, organizationId: number, ids: readonly number[], uploadId: number): Promise<void>;
  addAnnotations(
    session: ClientSession,
    annotations: readonly { organizationId: number; documentId: number; annotationId: number }[],
  ): Promise<void>;
  /** An annotation is gone for good. */
  forgetAnnotation(
    session: ClientSession,
    organizationId: number,
    documentId: number,
    annotationId: number,
  ): Promise<void>;
  /** An annotation whose pages were edited has another document now: it is no annotation of its parent any more. */
  leaveParent(
    session: ClientSession,
    annotation: { organizationId: number; documentId: number; annotationId: number },
  ): Promise<void>;
  /**
   * The document that one was made of, when nothing needs it any more: it has no annotation, and all that was made of it is
   * purged. Transactions that ask for the same parent meet each other.
   */
  findUnneededParent(session: ClientSession, document: Document): Promise<Document | null>;
  /** Lets those who see a queue see the document. */
  share(organizationId: number, documentId: number, annotationId: number, queueId: number): Promise<void>;
  /** Its bytes are gone: what told of them goes too. */
  markPurged(session: ClientSession, organizationId: number, documentId: number, now: Date): Promise<void>;
  /** Counts the announcements of documents up by one; answers the documents with their counts. */
  countAnnouncements(
    session: ClientSession,
    organizationId: number,
    ids: readonly number[],
  ): Promise<Map<number, Document & { readonly announcements: number }>>;
  /** Notes the rendition of a document that has none, and takes its file; false when it has one or is gone. */
  setRendition(id: number, file: StoredRendition): Promise<boolean>;
  /** Every document of everybody whose bytes are not purged. */
  listWithBytes(): AsyncIterable<Document>;
  /** Whether a document is there, with its bytes. */
  hasBytes(id: number): Promise<boolean>;
}

type Row = Omit<Document, 'id' | 'metadata'> & {
  readonly _id: number;
  readonly metadataJson: string;
  readonly announcements: number;
  readonly unclaimedSince?: Date;
};

/** Documents of documents of ... are followed so far. */
const DEEPEST = 5;

const ORDERING = {
  id: '_id',
  arrived_at: 'createdAt',
  created_at: 'createdAt',
  original_file_name: { mayBeEmpty: 'originalFileName' },
  mime_type: 'mimeType',
  attachment_status: { mayBeEmpty: 'attachmentStatus' },
};

/** Documents of one service's database. */
export function createDocumentStore(database: Database, files: Pick<FileStore, 'hold'>): DocumentStore {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, default: null },
      uploadId: { type: Number, default: null },
      arrivedUploadId: Number,
      s3Name: { type: String, required: true },
      parentId: { type: Number, default: null },
      emailId: { type: Number, default: null },
      annotationIds: { type: [Number], default: [] },
      mimeType: { type: String, required: true },
      creatorId: { type: Number, default: null },
      createdAt: { type: Date, required: true },
      originalFileName: { type: String, default: '' },
      attachmentStatus: { type: String, default: null },
      message: String,
      // Text, because its keys are the client's.
      metadataJson: { type: String, default: '{}' },
      size: { type: Number, required: true },
      sha256: { type: String, required: true },
      md5: { type: String, required: true },
      rendition: { type: { key: String, size: Number, sha256: String }, default: null, _id: false },
      announcements: { type: Number, default: 0 },
      sharedQueueIds: { type: [Number], default: undefined },
      purgedAt: Date,
      touchedAt: Date,
      unclaimedSince: Date,
    },
    { collection: 'documents', versionKey: false },
  );
  schema.index({ organizationId: 1, createdAt: 1 });
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  schema.index({ organizationId: 1, sharedQueueIds: 1 });
  schema.index({ organizationId: 1, sha256: 1 });
  schema.index({ organizationId: 1, creatorId: 1, _id: 1 });
  schema.index({ organizationId: 1, originalFileName: 1, _id: 1 });
  schema.index(
    { organizationId: 1, attachmentStatus: 1, _id: 1 },
    { partialFilterExpression: { attachmentStatus: FILLED.text } },
  );
  schema.index({ s3Name: 1 }, { unique: true });
  schema.index({ emailId: 1 }, { partialFilterExpression: { emailId: FILLED.id } });
  schema.index({ unclaimedSince: 1 }, { partialFilterExpression: { unclaimedSince: FILLED.date } });
  schema.index({ parentId: 1 }, { partialFilterExpression: { parentId: FILLED.id } });
  schema.index({ arrivedUploadId: 1 }, { partialFilterExpression: { arrivedUploadId: FILLED.id } });
  const model = database.connection.model('Document', schema);

  const rows = rowsOf<Row>(database, 'documents');

  const toDocument = ({ _id, metadataJson, announcements: _, unclaimedSince: __, ...row }: Row): Document => ({
    id: _id,
    ...row,
    rendition: row.rendition ?? null,
    metadata: JSON.parse(metadataJson) as Record<string, unknown>,
  });

  return {
    async insert(session, documents, unclaimedSince) {
      await rows.insertMany(
        documents.map(({ id, metadata, ...document }) => ({
          _id: id,
          ...document,
          metadataJson: JSON.stringify(metadata),
          announcements: 0,
          ...(unclaimedSince && { unclaimedSince }),
        })),
        { session },
      );
    },
    async *listWithBytes() {
      for await (const row of rows.find({ purgedAt: { $exists: false } }).sort({ _id: 1 })) yield toDocument(row);
    },
    hasBytes: async (id) => (await rows.countDocuments({ _id: id, purgedAt: { $exists: false } }, { limit: 1 })) > 0,
    async findUnclaimed(before, limit) {
      const found = await rows
        .find({ unclaimedSince: { ...FILLED.date, $lt: before } })
        .limit(limit)
        .toArray();
      return found.map(toDocument);
    },
    async claim(id) {
      await rows.updateOne({ _id: id }, { $unset: { unclaimedSince: '' } });
    },
    async find(caller, which) {
      const key = 'id' in which ? { _id: which.id } : { s3Name: which.s3Name };
      const row = await rows.findOne({ $and: [visibleTo(caller), key] });
      return row && toDocument(row);
    },
    async findMany(caller, ids) {
      const found = await rows.find({ $and: [visibleTo(caller), { _id: { $in: [...ids] } }] }).toArray();
      return found.map(toDocument);
    },
    async list(caller, filter, ordering, page) {
      const where = { $and: [visibleTo(caller), toConditions(filter)] };
      const [found, total] = await Promise.all([
        findPage<Row>(model, where, toOrder(ordering, ORDERING), page),
        model.countDocuments(where),
      ]);
      return { documents: found.map(toDocument), total };
    },
    async hasIdentical(session, organizationId, { sha256, size, fileName }) {
      const found = await model
        .exists({ organizationId, sha256, size, originalFileName: fileName })
        .session(session)
        .lean();
      return found !== null;
    },
    async findPartIds(session, organizationId, parentId) {
      const found = await rows.find({ parentId, organizationId }, { session, projection: { _id: 1 } }).toArray();
      return found.map((row) => row._id).sort((a, b) => a - b);
    },
    async setMetadata(caller, id, metadata) {
      const row = await rows.findOneAndUpdate(
        { $and: [visibleTo(caller), { _id: id }] },
        { $set: { metadataJson: JSON.stringify(metadata) } },
        { returnDocument: 'after' },
      );
      return row && toDocument(row);
    },
    async remove(session, organizationId, id) {
      await rows.updateMany({ organizationId, parentId: id }, { $set: { parentId: null } }, { session });
      await rows.deleteOne({ _id: id, organizationId }, { session });
    },
    async markUnpacked(session, { id, organizationId }, { status, message }) {
      const result = await rows.updateOne(
        { _id: id, organizationId, attachmentStatus: { $nin: [...ARCHIVE_STATUSES] } },
        { $set: { attachmentStatus: status, message } },
        { session },
      );
      return result.matchedCount === 1;
    },
    async findMadeFor(organizationId, uploadId) {
      const found = await rows.find({ arrivedUploadId: uploadId, organizationId }).sort({ _id: 1 }).toArray();
      return found.map(toDocument);
    },
    async findDescendants(organizationId, ids) {
      const all: Document[] = [];
      let parents = [...ids];
      for (let level = 0; level < DEEPEST && parents.length > 0; level++) {
        const known = new Set([...ids, ...all.map(({ id }) => id)]);
        const found = await rows.find({ parentId: { $in: parents }, organizationId }).toArray();
        const children = found.map(toDocument).filter(({ id }) => !known.has(id));
        all.push(...children);
        parents = children.map(({ id }) => id);
      }
      return all.sort((a, b) => a.id - b.id);
    },
    async setAttachments(organizationId, { emailId, queueId }, attachments) {
      if (attachments.length === 0) return;
      await rows.bulkWrite(
        attachments.map(({ documentId, status }) => ({
          updateOne: {
            filter: { _id: documentId, organizationId, emailId: { $in: [null, emailId] } },
            update: [{ $set: { emailId, attachmentStatus: status, queueId: { $ifNull: ['$queueId', queueId] } } }],
          },
        })),
      );
    },
    async adopt(session, organizationId, ids, { id: uploadId, queueId }) {
      if (ids.length === 0) return;
      await rows.updateMany(
        { _id: { $in: [...ids] }, organizationId, uploadId: null },
        [{ $set: { uploadId, queueId: { $ifNull: ['$queueId', queueId] } } }],
        { session },
      );
    },
    async joinUpload(session, organizationId, ids, uploadId) {
      await rows.updateMany({ _id: { $in: [...ids] }, organizationId }, { $set: { uploadId } }, { session });
    },
    async addAnnotations(session, annotations) {
      await rows.bulkWrite(
        annotations.map(({ organizationId, documentId, annotationId }) => ({
          updateOne: {
            filter: { _id: documentId, organizationId },
            update: { $addToSet: { annotationIds: annotationId }, $unset: { unclaimedSince: '' } },
          },
        })),
        { session },
      );
    },
    async leaveParent(session, { organizationId, documentId, annotationId }) {
      const row = await rows.findOne({ _id: documentId, organizationId }, { session, projection: { parentId: 1 } });
      if (!row?.parentId) return;
      await rows.updateOne(
        { _id: row.parentId, organizationId },
        { $pull: { annotationIds: annotationId } as never },
        { session },
      );
    },
    async forgetAnnotation(session, organizationId, documentId, annotationId) {
      await rows.updateOne(
        { _id: documentId, organizationId },
        { $pull: { annotationIds: annotationId } as never },
        { session },
      );
    },
    async findUnneededParent(session, { organizationId, parentId }) {
      if (parentId === null) return null;
      const parent = await rows.findOneAndUpdate(
        { _id: parentId, organizationId, annotationIds: { $size: 0 }, purgedAt: { $exists: false } },
        { $set: { touchedAt: new Date() } as never },
        { session, returnDocument: 'after' },
      );
      if (!parent) return null;
      const needed = await rows.findOne({ parentId, organizationId, purgedAt: { $exists: false } }, { session });
      return needed ? null : toDocument(parent);
    },
    async share(organizationId, documentId, annotationId, queueId) {
      await rows.updateOne(
        { _id: documentId, organizationId },
        { $addToSet: { annotationIds: annotationId, sharedQueueIds: queueId } },
      );
    },
    async markPurged(session, organizationId, documentId, now) {
      await rows.updateOne(
        { _id: documentId, organizationId },
        { $set: { purgedAt: now, originalFileName: '', metadataJson: '{}' } },
        { session },
      );
    },
    async countAnnouncements(session, organizationId, ids) {
      const which = { _id: { $in: [...ids] }, organizationId };
      const once = { $inc: { announcements: 1 } };
      let found: Row[];
      if (ids.length === 1) {
        const row = await rows.findOneAndUpdate(which, once, { session, returnDocument: 'after' });
        found = row ? [row] : [];
      } else {
        await rows.updateMany(which, once, { session });
        found = await rows.find(which, { session }).toArray();
      }
      return new Map(found.map((row) => [row._id, { ...toDocument(row), announcements: row.announcements }]));
    },
    async setRendition(id, { key, size, sha256 }) {
      return transaction(database, async (session) => {
        const set = { $set: { rendition: { key, size, sha256 } } };
        const { matchedCount } = await model.updateOne({ _id: id, rendition: null }, set, { session });
        return matchedCount === 1 && (await files.hold(session, [key], `document:${id}`));
      });
    },
  };
}

/** API: documents-and-uploads.md section 1: of the caller's queues, or made by the caller; admins see all of the organization. */
function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  if (caller.queueIds === 'all') return { organizationId };
  const own = caller.userId === null ? [] : [{ creatorId: caller.userId }];
  const queues = { $in: [...caller.queueIds] };
  return { organizationId, $or: [{ queueId: queues }, { sharedQueueIds: queues }, ...own] };
}

function toConditions(filter: DocumentFilter): Record<string, unknown> {
  const { ids = [], emailIds = [], creatorIds = [], parentIds = [], originalFileName } = filter;
  const { attachmentStatus, createdAfter, createdBefore } = filter;
  const createdAt = { ...(createdAfter && { $gte: createdAfter }), ...(createdBefore && { $lt: createdBefore }) };
  return {
    ...(ids.length > 0 && { _id: { $in: [...ids] } }),
    ...(emailIds.length > 0 && { emailId: { $in: [...emailIds] } }),
    ...(creatorIds.length > 0 && { creatorId: { $in: [...creatorIds] } }),
    ...(parentIds.length > 0 && { parentId: { $in: [...parentIds] } }),
    ...(originalFileName !== undefined && { originalFileName }),
    ...(attachmentStatus !== undefined && { attachmentStatus }),
    ...(Object.keys(createdAt).length > 0 && { createdAt }),
  };
}
