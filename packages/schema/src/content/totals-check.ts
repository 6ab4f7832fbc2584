import { add, type Decimal, decimalOf } from '../formats/decimal';
import type { ContentNode } from './content-node';

/** A value that the engine gave: the datapoint, what the value is, and the row it stands in. */
export interface EngineValue {
  node: ContentNode;
  /** Extracted identifier, such as `amount_total` or `tax_detail_base` (API: schemas.md section 3). */
  engineName: string;
  /** Id of the multivalue for cells of a table, null for fields of a section. */
  tableId: number | null;
}

/** Columns whose sum should be an amount of the whole document. */
const COLUMN_TOTALS = [
  ['tax_detail_base', 'amount_total_base'],
  ['tax_detail_tax', 'amount_total_tax'],
  ['tax_detail_total', 'amount_total'],
  ['table_column_amount_total_base', 'amount_total_base'],
  ['table_column_amount_total', 'amount_total'],
] as const;

/** Rounding that each addend may bring in. */
const TOLERANCE_PER_ADDEND = decimalOf('0.01');

/**
 * Finds the datapoints whose amounts agree with each other: the total with base and tax, the header amounts with the
 * sums of table columns, each within 0.01 per addend (API: annotation-content.md section 3, `checks`).
 *
 * A column counts only when every row of the table has a number in it.
 */
export function findAgreeingNodes(
  values: readonly EngineValue[],
  rowCounts: ReadonlyMap<number, number>,
): Set<ContentNode> {
  const agreeing = new Set<ContentNode>();
  const header = (name: string) => values.find((value) => value.tableId === null && value.engineName === name)?.node;
  const accept = (total: ContentNode | undefined, addends: readonly (ContentNode | undefined)[]) => {
    if (!total || !addsUp(total, addends)) return;
    for (const node of [total, ...addends]) agreeing.add(node!);
  };

  accept(header('amount_total'), [header('amount_total_base'), header('amount_total_tax')]);
  for (const [column, amount] of COLUMN_TOTALS) {
    for (const [tableId, rowCount] of rowCounts) {
      const cells = values.filter((value) => value.tableId === tableId && value.engineName === column);
      if (rowCount > 0 && cells.length === rowCount)
        accept(
          header(amount),
          cells.map((cell) => cell.node),
        );
    }
  }
  return agreeing;
}

function addsUp(total: ContentNode, addends: readonly (ContentNode | undefined)[]): boolean {
  const expected = numberIn(total);
  const numbers = addends.map((node) => node && numberIn(node));
  if (!expected || !numbers.every((number): number is Decimal => number !== null && number !== undefined)) return false;
  return add(numbers).minus(expected).abs().lessThanOrEqualTo(TOLERANCE_PER_ADDEND.times(numbers.length));
}

function numberIn(node: ContentNode): Decimal | null {
  const text = node.content?.normalizedValue;
  return text !== null && text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? decimalOf(text) : null;
}
