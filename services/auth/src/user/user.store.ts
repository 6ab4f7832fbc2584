import type { Backbone } from '@intake/bus';
import { type ClientSession, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import { type Account, toUsernameKey, type User } from './user';

type Row = Omit<Account, 'id'> & { _id: number; usernameKey: string };

/** Which users a list shows. Deleted ones never are. */
export interface UserFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  /** Assigned to any of these; empty: all. */
  readonly queueIds: readonly number[];
  readonly username?: string;
  readonly isActive?: boolean;
}

const ORDERINGS: Readonly<Record<string, string>> = {
  id: '_id',
  username: 'username',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  last_login: 'lastLogin',
  date_joined: 'dateJoined',
};

/** Users in MongoDB. Queries for a caller see its organization only; those without a caller find who is calling. */
export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    {
      _id: Number,
      username: String,
      usernameKey: String,
      passwordHash: String,
      email: String,
      firstName: String,
      lastName: String,
      organizationId: Number,
      groupIds: [Number],
      queueIds: [Number],
      isActive: Boolean,
      deleted: Boolean,
      dateJoined: Date,
      lastLogin: Date,
      uiSettings: Schema.Types.Mixed,
      metadata: Schema.Types.Mixed,
      rightsVersion: Number,
    },
    { collection: 'users', versionKey: false, minimize: false },
  );
  schema.index({ usernameKey: 1 }, { unique: true });
  schema.index({ organizationId: 1, deleted: 1, _id: 1 });
  schema.index({ organizationId: 1, queueIds: 1 });
  const model = database.connection.model('User', schema);

  return {
    nextId: () => ids.next('users'),

    /** Fails with a duplicate key when the user name is taken anywhere in the installation. */
    async insert(
      {
        id,
        ...input
      }: Pick<
        Account,
        | 'id'
        | 'username'
        | 'email'
        | 'firstName'
        | 'lastName'
        | 'organizationId'
        | 'groupIds'
        | 'queueIds'
        | 'passwordHash'
      >,
      session?: ClientSession,
    ): Promise<User> {
      const row: Row = {
        ...input,
        _id: id,
        usernameKey: toUsernameKey(input.username),
        isActive: true,
        deleted: false,
        dateJoined: new Date(),
        lastLogin: null,
        uiSettings: {},
        metadata: {},
        rightsVersion: 1,
      };
      await model.insertMany([row], { session });
      return toUser(row);
    },

    async findAccount(username: string, session?: ClientSession): Promise<Account | null> {
      const row = await model.findOne({ usernameKey: toUsernameKey(username) }, null, { session }).lean<Row | null>();
      return row && { ...toUser(row), passwordHash: row.passwordHash };
    },

    async findById(id: number): Promise<User | null> {
      const row = await model.findById(id).lean<Row | null>();
      return row && toUser(row);
    },

    /** Null when the user has meanwhile been disabled, deleted or given another password. */
    async noteLogin({ id, passwordHash }: Account, at: Date): Promise<User | null> {
      const row = await model
        .findOneAndUpdate(
          { _id: id, passwordHash, isActive: true, deleted: false },
          { $set: { lastLogin: at } },
          { returnDocument: 'after' },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },

    /** Users by id, deleted ones too; unknown ones are left out. */
    async get(caller: Caller, userIds: readonly number[]): Promise<User[]> {
      const rows = await model
        .find({ organizationId: organizationOf(caller), _id: { $in: [...userIds] } })
        .lean<Row[]>();
      return rows.map(toUser);
    },

    async list(
      caller: Caller,
      filter: UserFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ users: User[]; total: number }> {
      const query = {
        organizationId: organizationOf(caller),
        deleted: false,
        ...(filter.ids.length > 0 && { _id: { $in: [...filter.ids] } }),
        ...(filter.queueIds.length > 0 && { queueIds: { $in: [...filter.queueIds] } }),
        ...(filter.username !== undefined && { username: filter.username }),
        ...(filter.isActive !== undefined && { isActive: filter.isActive }),
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(query).sort(toSort(ordering, ORDERINGS)).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(query),
      ]);
      return { users: rows.map(toUser), total };
    },

    /** Ids of the users of organizations, inactive ones too, deleted ones not. */
    async listIds(caller: Caller): Promise<number[]> {
      const rows = await model
        .find({ organizationId: organizationOf(caller), deleted: false })
        .sort({ _id: 1 })
        .select('_id')
        .lean<Pick<Row, '_id'>[]>();
      return rows.map((row) => row._id);
    },

    async setQueues(
      caller: Caller,
      id: number,
      queueIds: readonly number[],
      session: ClientSession,
    ): Promise<User | null> {
      const row = await model
        .findOneAndUpdate(
          { _id: id, organizationId: organizationOf(caller), deleted: false },
          { $set: { queueIds: [...new Set(queueIds)] }, $inc: { rightsVersion: 1 } },
          { returnDocument: 'after', session },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },
  };
}

function toUser({ _id, usernameKey: _key, passwordHash: _hash, ...row }: Row): User {
  return { id: _id, ...row };
}
