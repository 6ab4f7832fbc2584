import { analyze } from '../analyze';
import type { Recognition, TableRow } from '../recognition';
import type { Model } from '../scoring/model';
import { type Counts, compareTables, isRight, type Row } from './compare';
import type { CorpusDocument, Truth } from './corpus';

/** Fields that are reported, but do not count among the header fields. */
const ATTRIBUTES = new Set(['language', 'document_type']);

/** A value that was predicted: how sure the engine was, and whether it was right. */
export interface Judged {
  field: string;
  confidence: number;
  right: boolean;
}

/** How one document was read. */
export interface DocumentResult {
  truth: Truth;
  fields: Record<string, Counts>;
  columns: Record<string, Counts>;
  judged: Judged[];
  /** Fields that are wrong, missing or too many, for looking at them. */
  wrong: Record<string, { got: string | null; want: string | string[] | null }>;
}

/** The locale of a queue for which nobody has said anything else. API: workspaces-queues.md. */
export const QUEUE_LOCALE = 'en_GB';

/** Reads a document behind the text stage and compares. */
export function measureDocument({ truth, pages }: CorpusDocument, model?: Model): DocumentResult {
  return compareDocument(truth, analyze(pages, QUEUE_LOCALE, model));
}

/** Compares what was read with what stands on the document. */
export function compareDocument(
  truth: Truth,
  { fields, tables }: Pick<Recognition, 'fields' | 'tables'>,
): DocumentResult {
  const signless = truth.fields.document_type === 'credit_note';
  const result: DocumentResult = { truth, fields: {}, columns: {}, judged: [], wrong: {} };
  for (const field of [...Object.keys(truth.fields), ...(truth.absent ?? [])]) {
    if (result.fields[field]) continue;
    const wanted = truth.fields[field];
    const best = fields[field]?.[0];
    const right = best !== undefined && wanted !== undefined && isRight(field, best.value, wanted, signless);
    result.fields[field] = { right: Number(right), predicted: best ? 1 : 0, wanted: wanted === undefined ? 0 : 1 };
    if (best) result.judged.push({ field, confidence: best.confidence, right });
    if (right || (!best && wanted === undefined)) continue;
    result.wrong[field] = { got: best?.value ?? null, want: wanted ?? null };
  }
  for (const [table, wanted] of Object.entries(truth.tables ?? {})) {
    if (wanted.length === 0) continue;
    const rows = (tables[table as keyof typeof tables] ?? []).filter((row) => row.type === 'data');
    const { columns, cells } = compareTables(rows.map(toRow), wanted, signless);
    for (const [column, counts] of Object.entries(columns)) result.columns[column] = counts;
    cells.forEach((judged, at) => {
      for (const [column, right] of Object.entries(judged)) {
        const cell = rows[at]!.cells[column];
        if (cell) result.judged.push({ field: column, confidence: cell.confidence, right });
      }
    });
  }
  return result;
}

const toRow = (row: TableRow): Row =>
  Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, cell.value]));

export interface Score extends Counts {
  precision: number;
  recall: number;
  f1: number;
}

/** Precision, recall and F1 of summed counts. */
export function scoreOf(counts: Counts[]): Score {
  const sum = { right: 0, predicted: 0, wanted: 0 };
  for (const one of counts) {
    sum.right += one.right;
    sum.predicted += one.predicted;
    sum.wanted += one.wanted;
  }
  const precision = sum.predicted > 0 ? sum.right / sum.predicted : sum.wanted > 0 ? 0 : 1;
  const recall = sum.wanted > 0 ? sum.right / sum.wanted : 1;
  const f1 = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
  return { ...sum, precision, recall, f1 };
}

const header = (result: DocumentResult) =>
  Object.entries(result.fields).flatMap(([field, counts]) => (ATTRIBUTES.has(field) ? [] : [counts]));

export interface Summary {
  documents: number;
  header: Score;
  tables: Score;
}

/** Header fields and table cells of several documents, summed. */
export const summarize = (results: DocumentResult[]): Summary => ({
  documents: results.length,
  header: scoreOf(results.flatMap(header)),
  tables: scoreOf(results.flatMap((result) => Object.values(result.columns))),
});

/** Summaries by what `keyOf` says of a document. */
export function summarizeBy(results: DocumentResult[], keyOf: (truth: Truth) => string): [string, Summary][] {
  const byKey = new Map<string, DocumentResult[]>();
  for (const result of results) {
    const key = keyOf(result.truth);
    byKey.set(key, [...(byKey.get(key) ?? []), result]);
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => [key, summarize(list)]);
}

/** Mean of the header F1 over templates: no single layout dominates. */
export function meanOverTemplates(results: DocumentResult[]): number {
  const groups = summarizeBy(results, (truth) => truth.template ?? truth.source);
  return groups.reduce((sum, [, summary]) => sum + summary.header.f1, 0) / Math.max(1, groups.length);
}

/** Scores of each field, and of each column of a table. */
export function scoresByField(results: DocumentResult[]): [string, Score][] {
  const byField = new Map<string, Counts[]>();
  for (const { fields, columns } of results) {
    for (const [field, counts] of [...Object.entries(fields), ...Object.entries(columns)]) {
      byField.set(field, [...(byField.get(field) ?? []), counts]);
    }
  }
  return [...byField].sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, counts]) => [field, scoreOf(counts)]);
}

/** How well confidences tell how often values are right. */
export interface Calibration {
  /** Mean difference between confidence and share of right values, weighted by how many values there are. */
  error: number;
  bins: { from: number; to: number; count: number; confidence: number; right: number }[];
  /** Threshold -> values accepted at it, and how many of them are wrong. */
  accepted: { threshold: number; count: number; wrong: number }[];
}

/** Compares confidences with what was right, in tenths. */
export function calibrate(results: DocumentResult[]): Calibration {
  const judged = results.flatMap((result) => result.judged);
  const bins = Array.from({ length: 10 }, (_, at) => {
    const inside = judged.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === at);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
    return {
      from: at / 10,
      to: (at + 1) / 10,
      count: inside.length,
      confidence: mean(inside.map((one) => one.confidence)),
      right: mean(inside.map((one) => Number(one.right))),
    };
  });
  const error = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.confidence - bin.right), 0);
  const accepted = [0.8, 0.9, 0.95, 0.975, 0.99].map((threshold) => {
    const above = judged.filter(({ confidence }) => confidence >= threshold);
    return { threshold, count: above.length, wrong: above.filter((one) => !one.right).length };
  });
  return { error: error / Math.max(1, judged.length), bins, accepted };
}
