import type { Line } from '../../layout/page-layout';
import type { Key } from '../key-phrases';

const TOTALS = ['amount_total', 'amount_total_base', 'amount_total_tax', 'amount_due', 'total_stop', 'amount_paid'];

/** A line in which the label of a total stands at the beginning, behind a rate or behind a gap. */
export function isTotalLine(line: Line, keys: Key[]): boolean {
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

/** A row may begin with the word for a deposit or a tax too, but has more numbers than a total. */
const CELLS_OF_ROW = 3;

/** The lines of a table before its sums, and before a gap behind its rows. */
export function upToTotals(under: Line[], keys: Key[]): Line[] {
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

/** Sums at the end of a page and the beginning of the next. */
const CARRIED =
  /^(?:carr(?:y|ied) (?:forward|over)|brought forward|(?:sub ?total|total) carried|balance (?:carried|brought) forward|ubertrag|zwischensumme ubertrag|vortrag|a reporter|report|montant reporte|total a reporter|prevod|prenos|preneseno|do przeniesienia|z przeniesienia|riporto|a riportare|suma y sigue|suma anterior|a transportar|transporte?|over te (?:dragen|brengen)|overbrengen|overfort|overforing|overforsel|transporteras|atvitel|athozat|siirto|report din pagina)(?: |$)/;

/** True for a line that carries a sum to the next page, or from the page before. */
export const isCarried = (line: Line) =>
  line.segments.length <= 4 &&
  line.segments.some(({ tokens }) => CARRIED.test(tokens.flatMap((token) => token.parts).join(' '))) &&
  line.segments.filter(({ text }) => /\p{L}{3}/u.test(text)).length === 1;

/** Forms number their columns under the head: "1 2 3 4 5 (3x4) 6". */
export function isNumbering({ segments }: Line): boolean {
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
