import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { StoredLesson } from './stored-lesson';

type Row = Omit<StoredLesson, 'annotationId' | 'keys' | 'fields' | 'words' | 'lineItems'> & {
  readonly _id: number;
  readonly keys: string[];
  readonly lessonJson: string;
};

/** How many lessons of a sender count: what was confirmed last is how its documents look now. */
const NEWEST = 5;

/** What was learned, one lesson for each annotation; every query is of one organization. */
export type LessonStore = ReturnType<typeof createLessonStore>;

export function createLessonStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      queueId: Number,
      senderName: String,
      keys: [String],
      lessonJson: String,
      learnedAt: Date,
    },
    { collection: 'lessons', versionKey: false },
  );
  schema.index({ organizationId: 1, keys: 1, learnedAt: -1 });
  schema.index({ organizationId: 1, learnedAt: -1 });
  const model = database.connection.model('Lesson', schema);
  const toLesson = ({ _id, keys, lessonJson, ...row }: Row): StoredLesson => ({
    annotationId: _id,
    keys,
    ...row,
    ...(JSON.parse(lessonJson) as Pick<StoredLesson, 'fields' | 'words' | 'lineItems'>),
  });
  const which = (organizationId: number, { sender, annotationIds }: Which) => ({
    organizationId,
    ...(sender !== '' && { keys: sender }),
    ...(annotationIds.length > 0 && { _id: { $in: [...annotationIds] } }),
  });

  return {
    /** Keeps a lesson in the place of the annotation's earlier one. */
    async save(
      session: ClientSession,
      { annotationId, fields, words, lineItems, ...lesson }: StoredLesson,
    ): Promise<void> {
      const lessonJson = JSON.stringify({ fields, words, lineItems });
      await model.replaceOne({ _id: annotationId }, { ...lesson, lessonJson }, { session, upsert: true });
    },
    /** The newest lessons under any of these names of senders. */
    async findOfSenders(organizationId: number, keys: readonly string[]): Promise<StoredLesson[]> {
      const filter = { organizationId, keys: { $in: [...keys] } };
      return (await model.find(filter).sort({ learnedAt: -1 }).limit(NEWEST).lean<Row[]>()).map(toLesson);
    },
    /** A page of lessons, in the order of the fields given; `-` for descending. */
    async list(
      organizationId: number,
      filter: Which,
      ordering: readonly string[],
      { page, pageSize }: { readonly page: number; readonly pageSize: number },
    ): Promise<{ lessons: StoredLesson[]; total: number }> {
      const names: Record<string, string> = { id: '_id', learned_at: 'learnedAt' };
      const sort = Object.fromEntries(
        [...ordering, 'id'].flatMap((entry) => {
          const name = names[entry.replace(/^-/, '')];
          return name ? [[name, entry.startsWith('-') ? -1 : 1] as const] : [];
        }),
      );
      const found = model.find(which(organizationId, filter)).sort(sort);
      const [rows, total] = await Promise.all([
        found
          .skip((page - 1) * pageSize)
          .limit(pageSize)
          .lean<Row[]>(),
        model.countDocuments(which(organizationId, filter)),
      ]);
      return { lessons: rows.map(toLesson), total };
    },
    /** Forgets lessons, and says how many. */
    async forget(organizationId: number, filter: Which, session?: ClientSession): Promise<number> {
      return (await model.deleteMany(which(organizationId, filter), { session })).deletedCount;
    },
  };
}

/** Which lessons are meant: of a sender, by a name of it (empty: of all), and of these annotations (none: of all). */
export interface Which {
  readonly sender: string;
  readonly annotationIds: readonly number[];
}
