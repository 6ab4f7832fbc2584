import {
  among,
  type ClientSession,
  type Database,
  findPage,
  inQueues,
  isDuplicateKey,
  type PageRequest,
  toOrder,
} from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

export const DOCUMENT_RELATION_TYPES = ['export', 'einvoice'] as const;

/** Documents that belong to an annotation beside its own. API: documents-and-uploads.md section 5. */
export interface DocumentRelation {
  readonly id: number;
  readonly organizationId: number;
  /** Queue of the annotation: decides who sees the relation. */
  readonly queueId: number;
  readonly type: string;
  readonly key: string | null;
  readonly annotationId: number;
  readonly documentIds: readonly number[];
}

/** What a list is narrowed to; empty lists do not narrow. */
export interface DocumentRelationFilter {
  readonly ids: readonly number[];
  readonly types: readonly string[];
  readonly keys: readonly string[];
  readonly annotationIds: readonly number[];
  readonly documentIds: readonly number[];
}

type Row = Omit<DocumentRelation, 'id'> & { readonly _id: number };

const ORDERING = { id: '_id', type: 'type', annotation: 'annotationId' };

/** Document relations, always of the caller's organization and queues. */
export type DocumentRelationStore = ReturnType<typeof createDocumentRelationStore>;

export function createDocumentRelationStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      queueId: Number,
      type: String,
      key: { type: String, default: null },
      annotationId: Number,
      documentIds: [Number],
    },
    { collection: 'document_relations', versionKey: false },
  );
  schema.index({ annotationId: 1, type: 1, key: 1 }, { unique: true });
  schema.index({ organizationId: 1, _id: 1 });
  schema.index({ documentIds: 1 });
  const model = database.connection.model('DocumentRelation', schema);
  const scope = (caller: Caller) => ({ organizationId: organizationOf(caller), ...inQueues(caller.queueIds) });
  const toRelation = ({ _id, ...row }: Row): DocumentRelation => ({ id: _id, ...row });

  return {
    /** Throws INVALID when the annotation has one of this type and key. */
    async save({ id, ...relation }: DocumentRelation): Promise<void> {
      try {
        await model.replaceOne({ _id: id }, { ...relation, documentIds: [...relation.documentIds] }, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const text = 'The fields type, key, annotation must make a unique set.';
        throw new Refusal('INVALID', { fields: { non_field_errors: [text] } });
      }
    },
    /** Null when the caller cannot see it. */
    async find(caller: Caller, id: number): Promise<DocumentRelation | null> {
      const row = await model.findOne({ _id: id, ...scope(caller) }).lean<Row>();
      return row && toRelation(row);
    },
    async list(
      caller: Caller,
      { ids, types, keys, annotationIds, documentIds }: DocumentRelationFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ relations: DocumentRelation[]; total: number }> {
      const filter = {
        $and: [
          scope(caller),
          among('_id', ids),
          among('type', types),
          among('key', keys),
          among('annotationId', annotationIds),
          among('documentIds', documentIds),
        ],
      };
      const order = toOrder(ordering.length > 0 ? ordering : ['-id'], ORDERING);
      const [rows, total] = await Promise.all([
        findPage<Row>(model, filter, order, page),
        model.countDocuments(filter),
      ]);
      return { relations: rows.map(toRelation), total };
    },
    /** False when it has documents. */
    async removeEmpty(caller: Caller, id: number): Promise<boolean> {
      const { deletedCount } = await model.deleteOne({ _id: id, ...scope(caller), documentIds: { $size: 0 } });
      return deletedCount === 1;
    },
    /** Relations are seen from the queue that their annotation went to. */
    async place(organizationId: number, annotationId: number, queueId: number): Promise<void> {
      await model.updateMany({ organizationId, annotationId }, { $set: { queueId } });
    },
    /** A document that is removed is in no relation any more. */
    async forgetDocument(session: ClientSession, organizationId: number, documentId: number): Promise<void> {
      const held = { organizationId, documentIds: documentId };
      await model.updateMany(held, { $pull: { documentIds: documentId } }, { session });
    },
    async removeOfAnnotation(session: ClientSession, organizationId: number, annotationId: number): Promise<void> {
      await model.deleteMany({ organizationId, annotationId }, { session });
    },
  };
}
