import { randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { type ClientSession, isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin, requireSystem } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import { findMetadataProblem, findNameProblem, type JsonObject, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import type { QueueStore } from '../queue/queue.store';
import { DEFAULT_SETTINGS } from '../queue/queue-defaults';
import type { InboxStore } from './inbox.store';
import { findFiltersProblem } from './inbox-filters';

/** An e-mail address of a queue. API: inboxes.md. */
export interface Inbox extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly queueId: number;
  /** Whole address, in lower case. */
  readonly email: string;
  readonly emailPrefix: string;
  readonly filters: JsonObject;
  readonly metadata: JsonObject;
  /** `accept` or `drop`. */
  readonly dmarcCheckAction: string;
}

/** What admins write of an inbox. */
export type InboxInput = Omit<Inbox, 'id' | 'organizationId' | keyof Modified> & {
  /** The keys of the queue's `email_notifications` that change: one setting with two views. */
  readonly emailNotifications: JsonObject;
};

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

/** What each field is when it is emptied. */
export const EMPTY_INBOX: InboxInput = {
  name: '',
  queueId: 0,
  email: '',
  emailPrefix: '',
  filters: DEFAULT_FILTERS,
  metadata: {},
  dmarcCheckAction: 'accept',
  emailNotifications: {},
};

const MAX_PREFIX_LENGTH = 57;

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
const LOCAL_PART = /^[a-z0-9._+-]{1,64}$/;

interface Deps {
  readonly inboxes: InboxStore;
  readonly queues: QueueStore;
  readonly backbone: Pick<Backbone, 'database'>;
  readonly mailDomain: string;
}

/** The message for an address that cannot be one of this installation, or null. */
export function findEmailProblem(email: string, mailDomain: string): string | null {
  const at = email.lastIndexOf('@');
  if (at < 1) return 'Enter a valid email address.';
  if (email.slice(at + 1) !== mailDomain) return `The domain of the address must be ${mailDomain}.`;
  return LOCAL_PART.test(email.slice(0, at)) ? null : 'Enter a valid email address.';
}

/** The prefix that an address shows: its local part without a trailing random part. */
function prefixOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@')).replace(/-[0-9a-f]{6}$/, '');
}

function check(
  change: Partial<InboxInput>,
  { mailDomain }: Pick<Deps, 'mailDomain'>,
  queuesProblem: string | null = null,
): void {
  const { name, email, emailPrefix, dmarcCheckAction, filters } = change;
  const filtersProblem = filters && findFiltersProblem(filters);
  if (filtersProblem) throw new Refusal('INVALID', { fields: { filters: filtersProblem } });
  refuseProblems({
    name: name === undefined ? null : findNameProblem(name),
    email: email === undefined ? null : findEmailProblem(email.toLowerCase(), mailDomain),
    email_prefix: emailPrefix === undefined || email !== undefined ? null : findPrefixProblem(emailPrefix),
    dmarc_check_action:
      dmarcCheckAction === undefined || ['accept', 'drop'].includes(dmarcCheckAction)
        ? null
        : `"${dmarcCheckAction}" is not a valid choice.`,
    metadata: findMetadataProblem(change.metadata),
    queues: queuesProblem,
  });
}

/** Address and prefix of an inbox: as given, or made from the prefix. */
function chooseAddress({ email, emailPrefix }: Partial<InboxInput>, mailDomain: string) {
  if (email !== undefined) return { email: email.toLowerCase(), emailPrefix: prefixOf(email.toLowerCase()) };
  if (emailPrefix === undefined) return {};
  return { email: makeAddress(emailPrefix, mailDomain), emailPrefix: emailPrefix.toLowerCase() };
}

/** A made address may have been given out before: then another random part is tried. A given one is taken, or not. */
async function withFreeAddress<T>(given: string | undefined, task: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await task();
    } catch (error) {
      if (!isDuplicateKey(error) || (given === undefined && tries === TRIES)) throw error;
      if (given !== undefined) throw invalidField('email', 'inbox with this email already exists.');
    }
  }
}

/** Who is told; undefined where nobody is named. */
function addressOf({ recipient }: JsonObject): unknown {
  return (recipient as { email?: unknown } | null | undefined)?.email;
}

/** Changes the mail settings of a queue from the inbox's side. */
async function mergeNotifications(
  caller: Caller,
  queueId: number,
  change: JsonObject | undefined,
  queues: QueueStore,
  session: ClientSession,
): Promise<void> {
  if (!change || Object.keys(change).length === 0) return;
  const { settings } = found(await queues.find(caller, queueId, session));
  const before = {
    ...(DEFAULT_SETTINGS.email_notifications as JsonObject),
    ...(settings.email_notifications as JsonObject | undefined),
  };
  const email_notifications = {
    ...before,
    ...change,
    // The inbox knows the address only: sent back as it was read, it leaves the name beside it.
    ...(addressOf(before) === addressOf(change) && { recipient: before.recipient }),
  };
  await queues.update(caller, queueId, { settings: { ...settings, email_notifications } }, session);
}

