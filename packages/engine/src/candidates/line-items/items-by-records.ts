import type { Line, PageLayout, Token } from '../../layout/page-layout';
import type { DecimalMark } from '../numbers';
import { type Cells, readCells } from './cells';
import { MONEY, NUMERIC } from './column-meanings';
import { finishRow } from './finish-row';
import { COLUMNS, readMeaning } from './headings';
import type { LineItems } from './line-items';

/** So many records are no chance where no line numbers them. */
const LEAST_RECORDS = 2;
/** Lines of the only record there is; of several, the last has no more than the longest before it. */
const MOST_LINES = 30;

/** A line of some page. */
interface Placed {
  page: PageLayout;
  line: Line;
}

/** What is sold, and the lines that tell it. */
interface Item {
  record: Placed[];
  cells: Cells;
}

/** A label with what stands behind it. */
interface LabelledValue {
  label: string[];
  value: Token[];
}

/**
 * Line items that are printed one below the other, each with labels of its own, as the stylesheets of electronic
 * invoices do: "Position 1", "Menge: 8", "Gesamtpreis: 520,00".
 */
export function findItemsByRecords(pages: PageLayout[], mark: DecimalMark): LineItems {
  const lines = pages.flatMap((page) => page.lines.map((line) => ({ page, line })));
  const numbered = startsByNumber(lines);
  const starts = numbered.length > 0 ? numbered : startsByLabel(lines);
  const items = cutAtStarts(lines, starts)
    .map((record) => readRecord(record, mark))
    .filter(({ cells }) => isItem(cells));
  if (items.length < (numbered.length > 0 ? 1 : LEAST_RECORDS)) return { rows: [], lines: new Set() };
  return {
    rows: items.map(({ record, cells }) => {
      const { page } = record[0]!;
      const lines = record.filter((one) => one.page === page).map(({ line }) => line);
      return finishRow(page, { cells, text: [cells.get('description')!.tokens], lines }, mark);
    }),
    lines: new Set(items.flatMap(({ record }) => record.map(({ page, line }) => `${page.number}:${line.number}`))),
  };
}

/** What is sold, and for how much. */
const isItem = (cells: Cells) => cells.has('description') && [...MONEY].some((meaning) => cells.has(meaning));

const partsOf = (tokens: Token[]) => tokens.flatMap(({ parts }) => parts);

/** The meanings of a label of which every word is part of its phrase. */
function meaningsOf(label: string[]) {
  const isKnown = COLUMNS.get(label[0] ?? '')?.some(({ parts }) => parts.join(' ') === label.join(' '));
  return isKnown ? readMeaning(label) : [];
}

/** "Nr. linea: 1", "Position 2": lines that say nothing else, numbered from 1. */
function startsByNumber(lines: Placed[]): number[] {
  const starts: number[] = [];
  let name: string | undefined;
  for (const [at, { line }] of lines.entries()) {
    const parts = partsOf(line.tokens);
    const label = parts.slice(0, -1).join(' ');
    if (line.tokens.length < 2 || parts.at(-1) !== String(starts.length + 1) || (name ?? label) !== label) continue;
    if (!meaningsOf(parts.slice(0, -1)).some((meaning) => meaning === 'position' || meaning === 'code')) continue;
    name = label;
    starts.push(at);
  }
  return starts;
}

/** Where each record begins with the same label, which comes again and again. */
function startsByLabel(lines: Placed[]): number[] {
  const found = lines.flatMap(({ line }, at) => {
    const [first] = labelledValues(line);
    const isFirst = first && first.label.join(' ') === partsOf(line.tokens).slice(0, first.label.length).join(' ');
    return isFirst && meaningsOf(first.label).length > 0 ? [{ at, label: first.label.join(' ') }] : [];
  });
  const lead = found.find(({ label }) => found.filter((other) => other.label === label).length > 1);
  return found.filter(({ label }) => label === lead?.label).map(({ at }) => at);
}

/** The lines of each record: up to where the next one begins. */
function cutAtStarts(lines: Placed[], starts: number[]): Placed[][] {
  const longest = Math.max(0, ...starts.slice(1).map((start, at) => start - starts[at]!)) || MOST_LINES;
  return starts.map((start, at) => lines.slice(start, starts[at + 1] ?? start + longest));
}

/** Labels of a line with what stands behind their colon, or in the next text of the line. */
function labelledValues(line: Line): LabelledValue[] {
  return line.segments.flatMap(({ tokens }, at) => {
    const colon = tokens.findIndex(({ text }) => text.endsWith(':'));
    const isInside = colon >= 0 && colon < tokens.length - 1;
    const label = partsOf(isInside ? tokens.slice(0, colon + 1) : tokens);
    const next = line.segments[at + 1]?.tokens ?? [];
    const value = isInside ? tokens.slice(colon + 1) : meaningsOf(partsOf(next)).length > 0 ? [] : next;
    return label.length > 0 && value.length > 0 ? [{ label, value }] : [];
  });
}

/** The first value of each kind; a number of a kind that there is already belongs to what comes behind the record. */
function readRecord(record: Placed[], mark: DecimalMark): Item {
  const cells: Cells = new Map();
  let end = 0;
  for (const [at, { line }] of record.entries()) {
    for (const { label, value } of labelledValues(line)) {
      const meanings = meaningsOf(label);
      const meaning = meanings.find((one) => !cells.has(one));
      if (!meaning && meanings.some((one) => NUMERIC.has(one))) return { record: record.slice(0, end), cells };
      // "Valore: FL-4410" is no amount.
      if (!meaning || (NUMERIC.has(meaning) && value.some(({ text }) => /\p{L}\S*\d/u.test(text)))) continue;
      const column = { meaning, left: 0, right: 0, header: line.box };
      for (const [one, cell] of readCells(new Map([[column, value]]), mark)) cells.set(one, cell);
      end = at + 1;
    }
  }
  return { record: record.slice(0, end), cells };
}
