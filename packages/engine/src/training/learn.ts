import { analyze } from '../analyze';
import { createModel, type Evidence, handSetModel, LEAST_CONFIDENCE, type Model, type Weights } from '../scoring/model';
import { compareTables, isRight, type Row } from './compare';
import type { CorpusDocument } from './corpus';
import { type Example, fit, fitScale } from './fit';
import { type DocumentResult, measureDocument, QUEUE_LOCALE } from './measure';

/** How much a synthesised document counts, beside one of the corpus. */
const SYNTHETIC_WEIGHT = 0.1;

/** Every candidate that the engine considers in a document, with its outcome. */
export function collectExamples({ truth, pages }: CorpusDocument, weight: number): Example[] {
  const seen = new Map<string, Evidence>();
  const cells: { column: string; evidence: Evidence }[] = [];
  const collector: Model = (field, evidence) => {
    if (evidence.features.cell) cells.push({ column: field, evidence });
    else seen.set(`${field}\n${evidence.value}`, evidence);
    return handSetModel(field, evidence);
  };
  const { tables } = analyze(pages, QUEUE_LOCALE, collector, 0);
  const signless = truth.fields.document_type === 'credit_note';
  const absent = new Set(truth.absent);
  const examples: Example[] = [];
  for (const [key, { value, features }] of seen) {
    const field = key.slice(0, key.indexOf('\n'));
    const wanted = truth.fields[field];
    if (wanted === undefined && !absent.has(field)) continue;
    examples.push({ field, features, right: wanted !== undefined && isRight(field, value, wanted, signless), weight });
  }
  // The cells were scored in the order in which they stand in the tables.
  let at = 0;
  for (const [table, rows] of Object.entries(tables)) {
    const evidence = (rows ?? []).map((row) =>
      Object.fromEntries(Object.keys(row.cells).map((column) => [column, cells[at++]!.evidence])),
    );
    const wanted = truth.tables?.[table];
    if (!wanted?.length) continue;
    const data = (rows ?? []).flatMap((row, number) =>
      row.type === 'data' ? [{ row, evidence: evidence[number]! }] : [],
    );
    const plain = data.map(
      ({ row }): Row => Object.fromEntries(Object.entries(row.cells).map(([name, cell]) => [name, cell.value])),
    );
    compareTables(plain, wanted, signless).cells.forEach((judged, number) => {
      for (const [column, right] of Object.entries(judged)) {
        const features = data[number]!.evidence[column]?.features;
        // Long tables would drown the rest.
        if (features) examples.push({ field: column, features, right, weight: weight / Math.max(1, data.length / 4) });
      }
    });
  }
  return examples;
}

/** Examples of a document, kept so that each document is read once. */
interface Lesson {
  document: CorpusDocument;
  examples: Example[];
}

/** Documents of one template count less each, the more there are. */
function prepare(documents: CorpusDocument[]): Lesson[] {
  const counts = new Map<string, number>();
  const templateOf = ({ truth }: CorpusDocument) => `${truth.source}/${truth.template ?? ''}`;
  for (const document of documents) counts.set(templateOf(document), (counts.get(templateOf(document)) ?? 0) + 1);
  return documents.map((document) => ({
    document,
    examples: collectExamples(document, 1 / Math.sqrt(counts.get(templateOf(document))!)),
  }));
}

/** What was learned, and how it does on documents that it has not seen. */
export interface Learned {
  weights: Weights;
  /** Each document, read with weights that were learned without the documents of its source. */
  withoutSource: DocumentResult[];
}

/**
 * Learns the weights from a corpus and synthesised documents, and measures them by leaving one source out.
 * Confidences are made honest with what was read without the source.
 */
export function learn(corpus: CorpusDocument[], synthetic: CorpusDocument[]): Learned {
  const made = synthetic.flatMap((document) => collectExamples(document, SYNTHETIC_WEIGHT));
  const lessons = prepare(corpus);
  const sources = [...new Set(corpus.map(({ truth }) => truth.source))].sort();
  const folds = sources.map((source) => {
    const rest = lessons.filter(({ document }) => document.truth.source !== source);
    const weights = fit([...rest.flatMap(({ examples }) => examples), ...made]);
    const documents = lessons
      .filter(({ document }) => document.truth.source === source)
      .map(({ document }) => document);
    const judged = documents.flatMap((document) => bestOf(document, createModel(weights)));
    return { documents, weights, judged };
  });
  const withoutSource = folds.flatMap(({ documents, weights }, at) => {
    const others = folds.filter((_, other) => other !== at).flatMap((fold) => fold.judged);
    const model = createModel({ ...weights, ...fitScale(others) });
    return documents.map((document) => measureDocument(document, model));
  });
  const weights = fit([...lessons.flatMap(({ examples }) => examples), ...made]);
  return { weights: { ...weights, ...fitScale(folds.flatMap((fold) => fold.judged)) }, withoutSource };
}

/** Logits of the values that a model would give out, and whether they are right. */
function bestOf(document: CorpusDocument, model: Model): { logit: number; right: boolean }[] {
  return measureDocument(document, model).judged.flatMap(({ confidence, right }) => {
    if (confidence < LEAST_CONFIDENCE) return [];
    const inside = Math.min(Math.max(confidence, 0.0005), 0.9995);
    return [{ logit: Math.log(inside / (1 - inside)), right }];
  });
}
