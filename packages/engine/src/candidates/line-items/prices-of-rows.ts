import type { TableRow } from '../../recognition';
import type { Value } from '../values';

const PRICES = [
  ['table_column_amount_base', 'table_column_amount_total_base'],
  ['table_column_amount', 'table_column_amount_total'],
] as const;

/**
 * Shops head the amounts of their rows "Price": without another amount in the rows, what makes a sum that is printed elsewhere on
 * the document, and does not when it is multiplied by the quantities, is the amount of the row.
 *
 * @param values amounts outside of the table
 */
export function settlePrices(rows: TableRow[], values: Value[]): TableRow[] {
  const cell = (row: TableRow, column: string) => Number(row.cells[column]?.value ?? Number.NaN);
  for (const [price, total] of PRICES) {
    const isPriced = ({ cells }: TableRow) =>
      cells[price] && !PRICES.some((columns) => columns.some((column) => column !== price && cells[column]));
    if (rows.length === 0 || !rows.every(isPriced)) continue;
    const sumOf = (amount: (row: TableRow) => number) => rows.reduce((sum, row) => sum + amount(row), 0);
    const isPrinted = (sum: number) => values.some(({ value }) => Math.abs(Number(value) - sum) < 0.011);
    const plain = sumOf((row) => cell(row, price));
    const multiplied = sumOf((row) => cell(row, price) * (cell(row, 'table_column_quantity') || 1));
    if (!isPrinted(plain) || isPrinted(multiplied)) continue;
    return rows.map((row) => {
      const { [price]: amount, ...cells } = row.cells;
      return { ...row, cells: { ...cells, [total]: amount! } };
    });
  }
  return rows;
}
