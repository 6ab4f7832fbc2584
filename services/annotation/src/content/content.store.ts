import type { ClientSession, Database } from '@intake/mongo';
import type { ContentNode } from '@intake/schema';
import { Schema } from 'mongoose';
import { indexContent } from '../search/content-index';

type Row = Omit<ContentNode, 'id'> & { _id: number; annotationId: number };

/** The content of annotations, one MongoDB document for each node, so that a large table is no large document. */
export type ContentStore = ReturnType<typeof createContentStore>;

export function createContentStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      annotationId: Number,
      parentId: { type: Number, default: null },
      index: Number,
      category: String,
      schemaId: String,
      content: { type: Schema.Types.Mixed, default: null },
      validationSources: [String],
      hidden: Boolean,
      timeSpent: Number,
      timeSpentOverall: Number,
      timeSpentGrid: Number,
      timeSpentGridOverall: Number,
      options: { type: [Schema.Types.Mixed], default: undefined },
      noRecalculation: Boolean,
      grid: Schema.Types.Mixed,
    },
    { collection: 'nodes', versionKey: false, minimize: false },
  );
  schema.index({ annotationId: 1 });
  const model = database.connection.model('Node', schema);

  const toNode = ({ _id, annotationId: _, ...row }: Row): ContentNode => ({ id: _id, ...row });
  /** Attributes that a node does not have stay out of the row (the driver would write null). */
  const toRow = (annotationId: number, { id, ...node }: ContentNode): Row =>
    Object.fromEntries(
      Object.entries({ _id: id, annotationId, ...node }).filter(([, value]) => value !== undefined),
    ) as unknown as Row;

  const listNodes = async (annotationId: number, session?: ClientSession): Promise<ContentNode[]> => {
    const rows = await model.find({ annotationId }, null, { session }).lean<Row[]>();
    return rows.map(toNode);
  };
  /** What the annotation is found by follows its content. The annotation is written before its content. */
  const index = async (session: ClientSession, annotationId: number, nodes: readonly ContentNode[]) => {
    const annotations = database.connection.model('Annotation').collection;
    await annotations.updateOne({ _id: annotationId as never }, { $set: indexContent(nodes) }, { session });
  };

  return {
    /** All nodes of an annotation; parents before children is not promised. */
    list: listNodes,
    /** Nodes of several annotations at once. */
    async listMany(annotationIds: readonly number[]): Promise<Map<number, ContentNode[]>> {
      const rows = await model.find({ annotationId: { $in: [...annotationIds] } }).lean<Row[]>();
      const byAnnotation = new Map<number, ContentNode[]>(annotationIds.map((id) => [id, []]));
      for (const row of rows) byAnnotation.get(row.annotationId)?.push(toNode(row));
      return byAnnotation;
    },
    /** Replaces the whole content. */
    async replaceAll(session: ClientSession, annotationId: number, nodes: readonly ContentNode[]): Promise<void> {
      await model.deleteMany({ annotationId }, { session });
      if (nodes.length > 0) {
        await model.collection.insertMany(nodes.map((node) => toRow(annotationId, node)) as never[], {
          session,
          ordered: false,
        });
      }
      await index(session, annotationId, nodes);
    },
    /** Writes what a change did. */
    async write(
      session: ClientSession,
      annotationId: number,
      change: { changed: readonly ContentNode[]; added: readonly ContentNode[]; removed: readonly number[] },
    ): Promise<void> {
      const operations = [
        ...change.changed.map((node) => {
          const { _id, ...row } = toRow(annotationId, node);
          return { replaceOne: { filter: { _id, annotationId }, replacement: { _id, ...row } } };
        }),
        ...change.added.map((node) => ({ insertOne: { document: toRow(annotationId, node) } })),
        ...(change.removed.length > 0
          ? [{ deleteMany: { filter: { annotationId, _id: { $in: [...change.removed] } } } }]
          : []),
      ];
      if (operations.length === 0) return;
      await model.collection.bulkWrite(operations as never[], { session, ordered: true });
      await index(session, annotationId, await listNodes(annotationId, session));
    },
  };
}
