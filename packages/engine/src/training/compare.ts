import { normalize } from '../layout/page-layout';

/** A value that stands on the page; of a list, any is right. */
export type Wanted = string | string[];

const AMOUNT = /^amount_/;
const TEXT = /_(?:name|address)$|^terms$|^supply_place$|^payment_method$/;
const COUNTRIES = new Set(
  'deutschland germany france frankreich united states usa us uk kingdom italia italy nederland netherlands espana spain portugal cesko slovensko polska magyarorszag schweiz switzerland osterreich austria india de fr it nl es pt cz sk pl hu ch at gb se dk'.split(
    ' ',
  ),
);

/**
 * Whether a value of a field is right: dates and codes exactly, amounts within half a cent, identifiers without case,
 * spaces and punctuation, names and addresses by most of their words.
 *
 * @param signless in credit notes amounts are printed with or without minus
 */
export function isRight(field: string, value: string, wanted: Wanted, signless = false): boolean {
  if (Array.isArray(wanted)) return wanted.some((one) => isRight(field, value, one, signless));
  if (AMOUNT.test(field)) return isSameNumber(value, wanted, 0.0051, signless);
  if (/^date_/.test(field)) return value === wanted;
  if (TEXT.test(field)) {
    const words = (text: string) =>
      normalize(text).filter((word) => !field.endsWith('address') || !COUNTRIES.has(word));
    return overlap(words(value), words(wanted)) >= (field === 'terms' ? 0.6 : 0.8);
  }
  const [a, b] = [identifier(value), identifier(wanted)];
  if (a === '') return false;
  if (a === b) return true;
  if (/_vat_id$|_dic$/.test(field)) {
    const bare = (text: string) => text.replace(/^[a-z]{2,3}(?=\d)/, '').replace(/(?:mwst|tva|iva)$/, '');
    return bare(a) === bare(b);
  }
  if (/_ic$|^var_sym$/.test(field)) {
    const digits = (text: string) => text.replace(/\D/g, '');
    return digits(b).length > 2 && digits(a) === digits(b);
  }
  return false;
}

const identifier = (text: string) => normalize(text).join('').replace(/#/g, '');

function isSameNumber(value: string, wanted: string, tolerance: number, signless: boolean): boolean {
  const [a, b] = [Number(value), Number(wanted)];
  const apart = signless ? Math.abs(Math.abs(a) - Math.abs(b)) : Math.abs(a - b);
  return apart <= Math.max(tolerance, Math.abs(b) * 1e-9);
}

/** Share of words that two texts have in common (F1 over their sets). */
function overlap(a: string[], b: string[]): number {
  const [left, right] = [new Set(a), new Set(b)];
  if (left.size === 0 || right.size === 0) return 0;
  return (2 * [...left].filter((word) => right.has(word)).length) / (left.size + right.size);
}

export type Row = Record<string, string>;

/** Cells of a table: right, predicted, wanted. */
export interface Counts {
  right: number;
  predicted: number;
  wanted: number;
}

/** Net and gross: where a document has only one of the two, either identifier is accepted. */
const SIBLINGS: Record<string, string> = {
  table_column_amount_base: 'table_column_amount',
  table_column_amount: 'table_column_amount_base',
  table_column_amount_total_base: 'table_column_amount_total',
  table_column_amount_total: 'table_column_amount_total_base',
};
const UNITS: Record<string, string> = Object.fromEntries([
  ...'pcs pc stk stuck st ea unit units un ud szt db'.split(' ').map((unit) => [unit, 'ks']),
  ...'hours hour hrs hod std godz ora'.split(' ').map((unit) => [unit, 'h']),
]);

function isCellRight(column: string, value: string | undefined, wanted: string, signless: boolean): boolean {
  if (!value) return false;
  if (/_description$|_other$/.test(column)) {
    const [found, all] = [normalize(value), normalize(wanted)];
    if (overlap(found, all) >= 0.7) return true;
    return all.length > 0 && all.every((word) => found.includes(word)) && found.length <= 3 * all.length + 6;
  }
  if (/_code$/.test(column)) return identifier(value) === identifier(wanted);
  if (/_uom$/.test(column)) {
    const unit = (text: string) => UNITS[identifier(text)] ?? identifier(text);
    return unit(value) === unit(wanted);
  }
  const fine = 1e-4 * Math.max(1, Math.abs(Number(wanted)));
  if (/rate$/.test(column)) {
    return isSameNumber(value, wanted, fine, false) || isSameNumber(value, String(Number(wanted) / 100), fine, false);
  }
  const isPrice = /quantity$|amount_base$|column_amount$/.test(column);
  return isSameNumber(value, wanted, isPrice ? fine : 0.0051, signless);
}

/** Where a predicted row goes, and which of its cells are right. */
export interface TableComparison {
  columns: Record<string, Counts>;
  /** For each predicted row: column -> right; only cells that the truth speaks of. */
  cells: Record<string, boolean>[];
}

/** Pairs rows greedily by what they have in common, then counts cell by cell over the columns that the truth has. */
export function compareTables(predicted: Row[], wanted: Row[], signless = false): TableComparison {
  const columns = [...new Set(wanted.flatMap((row) => Object.keys(row)))];
  const valueIn = (row: Row, column: string) => {
    const sibling = SIBLINGS[column];
    return row[column] || (sibling && !columns.includes(sibling) ? row[sibling] : undefined);
  };
  const weight = (column: string) => (/description$/.test(column) ? 3 : /amount|base|detail_tax/.test(column) ? 2 : 1);
  const pairs = wanted.flatMap((row, at) =>
    predicted.flatMap((other, index) => {
      const score = Object.keys(row)
        .filter((column) => isCellRight(column, valueIn(other, column), row[column]!, signless))
        .reduce((sum, column) => sum + weight(column), 0);
      return score > 0 ? [{ score: score - Math.abs(at - index) * 1e-3, at, index }] : [];
    }),
  );
  pairs.sort((a, b) => b.score - a.score);
  const partner = new Map<number, number>();
  const rowOf = new Map<number, number>();
  for (const { at, index } of pairs) {
    if (rowOf.has(at) || partner.has(index)) continue;
    rowOf.set(at, index);
    partner.set(index, at);
  }
  const counts: Record<string, Counts> = Object.fromEntries(
    columns.map((column) => [column, { right: 0, predicted: 0, wanted: 0 }]),
  );
  wanted.forEach((row, at) => {
    const other = rowOf.has(at) ? predicted[rowOf.get(at)!]! : undefined;
    for (const column of Object.keys(row)) {
      counts[column]!.wanted++;
      if (other && isCellRight(column, valueIn(other, column), row[column]!, signless)) counts[column]!.right++;
    }
  });
  const cells = predicted.map((other, index) => {
    const row = partner.has(index) ? wanted[partner.get(index)!]! : undefined;
    const judged: Record<string, boolean> = {};
    for (const column of columns) {
      const value = valueIn(other, column);
      if (!value || (row && !(column in row))) continue;
      counts[column]!.predicted++;
      judged[column] = row !== undefined && isCellRight(column, value, row[column]!, signless);
    }
    return judged;
  });
  return { columns: counts, cells };
}
