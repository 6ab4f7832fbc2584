import type { Backbone } from '@intake/bus';
import { among, inQueues, type PageRequest, rowsOf } from '@intake/mongo';
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
  // Asked for each recipient of each mail.
  const stored = rowsOf<Omit<Inbox, 'id'> & { _id: number }>(backbone.database, 'inboxes');

  return {
    ...rows,

    /** Of any organization: who receives a mail is found by its address alone. */
    async findByEmail(email: string): Promise<Inbox | null> {
      const row = await stored.findOne({ email: email.toLowerCase() });
      if (!row) return null;
      const { _id: id, ...rest } = row;
      return { id, ...rest };
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
