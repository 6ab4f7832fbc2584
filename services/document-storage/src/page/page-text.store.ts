import { type ClientSession, type Database, rowsOf } from '@intake/mongo';
import { Schema } from 'mongoose';

/** The words of a page of a document, in one rotation. All annotations of the document share them. */
export interface PageText {
  readonly documentId: number;
  readonly number: number;
  readonly rotationDeg: number;
  readonly source: string;
  /** JSON text: `[[text, left, top, right, bottom, line], ...]` in reading order. */
  readonly wordsJson: string;
}

/** Which text is meant. */
type Which = Pick<PageText, 'documentId' | 'number' | 'rotationDeg'>;

type Row = PageText & { readonly _id: string; readonly organizationId: number };

/** What stands on the pages, for search and for taking values by a click. */
export interface PageTextStore {
  put(organizationId: number, texts: readonly PageText[]): Promise<void>;
  /** Those that are known, in no particular order. */
  findMany(organizationId: number, which: readonly Which[]): Promise<PageText[]>;
  removeOfDocument(session: ClientSession, organizationId: number, documentId: number): Promise<void>;
}

/** Texts of one service's database. */
export function createPageTextStore(database: Database): PageTextStore {
  const schema = new Schema(
    {
      _id: String,
      organizationId: Number,
      documentId: Number,
      number: Number,
      rotationDeg: Number,
      source: String,
      wordsJson: String,
    },
    { collection: 'page_texts', versionKey: false },
  );
  schema.index({ documentId: 1 });
  database.connection.model('PageText', schema);
  const rows = rowsOf<Row>(database, 'page_texts');
  const keyOf = ({ documentId, number, rotationDeg }: Which) => `${documentId}/${number}/${rotationDeg}`;

  return {
    async put(organizationId, texts) {
      if (texts.length === 0) return;
      await rows.bulkWrite(
        texts.map((text) => ({
          updateOne: { filter: { _id: keyOf(text) }, update: { $set: { ...text, organizationId } }, upsert: true },
        })),
        { ordered: false },
      );
    },
    async findMany(organizationId, which) {
      return rows.find({ organizationId, _id: { $in: which.map(keyOf) } }).toArray();
    },
    async removeOfDocument(session, organizationId, documentId) {
      await rows.deleteMany({ organizationId, documentId }, { session });
    },
  };
}
