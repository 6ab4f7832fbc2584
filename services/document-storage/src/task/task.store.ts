import type { Backbone } from '@intake/bus';
import { type ClientSession, rowsOf } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Task } from './task';

/** Tasks; only their creator and admins see them. Each change is announced by `task.changed`. */
export interface TaskStore {
  insert(session: ClientSession, task: Task): Promise<void>;
  /** Null when the caller cannot see it, or its life is over. */
  find(caller: Caller, id: number, now: Date): Promise<Task | null>;
  /** Ends running tasks; those that have ended stay as they are. */
  end(
    session: ClientSession,
    ids: readonly number[],
    outcome: { status: 'succeeded' } | { status: 'failed'; detail: string; code: string },
  ): Promise<void>;
}

/** Tasks of one service's database. */
export function createTaskStore({ database, emit }: Pick<Backbone, 'database' | 'emit'>): TaskStore {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      creatorId: { type: Number, default: null },
      type: { type: String, enum: ['upload_created', 'email_imported', 'documents_download'], required: true },
      status: { type: String, enum: ['running', 'succeeded', 'failed'], required: true },
      expiresAt: { type: Date, required: true },
      detail: { type: String, default: null },
      code: { type: String, default: null },
      uploadId: { type: Number, default: null },
      emailId: { type: Number, default: null },
      downloadId: Number,
      fileName: String,
    },
    { collection: 'tasks', versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  database.connection.model('Task', schema);
  const rows = rowsOf<Omit<Task, 'id'> & { _id: number }>(database, 'tasks');

  const announce = (
    session: ClientSession,
    { id, creatorId, detail, code, uploadId, emailId: _, ...task }: Task,
  ): void =>
    emit(session, {
      subject: 'task.changed',
      aggregate: `task:${id}`,
      version: task.status === 'running' ? 1 : 2,
      payload: {
        ...task,
        id,
        creatorId: creatorId ?? undefined,
        detail: detail ?? undefined,
        code: code ?? undefined,
        uploadId: uploadId ?? undefined,
        fileName: task.fileName ?? '',
      },
    });

  return {
    async insert(session, { id, ...task }) {
      await rows.insertOne({ _id: id, ...task }, { session });
      announce(session, { id, ...task });
    },
    async find(caller, id, now) {
      const row = await rows.findOne({ _id: id, ...visibleTo(caller), expiresAt: { $gt: now } });
      if (!row) return null;
      const { _id, ...task } = row;
      return { id: _id, ...task };
    },
    async end(session, ids, outcome) {
      if (ids.length === 0) return;
      const running = await rows.find({ _id: { $in: [...ids] }, status: 'running' }, { session }).toArray();
      if (running.length === 0) return;
      await rows.updateMany({ _id: { $in: running.map(({ _id }) => _id) } }, { $set: outcome }, { session });
      for (const { _id, ...task } of running) announce(session, { ...task, id: _id, ...outcome });
    },
  };
}

function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  const seesAll =
    caller.kind === 'system' || caller.roles.some((role) => role === 'admin' || role === 'organization_group_admin');
  return seesAll ? { organizationId } : { organizationId, creatorId: caller.userId };
}
