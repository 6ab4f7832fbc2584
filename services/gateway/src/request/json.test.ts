import { parseJson } from './json';

it('says where JSON is broken', () => {
  expect(() => parseJson('{"a":')).toThrow(
    expect.objectContaining({ reason: 'PARSE_ERROR', detail: expect.stringMatching(/^JSON parse error - ./) }),
  );
});

it('takes 32 levels and no more', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(parseJson(nested(32))).toBeTruthy();
  expect(() => parseJson(nested(33))).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(() => parseJson(nested(100_000))).toThrow(expect.objectContaining({ reason: 'INVALID' }));
});

it('drops __proto__ wherever it stands, however it is written', () => {
  const value = parseJson('{"a": {"\\u005f_proto__": {"admin": true}, "b": [{"__proto__": 1}]}}') as {
    a: { admin?: boolean };
  };
  expect(JSON.stringify(value)).toBe('{"a":{"b":[{}]}}');
  expect(value.a.admin).toBeUndefined();
});

it('refuses keys with a null character, which MongoDB cannot keep', () => {
  expect(() => parseJson('{"a": [{"b\\u0000": 1}]}')).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(parseJson('{"a": "b\\u0000"}')).toEqual({ a: 'b\0' });
});

it('refuses numbers that cannot be kept', () => {
  expect(() => parseJson('{"a": [1e400]}')).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(() => parseJson('-1e400')).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(parseJson('1e300')).toBe(1e300);
});
