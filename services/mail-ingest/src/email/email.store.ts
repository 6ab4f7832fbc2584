import {
  type ClientSession,
  type Database,
  escapePattern,
  FILLED,
  findPage,
  inQueues,
  type PageRequest,
  rowsOf,
  toOrder,
  toWindow,
  transaction,
} from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { SentCounts } from '../outgoing/daily-limits';
import { RECENT_MS } from '../thread/thread';
import {
  type Attachment,
  type Email,
  type Envelope,
  type ImportDetails,
  nextLook,
  type RawMessage,
  type Reading,
  type Recipient,
} from './email';
import type { MailPlace } from './order-annotated';

/** What a list of e-mails is narrowed to; empty lists and missing values do not narrow. */
export interface EmailFilter {
  readonly ids: readonly number[];
  readonly queueIds: readonly number[];
  readonly inboxIds: readonly number[];
  readonly threadIds: readonly number[];
  readonly documentIds: readonly number[];
  readonly relatedAnnotationIds: readonly number[];
  /** Part of it, whatever the case. */
  readonly subject?: string;
  readonly fromEmail?: string;
  readonly fromName?: string;
  readonly to?: string;
  readonly type?: string;
  readonly hasDocuments?: boolean;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly lastThreadEmailCreatedAfter?: Date;
  readonly lastThreadEmailCreatedBefore?: Date;
}

/** API: email-import.md section 2, counts. */
export interface EmailCounts {
  readonly total: number;
  readonly noDocuments: number;
  readonly recentWithNoDocumentsNotReplied: number;
  readonly rejected: number;
  readonly recentFilteredOutDocuments: number;
}

/** E-mails by which annotations are searched. */
export interface AnnotatedFilter {
  readonly threadIds: readonly number[] | null;
  /** Addresses, whatever the case; or the beginning of one, or of words in it. */
  readonly senders: readonly string[];
  readonly senderPrefix?: string;
  readonly senderWords: readonly string[];
}

/** What may be written of an e-mail. */
export type EmailChanges = Partial<
  Pick<Email, 'subject' | 'bodyTextPlain' | 'bodyTextHtml' | 'labels' | 'metadata' | 'to' | 'parentId'>
>;

/** An incoming e-mail before it is read. */
export interface NewEmail extends Recipient {
  readonly id: number;
  readonly raw: RawMessage;
  readonly envelope: Envelope | null;
  readonly imported: ImportDetails | null;
}

/** E-mails, always of the caller's organization and queues. */
export interface EmailStore {
  /**
   * Notes that inboxes got messages. True for each that is the first of its inbox within 7 days: then its e-mail is to be made under
   * `emailId`. API: email-import.md section 1.1, received again.
   */
  claimMessages(
    session: ClientSession,
    claims: readonly { readonly inboxId: number; readonly sha256: string; readonly emailId: number }[],
  ): Promise<boolean[]>;
  insert(session: ClientSession, emails: readonly NewEmail[]): Promise<void>;
  insertOutgoing(session: ClientSession, email: Email): Promise<void>;
  /** Raw messages of these inboxes' e-mails with these bytes that storage does not keep for us yet. */
  findUnkept(inboxIds: readonly number[], sha256: string): Promise<string[]>;
  markKept(rawKeys: readonly string[]): Promise<void>;
  find(caller: Caller, id: number): Promise<Email | null>;
  findByUpload(organizationId: number, uploadId: number): Promise<Email | null>;
  /** The nearest of a queue's e-mails with one of these Message-IDs, the first of them that there is. */
  findByMessageId(session: ClientSession | null, queueId: number, messageIds: readonly string[]): Promise<Email | null>;
  list(
    caller: Caller,
    filter: EmailFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ emails: Email[]; total: number }>;
  count(caller: Caller, filter: EmailFilter): Promise<EmailCounts>;
  /** Mails of each of these templates since then: by people, and by nobody. */
  countByTemplate(
    caller: Caller,
    templateIds: readonly number[],
    since: Date,
  ): Promise<Map<number, { manual: number; automated: number }>>;
  /** Outgoing mails of people, made since then. */
  countByPeople(organizationId: number, since: Date, session: ClientSession | null): Promise<number>;
  /** Outgoing mails that nobody asked for, taken by the relay since then. */
  countNotifications(organizationId: number, since: Date): Promise<number>;
  /** All that an organization has sent. */
  countSent(organizationId: number, today: Date): Promise<SentCounts>;
  /**
   * Incoming e-mails of these threads (null: of all) and senders, and annotations that e-mails of the threads were sent about. More than
   * 20,000 e-mails: INVALID.
   */
  findAnnotated(caller: Caller, filter: AnnotatedFilter): Promise<{ emailIds: number[]; annotationIds: number[] }>;
  /** Incoming e-mails, and those that were sent about annotations, by id. More than 20,000: INVALID. */
  findPlaces(caller: Caller): Promise<MailPlace[]>;
  /** Null when the caller cannot see it. */
  update(caller: Caller, id: number, changes: EmailChanges): Promise<Email | null>;
  /** Ends `received`; false: it is further already. */
  finish(session: ClientSession, id: number, reading: Reading): Promise<boolean>;
  /** Puts an e-mail into a thread, below what it answers. */
  joinThread(
    session: ClientSession,
    email: Pick<Email, 'id' | 'createdAt'>,
    threadId: number,
    parent: Email | null,
  ): Promise<void>;
  /** Notes what finally became of the attachments; false: that was done before. */
  conclude(
    session: ClientSession,
    id: number,
    outcome: Pick<Email, 'attachments' | 'documentIds' | 'filteredOutDocumentCount'>,
  ): Promise<boolean>;
  addLabel(session: ClientSession, id: number, label: string): Promise<void>;
  removeLabel(session: ClientSession, id: number, label: string): Promise<void>;
  setDelivery(session: ClientSession, id: number, state: 'sent' | 'failed', failure: string): Promise<void>;
  /** Its body goes, its headers stay. Answers the key of its raw message when no other e-mail needs that; else null. */
  purge(organizationId: number, id: number): Promise<string | null>;
  /** Takes an e-mail that rests in `received` and whose time to be looked at has come; answers its next event version. */
  takeResting(
    session: ClientSession,
    now: Date,
  ): Promise<{ id: number; organizationId: number; queueId: number; version: number } | null>;
}

