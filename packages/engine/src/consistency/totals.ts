import type { Labelled } from '../candidates/labelled';
import { fromUnits, toUnits } from '../candidates/numbers';
import type { Value } from '../candidates/values';
import { WEIGHTS } from '../scoring/confidence';
import type { TaxSums } from './tax-rows';

export type TotalField =
  | 'amount_total'
  | 'amount_total_base'
  | 'amount_total_tax'
  | 'amount_due'
  | 'amount_paid'
  | 'amount_rounding';

/** An amount that may be one of the totals. */
export interface Amount {
  value: Value | undefined;
  units: number;
  /** Logits; what the sums say is added by {@link chooseTotals}. */
  score: number;
}

export type TotalCandidates = Partial<Record<TotalField, Amount[]>>;

const CENT = 100;
const near = (a: number, b: number, tolerance = 1.01 * CENT) => Math.abs(a - b) <= tolerance;

/** Sums are rounded to whole crowns and forints, and to five centimes. */
function addsUp(sum: number, total: number, tolerance?: number): boolean {
  if (near(sum, total, tolerance)) return true;
  const apart = Math.abs(sum - total);
  return (total % (100 * CENT) === 0 && apart <= 50 * CENT) || (total % (5 * CENT) === 0 && apart <= 2.5 * CENT);
}

/** One candidate per value, best first. */
export function rankAmounts(pairs: Labelled<Value>[]): Amount[] {
  const best = new Map<number, Amount>();
  for (const { value, score } of pairs) {
    const units = toUnits(value.value);
    const whole = value.decimals === 0 && !value.currency ? -1 : 0;
    const known = best.get(units);
    if (!known) best.set(units, { value, units, score: score + whole });
    else known.score = Math.max(known.score, score + whole) + 0.3;
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, 12);
}

/**
 * Chooses the totals together: total = base + tax, due = total - paid (+ rounding). Each choice gets what its labels
 * say and a bonus for every equation that holds.
 *
 * @param labelled candidates with a label of their own
 * @param amounts all amounts of the document; one without a label counts when it completes an equation
 * @param taxRows sums of tax rows found by arithmetic, `undefined` when there are none
 * @returns candidates with scores that include what the sums say, best first
 */
