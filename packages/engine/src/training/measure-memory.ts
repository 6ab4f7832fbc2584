import { analyze } from '../analyze';
import { type ConfirmedRow, type ConfirmedValue, type Lesson, learnLesson } from '../memory/lesson';
import { keysOfDocument, recall } from '../memory/recall';
import { pairRows, plainRow } from '../memory/table';
import type { FieldCandidate, TableRow } from '../recognition';
import type { Model } from '../scoring/model';
import { isRight } from './compare';
import type { CorpusDocument, Truth } from './corpus';
import { compareDocument, type DocumentResult, QUEUE_LOCALE, scoreOf } from './measure';

/** What remembering does on a corpus. */
export interface MemoryResult {
  /** The other documents of senders of which one document was confirmed: before and after. */
  before: DocumentResult[];
  after: DocumentResult[];
  /** Fields and columns of documents that the lessons of all other senders made worse, or better. */
  worse: string[];
  better: string[];
  /** Documents of one sender, each with the table of another one learned as if the engine had read no row there: without it, and with it. */
  withoutTable: DocumentResult[];
  withTable: DocumentResult[];
}

interface Reading extends CorpusDocument {
  fields: Record<string, FieldCandidate[]>;
  tables: ReturnType<typeof analyze>['tables'];
  lesson: Lesson | undefined;
}

/** Has one document of each sender confirmed, as its truth says, and reads the sender's others. */
export function measureMemory(documents: readonly CorpusDocument[], model?: Model): MemoryResult {
  const readings = documents.map((document): Reading => {
    const { fields, tables } = analyze(document.pages, QUEUE_LOCALE, model);
    const rows = confirmRows(document.truth, tables.line_items ?? []);
    const lesson = learnLesson(document.pages, confirm(document.truth, fields), rows);
    return { ...document, fields, tables, lesson };
  });
  const result: MemoryResult = { before: [], after: [], worse: [], better: [], withoutTable: [], withTable: [] };
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
    measureTables([first!, ...others], result);
    if (!first!.lesson) continue;
    for (const reading of others) {
      result.before.push(compareDocument(reading.truth, reading));
      result.after.push(compareDocument(reading.truth, withLessons(reading, [first!.lesson])));
    }
  }
  return result;
}

function measureTables(readings: readonly Reading[], { withoutTable, withTable }: MemoryResult): void {
  for (const from of readings) {
    const rows = (from.tables.line_items ?? []).map((row) => ({ row: plainRow(row), read: null }));
    const lesson = rows.length > 0 ? learnLesson(from.pages, confirm(from.truth, from.fields), rows) : undefined;
    if (!lesson?.lineItems) continue;
    for (const reading of readings) {
      if (reading === from || !reading.truth.tables?.line_items?.length) continue;
      withoutTable.push(compareDocument(reading.truth, reading));
      withTable.push(compareDocument(reading.truth, withLessons(reading, [lesson])));
    }
  }
}

/** Samples with made-up tax numbers have the same ones for different senders. */
const shareNumber = (a: Reading, b: Reading) =>
  a.lesson?.keys.some((key) => !key.startsWith('name:') && b.lesson?.keys.includes(key)) ?? false;

function countForeign(reading: Reading, foreign: readonly Reading[], result: MemoryResult): void {
  const before = compareDocument(reading.truth, reading);
  const lessons = foreign.flatMap(({ lesson }) => lesson ?? []);
  const after = compareDocument(reading.truth, withLessons(reading, lessons));
  const { file } = reading.truth;
  for (const field of Object.keys(after.wrong)) if (!before.wrong[field]) result.worse.push(`${file} ${field}`);
  for (const field of Object.keys(before.wrong)) if (!after.wrong[field]) result.better.push(`${file} ${field}`);
  for (const [column, counts] of Object.entries(after.columns)) {
    const change = scoreOf([counts]).f1 - scoreOf([before.columns[column]!]).f1;
    if (change !== 0) (change < 0 ? result.worse : result.better).push(`${file} ${column}`);
  }
}

function withLessons(reading: Reading, lessons: readonly Lesson[]): Pick<Reading, 'fields' | 'tables'> {
  const keys = new Set(keysOfDocument(reading.fields));
  const likely = lessons.filter((lesson) => lesson.keys.some((key) => keys.has(key)));
  return recall(reading, likely);
}

const senderOf = ({ fields }: Truth) => [fields.sender_name ?? []].flat()[0]?.toLowerCase();

/** Rows as the truth has them, each with the row that was read for it. */
function confirmRows(truth: Truth, rows: readonly TableRow[]): ConfirmedRow[] {
  const wanted = truth.tables?.line_items ?? [];
  const read = pairRows(rows.map(plainRow), wanted);
  return wanted.map((row, at) => ({ row, read: read[at] ?? null }));
}

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
