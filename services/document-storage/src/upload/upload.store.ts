import type { ClientSession, Database } from '@intake/mongo';
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
  change(session: ClientSession, id: number, changes: UploadChanges): Promise<void>;
  /** Ids of unfinished uploads whose time to be looked at has come. */
  findResting(now: Date, limit: number): Promise<{ id: number; organizationId: number }[]>;
}

export type UploadChanges = Partial<
  Pick<Upload, 'state' | 'imports' | 'version' | 'lookAgainAt' | 'looks' | 'annotations'>
>;

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
      metadataJson: { type: String, default: '{}' },
      importsJson: { type: String, default: '[]' },
      taskId: { type: Number, required: true },
      state: { type: String, enum: ['created', 'importing', 'finished'], required: true },
      version: { type: Number, required: true },
      lookAgainAt: { type: Date, required: true },
      looks: { type: Number, default: 0 },
    },
    { collection: 'uploads', versionKey: false },
  );
  schema.index({ state: 1, lookAgainAt: 1 }, { partialFilterExpression: { state: { $in: ['created', 'importing'] } } });
  const model = database.connection.model('Upload', schema);

  type Row = NonNullable<Awaited<ReturnType<typeof readOne>>>;
  const readOne = (filter: Record<string, unknown>, session: ClientSession | null = null) =>
    model.findOne(filter).session(session).lean();
  const toUpload = ({ _id, valuesJson, metadataJson, importsJson, ...row }: Row): Upload => ({
    id: _id,
    ...row,
    creatorId: row.creatorId ?? null,
    emailId: row.emailId ?? null,
    annotations: inFileOrder(row.annotations as UploadAnnotation[], [...row.documentIds, ...row.additionalDocumentIds]),
    values: JSON.parse(valuesJson) as Record<string, string>,
    metadata: JSON.parse(metadataJson) as Record<string, unknown>,
    imports: JSON.parse(importsJson) as Import[],
  });

  return {
    async insert(
      session,
      { id, values, metadata, imports, documentIds, additionalDocumentIds, annotations, ...upload },
    ) {
      await model.create(
        [
          {
            _id: id,
            ...upload,
            documentIds: [...documentIds],
            additionalDocumentIds: [...additionalDocumentIds],
            annotations: [...annotations],
            valuesJson: JSON.stringify(values),
            metadataJson: JSON.stringify(metadata),
            importsJson: JSON.stringify(imports),
          },
        ],
        { session },
      );
    },
    async find(caller, id) {
      const row = await readOne({ _id: id, ...visibleTo(caller) });
      return row && toUpload(row);
    },
    async load(session, organizationId, id) {
      const row = await readOne({ _id: id, organizationId }, session);
      return row && toUpload(row);
    },
    async change(session, id, { imports, annotations, ...changes }) {
      await model.updateOne(
        { _id: id },
        {
          $set: {
            ...changes,
            ...(imports && { importsJson: JSON.stringify(imports) }),
            ...(annotations && { annotations: [...annotations] }),
          },
        },
        { session },
      );
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

function inFileOrder(annotations: readonly UploadAnnotation[], documentIds: readonly number[]): UploadAnnotation[] {
  return [...annotations].sort((a, b) => documentIds.indexOf(a.documentId) - documentIds.indexOf(b.documentId));
}
