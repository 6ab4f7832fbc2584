import { randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { isDuplicateKey, transaction } from '@intake/mongo';
import {
  type Caller,
  invalidField,
  organizationOf,
  Refusal,
  requireAdmin,
  requireSystem,
  systemCaller,
} from '@intake/rpc';
import { findNameProblem, type JsonObject, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import type { Queue } from '../queue/queue';
import type { QueueStore } from '../queue/queue.store';
import type { InboxStore } from './inbox.store';

/** An e-mail address of a queue. API: inboxes.md. */
export interface Inbox {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly queueId: number;
  /** Whole address, in lower case. */
  readonly email: string;
  readonly emailPrefix: string;
  readonly filters: JsonObject;
  readonly metadata: JsonObject;
  readonly dmarcCheckAction: 'accept' | 'drop';
}

/** What a new inbox is made of. */
export interface NewInbox {
  readonly name: string;
  readonly queueId: number;
  readonly emailPrefix: string;
}

const MAX_PREFIX_LENGTH = 57;

/** Filters of a new inbox. API: inboxes.md, Filters. */
export const DEFAULT_FILTERS: JsonObject = {
  allowed_senders: [],
  denied_senders: [],
  document_rejection_conditions: {
    enabled: true,
    resolution_lower_than_px: [1200, 600],
    file_size_less_than_b: null,
    mime_types: ['image/gif'],
    file_name_regexes: null,
  },
};

/** The message for a text that cannot begin an address, or null. */
export function findPrefixProblem(prefix: string): string | null {
  if (prefix === '') return 'This field is required.';
  if (prefix.length > MAX_PREFIX_LENGTH) return `Ensure this field has no more than ${MAX_PREFIX_LENGTH} characters.`;
  // No dot at the ends or twice in a row: mail servers refuse such a local part.
  if (!/^[a-z0-9_+-]+(\.[a-z0-9_+-]+)*$/i.test(prefix)) return 'Enter a valid email prefix.';
  return null;
}

/** A new address with this prefix; the random part makes it hard to guess. */
export function makeAddress(prefix: string, mailDomain: string): string {
  return `${prefix.toLowerCase()}-${randomBytes(3).toString('hex')}@${mailDomain}`;
}

const TRIES = 5;

/**
 * Gives a queue of the caller's organization an e-mail address. Caller: admin.
 * Field errors: `name`, `email_prefix`, `queues` (not there, or it has an inbox).
 */
export async function createInbox(
  caller: Caller,
  { name, queueId, emailPrefix }: NewInbox,
  deps: { inboxes: InboxStore; queues: QueueStore; backbone: Pick<Backbone, 'database'>; mailDomain: string },
): Promise<Inbox> {
  const { inboxes, queues, backbone, mailDomain } = deps;
  requireAdmin(caller);
  const [queue] = await queues.get(caller, [queueId]);
  refuseProblems({
    name: findNameProblem(name),
    email_prefix: findPrefixProblem(emailPrefix),
    queues: queue ? null : NO_SUCH_OBJECT,
  });
  const id = await inboxes.nextId();
  for (let tries = 1; ; tries++) {
    const inbox: Inbox = {
      id,
      name,
      organizationId: organizationOf(caller),
      queueId,
      email: makeAddress(emailPrefix, mailDomain),
      emailPrefix: emailPrefix.toLowerCase(),
      filters: DEFAULT_FILTERS,
      metadata: {},
      dmarcCheckAction: 'accept',
    };
    try {
      return await transaction(backbone.database, async (session) => {
        if (!(await queues.linkInbox(caller, queueId, id, session)))
          throw invalidField('queues', 'This queue already has an inbox.');
        await inboxes.insert(inbox, session);
        return inbox;
      });
    } catch (error) {
      // The address was given out before: another random part.
      if (!isDuplicateKey(error) || tries === TRIES) throw error;
    }
  }
}

/** The inbox with this address, of any organization, and its queue. INBOX_NOT_FOUND when none, or the queue is not active. Caller: system. */
export async function resolveInbox(
  caller: Caller,
  email: string,
  { inboxes, queues }: { inboxes: InboxStore; queues: QueueStore },
): Promise<{ inbox: Inbox; queue: Queue }> {
  requireSystem(caller);
  const inbox = await inboxes.findByEmail(email);
  if (!inbox) throw new Refusal('INBOX_NOT_FOUND');
  const [queue] = await queues.get(systemCaller(caller.username, inbox.organizationId), [inbox.queueId]);
  if (queue?.status !== 'active') throw new Refusal('INBOX_NOT_FOUND');
  return { inbox, queue };
}
