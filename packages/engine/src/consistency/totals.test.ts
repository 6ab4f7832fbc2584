import { chooseTotals, type TotalCandidates, textOf } from './totals';

/** An amount with what its label says of it, in logits. */
const amount = (units: number, score: number) => ({ value: undefined, units: units * 10_000, score });

/** Two rates: 900.00 with a tax of 207.00, and 12,600.00 with one of 630.00. */
const TWO_TAXES = { base: 135_000_000, tax: 8_370_000, parts: [2_070_000, 6_300_000] };

const ONE_OF_THEM: TotalCandidates = {
  amount_total: [amount(1107, 2), amount(14_337, 1.2)],
  amount_total_base: [amount(900, 2)],
  amount_total_tax: [amount(207, 2)],
};

test('the named sum of several taxes is the total, although one of them adds up by itself', () => {
  const { amount_total, amount_total_base, amount_total_tax } = chooseTotals(ONE_OF_THEM, [], TWO_TAXES);
  expect([amount_total, amount_total_base, amount_total_tax].map((list) => textOf(list![0]!))).toEqual([
    '14337.00',
    '13500.00',
    '837.00',
  ]);
});

test('one that adds up stays the total where their sum is named nowhere', () => {
  const named = { ...ONE_OF_THEM, amount_total: [amount(1107, 2)] };
  expect(textOf(chooseTotals(named, [], TWO_TAXES).amount_total![0]!)).toBe('1107.00');
});
