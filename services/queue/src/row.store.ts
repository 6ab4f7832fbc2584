import type { Backbone } from '@intake/bus';
import {
  type ClientSession,
  findPage,
  type Orderings,
  type PageRequest,
  type RelatedRows,
  toOrder,
} from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { type IndexDefinition, Schema, type SchemaDefinition } from 'mongoose';

/** What every object of an organization has. */
export interface Owned {
  readonly id: number;
  readonly organizationId: number;
}

/** How objects of one kind are kept. */
export interface RowOptions {
  /** Name of the model; ids are counted by collection. */
  readonly model: string;
  readonly collection: string;
  /** Stored fields beside `_id` and `organizationId`. */
  readonly fields: SchemaDefinition;
  readonly indexes?: readonly (readonly [fields: IndexDefinition, options?: { readonly unique: true }])[];
  /** API key -> stored field, or `<related.as>.<field>` of the object that a row refers to. */
  readonly orderings: Orderings;
  /** Another object that rows are ordered by. */
  readonly related?: RelatedRows;
}

/** A condition on stored rows. */
export type RowFilter = Record<string, unknown>;

/** Objects of one kind in MongoDB. Every query that a caller is given for is scoped to the caller's organization. */
export interface Rows<T extends Owned> {
  nextId(): Promise<number>;
  insert(object: T, session?: ClientSession): Promise<void>;
  insertAll(objects: readonly T[], session: ClientSession): Promise<void>;
  find(caller: Caller, id: number, session?: ClientSession): Promise<T | null>;
  /** Of all organizations, in no particular order; for the service's own work. */
  findEverywhere(filter: RowFilter): Promise<T[]>;
  /** In no particular order. */
  findAll(caller: Caller, filter: RowFilter, session?: ClientSession): Promise<T[]>;
  list(
    caller: Caller,
    filter: RowFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ rows: T[]; total: number }>;
  /** The object as it is afterwards; null when there is none. */
  update(caller: Caller, id: number, change: Partial<T>, session?: ClientSession): Promise<T | null>;
  /** Puts a stored value in the place of another, unless somebody has changed that meanwhile; for the service's own work. */
  exchange(id: number, field: string, before: unknown, after: unknown): Promise<void>;
  /** The same MongoDB update of all that match. */
  updateAll(caller: Caller, filter: RowFilter, update: Record<string, unknown>, session: ClientSession): Promise<void>;
  remove(caller: Caller, id: number, session?: ClientSession): Promise<boolean>;
  removeAll(caller: Caller, filter: RowFilter, session: ClientSession): Promise<void>;
  /**
   * Whether all of these are there; they stay until the transaction ends, because it changes them: whoever deletes one at the same
   * moment goes first or last.
   */
  hold(caller: Caller, ids: readonly number[], session: ClientSession): Promise<boolean>;
}

/** Keeps objects of one kind. */
export function createRows<T extends Owned>(
  { database, ids }: Pick<Backbone, 'database' | 'ids'>,
  { model: name, collection, fields, indexes = [], orderings, related }: RowOptions,
): Rows<T> {
  type Row = Record<string, unknown> & { _id: number };
  const schema = new Schema(
    { _id: Number, organizationId: Number, holds: Number, ...fields },
    { collection, versionKey: false, minimize: false },
  );
  schema.index({ organizationId: 1, _id: 1 });
  for (const [index, options] of indexes) schema.index(index, { ...options });
  const model = database.connection.model(name, schema);

  const scope = (caller: Caller, filter: RowFilter) => ({ $and: [{ organizationId: organizationOf(caller) }, filter] });
  /** Changes the row, which nobody else has: copies of what the driver makes take as long as reading it. */
  const toObject = (row: Row): T => {
    const object: Partial<Row> = row;
    object.id = row._id;
    delete object._id;
    delete object.holds;
    return object as unknown as T;
  };

  return {
    nextId: () => ids.next(collection),

    async insert({ id, ...object }, session) {
      await model.insertMany([{ ...object, _id: id }], { session });
    },

    async insertAll(objects, session) {
      await model.insertMany(
        objects.map(({ id, ...object }) => ({ ...object, _id: id })),
        { session },
      );
    },

    async find(caller, id, session) {
      const row = await model.findOne(scope(caller, { _id: id }), null, { session }).lean<Row | null>();
      return row && toObject(row);
    },

    async findEverywhere(filter) {
      return (await model.find(filter).lean<Row[]>()).map(toObject);
    },

    async findAll(caller, filter, session) {
      const rows = await model.find(scope(caller, filter), null, { session }).lean<Row[]>();
      return rows.map(toObject);
    },

    async list(caller, filter, ordering, page) {
      const query = scope(caller, filter);
      const [rows, total] = await Promise.all([
        findPage<Row>(model, query, toOrder(ordering, orderings), page, related),
        model.countDocuments(query),
      ]);
      return { rows: rows.map(toObject), total };
    },

    async update(caller, id, change, session) {
      const row = await model
        .findOneAndUpdate(scope(caller, { _id: id }), { $set: change }, { returnDocument: 'after', session })
        .lean<Row | null>();
      return row && toObject(row);
    },

    async exchange(id, field, before, after) {
      await model.updateOne({ _id: id, [field]: before }, { $set: { [field]: after } });
    },

    async updateAll(caller, filter, update, session) {
      await model.updateMany(scope(caller, filter), update, { session });
    },

    async remove(caller, id, session) {
      return (await model.deleteOne(scope(caller, { _id: id }), { session })).deletedCount === 1;
    },

    async removeAll(caller, filter, session) {
      await model.deleteMany(scope(caller, filter), { session });
    },

    async hold(caller, wanted, session) {
      const distinct = [...new Set(wanted)];
      if (distinct.length === 0) return true;
      const filter = scope(caller, { _id: { $in: distinct } });
      const { matchedCount } = await model.updateMany(filter, { $inc: { holds: 1 } }, { session });
      return matchedCount === distinct.length;
    },
  };
}

/** A condition on one field; undefined: none. */
export function equals(field: string, value: unknown): RowFilter {
  return value === undefined ? {} : { [field]: value };
}
