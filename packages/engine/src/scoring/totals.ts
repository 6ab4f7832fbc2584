import type { LabelOptions } from '../candidates/labelled';
import { toUnits } from '../candidates/numbers';
import { readCurrency, type Value } from '../candidates/values';
import {
  type Amount,
  chooseTotals,
  rankAmounts,
  type TotalCandidates,
  type TotalField,
  textOf,
} from '../consistency/totals';
import { type Findings, type Put, pairs, type Scored } from './findings';

const TOTAL_FIELDS: TotalField[] = [
  'amount_total',
  'amount_total_base',
  'amount_total_tax',
  'amount_due',
  'amount_paid',
  'amount_rounding',
];

/** The amounts of the whole document, chosen together: they must agree with each other. */
export function scoreTotals(findings: Findings, put: Put): void {
  const amounts = findings.values.filter(
    (value) =>
      value.type === 'amount' &&
      (value.decimals > 0 || value.currency) &&
      value.decimals <= 3 &&
      !findings.isItem(value.page, value.line),
  );
  const whole = findings.values.filter(
    (value) =>
      value.type === 'amount' &&
      value.decimals === 0 &&
      !value.currency &&
      !isCount(value) &&
      !findings.isItem(value.page, value.line),
  );
  const lastPage = findings.pages.length;
  const taxes = taxesInside(amounts);
  const isInside = (value: Value) => taxes.some((tax) => tax.value === value);
  const candidates: TotalCandidates = {};
  for (const field of TOTAL_FIELDS) {
    const options: LabelOptions = { last: true, maxLines: 5 };
    const list = [
      ...pairs(
        findings,
        field,
        amounts.filter((value) => !isInside(value)),
        options,
      ),
      ...pairs(findings, field, whole, options)
        .filter((pair) => pair.relation === 'beside')
        .map((pair) => ({ ...pair, score: pair.score - 0.8 })),
    ];
    // The summary stands at the end: lower on the page and on the last page.
    const placed = list.map((pair) => {
      const page = findings.pages[pair.value.page - 1]!;
      const down = pair.value.box[1] / page.height;
      return { ...pair, score: pair.score + 0.6 * down - 0.3 + (pair.value.page === lastPage ? 0.2 : 0) };
    });
    candidates[field] = rankAmounts(placed);
  }
  for (const { field, value } of findSumRows(findings)) {
    const units = toUnits(value.value);
    const list = candidates[field] ?? [];
    const known = list.find((one) => one.units === units);
    if (known) known.score = Math.max(known.score, SUM_ROW);
    else list.push({ value, units, score: SUM_ROW });
    candidates[field] = list.sort((a, b) => b.score - a.score);
  }
  const balances = balancesGivenBack(findings, amounts, candidates.amount_total ?? []);
  candidates.amount_due = candidates.amount_due?.filter(
    ({ units }) => !balances.some((one) => toUnits(one.value) === units),
  );
  for (const paid of paidAtOnce(findings, amounts, balances)) {
    const list = candidates.amount_total ?? [];
    const known = list.find((one) => one.units === paid.units);
    if (known) known.score += paid.score;
    else list.push(paid);
    candidates.amount_total = list.sort((a, b) => b.score - a.score);
  }
  for (const tax of taxes) {
    const list = candidates.amount_total_tax ?? [];
    if (!list.some(({ units }) => units === tax.units)) candidates.amount_total_tax = [...list, tax];
  }
  candidates.amount_total = withLargest(candidates.amount_total ?? [], amounts);
  const chosen = chooseTotals(candidates, [...amounts, ...whole], findings.taxSums);
  const floor: Partial<Record<TotalField, number>> = { amount_total: -2, amount_due: -1 };
  // What is not said to be paid is due.
  const total = chosen.amount_total?.[0];
  const withheld = new Set(
    pairs(findings, '_withheld', amounts, { last: true }).map(({ value }) => toUnits(value.value)),
  );
  chosen.amount_paid = chosen.amount_paid?.filter(({ units }) => !withheld.has(units));
  const due = chosen.amount_due?.[0];
  // What leaves the amount due of the total has been paid.
  chosen.amount_paid = chosen.amount_paid
    ?.map((one) => (total && due && leaves(total, one, due) ? { ...one, score: one.score + LEAVES_DUE } : one))
    .sort((a, b) => b.score - a.score);
  const isPaid = chosen.amount_paid?.some((amount) => amount.score > 1);
  if (total && !isPaid && !chosen.amount_due?.some((amount) => amount.score > 0)) {
    chosen.amount_due = [...(chosen.amount_due ?? []), { ...total, score: Math.min(0, total.score - 0.8) }];
    chosen.amount_due.sort((a, b) => b.score - a.score);
  }
  for (const field of TOTAL_FIELDS) {
    const list = (chosen[field] ?? []).filter(
      (amount) => amount.score > (floor[field] ?? -0.5) && !(field === 'amount_total_tax' && isMore(amount, total)),
    );
    const named = new Set((candidates[field] ?? []).filter((one) => one.value).map((one) => one.units));
    put(
      field,
      list.map((amount) => ({
        ...scoredAmount(amount, field),
        hints: {
          agrees: agrees(field, amount.units, chosen),
          named: named.has(amount.units) ? 1 : 0,
          calculated: amount.value ? 0 : 1,
          whole: amount.value?.decimals === 0 ? 1 : 0,
          taxRows: findings.taxSums ? 1 : 0,
          zero: amount.units === 0 ? 1 : 0,
        },
      })),
    );
  }
}

