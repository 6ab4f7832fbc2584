import fc from 'fast-check';
import type { Datapoint } from '../schema-content';
import { normalizeValue } from './normalize-value';

const field = (attributes: Partial<Datapoint>): Datapoint => ({
  category: 'datapoint',
  id: 'field',
  label: 'Field',
  type: 'string',
  ...attributes,
});
const number = field({ type: 'number', format: '#.##0,#' });
const date = field({ type: 'date', format: 'D.M.YYYY' });
const currency = field({
  type: 'enum',
  options: [
    { value: 'eur', label: 'EUR' },
    { value: 'CZK', label: 'CZK' },
  ],
});

describe('normalizeValue', () => {
  it.each<[string, Datapoint, unknown, string, string | null]>([
    ['a string as it is', field({}), '  Peter  and\nPaul ', '  Peter  and\nPaul ', '  Peter  and\nPaul '],
    ['an empty string', field({}), '', '', null],
    ['null', field({}), null, '', null],
    ['a JSON number in a string', field({}), 12.5, '12.5', '12.5'],
    ['a boolean', field({}), true, 'true', 'true'],
    ['a number', number, '1.234,50', '1.234,50', '1234.50'],
    ['a number to group', number, '1234,5', '1.234,5', '1234.5'],
    ['a JSON number, whatever the separators', number, 1234.5, '1.234,5', '1234.5'],
    ['a large JSON number', number, 1e21, '1.000.000.000.000.000.000.000', '1000000000000000000000'],
    ['what is no number', number, 'about 5', 'about 5', null],
    ['an empty number', number, '', '', null],
    ['a date', date, '3. 4. 2024', '3.4.2024', '2024-04-03'],
    ['an ISO date', date, '2024-04-03', '3.4.2024', '2024-04-03'],
    ['what is no date', date, '31.4.2024', '31.4.2024', null],
    ['an option', currency, 'eur', 'eur', 'eur'],
    ['an option in other case', currency, 'EUR', 'eur', 'eur'],
    ['an option in other case, the other way', currency, 'czk', 'CZK', 'CZK'],
    ['what is no option', currency, 'gold', 'gold', 'gold'],
  ])('takes %s', (_what, datapoint, raw, value, normalizedValue) => {
    expect(normalizeValue(datapoint, raw)).toEqual({ value, normalizedValue });
  });

  it('prefers the options that were changed for the annotation', () => {
    const options = [{ value: 'Gold', label: 'Gold' }];
    expect(normalizeValue(currency, 'gold', { options })).toEqual({ value: 'Gold', normalizedValue: 'Gold' });
    expect(normalizeValue(currency, 'EUR', { options })).toEqual({ value: 'EUR', normalizedValue: 'EUR' });
  });

  it('reads what the engine wrote before the format of the field', () => {
    expect(normalizeValue(number, '1234.50', { canonical: true })).toEqual({
      value: '1.234,50',
      normalizedValue: '1234.50',
    });
    expect(normalizeValue(number, '1.234,50', { canonical: true })).toEqual({
      value: '1.234,50',
      normalizedValue: '1234.50',
    });
    const whole = field({ type: 'number', format: '#.##0' });
    expect(normalizeValue(whole, '1234.00', { canonical: true })).toEqual({ value: '1.234', normalizedValue: '1234' });
    const usual = field({ type: 'date', format: 'YYYY-DD-MM' });
    expect(normalizeValue(usual, '2024-03-04', { canonical: true })).toEqual({
      value: '2024-04-03',
      normalizedValue: '2024-03-04',
    });
  });

  it('does not take a fraction for a whole number', () => {
    const whole = field({ type: 'number', format: '# ##0' });
    expect(normalizeValue(whole, '12.5', { canonical: true })).toEqual({ value: '12.5', normalizedValue: null });
    expect(
      normalizeValue(field({ type: 'number', format: '#.##0' }), '12.5', { canonical: true }).error,
    ).toBeUndefined();
  });

  it('counts characters, not code units', () => {
    const long = '\u{1F600}'.repeat(1500);
    expect(normalizeValue(field({}), long)).toEqual({ value: long, normalizedValue: long });
    expect(normalizeValue(field({}), `${long}x`)).toEqual({
      error: 'Ensure this field has no more than 1500 characters.',
    });
    expect(normalizeValue(field({}), `${long}x`, { tooLong: 'cut' })).toEqual({ value: long, normalizedValue: long });
  });

  it.each([[{ a: 1 }], [['a']], [Number.NaN]])('refuses %j', (raw) => {
    expect(normalizeValue(field({}), raw)).toEqual({ error: 'Not a valid string.' });
  });

  it('gives no value to a button', () => {
    expect(normalizeValue(field({ type: 'button' }), 'x')).toEqual({ error: 'A button holds no value.' });
  });

  it('changes nothing the second time', () => {
    const formats = ['# ##0,#', '#,##0.#', '#.##0,#', "#'##0.#", '# ##0', '#.##0', null];
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."0123456789.,' -+()") }),
        fc.constantFrom(...formats),
        (raw, format) => {
          const datapoint = field({ type: 'number', format });
          const once = normalizeValue(datapoint, raw);
          if (once.error !== undefined) throw new Error(once.error);
          expect(normalizeValue(datapoint, once.value)).toEqual(once);
        },
      ),
    );
  });
});
