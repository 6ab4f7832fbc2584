import { type Line, type PageLayout, type Token, unite } from '../layout/page-layout';
import { type Column, cutLine, findBorders, joinHeaderCells, linesBelow } from '../layout/tables';
import type { FieldCandidate, Position, TableRow } from '../recognition';
import { cutRow, settleByContent } from './column-content';
import { type Meaning, MONEY, NUMERIC, settleMeanings } from './column-meanings';
import { findKeys, GROSS, type Key, loadPhrases, makeMender, NET } from './key-phrases';
import { type DecimalMark, mendPercent, NUMBER_PATTERN, parseNumber } from './numbers';
import { readCurrency } from './values';

const COLUMNS = loadPhrases('table-columns.json');

export interface LineItems {
  rows: TableRow[];
  /** Lines that the table covers, as `page:line`. */
  lines: Set<string>;
}

interface Head {
  page: PageLayout;
  bottom: number;
  columns: Column<Meaning>[];
  lines: Line[];
}

/**
 * The table of line items: a head whose cells say what the columns are, and the rows under it up to the totals; on
 * following pages the head may be repeated or not.
 *
 * @param priced false for the tables of delivery notes, which have no prices
 */
export function findLineItems(pages: PageLayout[], keys: Key[], mark: DecimalMark, priced = true): LineItems {
  const rows: TableRow[] = [];
  const lines = new Set<string>();
  let columns: Column<Meaning>[] | undefined;
  let open = false;
  const keysOf = (page: PageLayout) => keys.filter((key) => key.page === page.number);
  for (const [at, page] of pages.entries()) {
    const pageKeys = keysOf(page);
    const head = findHead(page, pageKeys, priced);
    if (head) {
      columns = head.columns;
      for (const line of head.lines) lines.add(`${page.number}:${line.number}`);
    } else if (!columns || !open) continue;
    const body = head ? linesBelow(page, head.bottom) : page.lines;
    if (head) columns = settleByContent(columns!, upToTotals(body, pageKeys), mark);
    const read = readRows(page, body, columns!, pageKeys, mark, head !== undefined, rows.length > 0);
    for (const number of read.lines) lines.add(`${page.number}:${number}`);
    rows.push(...read.rows);
    open = !read.ended;
    // Sums at the foot of a page are carried forward; under the same head the table goes on.
    const next = pages[at + 1];
    const again = read.ended && next ? findHead(next, keysOf(next), priced) : undefined;
    if (again && isSameTable(columns!, again.columns)) continue;
    if (!open) columns = undefined;
    if (read.ended && rows.length > 0) break;
  }
  return { rows, lines };
}

/** True for two heads with the same columns at the same places. */
function isSameTable(columns: Column<Meaning>[], others: Column<Meaning>[]): boolean {
  const isNear = (a: Column<Meaning>, b: Column<Meaning>) => Math.abs(a.header[0] - b.header[0]) < 40;
  return columns.length === others.length && columns.every((column, at) => isNear(column, others[at]!));
}

// ------------------------------------------------------------------ head

