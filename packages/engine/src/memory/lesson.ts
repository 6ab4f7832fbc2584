import { learnRules } from '../candidates/values';
import { layOutPage, normalize, type PageLayout } from '../layout/page-layout';
import type { Position, RecognizedPage } from '../recognition';
import { type Anchor, anchorOf } from './anchor';
import { findSpots, isSame, type Kind, kindOfField, type Spot } from './spots';
import { agreement, type LearnedTable, learnTable, type PlainRow } from './table';

/** What a person has confirmed for a field, beside what the engine had read. */
export interface ConfirmedValue {
  /** ISO date, plain decimal or text; empty: there is nothing. */
  value: string;
  /** Where it stands; null when the person only typed it. */
  page: number | null;
  position: Position | null;
  /** What the engine had read, written as `value` is; null: nothing. */
  read: { value: string; page: number | null; position: Position | null } | null;
}

/** A row of the line items that a person has confirmed. */
export interface ConfirmedRow {
  row: PlainRow;
  /** What the engine had read for it; null: nothing. */
  read: PlainRow | null;
}

/** What is remembered about one field of a sender's documents. */
export interface LearnedField {
  value: string;
  /** The engine had read something else, or nothing: here, or in an earlier document of the sender. */
  corrected: boolean;
  /** Where the value stands; absent when it was not found on the pages, and for texts. */
  anchor?: Anchor;
  /** Where the engine had read something wrong. */
  wrong?: Anchor;
  /** Of a corrected attribute: what the engine had read; empty: nothing. */
  readAs?: string;
}

/** What one confirmed document teaches about its sender. */
export interface Lesson {
  /** Names of the sender, the strongest first: `vat:…`, `iban:…`, `ic:…`, `dic:…`, `account:…`, `name:…`. */
  keys: string[];
  /** Engine's identifier of a field -> what is remembered. */
  fields: Record<string, LearnedField>;
  /** Words of the letterhead and the labels, by which documents of one layout are known. */
  words: string[];
  /** How the line items are set; absent where the engine reads them as well without it. */
  lineItems?: LearnedTable;
}

const MOST_LAYOUT_WORDS = 150;
/** Longest value that is remembered, in characters. */
const MOST_CHARACTERS = 500;

/**
 * Learns from a document that a person has confirmed.
 *
 * @param values engine's identifier -> value
 * @param rows of the line items
 * @returns undefined when the document says nothing by which its sender could be known again
 */
export function learnLesson(
  recognized: readonly RecognizedPage[],
  values: Readonly<Record<string, ConfirmedValue>>,
  rows: readonly ConfirmedRow[] = [],
): Lesson | undefined {
  const pages = recognized.map((page) => layOutPage(page));
  const read = Object.fromEntries(
    Object.entries(values).flatMap(([field, { read }]) => (read ? [[field, read.value]] : [])),
  );
  const confirmed = Object.fromEntries(Object.entries(values).map(([field, { value }]) => [field, value]));
  // What the engine takes for the name it will take for the name again: the lesson is found by that, too.
  const keys = [...new Set([...keysOf(confirmed), ...keysOf({ sender_name: read.sender_name ?? '' })])];
  if (keys.length === 0 || pages.length === 0) return undefined;
  const rules = learnRules(pages, undefined);
  const spots = findSpots(pages, rules);
  const fields: Record<string, LearnedField> = {};
  for (const [field, value] of Object.entries(values)) {
    const kind = kindOfField(field);
    if (kind && value.value.length <= MOST_CHARACTERS) fields[field] = learnField(kind, value, spots, pages);
  }
  const wanted = rows.map(({ row }) => row);
  const before = rows.map(({ read }) => read);
  const table = learnTable(pages, rules.mark, wanted, before);
  return { keys, fields, words: layoutWords(pages), ...(table && { lineItems: table }) };
}

/** So much of a table must have been read right for what was learned about it before to stay. */
const READ_RIGHT = 0.8;

/**
 * The lesson with what people had to put right in earlier documents of the sender, and is read right since: it stays learned, however
 * many documents have needed no correction.
 *
 * @param rows of the line items of the lesson's document
 * @param earlier lessons under the same keys, the newest first
 */
