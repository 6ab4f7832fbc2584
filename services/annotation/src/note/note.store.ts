import { among, type ClientSession, type Database, findPage, inQueues, type PageRequest, toOrder } from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

/** A remark on an annotation. API: related-objects.md section 4. */
export interface Note {
  readonly id: number;
  readonly organizationId: number;
  readonly annotationId: number;
  readonly type: 'rejection' | null;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly modifierId: number | null;
  readonly modifiedAt: Date | null;
}

/** What a list of notes is narrowed to; empty lists do not narrow. */
export interface NoteFilter {
  readonly ids: readonly number[];
  readonly annotationIds: readonly number[];
  readonly creatorIds: readonly number[];
}

type Row = Omit<Note, 'id'> & { readonly _id: number; readonly queueId: number };

/** Notes, always of the caller's organization and queues. */
export type NoteStore = ReturnType<typeof createNoteStore>;

const ORDERINGS = { id: '_id', modified_at: { mayBeEmpty: 'modifiedAt' }, created_at: 'createdAt' };

export function createNoteStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      queueId: Number,
      annotationId: Number,
      type: { type: String, default: null },
      content: String,
      metadata: { type: Schema.Types.Mixed, default: {} },
      creatorId: { type: Number, default: null },
      createdAt: Date,
      modifierId: { type: Number, default: null },
      modifiedAt: { type: Date, default: null },
    },
    { collection: 'notes', versionKey: false, minimize: false },
  );
  schema.index({ annotationId: 1 });
  schema.index({ organizationId: 1, _id: 1 });
  const model = database.connection.model('Note', schema);
  const scope = (caller: Caller) => ({ organizationId: organizationOf(caller), ...inQueues(caller.queueIds) });
  const toNote = ({ _id, queueId: _, ...row }: Row): Note => ({ id: _id, ...row });

  return {
    /** @param queueId of the annotation: decides who sees the note */
    async insert({ id, ...note }: Note, queueId: number, session?: ClientSession): Promise<void> {
      await model.collection.insertOne({ _id: id, ...note, queueId } as never, { session });
    },
    async list(
      caller: Caller,
      { ids, annotationIds, creatorIds }: NoteFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ notes: Note[]; total: number }> {
      const filter = {
        $and: [scope(caller), among('_id', ids), among('annotationId', annotationIds), among('creatorId', creatorIds)],
      };
      const [rows, total] = await Promise.all([
        findPage<Row>(model, filter, toOrder(ordering, ORDERINGS), page),
        model.countDocuments(filter),
      ]);
      return { notes: rows.map(toNote), total };
    },
    async update(
      caller: Caller,
      id: number,
      changes: Partial<Pick<Note, 'type' | 'content' | 'metadata' | 'modifierId' | 'modifiedAt'>>,
    ): Promise<Note> {
      const row = await model
        .findOneAndUpdate({ _id: id, ...scope(caller) }, { $set: changes }, { returnDocument: 'after' })
        .lean<Row>();
      if (!row) throw new Refusal('NOT_FOUND');
      return toNote(row);
    },
    async remove(caller: Caller, id: number): Promise<void> {
      const { deletedCount } = await model.deleteOne({ _id: id, ...scope(caller) });
      if (deletedCount !== 1) throw new Refusal('NOT_FOUND');
    },
    /** Notes go to another queue with their annotation. */
    async move(session: ClientSession, annotationId: number, queueId: number): Promise<void> {
      await model.updateMany({ annotationId }, { $set: { queueId } }, { session });
    },
  };
}
