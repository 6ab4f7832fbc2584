import { findKeys } from '../candidates/key-phrases';
import type { DecimalMark } from '../candidates/numbers';
import { learnRules } from '../candidates/values';
import { layOutPage, type PageLayout } from '../layout/page-layout';
import type { FieldCandidate, Recognition, TableRow } from '../recognition';
import { addsUp, productHolds } from '../scoring/cells';
import { type Anchor, anchorOf, compareAnchors, SAME_PLACE } from './anchor';
import { isOfSender, keysOf, type LearnedField, type Lesson, layoutWords, overlaps } from './lesson';
import { findSentence, findSpots, findText, isSame, type Kind, kindOfField, looksSame, type Spot } from './spots';
import { addColumns, readTable } from './table';

type Fields = Record<string, FieldCandidate[]>;

/** The names under which lessons for a document are looked for. */
export function keysOfDocument(fields: Readonly<Fields>): string[] {
  const keys = new Set<string>();
  for (const [field, candidates] of Object.entries(fields))
    for (const { value } of candidates) for (const key of keysOf({ [field]: value })) keys.add(key);
  return [...keys];
}

/** What was read in a document. */
type Read = Pick<Recognition, 'fields' | 'tables'>;

/**
 * Puts right what was read, by what people have confirmed in earlier documents of the same sender.
 *
 * @param lessons of senders that may be this one's, the newest first; those of others are passed over
 * @returns candidates for each field, best first, and rows of tables; what no lesson speaks of is as it was
 */
export function recall(
  { fields, tables, pages: recognized }: Read & Pick<Recognition, 'pages'>,
  lessons: readonly Lesson[],
): Read {
  const pages = recognized.map((page) => layOutPage(page));
  const [keys, words] = [keysOfDocument(fields), layoutWords(pages)];
  const alike = lessons.filter((lesson) => isOfSender(lesson, keys, words));
  // Firms of one group share numbers: those of the same name go before.
  const namesakes = alike.filter(({ keys }) =>
    keysOf({ sender_name: fields.sender_name?.[0]?.value }).some((key) => keys.includes(key)),
  );
  const fitting = namesakes.length > 0 ? namesakes : alike;
  if (fitting.length === 0) return { fields, tables };
  const rules = learnRules(pages, undefined);
  const spots = findSpots(pages, rules).map((spot): PlacedSpot => ({ ...spot, anchor: anchorOf(spot, pages) }));
  const better: Fields = { ...fields };
  for (const field of new Set(fitting.flatMap((lesson) => Object.keys(lesson.fields)))) {
    const learned = fitting.flatMap((lesson) => valuesIn(lesson.fields, field));
    const taken = codesElsewhere(field, fields, fitting);
    const free = spots.filter(
      ({ kind, value }) => kind !== 'code' || !taken.some((code) => isSame('code', code, value)),
    );
    const candidates = recallField(field, valuesIn(fields, field)[0] ?? [], learned, { pages, spots: free });
    if (candidates.length > 0) better[field] = candidates;
    else delete better[field];
  }
  const rows = recallRows(tables.line_items ?? [], fitting, { fields: better, pages, mark: rules.mark });
  return { fields: better, tables: { ...tables, ...(rows.length > 0 && { line_items: rows }) } };
}

/** Line items read as those of the newest lesson whose head is found; rows that add up do not give way to others that do less so. */
function recallRows(
  read: TableRow[],
  lessons: readonly Lesson[],
  { fields, pages, mark }: { fields: Fields; pages: readonly PageLayout[]; mark: DecimalMark },
): TableRow[] {
  const learned = lessons.flatMap(({ lineItems }) => lineItems ?? []);
  if (learned.length === 0) return read;
  const keys = pages.flatMap((page) => findKeys(page));
  for (const table of learned) {
    const rows = readTable(pages, keys, mark, table);
    if (rows.length === 0) continue;
    if (isLessCoherent(rows, read, fields)) return read;
    const confidence = learned.length > 1 ? RECALLED_AGAIN : RECALLED;
    const sure = rows.map((row) => ({
      ...row,
      cells: Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, { ...cell, confidence }])),
    }));
    return addColumns(sure, read, pages, table);
  }
  return read;
}

