import fc from 'fast-check';
import { formatNumber, NUMBER_FORMATS, normalizeDecimal, parseNumber } from './number-format';

describe('parseNumber', () => {
  it.each<[string, string | null | undefined, string | null]>([
    ['18 492.48', undefined, '18492.48'],
    ['  1234.50 ', undefined, '1234.50'],
    ['1 234,50', '# ##0,#', '1234.50'],
    ['1\u00a0234\u202f567,5', '# ##0,#', '1234567.5'],
    ['1,234,567.89', '#,##0.#', '1234567.89'],
    ["1'234.5", "#'##0.#", '1234.5'],
    ['1\u2019234.5', '#,##0.#', '1234.5'],
    ['1.234.567,89', '#.##0,#', '1234567.89'],
    ['1.234', '#.##0,#', '1234'],
    ['1.234', '#.##0', '1234'],
    ['1234.5', null, '1234.5'],
    ['1,5', null, null],
    ['-5', undefined, '-5'],
    ['- 5', undefined, '-5'],
    ['\u22125', undefined, '-5'],
    ['5-', undefined, '-5'],
    ['(5.10)', undefined, '-5.10'],
    ['+5', undefined, '5'],
    ['-0.00', undefined, '0.00'],
    ['007', undefined, '7'],
    ['0,5', '# ##0,#', '0.5'],
    ['12.5', '# ##0,#', '12.5'],
    ['12', '# ##0', '12'],
    ['12.00', '# ##0', '12'],
    ['12.50', '# ##0', null],
    ['12,50', '# ##0', null],
    ['-5-', undefined, null],
    ['+5-', undefined, null],
    ['(-5)', undefined, null],
    ['(5', undefined, null],
    ['--5', undefined, null],
    ['5+', undefined, null],
    ['.5', undefined, null],
    ['5.', undefined, null],
    ['1.2.3', undefined, null],
    ['1,2,3', '# ##0,#', null],
    ['1e5', undefined, null],
    ['0x10', undefined, null],
    ['Infinity', undefined, null],
    ['12 EUR', undefined, null],
    ['-', undefined, null],
    ['()', undefined, null],
    ['', undefined, null],
    ['\u0661\u0662', undefined, null],
  ])('reads %j in the format %j as %j', (text, format, expected) => {
    expect(parseNumber(text, format)?.normalized ?? null).toBe(expected);
  });

  it('keeps more digits than a float has', () => {
    const digits = '12345678901234567890123456789.01234567890123456789';
    expect(parseNumber(digits)).toEqual({ normalized: digits });
  });
});

describe('formatNumber', () => {
  it.each<[string, string | null | undefined, string]>([
    ['18492.48', undefined, '18 492.48'],
    ['1234567.5', '# ##0,#', '1 234 567,5'],
    ['-1234567', '#,##0.#', '-1,234,567'],
    ['1234.50', "#'##0.#", "1'234.50"],
    ['1234.50', '#.##0,#', '1.234,50'],
    ['123', '#.##0', '123'],
    ['1234.50', null, '1234.50'],
    ['1234.50', '#.##0', '1234.50'],
    ['no number', undefined, 'no number'],
  ])('writes %s in the format %j as %j', (normalized, format, expected) => {
    expect(formatNumber(normalized, format)).toBe(expected);
  });
});

const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.option(fc.stringMatching(/^\d{1,20}$/)))
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`)
  .map((text) => normalizeDecimal(text)!);

describe('number formats', () => {
  it.each(NUMBER_FORMATS)('read %j as it was written', (format) => {
    fc.assert(
      fc.property(decimals, (decimal) => {
        const fits = format === null || format.endsWith('#') ? decimal : decimal.replace(/\.\d+$/, '');
        const shown = normalizeDecimal(fits)!;
        expect(parseNumber(formatNumber(shown, format), format)).toEqual({ normalized: shown });
      }),
    );
  });

  it('never make anything but a plain decimal', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."0123456789.,' -+()\u00a0\u2212eE") }),
        fc.constantFrom(...NUMBER_FORMATS),
        (text, format) => {
          const parsed = parseNumber(text, format);
          if (parsed) expect(parsed.normalized).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
        },
      ),
    );
  });
});
