import type { Line, PageLayout, Token } from '../../layout/page-layout';
import { type Column, findBorders, type HeaderCell, joinHeaderCells, linesBelow } from '../../layout/tables';
import { findKeys, type Key, makeMender } from '../key-phrases';
import { type Meaning, MONEY, settleMeanings } from './column-meanings';
import { COLUMNS, cutAtKeys, HEADING_GAP, readMeaning } from './headings';
import { upToTotals } from './sums';

/** The lines that head a table on a page, and its columns. */
export interface Head {
  /** Height under which the rows begin, in pixels. */
  bottom: number;
  columns: Column<Meaning>[];
  lines: Line[];
}

/** The head of a page's table: the lines of which most cells are known headings. */
export function findHead(page: PageLayout, keys: Key[], priced: boolean): Head | undefined {
  const columnKeys = findKeys(withTightSegments(page), COLUMNS);
  const mend = page.source === 'ocr' ? makeMender(COLUMNS) : (part: string) => part;
  let best: { head: Head; score: number } | undefined;
  for (let at = 0; at < page.lines.length; at++) {
    if (countMeanings(page.lines[at]!, columnKeys) < 2) continue;
    for (const depth of [1, 2, 3, 4]) {
      for (const back of [0, 1, 2]) {
        const start = at - back;
        const band = page.lines.slice(start, start + depth);
        if (start < 0 || start + depth <= at || band.length < depth || !isBand(band, page, columnKeys)) continue;
        const read = readHead(page, band, columnKeys, keys, mend, priced);
        if (read && (!best || read.score > best.score)) best = read;
      }
    }
  }
  return best?.head;
}

/** Words of one heading stand as close as those of a text; "Importo" and "IVA" in two cells are two headings. */
function withTightSegments(page: PageLayout): PageLayout {
  if (page.source === 'ocr') return page;
  const gap = HEADING_GAP * page.unit;
  const segments = page.segments.flatMap((segment) => {
    const pieces: Token[][] = [];
    for (const token of segment.tokens) {
      const last = pieces.at(-1);
      if (last && token.box[0] - last.at(-1)!.box[2] < gap) last.push(token);
      else pieces.push([token]);
    }
    return pieces.map((tokens) => ({ ...segment, tokens }));
  });
  return { ...page, segments };
}

function countMeanings(line: Line, columnKeys: Key[]): number {
  const meanings = columnKeys.filter((key) => key.line === line.number).map((key) => key.meanings[0]!.field);
  return new Set(meanings).size;
}

/** Words of a heading. */
const LONGEST_HEADING = 4;

/** The lines of a head stand close together and hold no amounts. */
function isBand(band: Line[], page: PageLayout, columnKeys: Key[]): boolean {
  return band.every((line, at) => {
    const gap = at === 0 ? 0 : (line.box[1] - band[at - 1]!.box[3]) / page.unit;
    // "Ref: Festival" is a label with its value.
    const isPair = line.segments.some(({ tokens }) => tokens.slice(0, -1).some(({ text }) => /\p{L}:$/u.test(text)));
    // "We charge for the goods and services delivered:" comes before a table.
    const isSentence = line.segments.some(({ tokens, text }) => tokens.length > LONGEST_HEADING && /:$/.test(text));
    // "Faktura wystawiona w cenach netto w walucie PLN", too.
    const isRemarkOnPrices = isSentenceOf(line, columnKeys);
    // "(attestation TVA reçue)" over a table belongs to the text before it.
    const isRemark = line.segments.length === 1 && line.tokens.length > 2 && /^\(.+\)$/.test(line.segments[0]!.text);
    return (
      gap < 0.9 &&
      !isPair &&
      !isSentence &&
      !isRemark &&
      !isRemarkOnPrices &&
      !line.tokens.some((token) => /\d[.,]\d{2}\b|\d{3}/.test(token.text))
    );
  });
}