export function keepCorrections(lesson: Lesson, rows: readonly ConfirmedRow[], earlier: readonly Lesson[]): Lesson {
  const alike = earlier.filter((one) => isOfSender(one, lesson.keys, lesson.words));
  const fields = Object.entries(lesson.fields).map(([field, learned]): [string, LearnedField] => {
    const before = alike.flatMap((one) => (Object.hasOwn(one.fields, field) ? [one.fields[field]!] : []));
    const corrected = before.find((one) => one.corrected);
    if (!corrected || learned.corrected || learned.value === '') return [field, learned];
    const { wrong, readAs } = corrected;
    return [field, { ...(wrong && { wrong }), ...(readAs !== undefined && { readAs }), ...learned, corrected: true }];
  });
  const table = lesson.lineItems ?? alike.find(({ lineItems }) => lineItems)?.lineItems;
  const read = rows.flatMap((one) => (one.read ? [one.read] : []));
  const wanted = rows.map(({ row }) => row);
  const keepsTable = table && (lesson.lineItems || agreement(read, wanted) >= READ_RIGHT);
  return { ...lesson, fields: Object.fromEntries(fields), ...(keepsTable && { lineItems: table }) };
}

/** How many layout words a document must share with a lesson of its sender: known by a number, or by name alone. */
const SOME_LAYOUT = 0.2;
const SAME_LAYOUT = 0.4;

/**
 * Whether a lesson is of the sender of a document: a number of the sender is nearly enough; a name alone must come with the same layout.
 *
 * @param keys of the document's sender
 * @param layout words of its layout
 */
export function isOfSender(lesson: Lesson, keys: readonly string[], layout: readonly string[]): boolean {
  const common = keys.filter((key) => lesson.keys.includes(key));
  if (common.length === 0) return false;
  const words = new Set(layout);
  const least = common.some((key) => !key.startsWith('name:')) ? SOME_LAYOUT : SAME_LAYOUT;
  return lesson.words.filter((word) => words.has(word)).length >= least * Math.min(lesson.words.length, words.size);
}

function learnField(kind: Kind, confirmed: ConfirmedValue, spots: readonly Spot[], pages: PageLayout[]): LearnedField {
  const { value, read } = confirmed;
  const corrected = read ? !isSame(kind, value, read.value) : value !== '';
  if (kind === 'attribute') return { value, corrected, ...(corrected && { readAs: read?.value ?? '' }) };
  const alike = spots.filter((spot) => spot.kind === kind && value !== '' && isSame(kind, spot.value, value));
  const spot = alike.find((one) => overlaps(one, confirmed)) ?? (kind === 'amount' ? alike.at(-1) : alike[0]);
  const mistaken = corrected && read ? spots.find((one) => one.kind === kind && overlaps(one, read)) : undefined;
  return {
    value,
    corrected,
    ...(spot && { anchor: anchorOf(spot, pages) }),
    ...(mistaken && { wrong: anchorOf(mistaken, pages) }),
  };
}

/** Whether a spot lies where a value was taken from. */
export function overlaps(
  { page, box }: Pick<Spot, 'page' | 'box'>,
  place: { page: number | null; position: Position | null },
): boolean {
  if (place.page !== page || !place.position) return false;
  const [left, top, right, bottom] = place.position;
  const wide = Math.min(box[2], right) - Math.max(box[0], left);
  const high = Math.min(box[3], bottom) - Math.max(box[1], top);
  return wide > 0 && high > 0 && wide * high > 0.3 * Math.min(area(box), area(place.position));
}

const area = ([left, top, right, bottom]: Position) => (right - left) * (bottom - top);

const KEYS: Record<string, string> = {
  sender_vat_id: 'vat',
  iban: 'iban',
  sender_ic: 'ic',
  sender_dic: 'dic',
  account_num: 'account',
  sender_name: 'name',
};
const FEWEST_CHARACTERS = 4;

/** The names by which a sender is known, the strongest first; `values`: engine's identifier -> value. */
export function keysOf(values: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(KEYS).flatMap(([field, prefix]) => {
    const name = normalize(values[field] ?? '').join(prefix === 'name' ? ' ' : '');
    return name.length >= FEWEST_CHARACTERS ? [`${prefix}:${name.slice(0, 200)}`] : [];
  });
}

/** Words without digits, in reading order, each once. */
export function layoutWords(pages: readonly PageLayout[]): string[] {
  const words = new Set<string>();
  for (const { tokens } of pages)
    for (const { parts } of tokens)
      for (const part of parts) {
        if (part.length > 2 && !/\d/.test(part)) words.add(part);
        if (words.size === MOST_LAYOUT_WORDS) return [...words];
      }
  return [...words];
}
