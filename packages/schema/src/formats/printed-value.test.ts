import type { Datapoint } from '../schema-content';
import { readPrinted } from './printed-value';

const field = (type: string, format?: string | null) =>
  ({ category: 'datapoint', id: 'x', label: 'x', type, ...(format === undefined ? {} : { format }) }) as Datapoint;

it.each([
  ['£1,570.50', '1570.50'],
  ['$ 1,570.50', '1570.50'],
  ['1.570,50 €', '1570.50'],
  ['EUR 1.570,50', '1570.50'],
  ['1 570,50 Kč', '1570.50'],
  ['1\u202f570,50', '1570.50'],
  ["CHF 1'570.50", '1570.50'],
  ['1.234.567', '1234567'],
  ['1,47,750.00', '147750.00'],
  ['-£5.00', '-5.00'],
  ['£ -5.00', '-5.00'],
  ['5,00-', '-5.00'],
  ['($1,000.00)', '-1000.00'],
  ['1 234,-', '1234'],
  ['20 %', '20'],
  ['3 pcs', '3'],
  ['0,125', '0.125'],
  ['1234,5', '1234.5'],
  // The format of the field decides what alone could be both.
  ['1.315', '1.315'],
  ['1,315', '1315'],
])('takes %s as the number %s', (text, expected) => {
  expect(readPrinted(field('number'), text)).toBe(expected);
});

it('reads what could be both by the format of the field', () => {
  expect(readPrinted(field('number', '#.##0,#'), '1.315')).toBe('1315');
  expect(readPrinted(field('number', '# ##0,#'), '1,315')).toBe('1.315');
  expect(readPrinted(field('number', '#,##0.#'), '1.315,75')).toBe('1315.75');
  expect(readPrinted(field('number', '# ##0'), '1.315')).toBe('1315');
  expect(readPrinted(field('number', '# ##0'), '12,50')).toBeNull();
  expect(readPrinted(field('number', null), '1,315')).toBe('1315');
});

it.each(['', 'Total', '2 x 480.00', '12.34.56', '1.23,45', 'OV-210', '12 34', '15. 3. 2024', `${'1'.repeat(90)}`])(
  'takes no number out of "%s"',
  (text) => {
    expect(readPrinted(field('number'), text)).toBeNull();
  },
);

it.each([
  ['15 March 2024', '2024-03-15'],
  ['March 15, 2024', '2024-03-15'],
  ['Mar 15th, 2024', '2024-03-15'],
  ['15-Mar-24', '2024-03-15'],
  ['15. März 2024', '2024-03-15'],
  ['15. března 2024', '2024-03-15'],
  ['1er février 2024', '2024-02-01'],
  ['15 de marzo de 2024', '2024-03-15'],
  ['15. maaliskuuta 2024', '2024-03-15'],
  ['2024. március 15.', '2024-03-15'],
  ['2024/3/15', '2024-03-15'],
  ['2024. 03. 15.', '2024-03-15'],
  ['15. 3. 2024', '2024-03-15'],
  ['15/03/24', '2024-03-15'],
  ['03/15/2024', '2024-03-15'],
  ['Date: 15.03.2024', '2024-03-15'],
  ['03/04/2024', '2024-04-03'],
])('takes %s as the date %s', (text, expected) => {
  expect(readPrinted(field('date'), text)).toBe(expected);
});

it('reads day and month in the order of the locale, then of the format', () => {
  expect(readPrinted(field('date'), '03/04/2024', 'en_US')).toBe('2024-03-04');
  expect(readPrinted(field('date', 'MM/DD/YYYY'), '03/04/2024', 'en_GB')).toBe('2024-03-04');
  expect(readPrinted(field('date', 'MM/DD/YYYY'), '03.04.2024', 'en_GB')).toBe('2024-04-03');
  expect(readPrinted(field('date'), '15/04/2024', 'en_US')).toBe('2024-04-15');
});

it.each(['', 'soon', '31. 2. 2024', '1.1.2024 - 2.1.2024', '15.03.2024 10:00', '15 Foo 2024', '1570.50'])(
  'takes no date out of "%s"',
  (text) => {
    expect(readPrinted(field('date'), text)).toBeNull();
  },
);

it('leaves other fields alone', () => {
  expect(readPrinted(field('string'), '15 March 2024')).toBeNull();
  expect(readPrinted(field('enum'), '15')).toBeNull();
});