export function chooseTotals(
  labelled: TotalCandidates,
  amounts: Value[],
  taxRows: TaxSums | undefined,
): TotalCandidates {
  const candidates = addThird(labelled, amounts);
  const totals = candidates.amount_total ?? [];
  const bases = withSum(candidates.amount_total_base ?? [], taxRows?.base);
  const taxes = withSum(candidates.amount_total_tax ?? [], taxRows?.tax);
  const dues = candidates.amount_due ?? [];
  const none: Amount = { value: undefined, units: Number.NaN, score: -1 };
  let best: { total: Amount; base: Amount; tax: Amount; score: number; holds: boolean } | undefined;
  // What is due may be all that names the total; where a total is named, it is the other.
  const instead = totals.some((total) => total.score > 0) ? 2.4 : 0.8;
  const paid = candidates.amount_paid?.[0];
  const isRest = (total: Amount) =>
    paid !== undefined && dues[0] !== undefined && near(dues[0].units + Math.abs(paid.units), total.units);
  // A row of several taxes adds up as well as they do together; where their sum is named, it is the total.
  const isSumNamed =
    taxRows !== undefined &&
    totals.some(({ score, units }) => score > 0 && addsUp(taxRows.base + taxRows.tax, units, 3 * CENT));
  for (const total of [...totals, ...dues.map((due) => ({ ...due, score: due.score - instead })), none]) {
    for (const base of [...bases, none]) {
      for (const tax of [...taxes, none]) {
        const known = [total, base, tax].filter((one) => one !== none).length;
        // Of nothing there is no tax.
        if (known === 0 || (base.units === 0 && tax.units > 0)) continue;
        let score = total.score + base.score + tax.score;
        const holds =
          known === 3 && addsUp(base.units + tax.units, total.units) && (total.units !== 0 || base.units === 0);
        if (holds) score += WEIGHTS.adds * (tax.units === 0 ? 0.7 : 1.6);
        else if (known === 3) score += 2 * WEIGHTS.contradicts;
        if (total !== none && isRest(total)) score += 1.2;
        if (total !== none && !paid && dues[0] && dues[0].score > 1 && addsUp(total.units, dues[0].units)) score += 0.6;
        if (taxRows) {
          if (near(taxRows.base, base.units)) score += 0.8;
          // One row of several is not their sum.
          else if (base !== none && base.units < taxRows.base) score -= 0.8;
          if (near(taxRows.tax, tax.units, 3 * CENT)) score += 0.8;
          else if ((!holds || isSumNamed) && taxRows.parts.includes(tax.units)) score -= ONE_OF_SEVERAL;
          if (addsUp(taxRows.base + taxRows.tax, total.units, 3 * CENT)) score += 1.2;
        }
        if (base !== none && total !== none && Math.abs(base.units) > Math.abs(total.units) + CENT) score -= 2;
        if (tax !== none && base !== none && tax.units !== 0 && Math.abs(tax.units) > 0.4 * Math.abs(base.units))
          score -= 1.5;
        if (!best || score > best.score) best = { total, base, tax, score, holds };
      }
    }
  }
  const chosen = best;
  if (!chosen) return candidates;
  const lift = (list: Amount[], pick: Amount, bonus: number): Amount[] => {
    if (pick === none) return list;
    const rest = list.filter((one) => one.units !== pick.units);
    const top = Math.max(pick.score, ...rest.map((one) => one.score));
    return [
      { ...pick, score: Math.max(pick.score + bonus, holdsTop(pick, rest) ? pick.score + bonus : top + 0.1) },
      ...rest,
    ];
  };
  const bonus = chosen.holds ? WEIGHTS.adds : 0;
  const result: TotalCandidates = {
    ...candidates,
    amount_total: lift(totals, chosen.total, bonus),
    amount_total_base: lift(bases, chosen.base, bonus),
    amount_total_tax: lift(taxes, chosen.tax, bonus),
  };
  complete(result, chosen, taxRows);
  const payments = sumOfPayments(result);
  if (payments)
    result.amount_paid = [payments, ...(result.amount_paid ?? []).map((one) => ({ ...one, score: one.score - 2 }))];
  settleDue(result, result);
  return result;
}

/** How little the tax of one rate is that of all, in logits. */
const ONE_OF_SEVERAL = 2.5;

/** Where two of base, tax and total have labels, an amount that completes them is the third. */
function addThird(labelled: TotalCandidates, amounts: Value[]): TotalCandidates {
  const byUnits = new Map(amounts.map((value) => [toUnits(value.value), value]));
  const top = (list: Amount[] | undefined) => (list ?? []).filter((one) => one.score > 0).slice(0, 3);
  const totals = [...top(labelled.amount_total), ...top(labelled.amount_due)];
  const bases = top(labelled.amount_total_base);
  const taxes = top(labelled.amount_total_tax).filter((tax) => tax.units !== 0);
  const extend = (list: Amount[] | undefined, wanted: number[]): Amount[] => {
    const known = new Set((list ?? []).map((one) => one.units));
    const found = [...new Set(wanted)].flatMap((units) => {
      const value = known.has(units) ? undefined : byUnits.get(units);
      return value ? [{ value, units, score: -0.2 }] : [];
    });
    return [...(list ?? []), ...found];
  };
  const dues = top(labelled.amount_due);
  const payments = top(labelled.amount_paid).map((paid) => Math.abs(paid.units));
  // Where an advance is deducted, the total itself may not be printed.
  const unprinted = bases
    .flatMap((base) => taxes.map((tax) => base.units + tax.units))
    .filter(
      (units) => !byUnits.has(units) && dues.some((due) => payments.some((paid) => near(due.units + paid, units))),
    );
  const known = new Set([...bases, ...taxes].map((one) => one.units));
  return {
    ...labelled,
    amount_paid: extend(
      labelled.amount_paid,
      top(labelled.amount_total)
        .flatMap((total) => dues.map((due) => total.units - due.units))
        .filter((units) => units > 0 && !known.has(units))
        // It may be printed as a deduction.
        .map((units) => (byUnits.has(units) ? units : -units)),
    ),
    amount_total_base: extend(
      labelled.amount_total_base,
      totals.flatMap((total) => taxes.map((tax) => total.units - tax.units)).filter((units) => units !== 0),
    ),
    amount_total_tax: extend(
      labelled.amount_total_tax,
      totals.flatMap((total) => bases.map((base) => total.units - base.units)),
    ),
    amount_total: [
      ...extend(
        labelled.amount_total,
        bases.flatMap((base) => taxes.map((tax) => base.units + tax.units)),
      ),
      ...[...new Set(unprinted)].map((units) => ({ value: undefined, units, score: 0.5 })),
    ],
  };
}

