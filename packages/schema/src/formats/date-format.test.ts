import fc from 'fast-check';
import { formatDate, parseDate } from './date-format';

describe('parseDate', () => {
  it.each<[string, string | undefined, string | null]>([
    ['2024-02-29', undefined, '2024-02-29'],
    ['2024-2-9', undefined, '2024-02-09'],
    [' 2024-02-09 ', undefined, '2024-02-09'],
    ['03/04/2024', 'MM/DD/YYYY', '2024-03-04'],
    ['03/04/2024', 'DD/MM/YYYY', '2024-04-03'],
    ['3. 4. 2024', 'D.M.YYYY', '2024-04-03'],
    ['3.4.2024', 'D. M. YYYY', '2024-04-03'],
    ['3.4.24', 'D.M.YY', '2024-04-03'],
    ['3.4.69', 'D.M.YY', '1969-04-03'],
    ['20240403', 'YYYYMMDD', '2024-04-03'],
    ['April 3, 2024', 'MMMM D, YYYY', '2024-04-03'],
    ['april 3,2024', 'MMMM D, YYYY', '2024-04-03'],
    ['Apr 3rd 2024', 'MMM Do YYYY', '2024-04-03'],
    ['April 3rd 2024', 'MMM Do YYYY', '2024-04-03'],
    ['Wednesday, 3 April 2024', 'dddd, D MMMM YYYY', '2024-04-03'],
    ['94 2024', 'DDD YYYY', '2024-04-03'],
    ['2024-094', 'YYYY-DDDD', '2024-04-03'],
    ['2024-366', 'YYYY-DDDD', '2024-12-31'],
    ['2023-366', 'YYYY-DDDD', null],
    ['Q3 2024', '[Q]Q YYYY', '2024-07-01'],
    ['04/2024', 'MM/YYYY', '2024-04-01'],
    ['2024', 'YYYY', '2024-01-01'],
    ['day 3 of 4/2024', '[day] D [of] M/YYYY', '2024-04-03'],
    ['3.4.2024 10:30', 'D.M.YYYY HH:mm', '2024-04-03'],
    ['3.4.2024', 'D.M.YYYY HH:mm', '2024-04-03'],
    ['2024-04-03T10:30:00Z', 'YYYY-MM-DD[T]HH:mm:ssZ', '2024-04-03'],
    ['2024-04-03', 'D.M.YYYY', '2024-04-03'],
    ['2024-04-03', 'YYYY-DD-MM', '2024-03-04'],
    ['2024-25-12', 'YYYY-DD-MM', '2024-12-25'],
    ['2023-02-29', undefined, null],
    ['1900-02-29', undefined, null],
    ['2000-02-29', undefined, '2000-02-29'],
    ['2024-13-01', undefined, null],
    ['2024-00-01', undefined, null],
    ['2024-04-31', undefined, null],
    ['0000-01-01', undefined, null],
    ['2024-04-03T10:30', undefined, null],
    ['3.4.2024', undefined, null],
    ['tomorrow', undefined, null],
    ['', undefined, null],
    ['3.4.', 'D.M.', null],
  ])('reads %j in the format %j as %j', (text, format, expected) => {
    expect(parseDate(text, format)).toBe(expected);
  });

  it('takes linear time whatever the format', () => {
    const started = performance.now();
    expect(parseDate('1'.repeat(80), 'DM'.repeat(50))).toBeNull();
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('formatDate', () => {
  it.each([
    ['YYYY-MM-DD', '2024-04-03'],
    ['D.M.YY', '3.4.24'],
    ['MM/DD/YYYY', '04/03/2024'],
    ['Do MMMM YYYY', '3rd April 2024'],
    ['ddd, MMM D', 'Wed, Apr 3'],
    ['dddd d', 'Wednesday 3'],
    ['[Q]Q YYYY', 'Q2 2024'],
    ['YYYY/DDDD', '2024/094'],
    ['YYYY/DDD', '2024/94'],
    ['D.M.YYYY HH:mm:ss', '3.4.2024'],
    ['HH:mm, D.M.YYYY', '3.4.2024'],
    ['[Date:] D.M.YYYY HH:mm', 'Date: 3.4.2024'],
    ['YYYY-MM-DDTHH:mm:ssZ', '2024-04-03'],
  ])('writes in the format %j: %j', (format, expected) => {
    expect(formatDate('2024-04-03', format)).toBe(expected);
  });

  it.each([
    [1, '1st'],
    [2, '2nd'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [21, '21st'],
    [30, '30th'],
  ])('writes day %d as %s', (day, expected) => {
    expect(formatDate(`2024-01-${String(day).padStart(2, '0')}`, 'Do')).toBe(expected);
  });

  it('leaves what is no date', () => {
    expect(formatDate('soon', 'D.M.YYYY')).toBe('soon');
  });
});

describe('date formats', () => {
  const days = fc
    .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const complete = [
    'YYYY-MM-DD',
    'D. M. YYYY',
    'MM/DD/YYYY',
    'YYYYMMDD',
    'dddd, MMMM Do, YYYY',
    'YYYY-DDDD',
    'MMM D YYYY',
  ];

  it.each(complete)('read %j as it was written', (format) => {
    fc.assert(fc.property(days, (iso) => expect(parseDate(formatDate(iso, format), format)).toBe(iso)));
  });

  it('name the weekday as the calendar has it', () => {
    fc.assert(fc.property(days, (iso) => expect(formatDate(iso, 'd')).toBe(String(new Date(iso).getUTCDay()))));
  });

  it('accept any text as a format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), days, (format, iso) => {
        formatDate(iso, format);
        expect(parseDate('no date at all', format)).toBeNull();
      }),
    );
  });
});
