import { analyze } from '../analyze';
import { type ConfirmedValue, type Lesson, learnLesson } from '../memory/lesson';
import { keysOfDocument, recall } from '../memory/recall';
import type { FieldCandidate } from '../recognition';
import type { Model } from '../scoring/model';
import { isRight } from './compare';
import type { CorpusDocument, Truth } from './corpus';
import { compareDocument, type DocumentResult } from './measure';

/** What remembering does on a corpus. */
export interface MemoryResult {
  /** The other documents of senders of which one document was confirmed: before and after. */
  before: DocumentResult[];
  after: DocumentResult[];
  /** Values of documents that the lessons of all other senders made wrong, or right. */
  worse: string[];
  better: string[];
}

interface Reading extends CorpusDocument {
  fields: Record<string, FieldCandidate[]>;
  tables: ReturnType<typeof analyze>['tables'];
  lesson: Lesson | undefined;
}

/** Has one document of each sender confirmed, as its truth says, and reads the sender's others. */
export function measureMemory(documents: readonly CorpusDocument[], model?: Model): MemoryResult {
  const readings = documents.map((document): Reading => {
    const { fields, tables } = analyze(document.pages, undefined, model);
    return { ...document, fields, tables, lesson: learnLesson(document.pages, confirm(document.truth, fields)) };
  });
  const result: MemoryResult = { before: [], after: [], worse: [], better: [] };
  const bySender = new Map<string, Reading[]>();
  for (const reading of readings) {
    const name = senderOf(reading.truth);
    if (name) bySender.set(name, [...(bySender.get(name) ?? []), reading]);
  }
  for (const [sender, [first, ...others]] of bySender) {
    for (const reading of [first!, ...others]) {
      const foreign = readings.filter((other) => senderOf(other.truth) !== sender && !shareNumber(other, reading));
      countForeign(reading, foreign, result);
    }
    if (!first!.lesson) continue;
    for (const reading of others) {
      result.before.push(compareDocument(reading.truth, reading));
      result.after.push(compareDocument(reading.truth, withLessons(reading, [first!.lesson])));
    }
  }
  return result;
}

/** Samples with made-up tax numbers have the same ones for different senders. */
const shareNumber = (a: Reading, b: Reading) =>
  a.lesson?.keys.some((key) => !key.startsWith('name:') && b.lesson?.keys.includes(key)) ?? false;

function countForeign(reading: Reading, foreign: readonly Reading[], result: MemoryResult): void {
  const before = compareDocument(reading.truth, reading).wrong;
  const lessons = foreign.flatMap(({ lesson }) => lesson ?? []);
  const after = compareDocument(reading.truth, withLessons(reading, lessons)).wrong;
  for (const field of Object.keys(after)) if (!before[field]) result.worse.push(`${reading.truth.file} ${field}`);
  for (const field of Object.keys(before)) if (!after[field]) result.better.push(`${reading.truth.file} ${field}`);
}

function withLessons(reading: Reading, lessons: readonly Lesson[]): Pick<Reading, 'fields' | 'tables'> {
  const keys = new Set(keysOfDocument(reading.fields));
  const likely = lessons.filter((lesson) => lesson.keys.some((key) => keys.has(key)));
  return { fields: recall(reading, likely), tables: reading.tables };
}

const senderOf = ({ fields }: Truth) => [fields.sender_name ?? []].flat()[0]?.toLowerCase();

/** What a person who knows the truth would leave in the fields. */
function confirm(truth: Truth, fields: Reading['fields']): Record<string, ConfirmedValue> {
  const signless = truth.fields.document_type === 'credit_note';
  const confirmed: Record<string, ConfirmedValue> = {};
  for (const field of [...Object.keys(truth.fields), ...(truth.absent ?? [])]) {
    const best = fields[field]?.[0];
    const wanted = truth.fields[field];
    const right = best && wanted !== undefined && isRight(field, best.value, wanted, signless);
    const value = right ? best.value : ([wanted ?? ''].flat()[0] ?? '');
    confirmed[field] = {
      value,
      page: right ? best.page : null,
      position: right ? best.position : null,
      read: best ? { value: best.value, page: best.page, position: best.position } : null,
    };
  }
  return confirmed;
}
