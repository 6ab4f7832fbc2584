import type { annotation } from '@intake/contracts';
import { type ClientSession, type Database, rowsOf } from '@intake/mongo';
import { type ContentChange, type ContentNode, type ContentSize, sizeOf } from '@intake/schema';
import { Schema } from 'mongoose';
import { type IndexedNode, indexContent, MAX_INDEXED } from '../search/content-index';
import { EXPORTED, type NodeRow, toExportedNode, toNode, toRow } from './node-row';

/** Rows in an answer of the database: all that most contents have. */
const BATCH = 5000;

/** The content of annotations, one MongoDB document for each node, so that a large table is no large document. */
export type ContentStore = ReturnType<typeof createContentStore>;

export function createContentStore(database: Database) {
  const schema = new Schema({ _id: Number, annotationId: Number }, { collection: 'nodes', versionKey: false });
  schema.index({ annotationId: 1 });
  database.connection.model('Node', schema);
  const rows = rowsOf<NodeRow>(database, 'nodes');

  const list = async (annotationId: number, session?: ClientSession): Promise<ContentNode[]> =>
    (await rows.find({ annotationId }, { session, batchSize: BATCH, projection: { annotationId: 0 } }).toArray()).map(
      toNode,
    );
  const listMany = async <N>(
    annotationIds: readonly number[],
    toOne: (row: NodeRow) => N,
    projection?: Record<string, 1>,
  ): Promise<Map<number, N[]>> => {
    const found = await rows.find({ annotationId: { $in: [...annotationIds] } }, { projection }).toArray();
    const byAnnotation = new Map<number, N[]>(annotationIds.map((id) => [id, []]));
    for (const row of found) byAnnotation.get(row.annotationId)?.push(toOne(row));
    return byAnnotation;
  };
  /** What the annotation is found by, and its size, follow its content. The annotation is written before its content. */
  const index = async (
    session: ClientSession,
    annotationId: number,
    nodes: readonly IndexedNode[],
    contentSize?: ContentSize,
  ) => {
    const annotations = database.connection.model('Annotation').collection;
    const set = { ...indexContent(nodes), ...(contentSize && { contentSize }) };
    await annotations.updateOne({ _id: annotationId as never }, { $set: set }, { session });
  };

  return {
    /** All nodes of an annotation; parents before children is not promised. */
    list,
    /** One node, or null. */
    async find(annotationId: number, id: number, session?: ClientSession): Promise<ContentNode | null> {
      const row = await rows.findOne({ _id: id, annotationId }, { session });
      return row && toNode(row);
    },
    /** The cells of a row. */
    async listChildren(annotationId: number, parentId: number): Promise<ContentNode[]> {
      return (await rows.find({ annotationId, parentId }).toArray()).map(toNode);
    },
    /** Whether there is any content. */
    has: async (annotationId: number, session?: ClientSession): Promise<boolean> =>
      (await rows.findOne({ annotationId }, { session, projection: { _id: 1 } })) !== null,
    /**
     * What became of the datapoints until now, by schema id. Corrected is what a person changed, as the last, to something else than was
     * read: what a hook changes afterwards has other validation sources. API: usage-report.md section 3.1.
     */
    async findFigures(session: ClientSession, annotationId: number): Promise<annotation.FieldFigures[]> {
      const byPerson = { $in: ['human', { $ifNull: ['$validationSources', []] }] };
      const isOther = { $ne: [{ $ifNull: ['$content.value', ''] }, { $ifNull: ['$content.rirText', ''] }] };
      const stages = [
        { $match: { annotationId, category: 'datapoint' } },
        {
          $group: {
            _id: '$schemaId',
            totalCount: { $sum: 1 },
            correctedCount: { $sum: { $cond: [{ $and: [byPerson, isOther] }, 1, 0] } },
            timeSpentS: { $sum: { $ifNull: ['$timeSpent', 0] } },
          },
        },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, schemaId: '$_id', totalCount: 1, correctedCount: 1, timeSpentS: 1 } },
      ];
      return rows.aggregate<annotation.FieldFigures>(stages, { session }).toArray();
    },
    /** Nodes of several annotations at once. */
    listMany: (annotationIds: readonly number[]) => listMany(annotationIds, toNode),
    /** What exports show of the nodes of several annotations. */
    listExported: (annotationIds: readonly number[]) => listMany(annotationIds, toExportedNode, EXPORTED),
    /** Replaces the whole content. */
    async replaceAll(session: ClientSession, annotationId: number, nodes: readonly ContentNode[]): Promise<void> {
      await rows.deleteMany({ annotationId }, { session });
      if (nodes.length > 0) {
        await rows.insertMany(
          nodes.map((node) => toRow(annotationId, node)),
          { session, ordered: false },
        );
      }
      await index(session, annotationId, nodes, sizeOf(nodes));
    },
    /** Writes what a change did. */
    async write(
      session: ClientSession,
      annotationId: number,
      { nodes, changed, added, removed }: ContentChange,
    ): Promise<void> {
      const operations = [
        ...changed.map((node) => {
          const { _id, ...row } = toRow(annotationId, node);
          return { replaceOne: { filter: { _id, annotationId }, replacement: row } };
        }),
        ...added.map((node) => ({ insertOne: { document: toRow(annotationId, node) } })),
        ...(removed.length > 0 ? [{ deleteMany: { filter: { annotationId, _id: { $in: [...removed] } } } }] : []),
      ];
      if (operations.length === 0) return;
      await rows.bulkWrite(operations, { session, ordered: true });
      await index(session, annotationId, nodes, sizeOf(nodes));
    },
    /** Writes one node, without the others being looked at. */
    async writeNode(session: ClientSession, annotationId: number, node: ContentNode): Promise<void> {
      const { _id, ...row } = toRow(annotationId, node);
      await rows.replaceOne({ _id, annotationId }, row, { session });
    },
    /** What the annotation is found by, of all its content. */
    async reindex(session: ClientSession, annotationId: number): Promise<void> {
      const filled = await rows
        .find({ annotationId, category: 'datapoint', 'content.value': { $gt: '' } }, { session })
        .project<IndexedNode>({ _id: 0, category: 1, schemaId: 1, 'content.value': 1, 'content.normalizedValue': 1 })
        .limit(MAX_INDEXED)
        .toArray();
      await index(session, annotationId, filled);
    },
  };
}
