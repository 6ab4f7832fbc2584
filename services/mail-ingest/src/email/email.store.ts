import { type ClientSession, type Database, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import {
  type Address,
  type Email,
  type LeftOutAttachment,
  nextLook,
  type RawMessage,
  type ReadEmail,
  type Recipient,
} from './email';

/** What a list of e-mails is narrowed to; empty lists do not narrow. */
export interface EmailFilter {
  readonly ids: readonly number[];
  readonly queueIds: readonly number[];
  readonly inboxIds: readonly number[];
}

/** E-mails, always of the caller's organization and queues. */
export interface EmailStore {
  /**
   * Notes that an inbox got a message. True the first time within 7 days: then its e-mail is to be made under `emailId`.
   * API: email-import.md section 1.1, received again.
   */
  claimMessage(session: ClientSession, inboxId: number, sha256: string, emailId: number): Promise<boolean>;
  insert(session: ClientSession, email: { id: number } & Recipient, raw: RawMessage): Promise<void>;
  /** Raw messages of these inboxes' e-mails with these bytes that storage does not keep for us yet. */
  findUnkept(inboxIds: readonly number[], sha256: string): Promise<string[]>;
  markKept(rawKeys: readonly string[]): Promise<void>;
  find(caller: Caller, id: number): Promise<Email | null>;
  list(
    caller: Caller,
    filter: EmailFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ emails: Email[]; total: number }>;
  /** Ends `received`; an e-mail that is further stays as it is. */
  finish(
    session: ClientSession,
    id: number,
    outcome: { state: 'imported'; read: ReadEmail } | { state: 'failed'; failure: string },
  ): Promise<void>;
  /** Its body goes, its headers stay. Answers the key of its raw message when no other e-mail needs that; else null. */
  purge(organizationId: number, id: number): Promise<string | null>;
  /** Takes an e-mail that rests in `received` and whose time to be looked at has come; answers its next event version. */
  takeResting(session: ClientSession, now: Date): Promise<(Recipient & { id: number; version: number }) | null>;
}

const ORDERING = {
  id: '_id',
  created_at: 'createdAt',
  subject: 'subject',
  queue: 'queueId',
  inbox: 'inboxId',
  from__email: 'from.email',
  from__name: 'from.name',
};
const REMEMBER_S = 7 * 24 * 3600;

/** E-mails of one service's database. */
export function createEmailStore(database: Database): EmailStore {
  const address = new Schema(
    { email: { type: String, default: '' }, name: { type: String, default: '' } },
    { _id: false },
  );
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      inboxId: { type: Number, required: true },
      createdAt: { type: Date, required: true },
      subject: { type: String, default: '' },
      from: { type: address, default: null },
      to: { type: [address], default: [] },
      cc: { type: [address], default: [] },
      bodyTextPlain: { type: String, default: '' },
      bodyTextHtml: { type: String, default: '' },
      documentIds: { type: [Number], default: [] },
      uploadId: { type: Number, default: null },
      rawKey: { type: String, required: true },
      rawSha256: { type: String, required: true },
      rawKept: { type: Boolean, default: false },
      messageId: { type: String, default: '' },
      state: { type: String, enum: ['received', 'imported', 'failed'], required: true },
      leftOut: {
        type: [{ _id: false, fileName: String, mimeType: String, size: Number, status: String }],
        default: [],
      },
      failure: { type: String, default: '' },
      purgedAt: { type: Date, default: null },
      version: { type: Number, default: 1 },
      looks: { type: Number, default: 0 },
      lookAgainAt: { type: Date, required: true },
    },
    { collection: 'emails', versionKey: false },
  );
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  schema.index({ inboxId: 1, rawSha256: 1 });
  schema.index({ rawKey: 1 });
  schema.index({ lookAgainAt: 1 }, { partialFilterExpression: { state: 'received' } });
  const model = database.connection.model('Email', schema);
  const seen = new Schema(
    { _id: String, emailId: { type: Number, required: true }, at: { type: Date, required: true } },
    { collection: 'seen_messages', versionKey: false },
  );
  seen.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const seenModel = database.connection.model('SeenMessage', seen);

  type Row = NonNullable<Awaited<ReturnType<typeof readOne>>>;
  const readOne = (filter: Record<string, unknown>) => model.findOne(filter).lean();
  const toEmail = (row: Row): Email => ({
    id: row._id,
    organizationId: row.organizationId,
    queueId: row.queueId,
    inboxId: row.inboxId,
    createdAt: row.createdAt,
    subject: row.subject,
    from: (row.from as Address | null) ?? null,
    to: row.to as Address[],
    cc: row.cc as Address[],
    bodyTextPlain: row.bodyTextPlain,
    bodyTextHtml: row.bodyTextHtml,
    documentIds: row.documentIds,
    uploadId: row.uploadId ?? null,
    rawKey: row.rawKey,
    messageId: row.messageId,
    state: row.state,
    leftOut: row.leftOut as LeftOutAttachment[],
    failure: row.failure,
  });

  return {
    async claimMessage(session, inboxId, sha256, emailId) {
      const result = await seenModel.updateOne(
        { _id: `${inboxId}/${sha256}` },
        { $setOnInsert: { emailId, at: new Date() } },
        { upsert: true, session },
      );
      return result.upsertedCount === 1;
    },
    async insert(session, { id, inboxId, organizationId, queueId }, { key, sha256, messageId }) {
      const now = new Date();
      await model.create(
        [
          {
            ...{ _id: id, organizationId, queueId, inboxId, messageId },
            ...{ rawKey: key, rawSha256: sha256 },
            createdAt: now,
            state: 'received',
            lookAgainAt: nextLook(0, now),
          },
        ],
        { session },
      );
    },
    async findUnkept(inboxIds, sha256) {
      const rows = await model
        .find({ inboxId: { $in: [...inboxIds] }, rawSha256: sha256, rawKept: false })
        .select('rawKey')
        .lean();
      return [...new Set(rows.map((row) => row.rawKey))];
    },
    async markKept(rawKeys) {
      await model.updateMany({ rawKey: { $in: [...rawKeys] } }, { $set: { rawKept: true } });
    },
    async find(caller, id) {
      const row = await readOne({ $and: [visibleTo(caller), { _id: id }] });
      return row && toEmail(row);
    },
    async list(caller, { ids, queueIds, inboxIds }, ordering, page) {
      const where = {
        $and: [
          visibleTo(caller),
          {
            ...(ids.length > 0 && { _id: { $in: [...ids] } }),
            ...(queueIds.length > 0 && { queueId: { $in: [...queueIds] } }),
            ...(inboxIds.length > 0 && { inboxId: { $in: [...inboxIds] } }),
          },
        ],
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(where).sort(toSort(ordering, ORDERING)).skip(skip).limit(limit).lean(),
        model.countDocuments(where),
      ]);
      return { emails: rows.map(toEmail), total };
    },
    async finish(session, id, outcome) {
      const changes = outcome.state === 'imported' ? outcome.read : { failure: outcome.failure };
      await model.updateOne(
        { _id: id, state: 'received' },
        { $set: { ...changes, state: outcome.state } },
        { session },
      );
    },
    async purge(organizationId, id) {
      const gone = { bodyTextPlain: '', bodyTextHtml: '', purgedAt: new Date() };
      const row = await model.findOneAndUpdate({ _id: id, organizationId }, { $set: gone }).lean();
      if (!row) return null;
      // Marked first: of two at the same moment the later one sees both.
      const needed = await model.exists({ rawKey: row.rawKey, purgedAt: null });
      return needed ? null : row.rawKey;
    },
    async takeResting(session, now) {
      const row = await model
        .findOne({ state: 'received', lookAgainAt: { $lt: now } })
        .sort({ lookAgainAt: 1 })
        .session(session)
        .lean();
      if (!row) return null;
      const { _id: id, organizationId, queueId, inboxId, version, looks } = row;
      const changes = { version: version + 1, looks: looks + 1, lookAgainAt: nextLook(looks + 1, now) };
      await model.updateOne({ _id: id }, { $set: changes }, { session });
      return { id, organizationId, queueId, inboxId, version: changes.version };
    },
  };
}

function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  return caller.queueIds === 'all' ? { organizationId } : { organizationId, queueId: { $in: [...caller.queueIds] } };
}
