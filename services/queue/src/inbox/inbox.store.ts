import type { Backbone } from '@intake/bus';
import { type ClientSession, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Inbox } from './inbox';

type Row = Omit<Inbox, 'id'> & { _id: number };

/** Which inboxes a list shows. */
export interface InboxFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  readonly name?: string;
}

const ORDERINGS: Readonly<Record<string, string>> = {
  id: '_id',
  name: 'name',
  email: 'email',
  email_prefix: 'emailPrefix',
};

/** Inboxes in MongoDB. Every query for a caller is scoped to its organization and queues. */
export type InboxStore = ReturnType<typeof createInboxStore>;

export function createInboxStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    {
      _id: Number,
      name: String,
      organizationId: Number,
      queueId: Number,
      email: String,
      emailPrefix: String,
      filters: Schema.Types.Mixed,
      metadata: Schema.Types.Mixed,
      dmarcCheckAction: String,
    },
    // The collection "inbox" holds the events that were seen.
    { collection: 'inboxes', versionKey: false, minimize: false },
  );
  schema.index({ email: 1 }, { unique: true });
  schema.index({ organizationId: 1, _id: 1 });
  schema.index({ organizationId: 1, queueId: 1 });
  const model = database.connection.model('MailInbox', schema);

  return {
    nextId: () => ids.next('inboxes'),

    /** Fails with a duplicate key when the address is taken anywhere in the installation. */
    async insert({ id, ...inbox }: Inbox, session: ClientSession): Promise<void> {
      await model.insertMany([{ ...inbox, _id: id }], { session });
    },

    /** Of any organization: who receives a mail is found by its address alone. */
    async findByEmail(email: string): Promise<Inbox | null> {
      const row = await model.findOne({ email: email.toLowerCase() }).lean<Row | null>();
      return row && toInbox(row);
    },

    async list(
      caller: Caller,
      filter: InboxFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ inboxes: Inbox[]; total: number }> {
      const query = {
        organizationId: organizationOf(caller),
        ...(caller.queueIds !== 'all' && { queueId: { $in: [...caller.queueIds] } }),
        ...(filter.ids.length > 0 && { _id: { $in: [...filter.ids] } }),
        ...(filter.name !== undefined && { name: filter.name }),
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(query).sort(toSort(ordering, ORDERINGS)).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(query),
      ]);
      return { inboxes: rows.map(toInbox), total };
    },
  };
}

function toInbox({ _id, ...row }: Row): Inbox {
  return { id: _id, ...row };
}
