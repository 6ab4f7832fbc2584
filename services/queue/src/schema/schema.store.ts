import type { Backbone } from '@intake/bus';
import { type ClientSession, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { QueueSchema } from './schema';

type Row = Omit<QueueSchema, 'id' | 'contentJson'> & { _id: number };
interface VersionRow {
  readonly schemaId: number;
  readonly version: number;
  readonly contentJson: string;
  readonly createdAt: Date;
}

/** Which schemas a list shows. */
export interface SchemaFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  readonly name?: string;
}

const ORDERINGS: Readonly<Record<string, string>> = { id: '_id', name: 'name' };

/**
 * Schemas in MongoDB, and beside them the content of every version they ever had. Every query is scoped to the caller's
 * organization; schemas are seen by everybody in it.
 */
export type SchemaStore = ReturnType<typeof createSchemaStore>;

export function createSchemaStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    { _id: Number, name: String, organizationId: Number, version: Number, metadata: Schema.Types.Mixed },
    { collection: 'schemas', versionKey: false, minimize: false },
  );
  schema.index({ organizationId: 1, _id: 1 });
  schema.index({ organizationId: 1, name: 1 });
  const model = database.connection.model('Schema', schema);

  const versionSchema = new Schema(
    { schemaId: Number, version: Number, contentJson: String, createdAt: Date },
    { collection: 'schema_versions', versionKey: false },
  );
  versionSchema.index({ schemaId: 1, version: 1 }, { unique: true });
  const versions = database.connection.model('SchemaVersion', versionSchema);

  /** Adds the current content to rows that the caller may see. */
  const withContent = async (rows: readonly Row[]): Promise<QueueSchema[]> => {
    if (rows.length === 0) return [];
    const current = await versions
      .find({ $or: rows.map(({ _id, version }) => ({ schemaId: _id, version })) })
      .lean<VersionRow[]>();
    const contents = new Map(current.map(({ schemaId, contentJson }) => [schemaId, contentJson]));
    return rows.map(({ _id, ...row }) => ({ id: _id, ...row, contentJson: contents.get(_id) ?? '[]' }));
  };

  return {
    nextId: () => ids.next('schemas'),

    async insert({ id, contentJson, ...row }: QueueSchema, session: ClientSession): Promise<void> {
      await model.insertMany([{ ...row, _id: id }], { session });
      await versions.insertMany([{ schemaId: id, version: row.version, contentJson, createdAt: new Date() }], {
        session,
      });
    },

    async exists(caller: Caller, id: number): Promise<boolean> {
      return (await model.exists({ _id: id, organizationId: organizationOf(caller) })) !== null;
    },

    async find(caller: Caller, id: number): Promise<QueueSchema | null> {
      const row = await model.findOne({ _id: id, organizationId: organizationOf(caller) }).lean<Row | null>();
      const [found] = row ? await withContent([row]) : [];
      return found ?? null;
    },

    async list(
      caller: Caller,
      filter: SchemaFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ schemas: QueueSchema[]; total: number }> {
      const query = {
        organizationId: organizationOf(caller),
        ...(filter.ids.length > 0 && { _id: { $in: [...filter.ids] } }),
        ...(filter.name !== undefined && { name: filter.name }),
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(query).sort(toSort(ordering, ORDERINGS)).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(query),
      ]);
      return { schemas: await withContent(rows), total };
    },
  };
}