/** That total and due differ by what was paid, in logits. */
const LEAVES_DUE = 1.5;

const leaves = (total: Amount, paid: Amount, due: Amount): boolean =>
  paid.units !== 0 && Math.abs(total.units - Math.abs(paid.units) - due.units) <= 101;

/** No tax is as much as the total. */
const isMore = (tax: Amount, total: Amount | undefined): boolean =>
  total !== undefined && total.units !== 0 && Math.abs(tax.units) >= Math.abs(total.units);

/** What was given less the change, in logits: receipts print both. */
const LESS_CHANGE = 2;
/** What was paid where no change is printed. */
const GIVEN = 0.4;

/** Amounts beside a label. */
const amountsBeside = (findings: Findings, field: string, amounts: Value[]): Value[] =>
  pairs(findings, field, amounts, { last: true })
    .filter(({ relation, value }) => relation === 'beside' && Number(value.value) >= 0)
    .map(({ value }) => value);

const givenIn = (findings: Findings, amounts: Value[]): Value[] =>
  amountsBeside(findings, '_tendered', amounts).filter(({ value }) => Number(value) > 0);

/** "TOTAL 17.65, CASH 20.00, BALANCE 2.35": what receipts call a balance is the change. */
function balancesGivenBack(findings: Findings, amounts: Value[], totals: Amount[]): Value[] {
  const given = givenIn(findings, amounts).map(({ value }) => toUnits(value));
  const isChange = ({ value }: Value) =>
    totals.some(({ units }) => units > 0 && toUnits(value) > 0 && given.includes(units + toUnits(value)));
  return amountsBeside(findings, 'amount_due', amounts).filter(isChange);
}

/** Totals of a receipt as the payment tells them. */
function paidAtOnce(findings: Findings, amounts: Value[], balances: Value[]): Amount[] {
  const given = givenIn(findings, amounts);
  const change = [...amountsBeside(findings, '_change', amounts), ...balances];
  const printed = new Map(amounts.map((value) => [toUnits(value.value), value]));
  const less = given.flatMap((one) => change.map((other) => toUnits(one.value) - toUnits(other.value)));
  const known = [...new Set(less)].flatMap((units) => {
    const value = units > 0 ? printed.get(units) : undefined;
    return value ? [{ value, units, score: LESS_CHANGE }] : [];
  });
  if (known.length > 0 || change.some(({ value }) => Number(value) > 0)) return known;
  return given.map((value) => ({ value, units: toUnits(value.value), score: GIVEN }));
}

