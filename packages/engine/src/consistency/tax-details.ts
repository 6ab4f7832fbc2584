import type { Value } from '../candidates/values';
import { unite } from '../layout/page-layout';
import type { FieldCandidate, TableRow } from '../recognition';
import type { TaxRow } from './tax-rows';

const cell = (value: Value, confidence: number): FieldCandidate => ({
  value: value.value,
  rawText: value.raw,
  page: value.page,
  position: value.box,
  confidence,
});

/** Rows of the table `tax_details`: found by arithmetic, else the one rate that stands beside the tax or with the items. */
export function tabulateTaxes(
  rows: TaxRow[],
  fields: Record<string, FieldCandidate[]>,
  rates: Value[],
  items: TableRow[],
): TableRow[] {
  if (rows.length > 0) {
    const whole = fields.amount_total_base?.[0];
    return rows.map(({ rate, base, tax, total, page }) => {
      const only = !base && rows.length === 1 && whole && isTaxOf(tax, rate, whole) ? whole : undefined;
      const parts = [rate, ...(base ? [base] : []), tax, ...(total ? [total] : [])];
      return {
        type: 'data',
        cells: {
          tax_detail_rate: cell(rate, 0.9),
          ...(base && { tax_detail_base: cell(base, 0.9) }),
          ...(only && { tax_detail_base: { ...only, confidence: Math.min(0.9, only.confidence) } }),
          tax_detail_tax: cell(tax, 0.9),
          ...(total && { tax_detail_total: cell(total, 0.85) }),
        },
        page,
        position: unite(parts.map((part) => part.box)),
      };
    });
  }
  const named = [
    ...rates.map((rate) => cell(rate, 0.9)),
    ...items.flatMap(({ cells }) => cells.table_column_rate ?? []),
  ];
  return singleRate(fields, named);
}

const isTaxOf = (tax: Value, rate: Value, base: FieldCandidate) =>
  Math.abs((Number(base.value) * Number(rate.value)) / 100 - Number(tax.value)) < 0.02;

/** One rate for everything: the totals are the row. */
function singleRate(fields: Record<string, FieldCandidate[]>, rates: FieldCandidate[]): TableRow[] {
  const base = fields.amount_total_base?.[0];
  const tax = fields.amount_total_tax?.[0];
  if (!tax?.position || !base || Number(tax.value) === 0) return [];
  const expected = (100 * Number(tax.value)) / Number(base.value);
  const rate = rates.find((value) => Math.abs(Number(value.value) - expected) < 0.06);
  if (!rate && !(expected > 0 && expected < 30)) return [];
  const confidence = Math.min(base.confidence, tax.confidence) * 0.95;
  return [
    {
      type: 'data',
      cells: {
        ...(rate && { tax_detail_rate: { ...rate, confidence } }),
        tax_detail_base: { ...base, confidence },
        tax_detail_tax: { ...tax, confidence },
      },
      page: tax.page,
      position: tax.position,
    },
  ];
}
