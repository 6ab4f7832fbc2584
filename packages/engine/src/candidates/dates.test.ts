import { findCompactDate, findDates, isMonthFirst, mendDates } from './dates';

test.each([
  ['15 March 2024', '2024-03-15'],
  ['March 15, 2024', '2024-03-15'],
  ['15-Mar-24', '2024-03-15'],
  ['15th of March 2024', '2024-03-15'],
  ['15. März 2024', '2024-03-15'],
  ['15. Mrz. 2024', '2024-03-15'],
  ['15 août 2024', '2024-08-15'],
  ['1er février 2024', '2024-02-01'],
  ['15. července 2024', '2024-07-15'],
  ['15. června 2024', '2024-06-15'],
  ['3 lipca 2024', '2024-07-03'],
  ['15 de enero de 2024', '2024-01-15'],
  ['15 dicembre 2024', '2024-12-15'],
  ['15 mei 2024', '2024-05-15'],
  ['15 iunie 2024', '2024-06-15'],
  ['15 septembrie 2024', '2024-09-15'],
  ['15. ožujka 2024', '2024-03-15'],
  ['15. julija 2024', '2024-07-15'],
  ['4. maaliskuuta 2024', '2024-03-04'],
  ['15.3.2024', '2024-03-15'],
  ['15. 3. 2024', '2024-03-15'],
  ['15.03.24', '2024-03-15'],
  ['15/03/2024', '2024-03-15'],
  ['2024-03-15', '2024-03-15'],
  ['2024. 03. 15.', '2024-03-15'],
  ['2024/3/5', '2024-03-05'],
  ['29.02.2024', '2024-02-29'],
])('%s is %s', (text, expected) => {
  expect(findDates(`on ${text} in`).map((date) => date.iso)).toEqual([expected]);
});

test.each(['31.02.2024', '15.13.2024', '1.2.3.4', '12345-67-8901', '19-2000145399/0800', '2024-0538', '10 Stück 2024'])(
  '%s is no date',
  (text) => {
    expect(findDates(text)).toEqual([]);
  },
);

test('day and month change places only where the document says so', () => {
  expect(findDates('03/04/2024')).toMatchObject([{ iso: '2024-04-03', swapped: '2024-03-04' }]);
  expect(findDates('03/04/2024', true)).toMatchObject([{ iso: '2024-03-04', swapped: '2024-04-03' }]);
  expect(findDates('25/04/2024', true)).toMatchObject([{ iso: '2024-04-25' }]);
  // Nobody writes the month first with points.
  expect(findDates('03.04.2024', true)).toMatchObject([{ iso: '2024-04-03' }]);
  expect(isMonthFirst(['03/04/2024', '03/25/2024'])).toBe(true);
  expect(isMonthFirst(['25/03/2024'])).toBe(false);
  expect(isMonthFirst(['03/04/2024'])).toBeUndefined();
});

test('several dates of a line keep their places', () => {
  const text = 'from 1.1.2024 to 31.1.2024';
  expect(findDates(text).map(({ start, end }) => text.slice(start, end))).toEqual(['1.1.2024', '31.1.2024']);
});

test('eight digits are a date only when they can be one', () => {
  expect(findCompactDate('20240131')).toBe('2024-01-31');
  expect(findCompactDate('20249931')).toBeUndefined();
});

test('days and months with a slash before the year, as in the Nordic countries', () => {
  const isoOf = (text: string) => findDates(text).map(({ iso }) => iso);
  expect(isoOf('Dato 14/5-2024')).toEqual(['2024-05-14']);
  expect(isoOf('14/5-24')).toEqual(['2024-05-14']);
  expect(isoOf('den 3/12 2023')).toEqual(['2023-12-03']);
});

test.each([
  ['2025 m. sausio 27 d.', '2025-01-27'],
  ['2025. gada 13. februārī', '2025-02-13'],
  ['18 Eylül 2025', '2025-09-18'],
  ['5. detsember 2025', '2025-12-05'],
])('Baltic and Turkish months: %s', (text, iso) => {
  expect(findDates(text)[0]?.iso).toBe(iso);
});

test.each([
  ['30/61/2018', '30/01/2018'],
  ['11/03/2824', '11/03/2024'],
  ['22-03-2078', '22-03-2018'],
  ['83.10.2022', '03.10.2022'],
  ['04/18/2024', '04/18/2024'],
  ['99/33/2024', '99/33/2024'],
  ['16-Nov-2616', '16-Nov-2016'],
  ['99-Jul-2018', '09-Jul-2018'],
  ['25-0ct-2016', '25-oct-2016'],
])('digits that no date has in their place: %s', (read, mended) => {
  expect(mendDates(read)).toBe(mended);
});
