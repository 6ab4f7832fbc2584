import { chooseLifetime, chooseScope, hashKey, MAX_TOKEN_LIFETIME_S, mintToken } from './token';

it.each([
  [undefined, MAX_TOKEN_LIFETIME_S],
  [583_200, 583_200],
  [583_201, 583_200],
  [Number.POSITIVE_INFINITY, 583_200],
  [3600, 3600],
  [0.5, 0.5],
])('a token asked to live %s s lives %s s', (wished, lifetime) => expect(chooseLifetime(wished)).toBe(lifetime));

it.each([0, -1, Number.NaN])('refuses a life of %s s', (wished) => {
  expect(() => chooseLifetime(wished)).toThrow(
    expect.objectContaining({
      reason: 'INVALID',
      fields: { max_token_lifetime_s: ['Ensure this value is greater than 0.'] },
    }),
  );
});

it('keeps the SHA-256 of a key', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it('passes a scope on, and gives nobody a wider one', () => {
  expect(chooseScope(undefined, 'approval')).toBe('approval');
  expect(chooseScope('default', 'approval')).toBe('default');
  expect(chooseScope(undefined, 'default')).toBe('default');
  expect(() => chooseScope('approval', 'default')).toThrow('may not request');
  expect(() => chooseScope('other', 'approval')).toThrow('not a valid choice');
});

it('mints tokens that only their key tells', () => {
  const at = new Date(0);
  const { key, token } = mintToken(7, 60, { oneTime: true }, at);
  expect(token).toEqual({
    hash: hashKey(key),
    userId: 7,
    issuedAt: at,
    expiresAt: new Date(60_000),
    scope: 'default',
    session: false,
    partner: null,
    annotationId: null,
    initializedAnnotationId: null,
    arrivedUploadId: null,
    askedAnnotationId: null,
    oneTime: true,
  });
});
