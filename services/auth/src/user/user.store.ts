import type { Backbone } from '@intake/bus';
import { type ClientSession, findPage, type Orderings, type PageRequest, toOrder } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import { type Account, type AuthType, type KnownAddress, toUsernameKey, type User } from './user';

type Row = Omit<Account, 'id'> & { _id: number; usernameKey: string; emailKey: string };

/** What a stored user is changed to. */
type Change = Partial<Omit<Account, 'id' | 'organizationId' | 'email' | 'rightsVersion' | 'dateJoined'>>;

/** Which users a list shows. */
export interface UserFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  /** Assigned to any of these; empty: all. */
  readonly queueIds: readonly number[];
  /** Having any of these roles; empty: all. */
  readonly groupIds: readonly number[];
  readonly username?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly isActive?: boolean;
  readonly lastLoginAfter?: Date;
  readonly lastLoginBefore?: Date;
  /** Deleted ones only; otherwise the others only. */
  readonly deleted: boolean;
}

const MOST_ADDRESSES = 20;

const ORDERINGS: Orderings = {
  id: '_id',
  username: 'username',
  first_name: { mayBeEmpty: 'firstName' },
  last_name: { mayBeEmpty: 'lastName' },
  email: { mayBeEmpty: 'email' },
  last_login: { mayBeEmpty: 'lastLogin' },
  date_joined: 'dateJoined',
  deleted: 'deleted',
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
      emailKey: String,
      phoneNumber: String,
      oidcId: String,
      authType: String,
      knownAddresses: [{ _id: false, hash: String, seenAt: Date }],
      reset: { type: { _id: false, tokenHash: String, expiresAt: Date } },
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
  schema.index({ emailKey: 1 });
  schema.index({ oidcId: 1 });
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
      > &
        Partial<Pick<Account, 'phoneNumber' | 'oidcId' | 'authType' | 'isActive' | 'uiSettings' | 'metadata'>>,
      session?: ClientSession,
    ): Promise<User> {
      const row: Row = {
        ...input,
        _id: id,
        usernameKey: toUsernameKey(input.username),
        emailKey: input.email.toLowerCase(),
        groupIds: [...new Set(input.groupIds)],
        queueIds: [...new Set(input.queueIds)],
        phoneNumber: input.phoneNumber ?? null,
        oidcId: input.oidcId ?? null,
        authType: input.authType ?? 'password',
        reset: null,
        knownAddresses: [],
        isActive: input.isActive ?? true,
        deleted: false,
        dateJoined: new Date(),
        lastLogin: null,
        uiSettings: input.uiSettings ?? {},
        metadata: input.metadata ?? {},
        rightsVersion: 1,
      };
      await model.insertMany([row], { session });
      return toUser(row);
    },

    async findAccount(username: string, session?: ClientSession): Promise<Account | null> {
      const row = await model.findOne({ usernameKey: toUsernameKey(username) }, null, { session }).lean<Row | null>();
      return row && toAccount(row);
    },

    async findById(id: number, session?: ClientSession): Promise<User | null> {
      const row = await model.findById(id, null, { session }).lean<Row | null>();
      return row && toUser(row);
    },

    /** Those who may act and log in with a password, by e-mail address regardless of case. */
    async findByAddress(address: string): Promise<User[]> {
      const query = { emailKey: address.toLowerCase(), isActive: true, deleted: false, authType: 'password' };
      const rows = await model.find(query).sort({ _id: 1 }).limit(20).lean<Row[]>();
      return rows.map(toUser);
    },

    /** The link that sets a new password; an earlier one ends. */
    async setReset(id: number, tokenHash: string, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: id }, { $set: { reset: { tokenHash, expiresAt } } });
    },

    /** The user whose link it is, while it works and the user may act. */
    async findByReset(id: number, tokenHash: string, session?: ClientSession): Promise<Account | null> {
      const query = { _id: id, 'reset.tokenHash': tokenHash, 'reset.expiresAt': { $gt: new Date() } };
      const row = await model
        .findOne({ ...query, isActive: true, deleted: false, authType: 'password' }, null, { session })
        .lean<Row | null>();
      return row && toAccount(row);
    },

    /** Null when the password was changed meanwhile. The version of the rights grows; a mailed link ends. */
    async setPassword(
      { id, passwordHash: before }: Account,
      changes: { readonly passwordHash: string; readonly authType?: AuthType },
      session: ClientSession,
    ): Promise<User | null> {
      const row = await model
        .findOneAndUpdate(
          { _id: id, passwordHash: before, deleted: false },
          { $set: { ...changes, reset: null }, $inc: { rightsVersion: 1 } },
          { returnDocument: 'after', session },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },

    /** One user of the caller's organization who is not deleted. */
    async findOne(caller: Caller, id: number, session: ClientSession): Promise<User | null> {
      const row = await model
        .findOne({ _id: id, organizationId: organizationOf(caller), deleted: false }, null, { session })
        .lean<Row | null>();
      return row && toUser(row);
    },

    /** Whether the organization has a further user who may act and has one of the roles. */
    async hasOtherAdmin(user: User, roleIds: readonly number[], session: ClientSession): Promise<boolean> {
      const { organizationId } = user;
      const query = { organizationId, _id: { $ne: user.id }, groupIds: { $in: [...roleIds] } };
      return (await model.exists({ ...query, isActive: true, deleted: false }).session(session)) !== null;
    },

    /** Null when the user has meanwhile been disabled, deleted or given another password. */
    async noteLogin(
      { id, passwordHash, knownAddresses }: Account,
      at: Date,
      addressHash: string | null,
    ): Promise<User | null> {
      const row = await model
        .findOneAndUpdate(
          { _id: id, passwordHash, isActive: true, deleted: false },
          { $set: { lastLogin: at, knownAddresses: withAddress(knownAddresses, addressHash, at) } },
          { returnDocument: 'after' },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },

    /** Users of an organization, inactive and deleted ones too, whose `oidc_id`, e-mail address or user name it is. */
    async findKnownAs(organizationId: number, value: string, session: ClientSession): Promise<User[]> {
      const keys = [{ oidcId: value }, { emailKey: value.toLowerCase() }, { usernameKey: toUsernameKey(value) }];
      const query = { organizationId, $or: keys };
      const rows = await model.find(query, null, { session }).sort({ _id: 1 }).limit(100).lean<Row[]>();
      return rows.map(toUser);
    },

    /** Null when the user may not act. */
    async noteSsoLogin(id: number, at: Date, session: ClientSession): Promise<User | null> {
      const row = await model
        .findOneAndUpdate(
          { _id: id, isActive: true, deleted: false },
          { $set: { lastLogin: at } },
          { returnDocument: 'after', session },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },

    async noteAddress({ id, knownAddresses }: Account, addressHash: string): Promise<void> {
      await model.updateOne(
        { _id: id },
        { $set: { knownAddresses: withAddress(knownAddresses, addressHash, new Date()) } },
      );
    },

    /** Users by id, deleted ones too; unknown ones are left out. */
    async get(caller: Caller, userIds: readonly number[]): Promise<User[]> {
      const rows = await model
        .find({ organizationId: organizationOf(caller), _id: { $in: [...userIds] } })
        .lean<Row[]>();
      return rows.map(toUser);
    },

    /** Users who are assigned to a queue, and these. */
    async findForQueue(
      caller: Caller,
      queueId: number,
      userIds: readonly number[],
      session: ClientSession,
    ): Promise<User[]> {
      const either = [{ queueIds: queueId }, { _id: { $in: [...userIds] } }];
      const rows = await model
        .find({ organizationId: organizationOf(caller), $or: either }, null, { session })
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
        deleted: filter.deleted,
        ...(filter.ids.length > 0 && { _id: { $in: [...filter.ids] } }),
        ...(filter.queueIds.length > 0 && { queueIds: { $in: [...filter.queueIds] } }),
        ...(filter.groupIds.length > 0 && { groupIds: { $in: [...filter.groupIds] } }),
        ...(filter.username !== undefined && { username: filter.username }),
        ...(filter.firstName !== undefined && { firstName: filter.firstName }),
        ...(filter.lastName !== undefined && { lastName: filter.lastName }),
        ...(filter.email !== undefined && { email: filter.email }),
        ...((filter.lastLoginAfter || filter.lastLoginBefore) && {
          lastLogin: {
            ...(filter.lastLoginAfter && { $gte: filter.lastLoginAfter }),
            ...(filter.lastLoginBefore && { $lt: filter.lastLoginBefore }),
          },
        }),
        ...(filter.isActive !== undefined && { isActive: filter.isActive }),
      };
      const [rows, total] = await Promise.all([
        findPage<Row>(model, query, toOrder(ordering.map(toStored), ORDERINGS), page),
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

    /** Changes a user who is not deleted; null when there is none. With `touchesRights` the version of the rights grows. */
    async update(
      caller: Caller,
      id: number,
      change: Change,
      touchesRights: boolean,
      session: ClientSession,
    ): Promise<User | null> {
      const set = {
        ...change,
        ...(change.username !== undefined && { usernameKey: toUsernameKey(change.username) }),
        ...(change.groupIds && { groupIds: [...new Set(change.groupIds)] }),
        ...(change.queueIds && { queueIds: [...new Set(change.queueIds)] }),
      };
      const row = await model
        .findOneAndUpdate(
          { _id: id, organizationId: organizationOf(caller), deleted: false },
          { $set: set, ...(touchesRights && { $inc: { rightsVersion: 1 } }) },
          { returnDocument: 'after', session },
        )
        .lean<Row | null>();
      return row && toUser(row);
    },

    /** Nobody is assigned to the queue any more. */
    async forgetQueue(organizationId: number, queueId: number, session: ClientSession): Promise<void> {
      await model.updateMany({ organizationId, queueIds: queueId }, { $pull: { queueIds: queueId } }, { session });
    },
  };
}

/** The address first, and no more than are worth remembering. */
function withAddress(known: readonly KnownAddress[], hash: string | null, seenAt: Date): KnownAddress[] {
  if (hash === null) return [...known];
  return [{ hash, seenAt }, ...known.filter((one) => one.hash !== hash)].slice(0, MOST_ADDRESSES);
}

/** `not_deleted` is `deleted` the other way round. */
function toStored(key: string): string {
  if (key === 'not_deleted') return '-deleted';
  return key === '-not_deleted' ? 'deleted' : key;
}

function toAccount({ _id, usernameKey: _key, emailKey: _email, ...row }: Row): Account {
  return { ...row, id: _id, knownAddresses: row.knownAddresses ?? [] };
}

function toUser(row: Row): User {
  const { passwordHash: _hash, reset: _reset, knownAddresses: _known, ...user } = toAccount(row);
  return user;
}
