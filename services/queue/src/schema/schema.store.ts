import type { Backbone } from '@intake/bus';
import { among, type ClientSession, type PageRequest } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import { Schema } from 'mongoose';
import { createRows, equals } from '../row.store';
import type { QueueSchema } from './schema';

type Head = Omit<QueueSchema, 'contentJson'>;
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

/**
 * Schemas in MongoDB, and beside them the content of every version they ever had. Every query is scoped to the caller's
 * organization; schemas are seen by everybody in it.
 */
export type SchemaStore = ReturnType<typeof createSchemaStore>;

export function createSchemaStore(backbone: Pick<Backbone, 'database' | 'ids'>) {
  const heads = createRows<Head>(backbone, {
    model: 'Schema',
    collection: 'schemas',
    fields: {
      name: String,
      version: Number,
      metadata: Schema.Types.Mixed,
      modifiedById: Number,
      modifiedAt: Date,
    },
    indexes: [[{ organizationId: 1, name: 1 }]],
    orderings: { id: '_id', name: 'name' },
  });

  const versionSchema = new Schema(
    { schemaId: Number, version: Number, contentJson: String, createdAt: Date },
    { collection: 'schema_versions', versionKey: false },
  );
  versionSchema.index({ schemaId: 1, version: 1 }, { unique: true });
  const versions = backbone.database.connection.model('SchemaVersion', versionSchema);

  /** Adds the current content to schemas that the caller may see. */
  const withContent = async (found: readonly Head[], session?: ClientSession): Promise<QueueSchema[]> => {
    if (found.length === 0) return [];
    const current = await versions
      .find({ $or: found.map(({ id, version }) => ({ schemaId: id, version })) }, null, { session })
      .lean<VersionRow[]>();
    const contents = new Map(current.map(({ schemaId, contentJson }) => [schemaId, contentJson]));
    return found.map((head) => ({ ...head, contentJson: contents.get(head.id) ?? '[]' }));
  };
  const insertVersion = async (
    { id, version, contentJson }: Pick<QueueSchema, 'id' | 'version' | 'contentJson'>,
    session: ClientSession,
  ) => {
    await versions.insertMany([{ schemaId: id, version, contentJson, createdAt: new Date() }], { session });
  };

  return {
    nextId: heads.nextId,
    hold: heads.hold,

    async insert({ contentJson, ...head }: QueueSchema, session: ClientSession): Promise<void> {
      await heads.insert(head, session);
      await insertVersion({ ...head, contentJson }, session);
    },

    async find(caller: Caller, id: number, session?: ClientSession): Promise<QueueSchema | null> {
      const head = await heads.find(caller, id, session);
      const [found] = head ? await withContent([head], session) : [];
      return found ?? null;
    },

    /** As it was at a version; null when it never had that. */
    async findVersion(caller: Caller, id: number, version: number): Promise<QueueSchema | null> {
      const head = await heads.find(caller, id);
      const row = head && (await versions.findOne({ schemaId: id, version }).lean<VersionRow | null>());
      return head && row && { ...head, version, contentJson: row.contentJson };
    },

    /** The content becomes a version of its own when the version has grown. */
    async update(caller: Caller, { contentJson, ...head }: QueueSchema, before: QueueSchema, session: ClientSession) {
      await heads.update(caller, head.id, head, session);
      if (head.version > before.version) await insertVersion({ ...head, contentJson }, session);
    },

    /** With all its versions. */
    async remove(caller: Caller, id: number, session: ClientSession): Promise<boolean> {
      if (!(await heads.remove(caller, id, session))) return false;
      await versions.deleteMany({ schemaId: id }, { session });
      return true;
    },

    async list(
      caller: Caller,
      { ids, name }: SchemaFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ schemas: QueueSchema[]; total: number }> {
      const filter = { $and: [among('_id', ids), equals('name', name)] };
      const { rows, total } = await heads.list(caller, filter, ordering, page);
      return { schemas: await withContent(rows), total };
    },
  };
}
