import { Decimal as DecimalJs } from 'decimal.js';

/** Decimals with room for every digit of two values of the longest kind, so that sums are exact. */
const Exact = DecimalJs.clone({ precision: 4000 });

export type Decimal = DecimalJs;

/** @param text plain decimal, such as `-1234.50` */
export function decimalOf(text: string): Decimal {
  return new Exact(text);
}

/** The exact sum. */
export function add(numbers: readonly Decimal[]): Decimal {
  return numbers.reduce((sum, number) => sum.plus(number), decimalOf('0'));
}

/** The exact sum with the decimals of the addend that has most: `1.50` and `1.5` are `3.00`. */
export function addTexts(texts: readonly string[]): string {
  const decimals = texts.map((text) => text.split('.')[1]?.length ?? 0);
  return add(texts.map(decimalOf)).toFixed(Math.max(0, ...decimals));
}