/** With several rates the sum is often not printed; it counts all the same. */
function withSum(list: Amount[], units: number | undefined): Amount[] {
  if (units === undefined || Number.isNaN(units) || list.some((one) => near(one.units, units))) return list;
  return [...list, { value: undefined, units, score: 0.2 }];
}

const holdsTop = (pick: Amount, rest: Amount[]) => rest.every((one) => one.score <= pick.score);

/** What two of the three and the tax rows say about the third. */
function complete(
  result: TotalCandidates,
  { total, base, tax }: { total: Amount; base: Amount; tax: Amount },
  taxRows: TaxSums | undefined,
): void {
  if (!tax.value && total.value && base.value && taxRows && near(taxRows.tax, total.units - base.units, 3 * CENT)) {
    result.amount_total_tax = [{ value: undefined, units: total.units - base.units, score: 0.6 }];
  }
  if (!base.value && total.value && taxRows && near(taxRows.base + taxRows.tax, total.units, 3 * CENT)) {
    result.amount_total_base = [
      { value: undefined, units: taxRows.base, score: 0.6 },
      ...(result.amount_total_base ?? []),
    ];
    if (!tax.value) result.amount_total_tax = [{ value: undefined, units: taxRows.tax, score: 0.6 }];
  }
}

/** Due is what the total leaves after what was paid; where nothing says otherwise it is the total. */
function settleDue(result: TotalCandidates, { amount_paid = [], amount_due = [] }: TotalCandidates): void {
  const total = result.amount_total?.[0];
  const paid = amount_paid[0];
  if (!total || amount_due.length === 0) return;
  result.amount_due = amount_due
    .map((due) => {
      const isRest = paid && near(due.units, total.units - Math.abs(paid.units));
      return { ...due, score: due.score + (isRest ? 1.2 : near(due.units, total.units) ? 0.8 : 0) };
    })
    .sort((a, b) => b.score - a.score);
}

/** What was paid in several parts: the first ones with labels, where their sum is what the total exceeds the rest by. */
function sumOfPayments({ amount_total, amount_paid = [], amount_due = [] }: TotalCandidates): Amount | undefined {
  const total = amount_total?.[0]?.units;
  let sum = 0;
  for (const [at, { units }] of amount_paid.entries()) {
    sum += Math.abs(units);
    const isRest = (due: Amount) => total !== undefined && near(due.units + sum, total);
    if (at > 0 && amount_due.some(isRest)) return { value: undefined, units: sum, score: 1.5 };
  }
  return undefined;
}

/** Decimal text of an amount: as printed, or with two places when it was calculated. */
export const textOf = (amount: Amount) => amount.value?.value ?? fromUnits(amount.units);