const ORDERING = {
  id: '_id',
  created_at: 'createdAt',
  subject: 'subject',
  queue: 'queueId',
  inbox: { mayBeEmpty: 'inboxId' },
  from__email: { mayBeEmpty: 'from.email' },
  from__name: { mayBeEmpty: 'from.name' },
  last_thread_email_created_at: { mayBeEmpty: 'lastThreadEmailCreatedAt' },
};
/** E-mails that one search of annotations looks at. */
const MOST_ANNOTATED = 20_000;
const REMEMBER_S = 7 * 24 * 3600;

type Row = Omit<Email, 'id' | 'metadata' | 'importValues'> & {
  readonly _id: number;
  readonly metadataJson: string;
  readonly importValuesJson: string;
  readonly sentAt?: Date | null;
  readonly purgedAt?: Date | null;
  readonly version: number;
  readonly looks: number;
};

/** E-mails of one service's database. */
export function createEmailStore(database: Database): EmailStore {
  const address = new Schema(
    { email: { type: String, default: '' }, name: { type: String, default: '' } },
    { _id: false },
  );
  const numberOrNull = { type: Number, default: null };
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      inboxId: { type: Number, required: true },
      type: { type: String, enum: ['incoming', 'outgoing'], default: 'incoming' },
      createdAt: { type: Date, required: true },
      subject: { type: String, default: '' },
      from: { type: address, default: null },
      to: { type: [address], default: [] },
      cc: { type: [address], default: [] },
      bcc: { type: [address], default: [] },
      bodyTextPlain: { type: String, default: '' },
      bodyTextHtml: { type: String, default: '' },
      documentIds: { type: [Number], default: [] },
      uploadId: numberOrNull,
      rawKey: { type: String, required: true },
      rawSha256: { type: String, default: '' },
      rawKept: { type: Boolean, default: false },
      messageId: { type: String, default: '' },
      state: {
        type: String,
        enum: ['received', 'imported', 'failed', 'dropped', 'sending', 'sent'],
        required: true,
      },
      // Nobody sees it yet, because its inbox may drop it.
      hidden: { type: Boolean, default: false },
      attachments: {
        type: [
          {
            _id: false,
            documentId: Number,
            fileName: String,
            mimeType: String,
            size: Number,
            status: String,
            reason: String,
          },
        ],
        default: [],
      },
      filteredOutDocumentCount: { type: Number, default: 0 },
      failure: { type: String, default: '' },
      purgedAt: { type: Date, default: null },
      parentId: numberOrNull,
      threadId: numberOrNull,
      childrenIds: { type: [Number], default: [] },
      lastThreadEmailCreatedAt: { type: Date, default: null },
      // Text, because its keys are the client's.
      metadataJson: { type: String, default: '{}' },
      importValuesJson: { type: String, default: '{}' },
      creatorId: numberOrNull,
      labels: { type: [String], default: [] },
      relatedAnnotationIds: { type: [Number], default: [] },
      relatedDocumentIds: { type: [Number], default: [] },
      envelope: {
        type: new Schema({ sender: String, remoteAddress: String, helo: String, encrypted: Boolean }, { _id: false }),
        default: null,
      },
      authentication: {
        type: new Schema(
          { spf: String, dkim: String, dmarc: String, domain: String, source: String, encrypted: Boolean },
          { _id: false },
        ),
        default: null,
      },
      isAutomatic: { type: Boolean, default: false },
      taskId: numberOrNull,
      isConcluded: { type: Boolean, default: false },
      templateId: numberOrNull,
      resetsThreads: { type: Boolean, default: false },
      isReplied: { type: Boolean, default: false },
      // Of an outgoing one: when the relay took it.
      sentAt: { type: Date, default: null },
      version: { type: Number, default: 1 },
      looks: { type: Number, default: 0 },
      lookAgainAt: { type: Date, required: true },
    },
    { collection: 'emails', versionKey: false },
  );
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  schema.index({ inboxId: 1, rawSha256: 1 });
  schema.index({ rawKey: 1 });
  schema.index({ queueId: 1, messageId: 1 });
  schema.index({ threadId: 1 });
  schema.index({ relatedAnnotationIds: 1 });
  schema.index({ templateId: 1, createdAt: 1 }, { partialFilterExpression: { templateId: FILLED.id } });
  const outgoing = { partialFilterExpression: { type: 'outgoing' } };
  schema.index({ organizationId: 1, isAutomatic: 1, createdAt: 1 }, outgoing);
  schema.index({ organizationId: 1, isAutomatic: 1, sentAt: 1 }, outgoing);
  schema.index({ uploadId: 1 }, { partialFilterExpression: { uploadId: FILLED.id } });
  schema.index({ lookAgainAt: 1 }, { partialFilterExpression: { state: 'received' } });
  database.connection.model('Email', schema);
  const model = database.connection.model('Email');
  const rows = rowsOf<Row>(database, 'emails');
  const seen = new Schema(
    { _id: String, emailId: { type: Number, required: true }, at: { type: Date, required: true } },
    { collection: 'seen_messages', versionKey: false },
  );
  seen.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  database.connection.model('SeenMessage', seen);
  const seenMessages = rowsOf<{ _id: string; emailId: number; at: Date }>(database, 'seen_messages');

  const lean = (query: unknown) => query as Promise<Row | null>;
  const ofPeople = (organizationId: number) => ({ organizationId, type: 'outgoing', isAutomatic: false });
  const notifications = (organizationId: number) => ({ organizationId, type: 'outgoing', isAutomatic: true });

  return {
    async claimMessages(session, claims) {
      const at = new Date();
      const { upsertedIds } = await seenMessages.bulkWrite(
        claims.map(({ inboxId, sha256, emailId }) => ({
          updateOne: {
            filter: { _id: `${inboxId}/${sha256}` },
            update: { $setOnInsert: { emailId, at } },
            upsert: true,
          },
        })),
        { session },
      );
      return claims.map((_, i) => i in upsertedIds);
    },
    async insert(session, added) {
      const now = new Date();
      await model.insertMany(
        added.map(({ id, inboxId, organizationId, queueId, mayDrop, raw, envelope, imported }) => {
          const { creatorId = null, taskId = null, metadata = {}, values = {} } = imported ?? {};
          return {
            ...{ _id: id, organizationId, queueId, inboxId, messageId: raw.messageId, creatorId, taskId },
            ...{ rawKey: raw.key, rawSha256: raw.sha256, envelope, hidden: mayDrop },
            ...{ metadataJson: JSON.stringify(metadata), importValuesJson: JSON.stringify(values) },
            createdAt: now,
            lastThreadEmailCreatedAt: now,
            state: 'received',
            lookAgainAt: nextLook(0, now),
          };
        }),
        { session },
      );
    },
    async insertOutgoing(session, { id, metadata, importValues: _, ...email }) {
      const times = { lookAgainAt: email.createdAt };
      const raw = { rawSha256: '', rawKept: true };
      await model.create([{ _id: id, ...email, ...raw, ...times, metadataJson: JSON.stringify(metadata) }], {
        session,
      });
    },
    async findUnkept(inboxIds, sha256) {
      const found = await rows
        .find({ inboxId: { $in: [...inboxIds] }, rawSha256: sha256, rawKept: false, purgedAt: null } as object, {
          projection: { rawKey: 1 },
        })
        .toArray();
      return [...new Set(found.map((row) => row.rawKey))];
    },
    async markKept(rawKeys) {
      await model.updateMany({ rawKey: { $in: [...rawKeys] } }, { $set: { rawKept: true } });
    },
    async find(caller, id) {
      const row = await lean(model.findOne({ $and: [visibleTo(caller), { _id: id }] }).lean());
      return row && toEmail(row);
    },
    async findByUpload(organizationId, uploadId) {
      const row = await lean(model.findOne({ organizationId, uploadId }).lean());
      return row && toEmail(row);
    },
    async findByMessageId(session, queueId, messageIds) {
      if (messageIds.length === 0) return null;
      const found = (await model
        .find({ queueId, messageId: { $in: [...messageIds] }, state: { $nin: ['received', 'dropped'] } })
        .session(session)
        .lean()) as unknown as Row[];
      const [nearest] = found.sort((a, b) => messageIds.indexOf(a.messageId) - messageIds.indexOf(b.messageId));
      return nearest ? toEmail(nearest) : null;
    },
    async list(caller, filter, ordering, page) {
      const where = { $and: [shownTo(caller), toConditions(filter)] };
      const { skip, limit } = toWindow(page);
      const found = await findPage<Row>(model, where, toOrder(ordering, ORDERING), page);
      const isAll = skip === 0 && found.length < limit;
      return { emails: found.map(toEmail), total: isAll ? found.length : await model.countDocuments(where) };
    },
    async count(caller, filter) {
      const recent = { createdAt: { $gte: new Date(Date.now() - RECENT_MS) } };
      const countWhere = (more: Record<string, unknown>) =>
        model.countDocuments({ $and: [shownTo(caller), toConditions(filter), { type: 'incoming' }, more] });
      const [total, noDocuments, notReplied, rejected, filteredOut] = await Promise.all([
        countWhere({}),
        countWhere({ documentIds: [] }),
        countWhere({ documentIds: [], isReplied: false, ...recent }),
        countWhere({ labels: 'rejected' }),
        countWhere({ filteredOutDocumentCount: { $gt: 0 }, ...recent }),
      ]);
      return {
        total,
        noDocuments,
        recentWithNoDocumentsNotReplied: notReplied,
        rejected,
        recentFilteredOutDocuments: filteredOut,
      };
    },
    async countByTemplate(caller, templateIds, since) {
      const isManual = { $ne: ['$creatorId', null] };
      const found = await model.aggregate<{ _id: number; manual: number; automated: number }>([
        {
          $match: { $and: [visibleTo(caller), { templateId: { $in: [...templateIds] }, createdAt: { $gte: since } }] },
        },
        {
          $group: {
            _id: '$templateId',
            manual: { $sum: { $cond: [isManual, 1, 0] } },
            automated: { $sum: { $cond: [isManual, 0, 1] } },
          },
        },
      ]);
      return new Map(found.map(({ _id, ...counts }) => [_id, counts]));
    },
    countByPeople: (organizationId, since, session) =>
      model.countDocuments({ ...ofPeople(organizationId), createdAt: { $gte: since } }).session(session),
    countNotifications: (organizationId, since) =>
      model.countDocuments({ ...notifications(organizationId), sentAt: { $gte: since } }),
    async countSent(organizationId, today) {
      const lastOf = (where: object, field: 'createdAt' | 'sentAt') =>
        lean(
          model
            .findOne(where, { [field]: 1 })
            .sort({ [field]: -1 })
            .lean(),
        );
      const [countToday, countTotal, last, countTodayNotification, lastNotification] = await Promise.all([
        this.countByPeople(organizationId, today, null),
        model.countDocuments(ofPeople(organizationId)),
        lastOf(ofPeople(organizationId), 'createdAt'),
        this.countNotifications(organizationId, today),
        lastOf(notifications(organizationId), 'sentAt'),
      ]);
      return {
        ...{ countToday, countTotal, lastSentAt: last?.createdAt ?? null },
        ...{ countTodayNotification, lastSentAtNotification: lastNotification?.sentAt ?? null },
      };
    },
    async findAnnotated(caller, { threadIds, senders, senderPrefix, senderWords }) {
      const sender = (pattern: string) => ({ 'from.email': { $regex: pattern, $options: 'i' } });
      const isBySender = senders.length > 0 || senderPrefix !== undefined || senderWords.length > 0;
      const where = {
        $and: [
          shownTo(caller),
          threadIds === null ? {} : { threadId: { $in: [...threadIds] } },
          isBySender ? { type: 'incoming' } : {},
          senders.length > 0 ? { $or: senders.map((one) => sender(`^${escapePattern(one)}$`)) } : {},
          senderPrefix === undefined ? {} : sender(`^${escapePattern(senderPrefix)}`),
          ...senderWords.map((word) => sender(`(^|[^\\p{L}\\p{N}])${escapePattern(word)}`)),
        ],
      };
      const found = (await model
        .find(where, { type: 1, relatedAnnotationIds: 1 })
        .limit(MOST_ANNOTATED + 1)
        .lean()) as unknown as Row[];
      refuseTooMany(found);
      return {
        emailIds: found.filter(({ type }) => type !== 'outgoing').map(({ _id }) => _id),
        annotationIds: [...new Set(found.flatMap(({ relatedAnnotationIds }) => relatedAnnotationIds ?? []))],
      };
    },
    async findPlaces(caller) {
      const isOfAnnotations = { $or: [{ type: { $ne: 'outgoing' } }, { 'relatedAnnotationIds.0': { $exists: true } }] };
      const found = (await model
        .find({ $and: [shownTo(caller), isOfAnnotations] }, { type: 1, threadId: 1, from: 1, relatedAnnotationIds: 1 })
        .sort({ _id: 1 })
        .limit(MOST_ANNOTATED + 1)
        .lean()) as unknown as Row[];
      refuseTooMany(found);
      return found.map(({ _id: id, type = 'incoming', threadId = null, from, relatedAnnotationIds = [] }) => ({
        ...{ id, type, threadId, sender: from?.email ?? '', relatedAnnotationIds },
      }));
    },
    update(caller, id, { metadata, ...changes }) {
      const set = { ...changes, ...(metadata && { metadataJson: JSON.stringify(metadata) }) };
      const where = { $and: [shownTo(caller), { _id: id }] };
      return transaction(database, async (session) => {
        const before = await lean(model.findOneAndUpdate(where, { $set: set }, { session }).lean());
        if (!before) return null;
        if (changes.parentId !== undefined && changes.parentId !== before.parentId) {
          await model.updateOne({ _id: before.parentId }, { $pull: { childrenIds: id } }, { session });
          await model.updateOne({ _id: changes.parentId }, { $addToSet: { childrenIds: id } }, { session });
        }
        const after = await lean(model.findById(id, null, { session }).lean());
        return after && toEmail(after);
      });
    },
    async finish(session, id, reading) {
      const { references: _, ...read } =
        'read' in reading ? reading.read : { references: [], failure: reading.failure };
      const { modifiedCount } = await model.updateOne(
        { _id: id, state: 'received' },
        { $set: { ...read, state: reading.state, hidden: reading.state === 'dropped' } },
        { session },
      );
      return modifiedCount === 1;
    },
    async joinThread(session, { id, createdAt }, threadId, parent) {
      await model.updateOne({ _id: id }, { $set: { threadId, parentId: parent?.id ?? null } }, { session });
      if (parent) await model.updateOne({ _id: parent.id }, { $addToSet: { childrenIds: id } }, { session });
      await model.updateMany({ threadId }, { $max: { lastThreadEmailCreatedAt: createdAt } }, { session });
    },
    async conclude(session, id, outcome) {
      const { modifiedCount } = await model.updateOne(
        { _id: id, isConcluded: false },
        { $set: { ...outcome, isConcluded: true } },
        { session },
      );
      return modifiedCount === 1;
    },
    async addLabel(session, id, label) {
      await model.updateOne({ _id: id }, { $addToSet: { labels: label } }, { session });
    },
    async removeLabel(session, id, label) {
      await model.updateOne({ _id: id }, { $pull: { labels: label } }, { session });
    },
    async setDelivery(session, id, state, failure) {
      const sentAt = state === 'sent' ? new Date() : null;
      await model.updateOne({ _id: id, state: 'sending' }, { $set: { state, failure, sentAt } }, { session });
    },
    async purge(organizationId, id) {
      const gone = { bodyTextPlain: '', bodyTextHtml: '', purgedAt: new Date() };
      const row = await lean(model.findOneAndUpdate({ _id: id, organizationId }, { $set: gone }).lean());
      if (!row) return null;
      // Marked first: of two at the same moment the later one sees both.
      const needed = await model.exists({ rawKey: row.rawKey, purgedAt: null });
      return needed ? null : row.rawKey;
    },
    async takeResting(session, now) {
      const row = await lean(
        model
          .findOne({ state: 'received', lookAgainAt: { $lt: now } })
          .sort({ lookAgainAt: 1 })
          .session(session)
          .lean(),
      );
      if (!row) return null;
      const { _id: id, organizationId, queueId, version, looks } = row;
      const changes = { version: version + 1, looks: looks + 1, lookAgainAt: nextLook(looks + 1, now) };
      await model.updateOne({ _id: id }, { $set: changes }, { session });
      return { id, organizationId, queueId, version: changes.version };
    },
  };
}

