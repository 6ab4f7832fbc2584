import {
  among,
  type ClientSession,
  type Database,
  FILLED,
  findPage,
  inQueues,
  type PageRequest,
  toOrder,
} from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

export const RELATION_TYPES = ['edit', 'attachment', 'duplicate'] as const;
export type RelationType = (typeof RELATION_TYPES)[number];

/** Annotations that have to do with each other. API: related-objects.md section 3. */
export interface Relation {
  readonly id: number;
  readonly organizationId: number;
  readonly type: RelationType;
  /** Of duplicates: what they share. */
  readonly key: string | null;
  readonly parentId: number | null;
  readonly annotationIds: readonly number[];
  /** Queues of the parent and the annotations: decide who sees the relation. */
  readonly queueIds: readonly number[];
}

/** What a list of relations is narrowed to; empty lists do not narrow. */
export interface RelationFilter {
  readonly ids: readonly number[];
  readonly types: readonly string[];
  readonly keys: readonly string[];
  readonly parentIds: readonly number[];
  readonly annotationIds: readonly number[];
}

type Row = Omit<Relation, 'id'> & { readonly _id: number };

const ORDERINGS = { id: '_id', type: 'type', parent: { mayBeEmpty: 'parentId' }, key: { mayBeEmpty: 'key' } };

/** Relations, always of the caller's organization and queues. */
export type RelationStore = ReturnType<typeof createRelationStore>;

export function createRelationStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      type: String,
      key: { type: String, default: null },
      parentId: { type: Number, default: null },
      annotationIds: [Number],
      queueIds: [Number],
    },
    { collection: 'relations', versionKey: false },
  );
  schema.index({ annotationIds: 1 });
  schema.index({ parentId: 1 });
  schema.index({ organizationId: 1, _id: 1 });
  schema.index(
    { organizationId: 1, key: 1 },
    { unique: true, partialFilterExpression: { type: 'duplicate', key: FILLED.text } },
  );
  const model = database.connection.model('Relation', schema);
  const scope = (caller: Caller) => ({
    organizationId: organizationOf(caller),
    ...inQueues(caller.queueIds, 'queueIds'),
  });
  const toRelation = ({ _id, ...row }: Row): Relation => ({ id: _id, ...row });

  return {
    async insert(session: ClientSession, { id, ...relation }: Relation): Promise<void> {
      await model.collection.insertOne({ _id: id, ...relation } as never, { session });
    },
    async get(caller: Caller, id: number, session?: ClientSession): Promise<Relation> {
      const row = await model.findOne({ _id: id, ...scope(caller) }, null, { session }).lean<Row>();
      if (!row) throw new Refusal('NOT_FOUND');
      return toRelation(row);
    },
    async replace(session: ClientSession, { id, ...relation }: Relation): Promise<void> {
      await model.updateOne({ _id: id }, { $set: relation }, { session });
    },
    async remove(session: ClientSession, id: number): Promise<void> {
      await model.deleteOne({ _id: id }, { session });
    },
    async list(
      caller: Caller,
      { ids, types, keys, parentIds, annotationIds }: RelationFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ relations: Relation[]; total: number }> {
      const filter = {
        $and: [
          scope(caller),
          among('_id', ids),
          among('type', types),
          among('key', keys),
          among('parentId', parentIds),
          among('annotationIds', annotationIds),
        ],
      };
      const [rows, total] = await Promise.all([
        findPage<Row>(model, filter, toOrder(ordering, ORDERINGS), page),
        model.countDocuments(filter),
      ]);
      return { relations: rows.map(toRelation), total };
    },
    /** The relation of the parts that were made of an annotation; null while there is none. */
    async findParts(organizationId: number, parentId: number, session?: ClientSession): Promise<Relation | null> {
      const row = await model.findOne({ organizationId, parentId, type: 'edit' }, null, { session }).lean<Row>();
      return row ? toRelation(row) : null;
    },
    /** Annotations that belong to such relations. */
    async findMembers(
      caller: Caller,
      { parentIds, types, keys }: Pick<RelationFilter, 'parentIds' | 'types' | 'keys'>,
    ): Promise<ReadonlySet<number>> {
      const filter = {
        $and: [scope(caller), among('parentId', parentIds), among('type', types), among('key', keys)],
      };
      return new Set((await model.distinct('annotationIds', filter)) as number[]);
    },
    /** The relation of the duplicates with this key; null while there is none. */
    async findDuplicates(session: ClientSession, organizationId: number, key: string): Promise<Relation | null> {
      const row = await model.findOne({ organizationId, key, type: 'duplicate' }, null, { session }).lean<Row>();
      return row ? toRelation(row) : null;
    },
    async add(session: ClientSession, id: number, annotation: { id: number; queueId: number }): Promise<void> {
      const lists = { annotationIds: annotation.id, queueIds: annotation.queueId };
      await model.updateOne({ _id: id }, { $addToSet: lists }, { session });
    },
    /** Takes an annotation out of its relations of duplicates; answers these with who is left in them. */
    async leaveDuplicates(session: ClientSession, annotationId: number): Promise<Relation[]> {
      const which = { annotationIds: annotationId, type: 'duplicate' };
      const rows = await model.find(which, null, { session }).lean<Row[]>();
      const left = rows.map(toRelation);
      const ids = left.map(({ id }) => id);
      await model.updateMany({ _id: { $in: ids } }, { $pull: { annotationIds: annotationId } }, { session });
      return left.map((one) => ({ ...one, annotationIds: one.annotationIds.filter((id) => id !== annotationId) }));
    },
    /** Relations are seen from the queue their annotation went to. */
    async move(session: ClientSession, annotationId: number, queueId: number): Promise<void> {
      const which = { $or: [{ annotationIds: annotationId }, { parentId: annotationId }] };
      await model.updateMany(which, { $addToSet: { queueIds: queueId } }, { session });
    },
  };
}
