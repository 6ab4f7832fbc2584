import type { Backbone } from '@intake/bus';
import { among, inQueues, type PageRequest } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import { Schema } from 'mongoose';
import { createRows, equals } from '../row.store';
import type { Inbox } from './inbox';

/** Which inboxes a list shows. */
export interface InboxFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  /** Empty: all; null: none at all. */
  readonly queueIds: readonly number[] | null;
  readonly name?: string;
  readonly email?: string;
  readonly emailPrefix?: string;
}

/** Inboxes in MongoDB. Every query for a caller is scoped to its organization, lists to its queues. */
export type InboxStore = ReturnType<typeof createInboxStore>;

export function createInboxStore(backbone: Pick<Backbone, 'database' | 'ids'>) {
  const rows = createRows<Inbox>(backbone, {
    model: 'MailInbox',
    // The collection "inbox" holds the events that were seen.
    collection: 'inboxes',
    fields: {
      name: String,
      queueId: Number,
      email: String,
      emailPrefix: String,
      filters: Schema.Types.Mixed,
      metadata: Schema.Types.Mixed,
      dmarcCheckAction: String,
      modifiedById: Number,
      modifiedAt: Date,
    },
    indexes: [[{ email: 1 }, { unique: true }], [{ organizationId: 1, queueId: 1 }]],
    orderings: {
      ...{ id: '_id', name: 'name', email: 'email', email_prefix: 'emailPrefix' },
      bounce_email_to: { mayBeEmpty: 'queue.settings.email_notifications.recipient.email' },
    },
    related: { as: 'queue', from: 'queues', localField: 'queueId' },
  });
  const model = backbone.database.connection.model('MailInbox');

  return {
    ...rows,

    /** Of any organization: who receives a mail is found by its address alone. */
    async findByEmail(email: string): Promise<Inbox | null> {
      const row = await model.findOne({ email: email.toLowerCase() }).lean<{ _id: number } | null>();
      if (!row) return null;
      const { _id, ...rest } = row;
      return { id: _id, ...rest } as unknown as Inbox;
    },

    list(caller: Caller, filter: InboxFilter, ordering: readonly string[], page: PageRequest) {
      const { ids, queueIds, name, email, emailPrefix } = filter;
      const query = {
        $and: [
          among('_id', ids),
          queueIds === null ? { _id: { $in: [] } } : among('queueId', queueIds),
          inQueues(caller.queueIds),
          equals('name', name),
          equals('email', email),
          equals('emailPrefix', emailPrefix),
        ],
      };
      return rows.list(caller, query, ordering, page);
    },
  };
}
