import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { UploadReceipt } from './upload';

/** An answer that was given under an idempotency key. */
export interface KeptAnswer {
  readonly fingerprint: string;
  readonly receipt: UploadReceipt;
}

/** What keeps two submissions from being taken twice. */
export interface SubmissionStore {
  /** The answer given under a key within the last 7 days. API: README.md section 5, Idempotency-Key. */
  findAnswer(session: ClientSession, key: string): Promise<KeptAnswer | null>;
  keepAnswer(session: ClientSession, key: string, answer: KeptAnswer): Promise<void>;
  /** Makes two transactions about the same content collide, so that the later one sees what the earlier one did. */
  touchContent(session: ClientSession, content: string): Promise<void>;
}

const KEEP_S = 7 * 24 * 3600;

/** Kept answers of one service's database. */
export function createSubmissionStore(database: Database): SubmissionStore {
  const answers = new Schema(
    {
      _id: String,
      fingerprint: { type: String, required: true },
      uploadId: { type: Number, required: true },
      taskId: { type: Number, required: true },
      documentIds: { type: [Number], required: true },
      at: { type: Date, required: true },
    },
    { collection: 'kept_answers', versionKey: false },
  );
  answers.index({ at: 1 }, { expireAfterSeconds: KEEP_S });
  const answerModel = database.connection.model('KeptAnswer', answers);
  const marks = new Schema({ _id: String, at: Date }, { collection: 'content_marks', versionKey: false });
  marks.index({ at: 1 }, { expireAfterSeconds: 3600 });
  const markModel = database.connection.model('ContentMark', marks);

  return {
    async findAnswer(session, key) {
      const row = await answerModel
        .findOne({ _id: key, at: { $gt: new Date(Date.now() - KEEP_S * 1000) } })
        .session(session)
        .lean();
      if (!row) return null;
      const { fingerprint, uploadId, taskId, documentIds } = row;
      return { fingerprint, receipt: { uploadId, taskId, documentIds } };
    },
    async keepAnswer(session, key, { fingerprint, receipt }) {
      await answerModel.updateOne(
        { _id: key },
        { $set: { fingerprint, ...receipt, documentIds: [...receipt.documentIds], at: new Date() } },
        { upsert: true, session },
      );
    },
    async touchContent(session, content) {
      await markModel.updateOne({ _id: content }, { $set: { at: new Date() } }, { upsert: true, session });
    },
  };
}