function toEmail({ _id, metadataJson, importValuesJson, ...row }: Row): Email {
  return {
    ...row,
    id: _id,
    // The message itself may still be there for another inbox.
    rawKey: row.purgedAt ? '' : row.rawKey,
    type: row.type ?? 'incoming',
    templateId: row.templateId ?? null,
    resetsThreads: row.resetsThreads ?? false,
    from: row.from ?? null,
    bcc: row.bcc ?? [],
    // Of an e-mail of an earlier version.
    attachments: (row.attachments ?? []) as Attachment[],
    filteredOutDocumentCount: row.filteredOutDocumentCount ?? 0,
    childrenIds: row.childrenIds ?? [],
    labels: row.labels ?? [],
    relatedAnnotationIds: row.relatedAnnotationIds ?? [],
    relatedDocumentIds: row.relatedDocumentIds ?? [],
    metadata: JSON.parse(metadataJson ?? '{}') as Record<string, unknown>,
    importValues: JSON.parse(importValuesJson ?? '{}') as Record<string, string>,
  };
}

/** What is of the caller's organization and queues. */
export function visibleTo(caller: Caller): Record<string, unknown> {
  return { organizationId: organizationOf(caller), ...inQueues(caller.queueIds) };
}

function shownTo(caller: Caller): Record<string, unknown> {
  return { ...visibleTo(caller), hidden: { $ne: true } };
}

