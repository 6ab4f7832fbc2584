import type { Line, PageLayout, Token } from '../../layout/page-layout';
import { type Column, cutLine } from '../../layout/tables';
import type { TableRow } from '../../recognition';
import type { Key } from '../key-phrases';
import { type DecimalMark, NUMBER_PATTERN } from '../numbers';
import { type Cells, type DraftRow, productHolds, readCells } from './cells';
import { cutRow } from './column-content';
import { type Meaning, MONEY, NUMERIC } from './column-meanings';
import { finishRow } from './finish-row';
import { dropPositions, splitCodes, splitQuantities, splitRates, splitUnits, unstackCodes } from './joined-cells';
import { isCarried, isNumbering, isTotalLine } from './sums';

/**
 * The rows in the lines under a head, up to the sums.
 *
 * @param body lines under the head, or all lines of a page on which the table goes on
 * @param continued true when a page before has rows of the table
 * @returns the rows; numbers of the lines that the table takes up; whether its sums were reached
 */
export function readRows(
  page: PageLayout,
  body: Line[],
  columns: Column<Meaning>[],
  keys: Key[],
  mark: DecimalMark,
  hasHead: boolean,
  continued: boolean,
): { rows: TableRow[]; lines: number[]; ended: boolean } {
  const drafts: DraftRow[] = [];
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
    const isSum =
      isTotalLine(line, keys) || (money.length === 1 && isSetIn(line, drafts, page)) || isSumByRate(cells, drafts);
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
    if (isTopOfCell(line, body[at + 1], columns, mark)) {
      loose.push(line);
      continue;
    }
    const draft = drafts.at(-1)!;
    // A text with an amount is a sum or a charge, and no part of the row above it; an amount alone is the sum.
    const sum = money.some((meaning) => meaning === 'amount_total_base' || meaning === 'amount_total');
    if (sum && (cells.has('description') || isAlone) && !isOpen(draft, columns)) continue;
    continueRow(draft, line, cut, cells, columns);
    numbers.push(line.number);
    last = line;
  }
  const complete = drafts.filter((draft) => !isOpen(draft, columns));
  if (!columns.some(({ meaning }) => meaning === 'quantity')) splitQuantities(complete, mark);
  if (!columns.some(({ meaning }) => meaning === 'rate' || meaning === 'amount_total_base')) splitRates(complete, mark);
  if (!columns.some(({ meaning }) => meaning === 'uom')) splitUnits(complete, page.unit);
  if (!columns.some(({ meaning }) => meaning === 'code')) {
    splitCodes(complete, page.unit);
    unstackCodes(complete);
  } else dropPositions(complete);
  return { rows: complete.map((draft) => finishRow(page, draft, mark)), lines: numbers, ended };
}

/** Where cells are centred, the first line of a description begins above the numbers of its row, and overlaps them. */
function isTopOfCell(line: Line, next: Line | undefined, columns: Column<Meaning>[], mark: DecimalMark): boolean {
  if (!next || line.box[3] - next.box[1] < 0.3 * (line.box[3] - line.box[1])) return false;
  const cut = cutRow(next, columns, mark);
  const cells = readCells(cut, mark);
  const hasText = [...cut.keys()].some(({ meaning }) => meaning === 'description');
  return isDescription(line, columns) && !hasText && [...cells.keys()].some((meaning) => MONEY.has(meaning));
}

/** A further line of a row: more of its description, the amounts that are still to come, the rest of its code. */
function continueRow(
  draft: DraftRow,
  line: Line,
  cut: Map<Column<Meaning>, Token[]>,
  cells: Cells,
  columns: Column<Meaning>[],
): void {
  const description = columns.find((column) => column.meaning === 'description');
  const tokens = description ? cut.get(description) : undefined;
  // Where no column is called so, the text under a code describes it.
  if (!description && line.segments.length === 1 && draft.text.length < 4 && /\p{L}{3}/u.test(line.segments[0]!.text))
    draft.text.push(line.tokens);
  if (
    tokens &&
    staysInside(line, description!) &&
    draft.text.length < 4 &&
    tokens.some((token) => /\p{L}/u.test(token.text))
  )
    draft.text.push(tokens);
  if (isOpen(draft, columns)) {
    for (const [meaning, cell] of cells) {
      if (MONEY.has(meaning) && !draft.cells.has(meaning)) draft.cells.set(meaning, cell);
    }
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
  draft.lines.push(line);
}

/** Under rows that all have a quantity, a price and a description, amounts with a rate alone are sums by rate. */
function isSumByRate(cells: Cells, drafts: DraftRow[]): boolean {
  const own: Meaning[] = ['description', 'quantity', 'amount_base', 'amount', 'code'];
  const isWhole = ({ cells: row, text }: DraftRow) =>
    text.length > 0 && row.has('quantity') && (row.has('amount_base') || row.has('amount'));
  return drafts.length > 0 && cells.has('rate') && !own.some((meaning) => cells.has(meaning)) && drafts.every(isWhole);
}

/** Sums stand at the right, with their words far from the edge at which all descriptions begin. */
function isSetIn(line: Line, drafts: DraftRow[], page: PageLayout): boolean {
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

/** True for a row whose amounts are still to come, in a line below it. */
function isOpen(draft: DraftRow | undefined, columns: Column<Meaning>[]): boolean {
  const wanted = columns.filter(({ meaning }) => MONEY.has(meaning));
  return draft !== undefined && wanted.length > 0 && !wanted.some(({ meaning }) => draft.cells.has(meaning));
}

/**
 * Under the sum of a section, or of a row with its discount, there are further rows: quantity x price = amount behind a
 * description, or the number of a row, a code, and all of that in their columns.
 */
function goesOn(below: Line[], columns: Column<Meaning>[], mark: DecimalMark): boolean {
  return below.some((line) => {
    const cells = readCells(cutRow(line, columns, mark), mark);
    const isNumbered = cells.has('code') && /^\d{1,4}\.?$/.test(cells.get('position')?.raw ?? '');
    const isWhole = isNumbered && cells.has('amount_base') && cells.has('amount_total_base');
    return cells.has('description') && (productHolds(cells) === 1 || isWhole);
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