/** One text of which most words belong to no heading. */
function isSentenceOf({ segments, tokens, number }: Line, columnKeys: Key[]): boolean {
  if (segments.length > 1 || tokens.length <= LONGEST_HEADING) return false;
  const own = columnKeys.filter(({ line }) => line === number);
  return tokens.filter((token) => own.some((key) => key.tokens.includes(token))).length < tokens.length / 2;
}

function readHead(
  page: PageLayout,
  band: Line[],
  columnKeys: Key[],
  keys: Key[],
  mend: (part: string) => string,
  priced: boolean,
): { head: Head; score: number } | undefined {
  const pieces = band.flatMap((line) => cutAtKeys(line, columnKeys));
  const cells = withUnnamed(page, band, joinHeaderCells(pieces));
  if (cells.length < 2 || cells.length > 14) return undefined;
  const meanings = settleMeanings(cells.map((cell) => readMeaning(cell.parts.map(mend))));
  const known = new Set<Meaning>(meanings.filter((meaning) => meaning !== 'other' && meaning !== 'unknown'));
  const money = [...known].filter((meaning) => MONEY.has(meaning)).length;
  if (priced ? money === 0 : money > 0 || !known.has('description') || !known.has('quantity')) return undefined;
  // A description and an amount are a table when the line says nothing else.
  const isAll = cells.length === 2 ? band.length === 1 : cells.length <= 4 && !meanings.includes('unknown');
  if (known.size < 3 && !(isAll && known.has('description'))) return undefined;
  if (!known.has('description') && !(known.has('quantity') && known.has('amount_base'))) return undefined;
  // "Total", "VAT" and the like beside each other may as well be the table of taxes.
  if (!known.has('description') && !known.has('quantity')) return undefined;
  const bottom = Math.max(...band.map((line) => line.box[3]));
  const under = linesBelow(page, bottom);
  const body = upToTotals(under, keys);
  const boxes = cells.map((cell) => cell.box);
  const borders = findBorders(boxes, body);
  const columns = cells.map((cell, index) => ({
    meaning: meanings[index]!,
    left: index === 0 ? 0 : borders[index - 1]!,
    right: index === cells.length - 1 ? page.width : borders[index]!,
    header: cell.box,
  }));
  const unknown = meanings.length - known.size;
  const first = page.lines.indexOf(band[0]!);
  const score = known.size * 2 + money - unknown * 0.7 - band.length * 0.6 - first * 0.01;
  return { head: { bottom, columns, lines: band }, score };
}

/** Share of the page's width that descriptions without a heading take up at least. */
const WIDTH_OF_TEXT = 0.25;

/** Prices and amounts may be all that is headed: under the space at the left there are the descriptions. */
function withUnnamed(page: PageLayout, band: Line[], cells: HeaderCell[]): HeaderCell[] {
  const known = cells.flatMap(({ parts }) => readMeaning(parts));
  const [first] = cells;
  const isPriced = known.includes('amount_base') && known.some((one) => /^amount_total/.test(one));
  if (!first || !isPriced || known.includes('description') || known.includes('quantity')) return cells;
  const bottom = Math.max(...band.map(({ box }) => box[3]));
  const under = linesBelow(page, bottom).find(({ tokens }) => tokens.some(({ text }) => /\p{L}{3}/u.test(text)));
  const [left, top] = [under?.box[0] ?? page.width, first.box[1]];
  if (first.box[0] - left < WIDTH_OF_TEXT * page.width) return cells;
  return [{ text: '', parts: ['description'], box: [left, top, first.box[0] - page.unit, first.box[3]] }, ...cells];
}

/** True for two heads with the same columns at the same places. */
export function isSameTable(columns: Column<Meaning>[], others: Column<Meaning>[]): boolean {
  const isNear = (a: Column<Meaning>, b: Column<Meaning>) => Math.abs(a.header[0] - b.header[0]) < 40;
  return columns.length === others.length && columns.every((column, at) => isNear(column, others[at]!));
}
