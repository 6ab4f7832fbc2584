import { formatDuration, formatTime, urlOrNull } from './values';

it('writes times with six fraction digits', () => {
  expect(formatTime(new Date('2024-10-13T21:33:01.509Z'))).toBe('2024-10-13T21:33:01.509000Z');
  expect(formatTime(undefined)).toBeNull();
});

it.each([
  [3600, '01:00:00'],
  [0, '00:00:00'],
  [59, '00:00:59'],
  [90_061, '25:01:01'],
])('writes %d seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

it('has no URL of nothing', () => {
  expect([urlOrNull(String, 7), urlOrNull(String, undefined), urlOrNull(String, 0)]).toEqual(['7', null, null]);
});
