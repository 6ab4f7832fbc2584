import type { annotation as contract } from '@intake/contracts';
import { type ClientSession, type Database, FILLED, inQueues, rowsOf, toWindow } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { NodeRow } from '../content/node-row';
import { type Condition, toCondition } from '../search/conditions';
import type { ContentIndex, IndexedField } from '../search/content-index';
import { prefixPattern, termsOf, wordsOf } from '../search/words';
import { type Annotation, FRESH } from './annotation.types';
import type { StatusCount } from './history.store';
import { toOrder } from './order';

type Row = Omit<Annotation, 'id'> & { _id: number };
type Window = ReturnType<typeof toWindow>;

/** Time filters: API name -> stored field. */
const TIMES: Readonly<Record<string, string>> = {
  arrived_at: 'arrivedAt',
  created_at: 'createdAt',
  assigned_at: 'assignedAt',
  confirmed_at: 'confirmedAt',
  modified_at: 'modifiedAt',
  exported_at: 'exportedAt',
  export_failed_at: 'exportFailedAt',
  purged_at: 'purgedAt',
  rejected_at: 'rejectedAt',
  deleted_at: 'deletedAt',
};

/** What only searches look at: it is not read with the annotation. */
const UNREAD = { ownWords: 0, contentWords: 0, contentFields: 0 };

/** States behind a confirmation. */
const CONFIRMED = ['confirmed', 'exporting', 'exported', 'failed_export'];
/** So many of them are looked at to validate a document by history. */
const MOST_CONFIRMED = 500;

/** A relation of more annotations than anybody looks at. */
export const MOST_DUPLICATES = 1000;

/** What makes annotations duplicates: the bytes of their documents, or else sender, number and total of documents with other bytes. */
export type Shared = 'md5' | 'fingerprint';

function duplicatesOf({ organizationId, documentId, md5, fingerprint }: Annotation, by: Shared) {
  const same = by === 'md5' ? { md5 } : { fingerprint, ...(md5 !== null && { md5: { $ne: md5 } }) };
  // What was split says what its parts say.
  const gone = by === 'md5' ? ['purged'] : ['purged', 'split'];
  return { organizationId, ...same, documentId: { $ne: documentId }, status: { $nin: gone } };
}

/** Annotations in MongoDB. Every query is scoped to the caller's organization and queues. */
export type AnnotationStore = ReturnType<typeof createAnnotationStore>;

