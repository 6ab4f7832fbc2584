import { randomBytes } from 'node:crypto';
import { type Database, type Ids, type PageRequest, toSort, toWindow } from '@intake/mongo';
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
  find(caller: Caller, id: number): Promise<Page | null>;
  list(
    caller: Caller,
    filter: PageFilter,
    ordering: readonly string[],
    page: PageRequest,
  ): Promise<{ pages: Page[]; total: number }>;
}

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

  type Row = NonNullable<Awaited<ReturnType<typeof readOne>>>;
  const readOne = (filter: Record<string, unknown>) => model.findOne(filter).lean();
  const toPage = ({ _id, metadataJson, ...row }: Row): Page => ({
    id: _id,
    ...row,
    metadata: JSON.parse(metadataJson) as Record<string, unknown>,
  });

  return {
    async put(organizationId, { annotationId, documentId, queueId }, pages) {
      const known = await model.find({ organizationId, annotationId }).select('number').lean();
      const idOf = new Map(known.map((page) => [page.number, page._id]));
      const missing = pages.filter((page) => !idOf.has(page.number));
      const first = missing.length > 0 ? await ids.next('page', missing.length) : 0;
      missing.forEach((page, i) => void idOf.set(page.number, first + i));
      await model.bulkWrite(
        pages.map(({ number, ...size }) => ({
          updateOne: {
            filter: { annotationId, number },
            update: {
              $set: { ...size, documentId, queueId },
              $setOnInsert: { _id: idOf.get(number), organizationId, s3Name: randomBytes(16).toString('hex') },
            },
            upsert: true,
          },
        })),
      );
      // Two calls at the same time may both have found a page missing; what is stored counts.
      const stored = await model.find({ organizationId, annotationId }).sort({ number: 1 }).select('number').lean();
      const numbers = new Set(pages.map((page) => page.number));
      return stored.filter((page) => numbers.has(page.number)).map((page) => page._id);
    },
    async find(caller, id) {
      const row = await readOne({ $and: [visibleTo(caller), { _id: id }] });
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
      const { skip, limit } = toWindow(page);
      const sort = toSort(ordering, { id: '_id', number: 'number', s3_name: 's3Name' });
      const [rows, total] = await Promise.all([
        model.find(where).sort(sort).skip(skip).limit(limit).lean(),
        model.countDocuments(where),
      ]);
      return { pages: rows.map(toPage), total };
    },
  };
}

function visibleTo(caller: Caller): Record<string, unknown> {
  const organizationId = organizationOf(caller);
  return caller.queueIds === 'all' ? { organizationId } : { organizationId, queueId: { $in: [...caller.queueIds] } };
}
