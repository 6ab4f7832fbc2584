import { randomBytes } from 'node:crypto';
import {
  type ClientSession,
  type Database,
  findPage,
  type Ids,
  inQueues,
  type PageRequest,
  rowsOf,
  toOrder,
} from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Page, PageFilter, PageSize } from './page';

/** Pages, always of the caller's organization and queues. */
export interface PageStore {
  /** Records the pages of an annotation and answers their ids in page order; a page that is known keeps its id. */
  put(
    organizationId: number,
    of: Pick<Page, 'annotationId' | 'documentId' | 'queueId'>,
    pages: readonly PageSize[],
  ): Promise<number[]>;
  /** Takes away the pages that an annotation has no more; answers their ids. */
  removeOthers(
    organizationId: number,
    of: Pick<Page, 'annotationId' | 'documentId'>,
    numbers: readonly number[],
  ): Promise<number[]>;
  /** Changes the metadata of a page. Null when the caller cannot see it. */
  setMetadata(caller: Caller, id: number, metadata: Readonly<Record<string, unknown>>): Promise<Page | null>;
  /** Who sees this queue sees the pages of the annotation. */
  place(organizationId: number, annotationId: number, queueId: number): Promise<void>;
  findOfAnnotation(organizationId: number, annotationId: number): Promise<Page[]>;
  removeOfAnnotation(session: ClientSession, organizationId: number, annotationId: number): Promise<void>;
  find(caller: Caller, id: number): Promise<Page | null>;
  list(
    caller: Caller,
    filter: PageFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ pages: Page[]; total: number }>;
}

type Row = Omit<Page, 'id' | 'metadata'> & { readonly _id: number; readonly metadataJson: string };

/** Pages of one service's database. */
export function createPageStore(database: Database, ids: Ids): PageStore {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      annotationId: { type: Number, required: true },
      documentId: { type: Number, required: true },
      number: { type: Number, required: true },
      rotationDeg: { type: Number, default: 0 },
      width: { type: Number, required: true },
      height: { type: Number, required: true },
      // Text, because its keys are the client's.
      metadataJson: { type: String, default: '{}' },
      s3Name: { type: String, required: true },
    },
    { collection: 'pages', versionKey: false },
  );
  schema.index({ annotationId: 1, number: 1 }, { unique: true });
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  const model = database.connection.model('Page', schema);

  const rows = rowsOf<Row>(database, 'pages');
  const toPage = ({ _id, metadataJson, ...row }: Row): Page => ({
    id: _id,
    ...row,
    metadata: JSON.parse(metadataJson) as Record<string, unknown>,
  });

  return {
    async put(organizationId, { annotationId, documentId, queueId }, pages) {
      if (pages.length === 0) return [];
      const first = await ids.next('page', pages.length);
      const { upsertedCount } = await rows.bulkWrite(
        pages.map(({ number, ...size }, i) => ({
          updateOne: {
            filter: { organizationId, annotationId, number },
            update: {
              $set: { ...size, documentId, queueId },
              $setOnInsert: { _id: first + i, s3Name: randomBytes(16).toString('hex'), metadataJson: '{}' },
            },
            upsert: true,
          },
        })),
      );
      const inOrder = pages.map(({ number }, i) => ({ number, id: first + i })).sort((a, b) => a.number - b.number);
      if (upsertedCount === pages.length) return inOrder.map(({ id }) => id);
      // Pages that were known keep their ids, and two calls may come at the same time: what is stored counts.
      const numbers = { $in: pages.map(({ number }) => number) };
      const stored = rows.find({ organizationId, annotationId, number: numbers }, { projection: { _id: 1 } });
      return (await stored.sort({ number: 1 }).toArray()).map((page) => page._id);
    },
    async removeOthers(organizationId, { annotationId, documentId }, numbers) {
      const others = { $or: [{ documentId: { $ne: documentId } }, { number: { $nin: [...numbers] } }] };
      const which = { organizationId, annotationId, ...others };
      const found = await rows.find(which, { projection: { _id: 1 } }).toArray();
      if (found.length > 0) await rows.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.map(({ _id }) => _id);
    },
    async setMetadata(caller, id, metadata) {
      const row = await rows.findOneAndUpdate(
        { $and: [visibleTo(caller), { _id: id }] },
        { $set: { metadataJson: JSON.stringify(metadata) } },
        { returnDocument: 'after' },
      );
      return row && toPage(row);
    },
    async place(organizationId, annotationId, queueId) {
      await rows.updateMany({ organizationId, annotationId }, { $set: { queueId } });
    },
    async findOfAnnotation(organizationId, annotationId) {
      return (await rows.find({ organizationId, annotationId }).sort({ number: 1 }).toArray()).map(toPage);
    },
    async removeOfAnnotation(session, organizationId, annotationId) {
      await rows.deleteMany({ organizationId, annotationId }, { session });
    },
    async find(caller, id) {
      const row = await rows.findOne({ $and: [visibleTo(caller), { _id: id }] });
      return row && toPage(row);
    },
    async list(caller, { ids: pageIds, annotationIds, numbers }, ordering, page) {
      const where = {
        $and: [
          visibleTo(caller),
          {
            ...(pageIds.length > 0 && { _id: { $in: [...pageIds] } }),
            ...(annotationIds.length > 0 && { annotationId: { $in: [...annotationIds] } }),
            ...(numbers.length > 0 && { number: { $in: [...numbers] } }),
          },
        ],
      };
      const order = toOrder(ordering, { id: '_id', number: 'number', s3_name: 's3Name' });
      const [found, total] = await Promise.all([findPage<Row>(model, where, order, page), model.countDocuments(where)]);
      return { pages: found.map(toPage), total };
    },
  };
}

function visibleTo(caller: Caller): Record<string, unknown> {
  return { organizationId: organizationOf(caller), ...inQueues(caller.queueIds) };
}