export function createAnnotationStore(database: Database) {
  const nullable = <T>(type: T) => ({ type, default: null });
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      queueId: Number,
      schemaId: Number,
      documentId: Number,
      uploadId: nullable(Number),
      emailId: nullable(Number),
      fileName: String,
      mimeType: String,
      locale: String,
      status: String,
      version: Number,
      statusVersion: Number,
      statusBeforeReview: nullable(String),
      reviewerId: nullable(Number),
      reviewUntil: nullable(Date),
      sessionTimeoutS: Number,
      pageIds: [Number],
      creatorId: nullable(Number),
      createdAt: Date,
      arrivedAt: Date,
      modifierId: nullable(Number),
      modifiedAt: nullable(Date),
      assignedAt: nullable(Date),
      confirmedAt: nullable(Date),
      confirmedById: nullable(Number),
      exportedAt: nullable(Date),
      exportedById: nullable(Number),
      exportFailedAt: nullable(Date),
      rejectedAt: nullable(Date),
      rejectedById: nullable(Number),
      deletedAt: nullable(Date),
      deletedById: nullable(Number),
      purgedAt: nullable(Date),
      purgedById: nullable(Number),
      rirPollId: nullable(String),
      extractedPollId: nullable(String),
      engineVersion: { type: String, default: '' },
      messages: { type: [Schema.Types.Mixed], default: [] },
      hadMessages: { type: Boolean, default: FRESH.hadMessages },
      values: { type: Schema.Types.Mixed, default: {} },
      metadata: { type: Schema.Types.Mixed, default: {} },
      duration: { type: Schema.Types.Mixed, default: FRESH.duration },
      automated: { type: Boolean, default: false },
      automaticallyRejected: { type: Boolean, default: false },
      trainingEnabled: { type: Boolean, default: true },
      einvoice: { type: Boolean, default: false },
      hasSentEmails: { type: Boolean, default: true },
      restingSince: Date,
      resends: { type: Number, default: 0 },
      rotationDeg: { type: Number, default: 0 },
      automationBlockerId: nullable(Number),
      suggestedEditId: nullable(Number),
      relationIds: [Number],
      labelIds: [Number],
      assigneeIds: [Number],
      purgeRequestedAt: nullable(Date),
      purgeRequestedById: nullable(Number),
      decision: nullable(Schema.Types.Mixed),
      md5: nullable(String),
      fingerprint: nullable(String),
      parentPages: { type: [Schema.Types.Mixed], default: [] },
      givenJson: nullable(String),
      contentSize: { type: Schema.Types.Mixed, default: null },
      /** Of file name and messages. */
      ownWords: { type: [String], select: false },
      contentWords: { type: [String], select: false },
      contentFields: {
        type: [{ _id: false, id: String, text: String, number: Number, date: Date }],
        select: false,
      },
    },
    { collection: 'annotations', versionKey: false, minimize: false, strict: 'throw' },
  );
  schema.index({ organizationId: 1, _id: 1 });
  schema.index({ organizationId: 1, queueId: 1, status: 1, _id: 1 });
  // The list of a person: its status, newest first.
  schema.index({ organizationId: 1, createdAt: -1, _id: -1 });
  schema.index({ organizationId: 1, status: 1, createdAt: -1, _id: -1 });
  schema.index({ queueId: 1, status: 1, createdAt: -1, _id: -1 });
  // What is to be reviewed next.
  schema.index({ queueId: 1, status: 1, arrivedAt: 1, _id: 1 });
  // What has come, changed or left since somebody looked.
  for (const at of ['arrivedAt', 'modifiedAt', 'confirmedAt', 'exportedAt'])
    schema.index({ organizationId: 1, [at]: -1, _id: -1 });
  schema.index({ assigneeIds: 1 });
  schema.index({ organizationId: 1, ownWords: 1 });
  schema.index({ organizationId: 1, contentWords: 1 });
  schema.index({ organizationId: 1, 'contentFields.id': 1, 'contentFields.text': 1 });
  schema.index({ organizationId: 1, modifierId: 1 });
  schema.index({ documentId: 1 });
  schema.index({ queueId: 1, createdAt: 1 });
  schema.index({ emailId: 1 }, { partialFilterExpression: { emailId: FILLED.id } });
  schema.index({ schemaId: 1, _id: 1 });
  schema.index(
    { status: 1, restingSince: 1 },
    { partialFilterExpression: { status: { $in: ['importing', 'exporting', 'reviewing'] } } },
  );
  schema.index({ uploadId: 1, documentId: 1 }, { unique: true, partialFilterExpression: { uploadId: FILLED.id } });
  schema.index({ purgeRequestedAt: 1 }, { partialFilterExpression: { purgeRequestedAt: FILLED.date } });
  schema.index({ organizationId: 1, md5: 1 }, { partialFilterExpression: { md5: FILLED.text } });
  schema.index(
    { organizationId: 1, fingerprint: 1, md5: 1 },
    { partialFilterExpression: { fingerprint: FILLED.text } },
  );
  schema.index({ labelIds: 1 });
  schema.index({ relationIds: 1 });
  const model = database.connection.model('Annotation', schema);
  const rows = rowsOf<Row>(database, 'annotations');

  const scope = (caller: Caller): Record<string, unknown> => ({
    ...(caller.organizationId === null && caller.kind === 'system' ? {} : { organizationId: organizationOf(caller) }),
    ...inQueues(caller.queueIds),
  });

  const toFilter = (caller: Caller, filter: contract.ListAnnotationsRequest): Record<string, unknown> => {
    const conditions: Record<string, unknown>[] = [scope(caller)];
    const among = (field: string, values: readonly (number | string)[]) => {
      if (values.length > 0) conditions.push({ [field]: { $in: [...values] } });
    };
    among('_id', filter.ids);
    among('status', filter.statuses);
    among('queueId', filter.queueIds);
    among('schemaId', filter.schemaIds);
    among('documentId', filter.documentIds);
    among('modifierId', filter.modifierIds);
    among('creatorId', filter.creatorIds);
    among('confirmedById', filter.confirmedByIds);
    among('deletedById', filter.deletedByIds);
    among('exportedById', filter.exportedByIds);
    among('purgedById', filter.purgedByIds);
    among('rejectedById', filter.rejectedByIds);
    among('assigneeIds', filter.assigneeIds);
    among('labelIds', filter.labelIds);
    if (filter.automated !== undefined) conditions.push({ automated: filter.automated });
    for (const [name, { after, before }] of Object.entries(filter.times)) {
      const field = TIMES[name];
      if (field) conditions.push({ [field]: { ...(after && { $gte: after }), ...(before && { $lt: before }) } });
    }
    for (const { term, modifierIds } of filter.search) {
      const word = { $regex: prefixPattern(termsOf(term)[0] ?? '') };
      const places = [
        { contentWords: word },
        { ownWords: word },
        ...(modifierIds.length > 0 ? [{ modifierId: { $in: modifierIds } }] : []),
      ];
      // Each with the organization: so each has an index.
      const { organizationId } = scope(caller);
      conditions.push({
        $or: places.map((place) => (organizationId === undefined ? place : { organizationId, ...place })),
      });
    }
    for (const condition of readConditions(filter.conditionsJson)) conditions.push(condition);
    return { $and: conditions };
  };

  /** The matching rows in order; where values decide that no index has in this order, they are sorted. */
  const ordered = (filter: Record<string, unknown>, request: contract.ListAnnotationsRequest, window?: Window) => {
    const { sort, computed, needsRelations } = toOrder(request.ordering, request);
    const relations = { from: 'relations', localField: 'relationIds', foreignField: '_id', as: 'orderRelations' };
    const added = [...Object.keys(computed ?? {}), ...(needsRelations ? [relations.as] : [])];
    return model.aggregate<Row>(
      [
        { $match: filter },
        ...(needsRelations ? [{ $lookup: relations }] : []),
        ...(computed ? [{ $addFields: computed }] : []),
        { $sort: sort },
        ...(window ? [{ $skip: window.skip }, { $limit: window.limit }] : []),
        { $project: { ...UNREAD, ...Object.fromEntries(added.map((key) => [key, 0])) } },
      ],
      { allowDiskUse: true },
    );
  };

  return {
    /** The annotation, or a Refusal NOT_FOUND when there is none that the caller may see. */
    async get(caller: Caller, id: number, session?: ClientSession): Promise<Annotation> {
      const row = await model.findOne({ _id: id, ...scope(caller) }, null, { session }).lean<Row>();
      if (!row) throw new Refusal('NOT_FOUND');
      return toAnnotation(row);
    },
    /**
     * The annotation with what it is found by and one node of its content, which is not older than the annotation; null: there is no
     * such node. Throws NOT_FOUND like `get`.
     */
    async getWithNode(
      caller: Caller,
      id: number,
      nodeId: number,
    ): Promise<{ annotation: Annotation; contentFields: readonly IndexedField[]; node: NodeRow | null }> {
      const node = [{ $match: { _id: nodeId, annotationId: id } }];
      const [row] = await rows
        .aggregate<Row & { contentFields?: IndexedField[]; node: NodeRow[] }>([
          { $match: { _id: id, ...scope(caller) } },
          { $project: { ownWords: 0, contentWords: 0 } },
          { $lookup: { from: 'nodes', pipeline: node, as: 'node' } },
        ])
        .toArray();
      if (!row) throw new Refusal('NOT_FOUND');
      const { contentFields = [], node: found, ...annotation } = row;
      return { annotation: toAnnotation(annotation), contentFields, node: found[0] ?? null };
    },
    async getMany(caller: Caller, ids: readonly number[]): Promise<Annotation[]> {
      const found = await model
        .find({ _id: { $in: [...ids] }, ...scope(caller) })
        .sort({ _id: 1 })
        .lean<Row[]>();
      return found.map(toAnnotation);
    },
    /**
     * What the newest annotations of a queue that people confirmed are found by, of those that have one of these values. What went on by
     * itself does not count.
     */
    async findConfirmed(
      organizationId: number,
      queueId: number,
      values: readonly Pick<IndexedField, 'id' | 'text'>[],
    ): Promise<(readonly IndexedField[])[]> {
      // Each with the organization: so each has an index.
      const having = values.map(({ id, text }) => ({ organizationId, contentFields: { $elemMatch: { id, text } } }));
      const found = await model
        .find({ queueId, status: { $in: CONFIRMED }, automated: false, $or: having })
        .select({ contentFields: 1 })
        .sort({ _id: -1 })
        .limit(MOST_CONFIRMED)
        .lean<{ contentFields?: IndexedField[] }[]>();
      return found.map(({ contentFields = [] }) => contentFields);
    },
    /** All annotations of a document, in whatever state. */
    async findOfDocument(caller: Caller, documentId: number, session: ClientSession): Promise<Annotation[]> {
      const found = await model.find({ documentId, ...scope(caller) }, null, { session }).lean<Row[]>();
      return found.map(toAnnotation);
    },
    async findByUpload(uploadId: number, documentId: number, session?: ClientSession): Promise<Annotation | null> {
      const row = await model.findOne({ uploadId, documentId }, null, { session }).lean<Row>();
      return row ? toAnnotation(row) : null;
    },
    async insert(session: ClientSession, { id, ...annotation }: Annotation): Promise<void> {
      await model.collection.insertOne({ _id: id, ...annotation, ownWords: ownWords(annotation) } as never, {
        session,
      });
    },
    /** Writes the annotation, and what it is found by, if nobody changed it since `before`; otherwise CONFLICT. */
    async replace(
      session: ClientSession,
      after: Annotation,
      before: Annotation,
      index: Partial<ContentIndex> = {},
    ): Promise<void> {
      const { id, ...fields } = after;
      const set: Record<string, unknown> = Object.fromEntries(
        Object.entries(fields).filter(([key, value]) => value !== before[key as keyof Annotation]),
      );
      if ('fileName' in set || 'messages' in set) set.ownWords = ownWords(after);
      const changes = { $set: { ...set, ...index } as Partial<Row> };
      const result = await rows.updateOne({ _id: id, version: before.version }, changes, { session });
      if (result.matchedCount !== 1)
        throw new Refusal('CONFLICT', {
          detail: 'The annotation was changed by somebody else at the same moment; try again.',
        });
    },
    /** E-mails about these annotations of the organization are about to be sent. */
    async noteSentEmails(organizationId: number, ids: readonly number[]): Promise<void> {
      await model.updateMany({ _id: { $in: [...ids] }, organizationId }, { $set: { hasSentEmails: true } });
    },
    /** @param known how many there are; null: they have to be counted */
    async list(
      caller: Caller,
      request: contract.ListAnnotationsRequest,
      known: Promise<number | null>,
    ): Promise<{ annotations: Annotation[]; total: number }> {
      const filter = toFilter(caller, request);
      const [found, total] = await Promise.all([
        ordered(filter, request, toWindow(request)),
        known.then((count) => count ?? model.countDocuments(filter)),
      ]);
      return { annotations: found.map(toAnnotation), total };
    },
    count: (caller: Caller, request: contract.ListAnnotationsRequest): Promise<number> =>
      model.countDocuments(toFilter(caller, request)),
    /** Schemas and queues of all that match, ascending. */
    async findOrigins(
      caller: Caller,
      request: contract.ListAnnotationsRequest,
    ): Promise<{ schemaIds: number[]; queueIds: number[] }> {
      const filter = toFilter(caller, request);
      const distinct = async (field: 'schemaId' | 'queueId') =>
        ((await model.distinct(field, filter)) as number[]).sort((a, b) => a - b);
      const [schemaIds, queueIds] = await Promise.all([distinct('schemaId'), distinct('queueId')]);
      return { schemaIds, queueIds };
    },
    /** All that match, in order, without holding them in memory. Page 0: no paging. */
    async *stream(caller: Caller, request: contract.ListAnnotationsRequest): AsyncGenerator<Annotation> {
      const query = ordered(toFilter(caller, request), request, request.page > 0 ? toWindow(request) : undefined);
      for await (const row of query.cursor({ batchSize: 200 })) yield toAnnotation(row);
    },
    /** All annotations of the installation, by id, a thousand at a time. */
    async *streamAll(): AsyncGenerator<Annotation[]> {
      for (let after = 0; ; ) {
        const found = await model
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(1000)
          .lean<Row[]>();
        if (found.length === 0) return;
        yield found.map(toAnnotation);
        after = found.at(-1)?._id ?? after;
      }
    },
    /** Those whose turn to be reviewed it is, oldest first. */
    async findNext(
      caller: Caller,
      { queueId, ids, statuses }: { queueId: number; ids: readonly number[]; statuses: readonly string[] },
      session: ClientSession,
    ): Promise<Annotation | null> {
      const conditions = [scope(caller), { queueId }, { status: { $in: [...statuses] } }];
      const own = statuses.includes('reviewing')
        ? [{ $or: [{ status: { $ne: 'reviewing' } }, { reviewerId: caller.userId }] }]
        : [];
      const among = ids.length > 0 ? [{ _id: { $in: [...ids] } }] : [];
      const row = await model
        .findOne({ $and: [...conditions, ...own, ...among] }, null, { session })
        .sort({ arrivedAt: 1, _id: 1 })
        .lean<Row>();
      return row ? toAnnotation(row) : null;
    },
    /** Marks what is deleted of these for purging. */
    async requestPurge(
      caller: Caller,
      { ids, queueId }: { ids: readonly number[]; queueId: number | undefined },
      now: Date,
    ): Promise<void> {
      const which = [
        ...(ids.length > 0 ? [{ _id: { $in: [...ids] } }] : []),
        ...(queueId === undefined ? [] : [{ queueId }]),
      ];
      await model.updateMany(
        { $and: [scope(caller), { status: 'deleted', purgeRequestedAt: null }, { $or: which }] },
        { $set: { purgeRequestedAt: now, purgeRequestedById: caller.userId } },
      );
    },
    /** Queues of the organization that have annotations. */
    findQueueIds: (caller: Caller): Promise<number[]> => model.distinct('queueId', scope(caller)),
    /** Queues that have annotations with data, by organization. */
    async findQueuesInUse(): Promise<{ organizationId: number; queueIds: number[] }[]> {
      const groups = await model.aggregate<{ _id: number; queueIds: number[] }>([
        { $match: { status: { $ne: 'purged' } } },
        { $group: { _id: '$organizationId', queueIds: { $addToSet: '$queueId' } } },
      ]);
      return groups.map(({ _id, queueIds }) => ({ organizationId: _id, queueIds }));
    },
    /** Annotations of a queue that were made before, and whose purge was not asked for yet. */
    async findOld(organizationId: number, queueId: number, before: Date, limit: number): Promise<Annotation[]> {
      const which = {
        organizationId,
        queueId,
        createdAt: { $lt: before },
        status: { $ne: 'purged' },
        purgeRequestedAt: null,
      };
      return (await model.find(which).sort({ createdAt: 1 }).limit(limit).lean<Row[]>()).map(toAnnotation);
    },
    /** Whether another annotation from the same e-mail still has its data. */
    async isEmailNeeded(session: ClientSession, { id, emailId }: Annotation): Promise<boolean> {
      const other = { emailId, _id: { $ne: id }, status: { $ne: 'purged' } };
      return (await model.exists(other).session(session).lean()) !== null;
    },
    async findPurgeable(limit: number): Promise<Annotation[]> {
      const found = await model
        .find({ purgeRequestedAt: FILLED.date })
        .sort({ purgeRequestedAt: 1 })
        .limit(limit)
        .lean<Row[]>();
      return found.map(toAnnotation);
    },
    /** Makes the transaction meet every other one that changes the annotation, without changing it. */
    async touch(session: ClientSession, { id }: Annotation): Promise<void> {
      await model.updateOne({ _id: id }, { $inc: { touches: 1 } }, { session, strict: false });
    },
    /** Whether annotations of other documents of the organization share something with this one. */
    async hasDuplicates(session: ClientSession | undefined, annotation: Annotation, by: Shared): Promise<boolean> {
      return (
        (await model
          .exists(duplicatesOf(annotation, by))
          .session(session ?? null)
          .lean()) !== null
      );
    },
    /** The oldest of them, no more than {@link MOST_DUPLICATES}. */
    async findDuplicates(
      session: ClientSession,
      annotation: Annotation,
      by: Shared,
    ): Promise<Pick<Annotation, 'id' | 'queueId'>[]> {
      const found = model.find(duplicatesOf(annotation, by), { queueId: 1 }, { session }).sort({ _id: 1 });
      return (await found.limit(MOST_DUPLICATES).lean<Row[]>()).map(({ _id: id, queueId }) => ({ id, queueId }));
    },
    /** Whether another annotation of the document still has its data. */
    async isDocumentNeeded(session: ClientSession, { id, documentId }: Annotation): Promise<boolean> {
      const other = { documentId, _id: { $ne: id }, status: { $ne: 'purged' } };
      return (await model.exists(other).session(session).lean()) !== null;
    },
    /** Changes lists of ids that are no part of the data: no version, no history. */
    async changeIds(
      session: ClientSession,
      annotationIds: readonly number[],
      field: 'relationIds' | 'labelIds',
      { add = [], remove = [] }: { add?: readonly number[]; remove?: readonly number[] },
    ): Promise<void> {
      const which = { _id: { $in: [...annotationIds] } };
      if (add.length > 0) await model.updateMany(which, { $addToSet: { [field]: { $each: [...add] } } }, { session });
      if (remove.length > 0) await model.updateMany(which, { $pull: { [field]: { $in: [...remove] } } }, { session });
    },
    /** Like the lists of ids no part of the data: no version, no history. */
    async setSuggestedEdit(session: ClientSession, id: number, suggestedEditId: number | null): Promise<void> {
      await model.updateOne({ _id: id }, { $set: { suggestedEditId } }, { session });
    },
    async forgetLabel(session: ClientSession, organizationId: number, labelId: number): Promise<void> {
      await model.updateMany({ organizationId, labelIds: labelId }, { $pull: { labelIds: labelId } }, { session });
    },
    /** The review goes on: its holder did something that changes nothing of the annotation. */
    async extendReview({ id, reviewerId }: Annotation, until: Date): Promise<void> {
      await model.updateOne({ _id: id, status: 'reviewing', reviewerId }, { $set: { reviewUntil: until } });
    },
    async countByStatus(caller: Caller, queueIds: readonly number[], session?: ClientSession): Promise<StatusCount[]> {
      const groups = await model
        .aggregate<{ _id: { queueId: number; status: string }; count: number }>([
          // All of it is in one index: no annotation is read.
          { $match: { $and: [scope(caller), { queueId: { $in: [...queueIds] } }] } },
          { $group: { _id: { queueId: '$queueId', status: '$status' }, count: { $sum: 1 } } },
        ])
        .session(session ?? null);
      return groups.map(({ _id, count }) => ({ ..._id, count }));
    },
    /** Annotations that have rested in a passing state since before `since`. */
    async findResting(status: 'importing' | 'exporting', since: Date, limit: number): Promise<Annotation[]> {
      const found = await model
        .find({ status, restingSince: { $lt: since } })
        .sort({ restingSince: 1 })
        .limit(limit)
        .lean<Row[]>();
      return found.map(toAnnotation);
    },
    /** An annotation of anybody, if it is in a passing state. */
    async findRestingById(id: number): Promise<Annotation | null> {
      const row = await model.findOne({ _id: id, status: { $in: ['importing', 'exporting'] } }).lean<Row | null>();
      return row && toAnnotation(row);
    },
    async findExpiredReviews(now: Date, limit: number): Promise<Annotation[]> {
      const found = await model
        .find({ status: 'reviewing', reviewUntil: { $lt: now } })
        .limit(limit)
        .lean<Row[]>();
      return found.map(toAnnotation);
    },
    async markResent(session: ClientSession, annotation: Annotation, now: Date): Promise<boolean> {
      const result = await model.updateOne(
        { _id: annotation.id, version: annotation.version },
        { $set: { restingSince: now }, $inc: { resends: 1 } },
        { session },
      );
      return result.matchedCount === 1;
    },
  };
}