/** Whether rows add up less than others: to the total of the document, or each by itself. */
export function isLessCoherent(rows: readonly TableRow[], others: readonly TableRow[], fields: Fields): boolean {
  const products = (list: readonly TableRow[]) => list.reduce((sum, row) => sum + productHolds(row), 0);
  return (addsUp(others, fields) === 1 && addsUp(rows, fields) !== 1) || products(rows) < products(others);
}

/** What stands under a name that may be any text, as a list. */
const valuesIn = <T>(record: Readonly<Record<string, T>>, name: string): T[] =>
  Object.hasOwn(record, name) ? [record[name]!] : [];

/** Codes that were read for other fields, and were never the same as this field's: the customer's number is not the sender's. */
function codesElsewhere(field: string, fields: Readonly<Fields>, lessons: readonly Lesson[]): string[] {
  if (kindOfField(field) !== 'code') return [];
  return Object.entries(fields).flatMap(([other, [best]]) => {
    if (other === field || !best || kindOfField(other) !== 'code') return [];
    const equal = lessons.some(({ fields: learned }) => {
      const [own] = valuesIn(learned, field);
      const [its] = valuesIn(learned, other);
      return own && its && isSame('code', own.value, its.value);
    });
    return equal ? [] : [best.value];
  });
}

type PlacedSpot = Spot & { anchor: Anchor };
interface Document {
  pages: PageLayout[];
  spots: readonly PlacedSpot[];
}

/** What was confirmed once is likely, what was confirmed at the same place several times more so. */
const RECALLED = 0.93;
const RECALLED_AGAIN = 0.975;
/** Confidence of a text that people have typed because the pages do not have it. */
const NOT_ON_PAGE = 0.85;
/** Of what the engine reads where it was wrong before. */
const WRONG_BEFORE = 0.4;
/** Below it, the memory's word counts more than the engine's, even where the engine was right before. */
const ENGINE_DOUBTS = 0.75;

function recallField(
  field: string,
  read: FieldCandidate[],
  learned: readonly LearnedField[],
  document: Document,
): FieldCandidate[] {
  const kind = kindOfField(field);
  const latest = learned[0];
  if (!kind || !latest) return read;
  const best = read[0];
  if (kind === 'attribute') return recallAttribute(read, learned);
  const misread = kind === 'code' ? misreadCode(field, read, learned) : undefined;
  if (misread) return [misread, ...read.slice(1)];
  const found = kind === 'text' ? recallText(field, learned, document) : recallSpot(kind, learned, document.spots);
  const corrected = learned.some((one) => one.corrected);
  if (!found) return best && corrected ? doubt(kind, read, learned, document.spots) : read;
  if (best && isSame(kind, best.value, found.value)) {
    return [{ ...best, confidence: Math.max(best.confidence, found.confidence) }, ...read.slice(1)];
  }
  if (best && !corrected && best.confidence >= ENGINE_DOUBTS) return read;
  return [found, ...read.filter(({ value }) => !isSame(kind, value, found.value))].map((one, at) =>
    at === 0 ? one : { ...one, confidence: Math.min(one.confidence, 1 - found.confidence) },
  );
}

/** What people made of the same reading before: the dollars of a sender that are Canadian. */
function recallAttribute(read: FieldCandidate[], learned: readonly LearnedField[]): FieldCandidate[] {
  const [best] = read;
  const isRead = (value: string | undefined) =>
    value !== undefined && (best ? isSame('attribute', value, best.value) : value === '');
  const latest = learned.find(({ value, readAs }) => isRead(readAs) || isRead(value));
  if (!latest?.corrected || latest.value === '' || isRead(latest.value)) return read;
  const times = learned.filter(({ value }) => isSame('attribute', value, latest.value)).length;
  const confidence = times > 1 ? RECALLED_AGAIN : RECALLED;
  return [toCandidate(latest.value, best?.rawText ?? '', best?.page ?? 1, best?.position ?? null, confidence)];
}

