import { type ClientSession, type Database, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Document, DocumentFilter } from './document';

/** Documents, always inside the caller's organization and what it may see there. */
export interface DocumentStore {
  insert(session: ClientSession, documents: readonly Document[]): Promise<void>;
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
  addAnnotation(
    session: ClientSession,
    organizationId: number,
    documentId: number,
    annotationId: number,
  ): Promise<void>;
  /** Counts the announcements of documents up by one; answers the counts. */
  countAnnouncements(session: ClientSession, ids: readonly number[]): Promise<Map<number, number>>;
}

const ORDERING = {
  id: '_id',
  arrived_at: 'createdAt',
  created_at: 'createdAt',
  original_file_name: 'originalFileName',
  mime_type: 'mimeType',
  attachment_status: 'attachmentStatus',
};

/** Documents of one service's database. */
export function createDocumentStore(database: Database): DocumentStore {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, default: null },
      uploadId: { type: Number, default: null },
      s3Name: { type: String, required: true },
      parentId: { type: Number, default: null },
      emailId: { type: Number, default: null },
      annotationIds: { type: [Number], default: [] },
      mimeType: { type: String, required: true },
      creatorId: { type: Number, default: null },
      createdAt: { type: Date, required: true },
      originalFileName: { type: String, default: '' },
      attachmentStatus: { type: String, default: null },
      // Text, because its keys are the client's.
      metadataJson: { type: String, default: '{}' },
      size: { type: Number, required: true },
      sha256: { type: String, required: true },
      md5: { type: String, required: true },
      announcements: { type: Number, default: 0 },
    },
    { collection: 'documents', versionKey: false },
  );
  schema.index({ organizationId: 1, createdAt: 1 });
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  schema.index({ organizationId: 1, sha256: 1 });
  schema.index({ s3Name: 1 }, { unique: true });
  schema.index({ emailId: 1 }, { partialFilterExpression: { emailId: { $type: 'number' } } });
  const model = database.connection.model('Document', schema);

  type Row = NonNullable<Awaited<ReturnType<typeof readOne>>>;
  const readOne = (filter: Record<string, unknown>) => model.findOne(filter).lean();
  const toDocument = ({ _id, metadataJson, announcements: _, ...row }: Row): Document => ({
    id: _id,
    ...row,
    queueId: row.queueId ?? null,
    uploadId: row.uploadId ?? null,
    parentId: row.parentId ?? null,
    emailId: row.emailId ?? null,
    creatorId: row.creatorId ?? null,
    attachmentStatus: row.attachmentStatus ?? null,
    metadata: JSON.parse(metadataJson) as Record<string, unknown>,
  });

  return {
    async insert(session, documents) {
      await model.insertMany(
        documents.map(({ id, metadata, annotationIds, ...document }) => ({
          _id: id,
          ...document,
          annotationIds: [...annotationIds],
          metadataJson: JSON.stringify(metadata),
        })),
        { session },
      );
    },
    async find(caller, which) {
      const key = 'id' in which ? { _id: which.id } : { s3Name: which.s3Name };
      const row = await readOne({ $and: [visibleTo(caller), key] });
      return row && toDocument(row);
    },
    async findMany(caller, ids) {
      const rows = await model.find({ $and: [visibleTo(caller), { _id: { $in: [...ids] } }] }).lean();
      return rows.map(toDocument);
    },
    async list(caller, filter, ordering, page) {
      const where = { $and: [visibleTo(caller), toConditions(filter)] };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(where).sort(toSort(ordering, ORDERING)).skip(skip).limit(limit).lean(),
        model.countDocuments(where),
      ]);
      return { documents: rows.map(toDocument), total };
    },
    async hasIdentical(session, organizationId, { sha256, size, fileName }) {
      const found = await model
        .exists({ organizationId, sha256, size, originalFileName: fileName })
        .session(session)
        .lean();
      return found !== null;
    },
    async addAnnotation(session, organizationId, documentId, annotationId) {
      await model.updateOne(
        { _id: documentId, organizationId },
        { $addToSet: { annotationIds: annotationId } },
        { session },
      );
    },
    async countAnnouncements(session, ids) {
      await model.updateMany({ _id: { $in: [...ids] } }, { $inc: { announcements: 1 } }, { session });
      const rows = await model
        .find({ _id: { $in: [...ids] } })
        .select('announcements')
        .session(session)
        .lean();
      return new Map(rows.map((row) => [row._id, row.announcements]));
    },
  };
}

/** API: documents-and-uploads.md section 1: of the caller's queues, or made by the caller; admins see all of the organization. */
function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  if (caller.queueIds === 'all') return { organizationId };
  const own = caller.userId === null ? [] : [{ creatorId: caller.userId }];
  return { organizationId, $or: [{ queueId: { $in: [...caller.queueIds] } }, ...own] };
}

function toConditions(filter: DocumentFilter): Record<string, unknown> {
  const { ids = [], emailIds = [], creatorIds = [], originalFileName, createdAfter, createdBefore } = filter;
  const createdAt = { ...(createdAfter && { $gte: createdAfter }), ...(createdBefore && { $lt: createdBefore }) };
  return {
    ...(ids.length > 0 && { _id: { $in: [...ids] } }),
    ...(emailIds.length > 0 && { emailId: { $in: [...emailIds] } }),
    ...(creatorIds.length > 0 && { creatorId: { $in: [...creatorIds] } }),
    ...(originalFileName !== undefined && { originalFileName }),
    ...(Object.keys(createdAt).length > 0 && { createdAt }),
  };
}
