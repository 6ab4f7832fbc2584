import { type ClientSession, type Database, rowsOf } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Import, Upload, UploadAnnotation } from './upload';

/** Uploads. */
export interface UploadStore {
  insert(session: ClientSession, upload: Upload): Promise<void>;
  /** Null when the caller cannot see it. */
  find(caller: Caller, id: number): Promise<Upload | null>;
  /** For the service's own work, inside the transaction that changes it. */
  load(session: ClientSession, organizationId: number, id: number): Promise<Upload | null>;
  /** Uploads by their ids, of all organizations; for the service's own work. */
  loadMany(session: ClientSession, ids: readonly number[]): Promise<Map<number, Upload>>;
  changeMany(session: ClientSession, changes: readonly UploadChange[]): Promise<void>;
  /** Takes an upload from `created` to `importing`; null when it is further already. */
  startImporting(
    session: ClientSession,
    organizationId: number,
    id: number,
    imports: readonly Import[],
    failure: string,
    lookAgainAt: Date,
  ): Promise<Upload | null>;
  /** Adds documents that were made of those that were sent. */
  addDocuments(session: ClientSession, id: number, documentIds: readonly number[]): Promise<void>;
  /** Adds documents that are to be imported: the upload is unfinished again until they have their annotations. */
  addImports(session: ClientSession, upload: Upload, imports: readonly Import[], lookAgainAt: Date): Promise<void>;
  /** Ids of unfinished uploads whose time to be looked at has come. */
  findResting(now: Date, limit: number): Promise<{ id: number; organizationId: number }[]>;
}

export type UploadChange = Pick<Upload, 'id'> &
  Partial<Pick<Upload, 'state' | 'version' | 'lookAgainAt' | 'looks' | 'annotations'>>;

type Row = Omit<Upload, 'id' | 'values' | 'documentValues' | 'metadata' | 'imports'> & {
  readonly _id: number;
  readonly valuesJson: string;
  readonly documentValuesJson?: string;
  readonly metadataJson: string;
  readonly importsJson: string;
};

/** Uploads of one service's database. */
export function createUploadStore(database: Database): UploadStore {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      creatorId: { type: Number, default: null },
      createdAt: { type: Date, required: true },
      documentIds: { type: [Number], default: [] },
      additionalDocumentIds: { type: [Number], default: [] },
      annotations: { type: [{ _id: false, annotationId: Number, documentId: Number }], default: [] },
      emailId: { type: Number, default: null },
      // Texts, because their keys are the client's.
      valuesJson: { type: String, default: '{}' },
      documentValuesJson: String,
      metadataJson: { type: String, default: '{}' },
      importsJson: { type: String, default: '[]' },
      taskId: { type: Number, required: true },
      state: { type: String, enum: ['created', 'importing', 'finished'], required: true },
      failure: { type: String, default: '' },
      version: { type: Number, required: true },
      lookAgainAt: { type: Date, required: true },
      looks: { type: Number, default: 0 },
    },
    { collection: 'uploads', versionKey: false },
  );
  schema.index({ state: 1, lookAgainAt: 1 }, { partialFilterExpression: { state: { $in: ['created', 'importing'] } } });
  const model = database.connection.model('Upload', schema);

  const rows = rowsOf<Row>(database, 'uploads');

  const toUpload = ({
    _id,
    valuesJson,
    documentValuesJson = '{}',
    metadataJson,
    importsJson,
    failure = '',
    ...row
  }: Row): Upload => {
    const imports = JSON.parse(importsJson) as Import[];
    return {
      id: _id,
      ...row,
      annotations: inOrderOf(imports, row.annotations),
      values: JSON.parse(valuesJson) as Record<string, string>,
      failure,
      documentValues: JSON.parse(documentValuesJson) as Upload['documentValues'],
      metadata: JSON.parse(metadataJson) as Record<string, unknown>,
      imports,
    };
  };

  return {
    async insert(session, { id, values, documentValues, metadata, imports, ...upload }) {
      const texts = {
        valuesJson: JSON.stringify(values),
        documentValuesJson: JSON.stringify(documentValues),
        metadataJson: JSON.stringify(metadata),
        importsJson: JSON.stringify(imports),
      };
      await rows.insertOne({ _id: id, ...upload, ...texts }, { session });
    },
    async find(caller, id) {
      const row = await rows.findOne({ _id: id, ...visibleTo(caller) });
      return row && toUpload(row);
    },
    async load(session, organizationId, id) {
      const row = await rows.findOne({ _id: id, organizationId }, { session });
      return row && toUpload(row);
    },
    async loadMany(session, ids) {
      if (ids.length === 0) return new Map();
      const found = await rows.find({ _id: { $in: [...ids] } }, { session }).toArray();
      return new Map(found.map((row) => [row._id, toUpload(row)]));
    },
    async changeMany(session, changes) {
      if (changes.length === 0) return;
      await rows.bulkWrite(
        changes.map(({ id, ...change }) => ({ updateOne: { filter: { _id: id }, update: { $set: change } } })),
        { session },
      );
    },
    async startImporting(session, organizationId, id, imports, failure, lookAgainAt) {
      const importsJson = JSON.stringify(imports);
      const change = { state: 'importing', importsJson, failure, looks: 0, lookAgainAt } as const;
      const row = await rows.findOneAndUpdate(
        { _id: id, organizationId, state: 'created' },
        { $set: change },
        { session, returnDocument: 'after' },
      );
      return row && toUpload(row);
    },
    async addDocuments(session, id, documentIds) {
      await rows.updateOne({ _id: id }, { $push: { additionalDocumentIds: { $each: [...documentIds] } } }, { session });
    },
    async addImports(session, { id, imports, additionalDocumentIds }, more, lookAgainAt) {
      const all = [...imports, ...more];
      const change = {
        state: 'importing',
        importsJson: JSON.stringify(all),
        additionalDocumentIds: [...additionalDocumentIds, ...more.map(({ documentId }) => documentId)],
        looks: 0,
        lookAgainAt,
      } as const;
      await rows.updateOne({ _id: id }, { $set: change }, { session });
    },
    async findResting(now, limit) {
      const rows = await model
        .find({ state: { $in: ['created', 'importing'] }, lookAgainAt: { $lt: now } })
        .sort({ lookAgainAt: 1 })
        .limit(limit)
        .select('organizationId')
        .lean();
      return rows.map(({ _id, organizationId }) => ({ id: _id, organizationId }));
    },
  };
}

function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  if (caller.queueIds === 'all') return { organizationId };
  const own = caller.userId === null ? [] : [{ creatorId: caller.userId }];
  return { organizationId, $or: [{ queueId: { $in: [...caller.queueIds] } }, ...own] };
}

/** Annotations as their files were sent, the members of an archive in its place. */
function inOrderOf(imports: readonly Import[], annotations: readonly UploadAnnotation[]): UploadAnnotation[] {
  const documentIds = imports.map(({ documentId }) => documentId);
  return [...annotations].sort((a, b) => documentIds.indexOf(a.documentId) - documentIds.indexOf(b.documentId));
}
