import { decodeCharset } from './decode-charset';

const bytes = Buffer.from([0xe9, 0x80, 0x96, 0x9f]);

test.each(['windows-1252', 'iso-8859-1', 'cp1252'])('%s has the characters that Latin-1 lacks', (encoding) => {
  expect(decodeCharset(bytes, encoding)).toBe('é€–Ÿ');
});

test('other encodings are decoded as they are', () => {
  expect(decodeCharset(bytes, 'windows-1250')).toBe('é€–ź');
  expect(decodeCharset(Buffer.from('é€\u0085'), 'utf-8')).toBe('é€\u0085');
});

test('an unknown encoding is an error', () => {
  expect(() => decodeCharset(bytes, 'none')).toThrow('not supported');
});