/**
 * Gives a queue of the caller's organization an e-mail address. Caller: admin.
 * Field errors: `name`, `email`, `email_prefix`, `queues` (not there, or it has an inbox), `filters`, `dmarc_check_action`, `metadata`.
 */
export async function createInbox(
  caller: Caller,
  input: Pick<InboxInput, 'name' | 'queueId'> & Partial<InboxInput>,
  deps: Deps,
): Promise<Inbox> {
  const { inboxes, queues, backbone, mailDomain } = deps;
  requireAdmin(caller);
  const { emailNotifications, email, emailPrefix, ...given } = input;
  const address = email === undefined ? { emailPrefix: emailPrefix ?? '' } : { email };
  const [queue] = await queues.getActive(caller, [input.queueId]);
  check({ ...given, ...address }, deps, queue ? null : NO_SUCH_OBJECT);
  const id = await inboxes.nextId();
  return withFreeAddress(email, async () => {
    const inbox: Inbox = {
      filters: DEFAULT_FILTERS,
      metadata: {},
      dmarcCheckAction: 'accept',
      ...given,
      id,
      organizationId: organizationOf(caller),
      email: '',
      emailPrefix: '',
      ...chooseAddress(address, mailDomain),
      ...UNMODIFIED,
    };
    return transaction(backbone.database, async (session) => {
      if (!(await queues.linkInbox(caller, input.queueId, id, session)))
        throw invalidField('queues', 'This queue already has an inbox.');
      await mergeNotifications(caller, input.queueId, emailNotifications, queues, session);
      await inboxes.insert(inbox, session);
      return inbox;
    });
  });
}

/** An inbox whose address is made from its name, for a new queue; part of the transaction that makes the queue. */
export async function insertInbox(
  caller: Caller,
  { id, name, queueId }: Pick<Inbox, 'id' | 'name' | 'queueId'>,
  { inboxes, queues, mailDomain }: Pick<Deps, 'inboxes' | 'queues' | 'mailDomain'>,
  session: ClientSession,
): Promise<void> {
  const emailPrefix =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, MAX_PREFIX_LENGTH) || 'queue';
  const address = { emailPrefix, email: makeAddress(emailPrefix, mailDomain) };
  const organizationId = organizationOf(caller);
  const settings = { filters: DEFAULT_FILTERS, metadata: {}, dmarcCheckAction: 'accept' };
  await inboxes.insert({ id, organizationId, name, queueId, ...address, ...settings, ...UNMODIFIED }, session);
  await queues.update(caller, queueId, { inboxId: id }, session);
}

/**
 * Changes an inbox. Another prefix makes another address; another queue must have no inbox. Caller: admin. Field errors as those
 * of `createInbox`.
 */
export async function updateInbox(caller: Caller, id: number, change: Partial<InboxInput>, deps: Deps): Promise<Inbox> {
  const { inboxes, queues, backbone, mailDomain } = deps;
  requireAdmin(caller);
  const { emailNotifications, email, emailPrefix, ...given } = change;
  const before = found(await inboxes.find(caller, id));
  // Clients send back what they have read: the same prefix again is no wish for a new address.
  const address = {
    ...(email !== undefined && email.toLowerCase() !== before.email && { email }),
    ...(emailPrefix !== undefined && emailPrefix.toLowerCase() !== before.emailPrefix && { emailPrefix }),
  };
  check({ ...given, ...address }, deps);
  return withFreeAddress(address.email, () =>
    transaction(backbone.database, async (session) => {
      const { queueId } = found(await inboxes.find(caller, id, session));
      const target = given.queueId ?? queueId;
      if (target !== queueId) {
        const [queue] = await queues.getActive(caller, [target], session);
        if (!queue) throw invalidField('queues', NO_SUCH_OBJECT);
        await queues.update(caller, queueId, { inboxId: null }, session);
        if (!(await queues.linkInbox(caller, target, id, session)))
          throw invalidField('queues', 'This queue already has an inbox.');
      }
      await mergeNotifications(caller, target, emailNotifications, queues, session);
      const wanted = { ...given, ...chooseAddress(address, mailDomain), ...modifiedBy(caller) };
      return found(await inboxes.update(caller, id, wanted, session));
    }),
  );
}

/** Deletes an inbox; its queue is left without one. Caller: admin. */
export async function deleteInbox(caller: Caller, id: number, { inboxes, queues, backbone }: Deps): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    const { queueId } = found(await inboxes.find(caller, id, session));
    await inboxes.remove(caller, id, session);
    await queues.update(caller, queueId, { inboxId: null }, session);
  });
}

/** The inbox with this address, of any organization. INBOX_NOT_FOUND when none, or its queue is not active. Caller: system. */
export async function resolveInbox(
  caller: Caller,
  email: string,
  { inboxes, queues }: { inboxes: InboxStore; queues: QueueStore },
): Promise<Inbox> {
  requireSystem(caller);
  const inbox = await inboxes.findByEmail(email);
  if (!inbox || !(await queues.isActive(inbox.queueId))) throw new Refusal('INBOX_NOT_FOUND');
  return inbox;
}