/** A condition on a time: from one, before another. */
export function timesOf(field: string, after: Date | undefined, before: Date | undefined): Record<string, unknown> {
  if (!after && !before) return {};
  return { [field]: { ...(after && { $gte: after }), ...(before && { $lt: before }) } };
}

function toConditions(filter: EmailFilter): Record<string, unknown> {
  const anyOf = (field: string, wanted: readonly number[]) => wanted.length > 0 && { [field]: { $in: [...wanted] } };
  const exactly = (field: string, wanted: string | undefined) =>
    wanted !== undefined && { [field]: new RegExp(`^${escapePattern(wanted)}$`, 'i') };
  return {
    ...anyOf('_id', filter.ids),
    ...anyOf('queueId', filter.queueIds),
    ...anyOf('inboxId', filter.inboxIds),
    ...anyOf('threadId', filter.threadIds),
    ...anyOf('documentIds', filter.documentIds),
    ...anyOf('relatedAnnotationIds', filter.relatedAnnotationIds),
    ...(filter.subject !== undefined && { subject: new RegExp(escapePattern(filter.subject), 'i') }),
    ...exactly('from.email', filter.fromEmail),
    ...exactly('from.name', filter.fromName),
    ...exactly('to.email', filter.to),
    ...(filter.type !== undefined && { type: filter.type }),
    ...(filter.hasDocuments !== undefined && { 'documentIds.0': { $exists: filter.hasDocuments } }),
    ...timesOf('createdAt', filter.createdAfter, filter.createdBefore),
    ...timesOf('lastThreadEmailCreatedAt', filter.lastThreadEmailCreatedAfter, filter.lastThreadEmailCreatedBefore),
  };
}

function refuseTooMany(found: readonly unknown[]): void {
  if (found.length <= MOST_ANNOTATED) return;
  const detail = `More than ${MOST_ANNOTATED} e-mails match: narrow the search down, or order it otherwise.`;
  throw new Refusal('INVALID', { detail });
}