function findHead(page: PageLayout, keys: Key[], priced: boolean): Head | undefined {
  const columnKeys = findKeys(withTightSegments(page), COLUMNS);
  const mend = page.source === 'ocr' ? makeMender(COLUMNS) : (part: string) => part;
  let best: { head: Head; score: number } | undefined;
  for (let at = 0; at < page.lines.length; at++) {
    if (countMeanings(page.lines[at]!, columnKeys) < 2) continue;
    for (const depth of [1, 2, 3, 4]) {
      for (const back of [0, 1, 2]) {
        const start = at - back;
        const band = page.lines.slice(start, start + depth);
        if (start < 0 || start + depth <= at || band.length < depth || !isBand(band, page)) continue;
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

/** Gap between two words of a heading, in heights of the page's words. */
const HEADING_GAP = 0.6;

function countMeanings(line: Line, columnKeys: Key[]): number {
  const meanings = columnKeys.filter((key) => key.line === line.number).map((key) => key.meanings[0]!.field);
  return new Set(meanings).size;
}

/** The lines of a head stand close together and hold no amounts. */
function isBand(band: Line[], page: PageLayout): boolean {
  return band.every((line, at) => {
    const gap = at === 0 ? 0 : (line.box[1] - band[at - 1]!.box[3]) / page.unit;
    // "Ref: Festival" is a label with its value.
    const isPair = line.segments.some(({ tokens }) => tokens.slice(0, -1).some(({ text }) => /\p{L}:$/u.test(text)));
    return gap < 0.9 && !isPair && !line.tokens.some((token) => /\d[.,]\d{2}\b|\d{3}/.test(token.text));
  });
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
  const cells = joinHeaderCells(pieces);
  if (cells.length < 2 || cells.length > 14) return undefined;
  const meanings = settleMeanings(cells.map((cell) => readMeaning(cell.parts.map(mend))));
  const known = new Set<Meaning>(meanings.filter((meaning) => meaning !== 'other' && meaning !== 'unknown'));
  const money = [...known].filter((meaning) => MONEY.has(meaning)).length;
  if (priced ? money === 0 : money > 0 || !known.has('description') || !known.has('quantity')) return undefined;
  // A description and an amount are a table when the line says nothing else.
  if (known.size < 3 && !(cells.length === 2 && band.length === 1 && known.has('description'))) return undefined;
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
  return { head: { page, bottom, columns, lines: band }, score };
}

/** A row may begin with the word for a deposit or a tax too, but has more numbers than a total. */
const CELLS_OF_ROW = 3;

/** The lines of a table before its sums, and before a gap behind its rows. */
function upToTotals(under: Line[], keys: Key[]): Line[] {
  const isTotal = (line: Line) =>
    isTotalLine(line, keys) && line.segments.filter(({ text }) => /^[\d.,\s%€$£-]+$/.test(text)).length < CELLS_OF_ROW;
  const end = under.findIndex((line, at) => isTotal(line) || (at > 0 && endsRows(under[at - 1]!, line)));
  return under
    .slice(0, end < 0 ? undefined : Math.max(3, end))
    .filter((line) => !isTotal(line))
    .slice(0, 40);
}

/** True where much more space than between lines follows on a row with numbers. */
function endsRows(row: Line, next: Line): boolean {
  const numbers = row.segments.filter(({ text }) => /^[\d.,\s%€$£-]+$/.test(text)).length;
  return numbers >= 2 && next.box[1] - row.box[3] > WIDE_GAP * (row.box[3] - row.box[1]);
}

/** Space behind the rows of a table, in heights of a line. */
const WIDE_GAP = 2;

/** Cuts a line of the head into headings: at gaps, and where a column's phrase begins or ends. */
function cutAtKeys(line: Line, columnKeys: Key[]): Token[][] {
  const own = columnKeys.filter((key) => key.line === line.number);
  return line.segments.flatMap((segment) => {
    const pieces: Token[][] = [];
    let loose: Token[] = [];
    const flush = () => {
      if (loose.length > 0) pieces.push(loose);
      loose = [];
    };
    for (const token of segment.tokens) {
      // "(excl. VAT)" says more about a heading and is none.
      const key = isInBrackets(segment.tokens, token) ? undefined : own.find((one) => one.tokens.includes(token));
      if (!key) loose.push(token);
      else if (key.tokens[0] === token) {
        flush();
        pieces.push([...key.tokens]);
      }
    }
    flush();
    return glueLoose(pieces, own);
  });
}

function isInBrackets(tokens: Token[], token: Token): boolean {
  const text = tokens
    .slice(0, tokens.indexOf(token) + 1)
    .map((one) => one.text)
    .join(' ');
  return text.lastIndexOf('(') > text.slice(0, -1).lastIndexOf(')');
}

/**
 * Words that are no heading of their own ("in EUR", "(net)") belong to the heading before them; at the beginning of a
 * text, to the one behind them ("Type of service").
 */
function glueLoose(pieces: Token[][], keys: Key[]): Token[][] {
  const glued: Token[][] = [];
  const joined = joinAtSlash(pieces);
  const [first, second] = joined;
  const isLoose = first && second && !keys.some((key) => key.tokens[0] === first[0]);
  if (isLoose && areWords(first) && second[0]!.box[0] - first.at(-1)!.box[2] < HEADING_GAP * heightOf(first))
    joined.splice(0, 2, [...first, ...second]);
  for (const piece of joined) {
    const isKey = keys.some((key) => piece.includes(key.tokens[0]!));
    const last = glued.at(-1);
    if (!isKey && last && piece[0]!.box[0] - last.at(-1)!.box[2] < 1.2 * (piece[0]!.box[3] - piece[0]!.box[1]))
      last.push(...piece);
    else glued.push([...piece]);
  }
  return glued;
}

const heightOf = ([token]: Token[]) => token!.box[3] - token!.box[1];
/** "Ohne MwSt." is the second line of a heading, and no heading. */
const areWords = (tokens: Token[]) =>
  tokens.every(({ text, parts }) => /^\p{L}{3,}$/u.test(text) && !NET.test(parts.join(' ')));

/** "Popis / Description" is one heading in two languages. */
function joinAtSlash(pieces: Token[][]): Token[][] {
  const joined: Token[][] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const isNext = last && (last.at(-1)!.text.endsWith('/') || piece[0]!.text.startsWith('/'));
    if (isNext) last.push(...piece);
    else joined.push([...piece]);
  }
  return joined;
}

/** What a heading means: the longest phrase in it; a description, when it names that and a code. */
function readMeaning(parts: string[]): Meaning[] {
  let best: { length: number; meanings: Meaning[] } | undefined;
  let described = false;
  parts.forEach((part, at) => {
    for (const phrase of COLUMNS.get(part) ?? []) {
      if (!phrase.parts.every((one, offset) => parts[at + offset] === one)) continue;
      described ||= phrase.meanings.length === 1 && phrase.meanings[0]!.field === 'description';
      if (!best || phrase.parts.length > best.length) {
        best = { length: phrase.parts.length, meanings: phrase.meanings.map((meaning) => meaning.field as Meaning) };
      }
    }
  });
  if (described && best?.meanings.every((meaning) => meaning === 'code' || meaning === 'position'))
    return ['description'];
  const text = parts.join(' ');
  const isGross = GROSS.test(text) && !NET.test(text);
  return (best?.meanings ?? []).map((meaning) => (isGross ? (WITH_TAX[meaning] ?? meaning) : meaning));
}

/** What amounts are when their heading says that they are with tax: "Item subtotal (incl. VAT)". */
const WITH_TAX: Partial<Record<Meaning, Meaning>> = { amount_base: 'amount', amount_total_base: 'amount_total' };

// ------------------------------------------------------------------ rows

const TOTALS = ['amount_total', 'amount_total_base', 'amount_total_tax', 'amount_due', 'total_stop', 'amount_paid'];

/** Sums at the end of a page and the beginning of the next. */
const CARRIED =
  /^(?:carr(?:y|ied) (?:forward|over)|brought forward|(?:sub ?total|total) carried|balance (?:carried|brought) forward|ubertrag|zwischensumme ubertrag|vortrag|a reporter|report|montant reporte|total a reporter|prevod|prenos|preneseno|do przeniesienia|z przeniesienia|riporto|a riportare|suma y sigue|suma anterior|a transportar|transporte?|over te (?:dragen|brengen)|overbrengen|overfort|overforing|overforsel|transporteras|atvitel|athozat|siirto|report din pagina)(?: |$)/;

const isCarried = (line: Line) =>
  line.segments.length <= 4 &&
  line.segments.some(({ tokens }) => CARRIED.test(tokens.flatMap((token) => token.parts).join(' '))) &&
  line.segments.filter(({ text }) => /\p{L}{3}/u.test(text)).length === 1;

/** Forms number their columns under the head: "1 2 3 4 5 (3x4) 6". */
function isNumbering({ segments }: Line): boolean {
  const all = segments
    .flatMap(({ text }) => text.split(/\s+(?=\d)/))
    .map((text) => /^\d{1,2}(?![\d.,])/.exec(text)?.[0]);
  // The first column may be numbered 0, which OCR takes for something else.
  const numbers = all[0] === undefined ? all.slice(1) : all;
  return (
    numbers.length >= 4 &&
    numbers.every((text, at) => text && (at === 0 || Number(text) === Number(numbers[at - 1]) + 1))
  );
}

/** A line in which the label of a total stands at the beginning, behind a rate or behind a gap. */
function isTotalLine(line: Line, keys: Key[]): boolean {
  const starts = line.segments.map(({ tokens }) =>
    tokens.find((token, at) => at > 2 || !/^[\d.,]+$|%$/.test(token.text)),
  );
  return keys.some(
    (key) =>
      key.line === line.number &&
      starts.includes(key.tokens[0]) &&
      key.meanings.some((meaning) => TOTALS.includes(meaning.field)),
  );
}

interface Cell {
  tokens: Token[];
  value: string;
  raw: string;
  extra?: string | undefined;
}

type Cells = Map<Meaning, Cell>;

function readRows(
  page: PageLayout,
  body: Line[],
  columns: Column<Meaning>[],
  keys: Key[],
  mark: DecimalMark,
  hasHead: boolean,
  continued: boolean,
): { rows: TableRow[]; lines: number[]; ended: boolean } {
  const drafts: { cells: Cells; text: Token[][]; lines: Line[] }[] = [];
  const numbers: number[] = [];
  let ended = false;
  let last: Line | undefined;
  let loose: Line[] = [];
  for (const [at, line] of body.entries()) {
    const cut = cutRow(line, columns, mark);
    const cells = readCells(cut, mark);
    const numeric = [...cells.keys()].filter((meaning) => NUMERIC.has(meaning));
    const money = numeric.filter((meaning) => MONEY.has(meaning));
    const hasQuantity = cells.has('quantity');
    if (isCarried(line) || (drafts.length === 0 && isNumbering(line))) {
      last = line;
      numbers.push(line.number);
      continue;
    }
    // "Deposit of 60 % for the windows" is sold like anything else.
    const isSum = isTotalLine(line, keys) || (money.length === 1 && isSetIn(line, drafts, page));
    const total = isSum && !(hasQuantity && (money.length >= 2 || numeric.length >= 3));
    if (total && (drafts.length > 0 || continued)) {
      if (goesOn(body.slice(at + 1), columns, mark)) {
        last = line;
        numbers.push(line.number);
        continue;
      }
      ended = true;
      break;
    }
    const gap = last ? (line.box[1] - last.box[3]) / page.unit : 0;
    const starts = hasQuantity && (cells.has('description') || cells.has('code')) && !isOpen(drafts.at(-1), columns);
    const isAlone = line.segments.length === 1 && ONE_AMOUNT.test(line.segments[0]!.text);
    const isRow =
      !isAlone &&
      (money.length > 0 || starts) &&
      (numeric.length >= 2 ||
        (cells.has('description') && columns.filter((one) => NUMERIC.has(one.meaning)).length <= 2));
    if (isRow && !total) {
      if (drafts.length > 0 && gap > 9) break;
      const description = columns.find((column) => column.meaning === 'description');
      const text = description ? cut.get(description) : undefined;
      const draft = { cells, text: text ? [text] : [], lines: [line] };
      // A description may begin in the line above its numbers.
      if (!text && loose.length > 0 && description) {
        for (const above of loose.slice(-1)) {
          const tokens = cutLine(above, columns).get(description);
          if (tokens) draft.text.unshift(tokens);
        }
      }
      // What stands between the head and the first row is part of the table too: the delivery note, a heading.
      if (drafts.length === 0 && hasHead) numbers.push(...loose.map((above) => above.number));
      drafts.push(draft);
      numbers.push(line.number);
      last = line;
      loose = [];
      continue;
    }
    if (drafts.length === 0) {
      loose.push(line);
      // References may fill the column of the description before the first row.
      if (hasHead && loose.filter((one) => !isDescription(one, columns)).length > 6) break;
      continue;
    }
    if (gap > 2.2) {
      // Behind a gap only a further row can follow; what else comes is looked at, but not taken.
      loose.push(line);
      if (loose.length > 5) break;
      continue;
    }
    const draft = drafts.at(-1)!;
    // A text with an amount is a sum or a charge, and no part of the row above it; an amount alone is the sum.
    const sum = money.some((meaning) => meaning === 'amount_total_base' || meaning === 'amount_total');
    if (sum && (cells.has('description') || isAlone) && !isOpen(draft, columns)) continue;
    const description = columns.find((column) => column.meaning === 'description');
    const tokens = description ? cut.get(description) : undefined;
    if (
      tokens &&
      staysInside(line, description!) &&
      draft.text.length < 4 &&
      tokens.some((token) => /\p{L}/u.test(token.text))
    )
      draft.text.push(tokens);
    if (isOpen(draft, columns)) {
      for (const meaning of money) if (!draft.cells.has(meaning)) draft.cells.set(meaning, cells.get(meaning)!);
    }
    const code = columns.find((column) => column.meaning === 'code');
    const codeTokens = code ? cut.get(code) : undefined;
    if (codeTokens && !draft.cells.has('code') && codeTokens.length === 1) {
      draft.cells.set('code', { tokens: codeTokens, value: codeTokens[0]!.text, raw: codeTokens[0]!.text });
    }
    const begun = draft.cells.get('code');
    if (begun && codeTokens?.length === 1 && /[-/]$/.test(begun.value)) {
      const value = `${begun.value}${codeTokens[0]!.text}`;
      draft.cells.set('code', { tokens: [...begun.tokens, ...codeTokens], value, raw: value });
    }
    numbers.push(line.number);
    draft.lines.push(line);
    last = line;
  }
  const complete = drafts.filter((draft) => !isOpen(draft, columns));
  if (!columns.some(({ meaning }) => meaning === 'quantity')) splitQuantities(complete, mark);
  if (!columns.some(({ meaning }) => meaning === 'uom')) splitUnits(complete, page.unit);
  if (!columns.some(({ meaning }) => meaning === 'code')) {
    splitCodes(complete, page.unit);
    unstackCodes(complete);
  } else dropPositions(complete);
  return { rows: complete.map((draft) => finishRow(page, draft, mark)), lines: numbers, ended };
}

/** Sums stand at the right, with their words far from the edge at which all descriptions begin. */
function isSetIn(line: Line, drafts: { text: Token[][] }[], page: PageLayout): boolean {
  const lefts = drafts.flatMap(({ text }) => (text[0]?.[0] ? [text[0][0].box[0]] : []));
  if (lefts.length === 0 || line.segments.length !== 2) return false;
  const edge = Math.max(...lefts);
  return edge - Math.min(...lefts) < page.unit && line.box[0] - edge > SET_IN * page.width;
}

/** Share of the page by which sums are set in. */
const SET_IN = 0.25;

const ONE_AMOUNT = new RegExp(
  String.raw`^\p{L}{0,3}[^\d\p{L}]{0,3}${NUMBER_PATTERN}\s?(?:\p{L}{1,3}|[^\d\p{L}]{1,3})?\.?$`,
  'u',
);

/** Quantities without a heading stand before the descriptions: "12 x Maintenance"; quantity x price = amount tells. */
function splitQuantities(drafts: { cells: Cells; text: Token[][] }[], mark: DecimalMark): void {
  const found = drafts.map(({ cells, text }) => {
    const [first, second] = text[0] ?? [];
    const value =
      first && second && /^\d/.test(first.text) ? parseNumber(first.text.replace(/[x×]$/i, ''), mark) : undefined;
    if (!first || value === undefined) return undefined;
    const quantity: Cell = { tokens: [first], value, raw: first.text };
    return productHolds(new Map(cells).set('quantity', quantity)) === 1 ? quantity : undefined;
  });
  if (drafts.length === 0 || found.filter(Boolean).length < 0.7 * drafts.length) return;
  drafts.forEach(({ cells, text }, at) => {
    const quantity = found[at];
    if (!quantity) return;
    cells.set('quantity', quantity);
    const rest = text[0]!.slice(1);
    text[0] = /^[x×]$/i.test(rest[0]!.text) ? rest.slice(1) : rest;
  });
}

/**
 * Units that belong to the quantities before them, although they stand over the edge of the next column: the words
 * behind them begin at one edge.
 */
function splitUnits(drafts: { cells: Cells; text: Token[][] }[], unit: number): void {
  const edge = drafts[0]?.text[0]?.[1]?.box[0];
  const isUnit = ({ cells, text }: (typeof drafts)[number]) => {
    const [first, second] = text[0] ?? [];
    const last = cells.get('quantity')?.tokens.at(-1);
    return (
      first !== undefined &&
      second !== undefined &&
      last !== undefined &&
      /^\p{L}{1,5}(?:\.|[²³?])?$/u.test(first.text) &&
      first.box[0] - last.box[2] < 0.6 * unit &&
      first.box[0] > last.box[0] &&
      Math.abs(second.box[0] - edge!) < 0.3 * unit
    );
  };
  if (drafts.length < 2 || edge === undefined || !drafts.every(isUnit)) return;
  for (const { cells, text } of drafts) {
    const token = text[0]!.shift()!;
    cells.set('uom', { tokens: [token], value: token.text, raw: token.text });
  }
}

/** "1 KR3M", "2 SFK5": numbers of rows under one heading with the codes. */
function dropPositions(drafts: { cells: Cells }[]): void {
  const coded = drafts.flatMap(({ cells }) => cells.get('code') ?? []);
  const numbers = coded.map(({ tokens }) =>
    tokens.length > 1 ? Number(tokens[0]!.text.replace(/\.$/, '')) : Number.NaN,
  );
  if (coded.length < 2 || !numbers.every((number, at) => number === numbers[0]! + at)) return;
  for (const cell of coded) {
    cell.tokens = cell.tokens.slice(1);
    cell.value = cell.tokens.map(({ text }) => text).join(' ');
    cell.raw = cell.value;
  }
}

/** Codes in a column of their own without a heading, or with one that OCR has left out: a gap stands behind them. */
function splitCodes(drafts: { cells: Cells; text: Token[][] }[], unit: number): void {
  const firsts = drafts.map(({ text }) => text[0]?.[0]);
  const isCode = (token: Token | undefined) => token !== undefined && /^[\p{Lu}\d][\p{Lu}\d./-]{2,}$/u.test(token.text);
  const widths = drafts.flatMap(({ text: [line] }) =>
    line && line.length > 1 ? [line[1]!.box[0] - line[0]!.box[0]] : [],
  );
  const isApart = drafts.every(
    ({ text: [line] }) => line && line.length > 1 && line[1]!.box[0] - line[0]!.box[2] > 0.8 * unit,
  );
  if (drafts.length < 2 || !isApart || !firsts.every(isCode)) return;
  if (!firsts.every((token) => /\d/.test(token!.text)) || Math.max(...widths) - Math.min(...widths) > 0.5 * unit)
    return;
  drafts.forEach(({ cells, text }) => {
    const token = text[0]!.shift()!;
    cells.set('code', { tokens: [token], value: token.text, raw: token.text });
  });
}

/** Where each description begins or ends with a line of its own that has the form of a code, these are the codes. */
function unstackCodes(drafts: { cells: Cells; text: Token[][] }[]): void {
  const isCode = (tokens: Token[] | undefined) =>
    tokens?.length === 1 && /^(?=.*[\p{Lu}\d])[\p{Lu}\d][\p{Lu}\d./_-]{2,}$/u.test(tokens[0]!.text);
  const hasDigit = (tokens: Token[]) => /[\d-]/.test(tokens[0]!.text);
  for (const at of [0, -1]) {
    const stacked = drafts.filter(({ text }) => text.length > 1);
    const lines = stacked.map(({ text }) => text.at(at)!);
    if (stacked.length === 0 || stacked.length < drafts.length - 1 || !lines.every(isCode)) continue;
    if (lines.filter(hasDigit).length < (at === 0 ? lines.length / 2 : lines.length)) continue;
    for (const draft of stacked) {
      const token = draft.text.at(at)![0]!;
      draft.cells.set('code', { tokens: [token], value: token.text, raw: token.text });
      draft.text = at === 0 ? draft.text.slice(1) : draft.text.slice(0, -1);
    }
    return;
  }
}

/** True for a row whose amounts are still to come, in a line below it. */
function isOpen(draft: { cells: Cells } | undefined, columns: Column<Meaning>[]): boolean {
  const wanted = columns.filter(({ meaning }) => MONEY.has(meaning));
  return draft !== undefined && wanted.length > 0 && !wanted.some(({ meaning }) => draft.cells.has(meaning));
}

/** Under the sum of a section there are further rows: quantity x price = amount, behind a description. */
function goesOn(below: Line[], columns: Column<Meaning>[], mark: DecimalMark): boolean {
  return below.some((line) => {
    const cells = readCells(cutRow(line, columns, mark), mark);
    return cells.has('description') && productHolds(cells) === 1;
  });
}

function isDescription(line: Line, columns: Column<Meaning>[]): boolean {
  const description = columns.find((column) => column.meaning === 'description');
  const last = line.segments.at(-1)!;
  return description !== undefined && line.box[0] >= description.left && last.box[2] <= description.right;
}

/** A line of text across the columns is a remark, not the rest of a description. */
function staysInside(line: Line, { left, right }: Column<Meaning>): boolean {
  return line.segments.every(({ box }) => {
    const [from, , to] = box;
    const height = box[3] - box[1];
    return to < left + height || from > right - height || (from > left - height && to < right + height);
  });
}

/** What is longer is the number of an account or the like. */
const MAX_DIGITS = 10;

const NUMBER = new RegExp(String.raw`[-+−–]?\(?\s?${NUMBER_PATTERN}-?\)?`, 'u');

const DATE = /(?<![\d.,])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d.,])/;

function readCells(cut: Map<Column<Meaning>, Token[]>, mark: DecimalMark): Cells {
  const cells: Cells = new Map();
  for (const [{ meaning }, tokens] of cut) {
    const raw = tokens.map((token) => token.text).join(' ');
    if (!NUMERIC.has(meaning)) {
      if (meaning === 'description' && !/\p{L}/u.test(raw)) continue;
      if (meaning === 'uom' && !/\p{L}/u.test(raw)) continue;
      cells.set(meaning, { tokens, value: raw, raw });
      continue;
    }
    // A date in a sentence is no quantity.
    const match = DATE.test(raw) ? null : NUMBER.exec(raw);
    const value = match ? parseNumber(match[0].replace(/^\((.*)\)$/, '-$1'), mark) : undefined;
    if (!match || value === undefined || value.split('.')[0]!.length > MAX_DIGITS) continue;
    const around = (raw.slice(0, match.index) + raw.slice(match.index + match[0].length)).replace(/[%\s]/g, ' ').trim();
    // Words in a column of numbers: only a currency or a unit may stand there.
    if (around.length > 8 && !readCurrency(around)) continue;
    const extra = /^\p{L}[\p{L}\d².³/]*\.?$/u.test(around) && !readCurrency(around) ? around : undefined;
    cells.set(meaning, { tokens, value, raw, extra });
  }
  return cells;
}

function finishRow(
  page: PageLayout,
  { cells, text, lines }: { cells: Cells; text: Token[][]; lines: Line[] },
  mark: DecimalMark,
): TableRow {
  const quantity = cells.get('quantity');
  const rate = cells.get('rate');
  const percent = page.source === 'ocr' && rate && Number(rate.value) > 30 ? mendPercent(rate.raw) : undefined;
  const mended = percent && (isExact(cells) || makesTax(cells, percent)) ? percent : undefined;
  if (rate && mended) cells.set('rate', { ...rate, value: mended });
  // A column headed "VAT" may hold amounts of tax.
  else if (rate && !cells.has('tax') && !/%/.test(rate.raw) && Number(rate.value) > 30) {
    cells.set('tax', rate);
    cells.delete('rate');
  }
  // Quantity and unit are one word, or stand under one heading.
  const glued = /^(\d[\d.,]*)\s?(\p{L}.*)$/u.exec(cells.get('uom')?.value ?? '');
  if (glued && !quantity) {
    const cell = cells.get('uom')!;
    const value = parseNumber(glued[1]!, mark);
    if (value !== undefined) cells.set('quantity', { ...cell, value });
    cells.set('uom', { ...cell, value: glued[2]! });
  }
  if (quantity?.extra && !cells.has('uom'))
    cells.set('uom', { ...quantity, value: quantity.extra, raw: quantity.extra });
  const own = cells.has('code') ? undefined : findCode(text);
  if (own) cells.set('code', own);
  text = own ? text.filter((tokens) => !tokens.includes(own.tokens[0]!)) : text;
  const description = text.flat();
  if (description.length > 0) {
    const words = text.map((tokens) => tokens.map((token) => token.text).join(' ')).join(' ');
    cells.set('description', { tokens: description, value: words, raw: words });
  }
  if (page.source === 'ocr') restorePoints(cells);
  cells.delete('position');
  cells.delete('other');
  cells.delete('unknown');
  const confidence = 0.62 + 0.33 * productHolds(cells);
  const out: Record<string, FieldCandidate> = {};
  for (const [meaning, cell] of cells) {
    const box: Position = unite(cell.tokens.map((token) => token.box));
    const unsure = cell.tokens.reduce((sum, token) => sum + token.confidence, 0) / cell.tokens.length;
    out[`table_column_${meaning}`] = {
      value: cell.value.trim(),
      rawText: cell.raw,
      page: page.number,
      position: box,
      confidence: Math.round(confidence * Math.min(1, unsure + 0.1) * 1000) / 1000,
    };
  }
  return { type: 'data', cells: out, page: page.number, position: unite(lines.map((line) => line.box)) };
}

/** True for a row whose amount has decimals: those of a rate beside it are not lost. */
const isExact = (cells: Cells) =>
  /[.,]\d{2}$/.test((cells.get('amount_total_base') ?? cells.get('amount_total'))?.raw ?? '');

/** True when a rate of the net amount of a row is the tax of the row. */
function makesTax(cells: Cells, percent: string): boolean {
  const [net, tax] = (['amount_total_base', 'tax'] as const).map((meaning) => Number(cells.get(meaning)?.value));
  return Math.abs((net! * Number(percent)) / 100 - tax!) <= 0.5 + Math.abs(tax!) * 0.001;
}

/** OCR loses the decimal mark now and then; quantity x price = amount tells where one stood. */
function restorePoints(cells: Cells): void {
  const names = ['quantity', 'amount_base', 'amount_total_base'] as const;
  if (productHolds(cells) !== -0.5) return;
  for (const name of names) {
    const cell = cells.get(name)!;
    if (!/^-?\d{2,}$/.test(cell.value)) continue;
    for (const places of [2, 1, 3]) {
      const digits = cell.value.replace('-', '').padStart(places + 1, '0');
      const value = `${cell.value.startsWith('-') ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
      cells.set(name, { ...cell, value });
      if (productHolds(cells) === 1) return;
    }
    cells.set(name, cell);
  }
}

/** The number of an article in the lines of its description, behind its label: "Art. no. 4711". */
function findCode(text: Token[][]): Cell | undefined {
  for (const tokens of text.slice(1)) {
    const parts = tokens.map((token) => token.parts);
    const code = tokens.at(-1)!;
    const label = parts.slice(0, -1).flat();
    const named = COLUMNS.get(label[0] ?? '')?.some(
      (phrase) =>
        phrase.parts.length === label.length &&
        phrase.parts.every((part, at) => part === label[at]) &&
        phrase.meanings.some((meaning) => meaning.field === 'code'),
    );
    if (!named || !/\d/.test(code.text)) continue;
    const value = code.text.replace(/^[(:]+|[),.;]+$/g, '');
    return { tokens: [code], value, raw: code.text };
  }
  return undefined;
}

/** 1 when quantity x price = total, -1 when it is something else, 0 when it cannot be told. */
function productHolds(cells: Cells): number {
  const [quantity, price, total] = (['quantity', 'amount_base', 'amount_total_base'] as const).map((meaning) =>
    Number(cells.get(meaning)?.value),
  );
  if (![quantity, price, total].every((value) => Number.isFinite(value))) return 0;
  const wanted = quantity! * price!;
  return Math.abs(wanted - total!) <= 0.011 + Math.abs(total!) * 0.002 ? 1 : -0.5;
}
