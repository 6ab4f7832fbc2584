import fc from 'fast-check';
import { compileRegexp } from '../regexp';
import type { Datapoint } from '../schema-content';
import { formatDate, parseDate } from './date-format';
import { normalizeValue } from './normalize-value';
import { fitDecimal, formatNumber, NUMBER_FORMATS, normalizeDecimal, parseNumber } from './number-format';

/** What holds for every value, whoever wrote it. */

/** Plain decimals in their one spelling, of any size. */
const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.option(fc.stringMatching(/^\d{1,12}$/)))
  .map(
    ([negative, whole, fraction]) =>
      normalizeDecimal(`${negative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`)!,
  );
const isoDate = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** All that name year, month and day. */
const DATE_FORMATS = [
  'YYYY-MM-DD',
  'D. M. YYYY',
  'D.M.YYYY',
  'MM/DD/YYYY',
  'DD/MM/YYYY',
  'YYYYMMDD',
  'Do MMMM YYYY',
  'dddd, MMMM D, YYYY',
  'ddd DD MMM YYYY',
  'YYYY DDDD',
  'YYYY/DDD',
  '[day] D [of month] M [in] YYYY',
  'DD.MM.YYYY HH:mm',
];

describe.each(NUMBER_FORMATS)('numbers in the format %j', (format) => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(decimal, (number) => {
        const fitting = fitDecimal(number, format);
        if (fitting === null) return expect(formatNumber(number, format)).toBe(number);
        expect(parseNumber(formatNumber(fitting, format), format)).toEqual({ normalized: fitting });
      }),
    );
  });

  it('are the same when what was understood is written and read again, whatever the text', () => {
    const text = fc.oneof(
      fc.stringMatching(/^[-+(]?[\d., ']{1,20}[-)]?$/),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(text, (written) => {
        const read = parseNumber(written, format);
        if (read === null) return;
        expect(read.normalized).toMatch(/^-?\d+(\.\d+)?$/);
        expect(parseNumber(formatNumber(read.normalized, format), format)).toEqual(read);
      }),
    );
  });
});

describe.each(DATE_FORMATS)('dates in the format %j', (format) => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(isoDate, (iso) => {
        expect(parseDate(formatDate(iso, format), format)).toBe(iso);
        expect(parseDate(iso, format)).toBe(iso);
      }),
    );
  });
});

it('no format and no text keep a date from being read or refused', () => {
  const formats = fc.oneof(
    fc
      .array(
        fc.constantFrom(
          'YYYY',
          'YY',
          'Q',
          'MMMM',
          'M',
          'DDDD',
          'Do',
          'D',
          'dddd',
          'd',
          'HH:mm',
          '[',
          ']',
          '.',
          ' ',
          '\\',
          '(',
          '*',
        ),
      )
      .map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  fc.assert(
    fc.property(formats, fc.string({ unit: 'binary', maxLength: 40 }), isoDate, (format, text, iso) => {
      const read = parseDate(text, format);
      if (read !== null) expect(read).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(typeof formatDate(iso, format)).toBe('string');
    }),
  );
});

it('options of an enum are found in any case, and the exact one first', () => {
  const option = fc.string({ minLength: 1, maxLength: 8 }).filter((value) => value.trim() === value);
  fc.assert(
    fc.property(fc.uniqueArray(option, { minLength: 1, maxLength: 6 }), fc.nat(), (values, at) => {
      const options = values.map((value) => ({ value, label: value }));
      const datapoint: Datapoint = { category: 'datapoint', id: 'e', label: 'E', type: 'enum', options };
      const value = values[at % values.length]!;
      expect(normalizeValue(datapoint, value)).toEqual({ value, normalizedValue: value });
      const other = normalizeValue(datapoint, value.toUpperCase());
      expect(other.error).toBeUndefined();
      if (!values.includes(value.toUpperCase())) {
        expect('value' in other && values.some((one) => one.toLowerCase() === other.value.toLowerCase())).toBe(true);
      }
    }),
  );
});

it.each(['^(a+)+$', '^(a|a)*$', '(.*a){20}$', '^(a?){30}a{30}$', '([a-zA-Z]+)*!', '(x+x+)+y'])(
  'searching %s takes time in proportion to the text',
  (pattern) => {
    const regexp = compileRegexp(pattern);
    const secondsFor = (length: number) => {
      const text = 'a'.repeat(length);
      const started = process.cpuUsage();
      regexp.matcher(text).find();
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1e6;
    };
    secondsFor(500);
    // The longest value is 1500 characters; a backtracking search of these would not end.
    expect(secondsFor(1500)).toBeLessThan(2);
  },
);
