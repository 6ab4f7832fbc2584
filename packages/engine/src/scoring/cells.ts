import type { PageLayout } from '../layout/page-layout';
import type { FieldCandidate, Recognition, TableRow } from '../recognition';
import { clamp, type Features, type Model, toConfidence } from './model';

type Tables = Recognition['tables'];

/** Column that adds up to a total -> the fields that it may add up to. */
const SUMS: Record<string, string[]> = {
  table_column_amount_total_base: ['amount_total_base', 'amount_total'],
  table_column_amount_total: ['amount_total', 'amount_total_base'],
  tax_detail_base: ['amount_total_base'],
  tax_detail_tax: ['amount_total_tax'],
};

/** The scoring stage for the cells of tables: a confidence for each. */
export function scoreCells(
  tables: Tables,
  fields: Record<string, FieldCandidate[]>,
  pages: PageLayout[],
  model: Model,
): Tables {
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => {
      const data = rows?.filter((row) => row.type === 'data') ?? [];
      const sums = addsUp(data, fields);
      const most = Math.max(1, ...data.map((row) => Object.keys(row.cells).length));
      const features = (row: TableRow, column: string, cell: FieldCandidate): Features => ({
        always: 1,
        hand: logit(cell.confidence) / 4,
        cell: 1,
        addsUp: sums,
        product: productHolds(row),
        ocr: pages.find(({ number }) => number === cell.page)?.source === 'ocr' ? 1 : 0,
        rows: Math.log2(data.length + 1) / 5,
        single: data.length === 1 ? 1 : 0,
        full: Object.keys(row.cells).length / most,
        columns: most / 8,
        long: clamp(cell.value.length / 40, 0, 1.5),
        later: cell.page > 1 ? 1 : 0,
        everywhere: data.filter((other) => other.cells[column]).length / Math.max(1, data.length),
      });
      const scored = rows?.map((row) => ({
        ...row,
        cells: Object.fromEntries(
          Object.entries(row.cells).map(([column, cell]) => {
            const evidence = {
              value: cell.value,
              score: logit(cell.confidence),
              features: features(row, column, cell),
            };
            return [column, { ...cell, confidence: toConfidence(model(column, evidence)) }];
          }),
        ),
      }));
      return [table, scored];
    }),
  );
}

function logit(confidence: number): number {
  const inside = clamp(confidence, 0.02, 0.98);
  return Math.log(inside / (1 - inside));
}

/** 1 when some column adds up to a total of the document, -1 when none does, 0 when there is none to compare. */
export function addsUp(rows: readonly TableRow[], fields: Readonly<Record<string, FieldCandidate[]>>): number {
  let result = 0;
  for (const [column, totals] of Object.entries(SUMS)) {
    const cells = rows.flatMap((row) => row.cells[column] ?? []);
    if (cells.length === 0 || cells.length < rows.length / 2) continue;
    const sum = cells.reduce((total, cell) => total + Number(cell.value), 0);
    for (const total of totals) {
      const known = fields[total]?.[0];
      if (!known) continue;
      if (Math.abs(Number(known.value) - sum) < 0.02) return 1;
      result = -1;
    }
  }
  return result;
}

/** 1 when quantity times price is the amount of the row, -1 when it is not, 0 when one of them is missing. */
export function productHolds({ cells }: Pick<TableRow, 'cells'>): number {
  const [quantity, price, amount] = [
    cells.table_column_quantity,
    cells.table_column_amount_base ?? cells.table_column_amount,
    cells.table_column_amount_total_base ?? cells.table_column_amount_total,
  ];
  if (!quantity || !price || !amount) return 0;
  const product = Number(quantity.value) * Number(price.value);
  return Math.abs(product - Number(amount.value)) < 0.02 + Math.abs(product) * 0.001 ? 1 : -1;
}
