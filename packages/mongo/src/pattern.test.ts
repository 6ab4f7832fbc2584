import { escapePattern } from './pattern';

it.each(['a.b*c', '(x|y)', '[0-9]+', '^$', 'C:\\temp', 'a/b-c', 'a\0b', '{1,2}?', 'ž 😀'])(
  'finds %j as it is',
  (text) => {
    expect(new RegExp(`^${escapePattern(text)}$`).test(text)).toBe(true);
    expect(new RegExp(`^${escapePattern(text)}$`, 'i').test(`${text}x`)).toBe(false);
  },
);

it('holds no null character, and is never too long', () => {
  expect(escapePattern('a\0')).toBe('a\\x00');
  expect(escapePattern('x'.repeat(40_000))).toHaveLength(1000);
});
