import { among, type ClientSession, type Database, findPage, inQueues, type PageRequest, toOrder } from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

/** A page of a document that is proposed. */
export interface SuggestedPage {
  readonly pageId: number;
  /** Clockwise, in degrees. */
  readonly rotation: number;
  readonly deleted: boolean;
}

/** A document that is proposed. */
export interface SuggestedDocument {
  readonly pages: readonly SuggestedPage[];
  readonly targetQueueId: number;
  readonly values: Readonly<Record<string, string>>;
}

/** How the document of an annotation may be cut into several. API: related-objects.md section 6. */
export interface SuggestedEdit {
  readonly id: number;
  readonly organizationId: number;
  /** Of the annotation: decides who sees it. */
  readonly queueId: number;
  readonly annotationId: number;
  /** Counts its changes; 0: made before they were counted. */
  readonly version: number;
  readonly documents: readonly SuggestedDocument[];
}

type Row = Omit<SuggestedEdit, 'id' | 'documents' | 'version'> & {
  readonly _id: number;
  readonly version?: number;
  readonly documentsJson: string;
};

/** Suggested edits, at most one for an annotation, always of the caller's organization and queues. */
export type SuggestedEditStore = ReturnType<typeof createSuggestedEditStore>;

export function createSuggestedEditStore(database: Database) {
  const schema = new Schema(
    {
      ...{ _id: Number, organizationId: Number, queueId: Number, annotationId: Number },
      ...{ version: Number, documentsJson: String },
    },
    { collection: 'suggested_edits', versionKey: false },
  );
  schema.index({ annotationId: 1 }, { unique: true });
  schema.index({ organizationId: 1, _id: 1 });
  const model = database.connection.model('SuggestedEdit', schema);
  const scope = (caller: Caller) => ({ organizationId: organizationOf(caller), ...inQueues(caller.queueIds) });
  const toEdit = ({ _id, version = 0, documentsJson, ...row }: Row): SuggestedEdit => ({
    id: _id,
    version,
    ...row,
    documents: JSON.parse(documentsJson) as SuggestedDocument[],
  });

  return {
    async insert(session: ClientSession, { id, documents, ...edit }: SuggestedEdit): Promise<void> {
      const row = { _id: id, ...edit, documentsJson: JSON.stringify(documents) };
      await model.collection.insertOne(row as never, { session });
    },
    async get(caller: Caller, id: number, session?: ClientSession): Promise<SuggestedEdit> {
      const row = await model.findOne({ _id: id, ...scope(caller) }, null, { session }).lean<Row>();
      if (!row) throw new Refusal('NOT_FOUND');
      return toEdit(row);
    },
    async list(
      caller: Caller,
      { ids, annotationIds }: { readonly ids: readonly number[]; readonly annotationIds: readonly number[] },
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ edits: SuggestedEdit[]; total: number }> {
      const filter = { $and: [scope(caller), among('_id', ids), among('annotationId', annotationIds)] };
      const order = toOrder(ordering, { id: '_id', annotation: 'annotationId' });
      const [rows, total] = await Promise.all([
        findPage<Row>(model, filter, order, page),
        model.countDocuments(filter),
      ]);
      return { edits: rows.map(toEdit), total };
    },
    async save(session: ClientSession, { id, version, documents }: SuggestedEdit): Promise<void> {
      const documentsJson = JSON.stringify(documents);
      await model.updateOne({ _id: id }, { $set: { version, documentsJson } }, { session });
    },
    async remove(session: ClientSession, id: number): Promise<void> {
      await model.deleteOne({ _id: id }, { session });
    },
    async removeOfAnnotation(session: ClientSession, annotationId: number): Promise<void> {
      await model.deleteOne({ annotationId }, { session });
    },
    async move(session: ClientSession, annotationId: number, queueId: number): Promise<void> {
      await model.updateOne({ annotationId }, { $set: { queueId } }, { session });
    },
  };
}