/** What of an annotation itself is searched. */
function ownWords({ fileName, messages }: Pick<Annotation, 'fileName' | 'messages'>): string[] {
  return wordsOf([fileName, ...messages.map(({ content }) => content)]);
}

/** The conditions of a search query; empty text: none. */
function readConditions(json: string): Record<string, unknown>[] {
  if (json === '') return [];
  return (JSON.parse(json) as Condition[]).map((condition) => {
    const found = toCondition(condition);
    if (found) return found;
    throw invalidField('query', `"${condition.name}" with "${condition.operator}" is not supported.`);
  });
}

/** Field by field: the objects that the driver makes are dictionaries, which take V8 ten times as long to copy by spreading. */
function toAnnotation(row: Row): Annotation {
  return {
    id: row._id,
    organizationId: row.organizationId,
    queueId: row.queueId,
    schemaId: row.schemaId,
    documentId: row.documentId,
    uploadId: row.uploadId,
    emailId: row.emailId,
    fileName: row.fileName,
    mimeType: row.mimeType,
    locale: row.locale,
    status: row.status,
    version: row.version,
    statusVersion: row.statusVersion ?? row.version,
    statusBeforeReview: row.statusBeforeReview,
    reviewerId: row.reviewerId,
    reviewUntil: row.reviewUntil,
    sessionTimeoutS: row.sessionTimeoutS,
    pageIds: row.pageIds,
    creatorId: row.creatorId,
    createdAt: row.createdAt,
    arrivedAt: row.arrivedAt,
    modifierId: row.modifierId,
    modifiedAt: row.modifiedAt,
    assignedAt: row.assignedAt,
    confirmedAt: row.confirmedAt,
    confirmedById: row.confirmedById,
    exportedAt: row.exportedAt,
    exportedById: row.exportedById,
    exportFailedAt: row.exportFailedAt,
    rejectedAt: row.rejectedAt,
    rejectedById: row.rejectedById,
    deletedAt: row.deletedAt,
    deletedById: row.deletedById,
    purgedAt: row.purgedAt,
    purgedById: row.purgedById,
    rirPollId: row.rirPollId,
    extractedPollId: row.extractedPollId ?? FRESH.extractedPollId,
    engineVersion: row.engineVersion,
    md5: row.md5 ?? FRESH.md5,
    fingerprint: row.fingerprint ?? FRESH.fingerprint,
    givenJson: row.givenJson ?? FRESH.givenJson,
    messages: row.messages,
    hadMessages: row.hadMessages ?? FRESH.hadMessages,
    contentSize: row.contentSize ?? FRESH.contentSize,
    values: row.values,
    metadata: row.metadata,
    duration: row.duration ?? FRESH.duration,
    automated: row.automated,
    automaticallyRejected: row.automaticallyRejected,
    trainingEnabled: row.trainingEnabled,
    einvoice: row.einvoice,
    hasSentEmails: row.hasSentEmails ?? true,
    restingSince: row.restingSince,
    resends: row.resends,
    rotationDeg: row.rotationDeg ?? FRESH.rotationDeg,
    automationBlockerId: row.automationBlockerId ?? FRESH.automationBlockerId,
    suggestedEditId: row.suggestedEditId ?? FRESH.suggestedEditId,
    relationIds: row.relationIds ?? FRESH.relationIds,
    labelIds: row.labelIds ?? FRESH.labelIds,
    assigneeIds: row.assigneeIds ?? FRESH.assigneeIds,
    parentPages: row.parentPages ?? FRESH.parentPages,
    purgeRequestedAt: row.purgeRequestedAt ?? FRESH.purgeRequestedAt,
    purgeRequestedById: row.purgeRequestedById ?? FRESH.purgeRequestedById,
    decision: row.decision ?? FRESH.decision,
  };
}
