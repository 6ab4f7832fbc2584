/** The character before the decimals in a document. */
export type DecimalMark = '.' | ',';

/** An amount as printed: digits with separators, perhaps grouped by spaces, perhaps with a sign in front or behind. */
const GROUPED = String.raw`\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,8})?(?!\d)`;
/** Lakhs and crores: `1,47,750.00`. */
const INDIAN = String.raw`\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?`;
const PLAIN = String.raw`\d+(?:[.,]\d{1,8})?`;
export const NUMBER_PATTERN = `(?:${INDIAN}|${GROUPED}|${PLAIN})`;

/** "$ 276.500": without its currency it may be a weight. */
const WHOLE_AMOUNT =
  /(?:[$€₫₲₡]|\b(?:Rp|CLP|COP|PYG|IDR|VND|ISK)\.?)\s?[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?![\d.,]*\d)/g;
const LEAST_GROUPS = 2;
/** Weights have three decimals, too, but not so many of them in cells of their own, and nothing with two. */
const LEAST_THOUSANDS = 4;

/**
 * Which decimal mark the document uses, told by the numbers that leave no doubt (`12,50`, `1.234,50`).
 */
export function guessDecimalMark(texts: Iterable<string>): DecimalMark {
  let comma = 0;
  let point = 0;
  const groups = { ',': 0, '.': 0 };
  const thousands = { ',': 0, '.': 0 };
  for (const text of texts) {
    for (const [, whole, mark] of text.matchAll(/(\d[\d.,]*)([.,])\d{2}(?![\d.,]*\d)/g)) {
      // A date in short form looks the same.
      if (/^\d{1,2}\.\d{1,2}$/.test(whole!) && mark === '.') continue;
      if (mark === ',') comma++;
      else point++;
    }
    for (const [, mark] of text.matchAll(WHOLE_AMOUNT)) groups[mark as DecimalMark]++;
    const whole = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.exec(text);
    if (whole) thousands[whole[1] as DecimalMark]++;
  }
  // Where no amount has decimals, as in Chile, a point before three digits parts thousands.
  if (comma === 0 && point === 0 && groups['.'] >= LEAST_GROUPS && groups[','] === 0) return ',';
  // So it is where all amounts are whole, as in Indonesia: "12.800", "128.000".
  if (comma === 0 && point === 0 && thousands['.'] >= LEAST_THOUSANDS && thousands[','] === 0) return ',';
  return comma > point ? ',' : '.';
}

/**
 * A printed number as plain decimal (`-1234.50`), or undefined.
 *
 * @param mark decides what `1.234` means; two different separators, or a group that is not three digits, speak for
 *   themselves
 */
export function parseNumber(text: string, mark: DecimalMark): string | undefined {
  const clean = text.replace(/[−–]/g, '-').replace(/[\s\u00a0\u202f'’]/g, '');
  const match = /^(\(?)([-+]?)(\d[\d.,]*\d|\d)(-?)\)?$/.exec(clean);
  if (!match) return undefined;
  const digits = match[3]!;
  const negative = match[1] === '(' || match[2] === '-' || match[4] === '-';
  const plain = separate(digits, mark);
  if (plain === undefined) return undefined;
  const [whole, fraction] = plain;
  const value = (whole.replace(/^0+(?=\d)/, '') || '0') + (fraction ? `.${fraction}` : '');
  return negative && /[1-9]/.test(value) ? `-${value}` : value;
}

function separate(digits: string, mark: DecimalMark): [whole: string, fraction: string] | undefined {
  const indian = /^(\d{1,2}(?:,\d{2})+,\d{3})(?:\.(\d{1,2}))?$/.exec(digits);
  if (indian) return [indian[1]!.replace(/,/g, ''), indian[2] ?? ''];
  const comma = digits.lastIndexOf(',');
  const point = digits.lastIndexOf('.');
  if (comma < 0 && point < 0) return [digits, ''];
  if (comma >= 0 && point >= 0) {
    const at = Math.max(comma, point);
    const groups = digits.slice(0, at).split(/[.,]/);
    if (!groups.slice(1).every((group) => group.length === 3)) return undefined;
    return [groups.join(''), digits.slice(at + 1)];
  }
  const used = comma >= 0 ? ',' : '.';
  const parts = digits.split(used);
  if (parts.length > 2) {
    // "1,394,00": OCR takes the point between thousands for a comma, and the other way round.
    const fraction = parts.at(-1)!.length === 2 ? parts.pop()! : '';
    return parts.slice(1).every((part) => part.length === 3) ? [parts.join(''), fraction] : undefined;
  }
  const [whole, last] = parts as [string, string];
  const couldBeThousands = last.length === 3 && whole.length <= 3 && !whole.startsWith('0');
  return couldBeThousands && used !== mark ? [whole + last, ''] : [whole, last];
}

/** Ten-thousandths, so that sums and products of printed amounts can be compared exactly. */
export function toUnits(decimal: string): number {
  return Math.round(Number(decimal) * 10_000);
}

/** A number of ten-thousandths as decimal with two places. */
export function fromUnits(units: number): string {
  return (Math.round(units / 100) / 100).toFixed(2);
}

/** "279" and "2794" are what OCR makes of "27%": the part that is the rate. */
export const mendPercent = (raw: string): string | undefined => /^([1-9]\d?)9\d?$/.exec(raw)?.[1];
