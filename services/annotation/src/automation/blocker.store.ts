import { among, type ClientSession, type Database, inQueues, type PageRequest, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { BlockerReason } from './automation';

/** Why an annotation was not automated. API: related-objects.md section 2. */
export interface AutomationBlocker {
  readonly id: number;
  readonly organizationId: number;
  readonly annotationId: number;
  readonly content: readonly BlockerReason[];
}

type Row = Omit<AutomationBlocker, 'id'> & { readonly _id: number; readonly queueId: number };

/** Automation blockers, one per annotation, always of the caller's organization and queues. */
export type BlockerStore = ReturnType<typeof createBlockerStore>;

export function createBlockerStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      queueId: Number,
      annotationId: Number,
      content: [Schema.Types.Mixed],
    },
    { collection: 'automation_blockers', versionKey: false, minimize: false },
  );
  schema.index({ annotationId: 1 }, { unique: true });
  schema.index({ organizationId: 1, _id: 1 });
  const model = database.connection.model('AutomationBlocker', schema);
  const scope = (caller: Caller) => ({ organizationId: organizationOf(caller), ...inQueues(caller.queueIds) });

  return {
    /** Takes the place of what was decided before. */
    async put(session: ClientSession, { id, ...blocker }: AutomationBlocker, queueId: number): Promise<void> {
      await model.deleteOne({ annotationId: blocker.annotationId }, { session });
      await model.collection.insertOne({ _id: id, ...blocker, queueId } as never, { session });
    },
    async remove(session: ClientSession, annotationId: number): Promise<void> {
      await model.deleteOne({ annotationId }, { session });
    },
    async move(session: ClientSession, annotationId: number, queueId: number): Promise<void> {
      await model.updateOne({ annotationId }, { $set: { queueId } }, { session });
    },
    async list(
      caller: Caller,
      { ids, annotationIds }: { readonly ids: readonly number[]; readonly annotationIds: readonly number[] },
      page: PageRequest,
    ): Promise<{ blockers: AutomationBlocker[]; total: number }> {
      const filter = { $and: [scope(caller), among('_id', ids), among('annotationId', annotationIds)] };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(filter).sort({ _id: 1 }).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(filter),
      ]);
      return { blockers: rows.map(({ _id, queueId: _, ...row }) => ({ id: _id, ...row })), total };
    },
  };
}
