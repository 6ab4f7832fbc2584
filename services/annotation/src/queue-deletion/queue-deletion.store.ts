import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** A queue whose annotations are being deleted. */
export interface QueueDeletion {
  readonly queueId: number;
  readonly organizationId: number;
}

/** Collections whose rows belong to one annotation. */
const PARTS = ['nodes', 'history', 'history_values', 'notes', 'automation_blockers', 'suggested_edits'];

/** Deletions under way, in MongoDB: whoever goes on with one goes on where it was left. */
export type QueueDeletionStore = ReturnType<typeof createQueueDeletionStore>;

export function createQueueDeletionStore(database: Database) {
  const model = database.connection.model(
    'QueueDeletion',
    new Schema({ _id: Number, organizationId: Number }, { collection: 'queue_deletions', versionKey: false }),
  );
  const collection = (name: string) => database.connection.collection(name);

  return {
    async begin(session: ClientSession, { queueId, organizationId }: QueueDeletion): Promise<void> {
      await model.replaceOne({ _id: queueId }, { organizationId }, { session, upsert: true });
    },
    async findNext(): Promise<QueueDeletion | null> {
      const row = await model.findOne().sort({ _id: 1 }).lean<{ _id: number; organizationId: number } | null>();
      return row && { queueId: row._id, organizationId: row.organizationId };
    },
    async finish(session: ClientSession, { queueId }: QueueDeletion): Promise<void> {
      await model.deleteOne({ _id: queueId }, { session });
    },
    /** Ids of annotations that are still there. */
    async findAnnotations({ queueId }: QueueDeletion, limit: number): Promise<number[]> {
      const rows = await collection('annotations')
        .find({ queueId }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      return rows.map(({ _id }) => _id as unknown as number);
    },
    /** Removes an annotation with everything that is its own. */
    async removeAnnotation(session: ClientSession, id: number): Promise<void> {
      for (const part of PARTS) await collection(part).deleteMany({ annotationId: id }, { session });
      await collection('readings').deleteOne({ _id: id as never }, { session });
      const relations = collection('relations');
      const ofTwo = { type: 'duplicate', annotationIds: id, 'annotationIds.2': { $exists: false } };
      const which = { $or: [{ parentId: id }, ofTwo] };
      const own = await relations.find(which, { session, projection: { _id: 1 } }).toArray();
      if (own.length > 0) {
        const gone = { $in: own.map(({ _id }) => _id) };
        await relations.deleteMany({ _id: gone }, { session });
        await collection('annotations').updateMany(
          { relationIds: gone },
          { $pull: { relationIds: gone } as never },
          { session },
        );
      }
      await relations.updateMany({ annotationIds: id }, { $pull: { annotationIds: id } as never }, { session });
      const removed = await collection('annotations').findOneAndDelete(
        { _id: id as never },
        { session, projection: { queueId: 1 } },
      );
      // With its history went what it had added to the counts of its queue.
      if (removed) await collection('status_counts').deleteOne({ _id: removed.queueId }, { session });
    },
    /** Whether the annotation is the only one that still shows the document. */
    async isLastOfDocument(session: ClientSession, id: number, documentId: number): Promise<boolean> {
      const other = { documentId, _id: { $ne: id as never }, status: { $ne: 'purged' } };
      return (await collection('annotations').findOne(other, { session, projection: { _id: 1 } })) === null;
    },
  };
}