/** "120.00 (includes 20.00 VAT)": the tax in a price, which the words around it name. */
const taxesInside = (amounts: Value[]): Amount[] =>
  amounts.flatMap((value) => {
    const { tokens: all } = value.tokens[0]!.segment;
    const before = all.slice(0, all.indexOf(value.tokens[0]!)).slice(-2);
    const after = all[all.indexOf(value.tokens.at(-1)!) + 1];
    const isInside =
      /\b(?:in[ck]l\p{L}*|includes|incluye|include|inclut|darin|davon|dont|di cui|w tym|z toho|waarvan|varav|herav|heraf)\.?$/iu;
    const isTax = /^\(?(?:vat|gst|hst|mwst|ust|tva|iva|btw|dph|moms|mva|alv|áfa|pdv|ddv|tax)\b/iu.test(
      after?.text ?? '',
    );
    const isNamed = isTax && isInside.test(before.map(({ text }) => text).join(' '));
    return isNamed ? [{ value, units: toUnits(value.value), score: INSIDE }] : [];
  });

/** How surely words around an amount name it as a tax, in logits: more than what is left of the total, which may be the freight. */
const INSIDE = 5;

/** "Please pay within 14 days": a word behind a whole number says what is counted. */
function isCount({ tokens }: Value): boolean {
  const last = tokens.at(-1)!;
  const next = last.segment.tokens[last.segment.tokens.indexOf(last) + 1]?.text ?? '';
  return /^\p{Ll}{3,}/u.test(next) && !readCurrency(next);
}

/** What the last row of a table says by its sums alone, in logits. */
const SUM_ROW = 0.9;

/** The row under a table that begins with "total" and has base, tax and their sum; or base and tax, and the sum below. */
function findSumRows({ pages, keys, values, isItem }: Findings): { field: TotalField; value: Value }[] {
  return pages.flatMap((page) => {
    const named = keys.filter(
      (key) =>
        key.page === page.number &&
        key.meanings.some(({ field }) => field === 'amount_total' || field === 'total_stop'),
    );
    const amounts = values.filter(({ type, page: number }) => type === 'amount' && number === page.number);
    for (const line of [...page.lines].reverse()) {
      const own = amounts
        .filter((value) => value.line === line.number && !isItem(value.page, value.line))
        .sort((a, b) => a.box[0] - b.box[0]);
      if (
        own.length < 2 ||
        own.length > 6 ||
        !named.some((key) => key.line === line.number && key.box[0] < own[0]!.box[0])
      )
        continue;
      const below = amounts.filter(({ box }) => box[1] > line.box[1] && box[1] - line.box[3] < 4 * page.unit);
      const halves = halvesOf(own, amounts);
      if (halves) return halves;
      for (const [at, base] of own.entries()) {
        for (const tax of own.slice(at + 1)) {
          const [net, added] = [Number(base.value), Number(tax.value)];
          if (net * added <= 0 || Math.abs(added) > 0.3 * Math.abs(net)) continue;
          const total = [...own, ...below].find(
            (value) => value !== base && value !== tax && Math.abs(Number(value.value) - net - added) < 0.011,
          );
          if (!total) continue;
          return [
            { field: 'amount_total_base', value: base },
            { field: 'amount_total_tax', value: tax },
            { field: 'amount_total', value: total },
          ];
        }
      }
    }
    return [];
  });
}

/** "Total 79,075.00  7,116.75  7,116.75  14,233.50": base, two halves of a tax as in India, and the tax or the total. */
function halvesOf(row: Value[], amounts: Value[]): { field: TotalField; value: Value }[] | undefined {
  const at = row.findIndex(({ value }, index) => index > 0 && Number(value) > 0 && value === row[index + 1]?.value);
  const [base, half] = [row[at - 1], row[at]];
  if (at < 1 || !base || !half || Number(half.value) > 0.15 * Number(base.value)) return undefined;
  const isNear = (wanted: number, apart: number) => (one: Value) => Math.abs(Number(one.value) - wanted) < apart;
  const [net, added] = [Number(base.value), 2 * Number(half.value)];
  const tax = amounts.find(isNear(added, 0.011));
  const sum = [...amounts].reverse().filter(isNear(net + added, 1));
  const total = sum.find((one) => one.currency) ?? sum[0];
  if (!total) return undefined;
  return [
    { field: 'amount_total_base', value: base },
    ...(tax ? [{ field: 'amount_total_tax' as const, value: tax }] : []),
    { field: 'amount_total', value: total },
  ];
}

/** 1 when base and tax add up to the total with this amount, -1 when they do not, 0 when one of them is not known. */
function agrees(field: TotalField, units: number, chosen: TotalCandidates): number {
  const of = (other: TotalField) => (other === field ? units : chosen[other]?.[0]?.units);
  const [total, base, tax] = [of('amount_total'), of('amount_total_base'), of('amount_total_tax')];
  if (total === undefined) return 0;
  if (field === 'amount_due' || field === 'amount_paid') {
    return Math.abs(total - units) <= 101 ? 1 : 0;
  }
  if (base === undefined || tax === undefined) return 0;
  return Math.abs(base + tax - total) <= 101 ? 1 : -1;
}

/** Without any label the largest amount is the best guess. */
function withLargest(list: Amount[], amounts: Value[]): Amount[] {
  if (list.length > 0) return list;
  const largest = [...amounts].sort((a, b) => Number(b.value) - Number(a.value))[0];
  return largest ? [{ value: largest, units: Math.round(Number(largest.value) * 10_000), score: -1 }] : [];
}

const scoredAmount = (amount: Amount, field: TotalField): Scored => ({
  // What was paid is often printed as a deduction.
  value: field === 'amount_paid' ? textOf(amount).replace(/^-/, '') : textOf(amount),
  raw: amount.value?.raw ?? '',
  page: amount.value?.page ?? 1,
  box: amount.value?.box ?? null,
  tokens: amount.value?.tokens ?? [],
  score: amount.score,
});