/** Numbers that a sender and his customer keep. */
const KEPT = /^(?:sender|recipient)_(?:vat_id|ic|dic)$|^(?:iban|bic|account_num|bank_num|customer_id)$/;

/** What OCR read as nearly a number that is known, as that number; a number that is really another one stays. */
function misreadCode(
  field: string,
  [best]: readonly FieldCandidate[],
  learned: readonly LearnedField[],
): FieldCandidate | undefined {
  if (!best || !KEPT.test(field)) return undefined;
  const known = learned.find(({ value }) => !isSame('code', value, best.value) && looksSame(value, best.value));
  return known && { ...best, value: known.value, confidence: Math.max(best.confidence, RECALLED) };
}

/** The spot at the place of earlier values. */
function recallSpot(
  kind: Kind,
  learned: readonly LearnedField[],
  spots: readonly PlacedSpot[],
): FieldCandidate | undefined {
  const placed = learned.flatMap(({ anchor, value }) => (anchor ? [{ anchor, value }] : []));
  const ranked = spots
    .filter((spot) => spot.kind === kind)
    .map((spot) => {
      const scores = placed.map(
        ({ anchor, value }) =>
          // Numbers of the sender and of the customer stay the same.
          compareAnchors(anchor, spot.anchor) + (kind === 'code' && isSame(kind, value, spot.value) ? 1.5 : 0),
      );
      return { spot, score: Math.max(-1, ...scores), times: scores.filter((score) => score >= SAME_PLACE).length };
    })
    .filter(({ score }) => score >= SAME_PLACE)
    .sort((a, b) => b.score - a.score);
  const best = ranked[0];
  if (!best) return undefined;
  const { value, raw, page, box } = best.spot;
  const rival = ranked.find(({ spot, score }) => !isSame(kind, spot.value, value) && score > best.score - 0.4);
  if (rival) return undefined;
  return toCandidate(value, raw, page, box, best.times > 1 ? RECALLED_AGAIN : RECALLED);
}

/** A name or an address that stands on the pages as it did before; terms also with other dates and amounts. */
function recallText(field: string, learned: readonly LearnedField[], { pages }: Document): FieldCandidate | undefined {
  for (const { value } of learned) {
    const place = value === '' ? undefined : findText(pages, value);
    if (place && place.share >= 0.8) {
      const times = learned.filter((one) => isSame('text', one.value, value)).length;
      return toCandidate(value, value, place.page, place.box, times > 1 ? RECALLED_AGAIN : RECALLED);
    }
  }
  if (field === 'terms') {
    for (const { value } of learned) {
      const place = findSentence(pages, value);
      if (place) return toCandidate(place.value, place.value, place.page, place.box, RECALLED);
    }
  }
  const latest = learned[0]!;
  if (!field.startsWith('sender_') || !latest.corrected || latest.value === '') return undefined;
  return toCandidate(latest.value, '', 1, null, NOT_ON_PAGE);
}

/** What is read again at a place where it was wrong before is doubted, and left out when nothing belonged there. */
function doubt(
  kind: Kind,
  read: FieldCandidate[],
  learned: readonly LearnedField[],
  spots: readonly PlacedSpot[],
): FieldCandidate[] {
  const nothing = learned[0]!.value === '';
  if (kind === 'text') return nothing ? [] : read;
  const wrong = learned.flatMap((one) => (one.wrong ? [one.wrong] : []));
  return read.flatMap((candidate) => {
    const spot = spots.find((one) => one.kind === kind && overlaps(one, candidate));
    const again = spot && wrong.some((anchor) => compareAnchors(anchor, spot.anchor) >= SAME_PLACE);
    if (!again) return [candidate];
    return nothing ? [] : [{ ...candidate, confidence: Math.min(candidate.confidence, WRONG_BEFORE) }];
  });
}

const toCandidate = (
  value: string,
  rawText: string,
  page: number,
  position: FieldCandidate['position'],
  confidence: number,
): FieldCandidate => ({ value, rawText, page, position, confidence });
