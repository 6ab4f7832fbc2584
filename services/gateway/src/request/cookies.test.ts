import type { IncomingHttpHeaders } from 'node:http';
import { checkCsrf, endSession, readCookie, sessionOf, startSession } from './cookies';

const KEY = 'a'.repeat(40);
const csrfToken = /^csrftoken=(\w+);/.exec(startSession(KEY, 86_400, false)[1] ?? '')?.[1] ?? '';
const origins = { host: 'docs.example.com', allowed: ['https://ui.example.com'] };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const both = { cookie: `sessionid=${KEY}; csrftoken=${csrfToken}`, 'x-csrftoken': csrfToken };
const check =
  (headers: IncomingHttpHeaders, method = 'POST') =>
  () =>
    checkCsrf({ headers, method }, KEY, origins);
const failed = expect.objectContaining({ reason: 'CSRF_FAILED' });

it('begins and ends a session by two cookies, of which scripts read one', () => {
  expect(startSession(KEY, 86_400, true)).toEqual([
    `sessionid=${KEY}; Path=/; Max-Age=86400; SameSite=Lax; Secure; HttpOnly`,
    expect.stringMatching(/^csrftoken=[0-9a-f]{40}; Path=\/; Max-Age=86400; SameSite=Lax; Secure$/),
  ]);
  expect(startSession(KEY, 59.9, false)[0]).toBe(`sessionid=${KEY}; Path=/; Max-Age=59; SameSite=Lax; HttpOnly`);
  expect(endSession(false)[0]).toBe('sessionid=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly');
});

it('reads cookies', () => {
  expect(readCookie('a=1; sessionid=x=y ;b', 'sessionid')).toBe('x=y');
  expect([
    readCookie('sessionid=', 'sessionid'),
    readCookie('xsessionid=1', 'sessionid'),
    readCookie(undefined, 'a'),
  ]).toEqual([undefined, undefined, undefined]);
  expect(sessionOf({ cookie: `sessionid=${KEY}` })).toBe(KEY);
  expect(sessionOf({ cookie: `sessionid=${KEY}`, authorization: 'Bearer x' })).toBeUndefined();
});

it.each([
  ['a safe method', {}, 'GET'],
  ['JSON', JSON_TYPE],
  ['JSON of an allowed origin', { ...JSON_TYPE, origin: 'https://ui.example.com' }],
  ['JSON of the own origin', { ...JSON_TYPE, origin: 'https://docs.example.com' }],
  ['a form with the token', { ...both, 'content-type': 'application/x-www-form-urlencoded' }],
  ['no content type, with the token', both],
])('lets through %s', (_, headers, method = 'POST') => {
  expect(check(headers, method)).not.toThrow();
});

it.each([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['no content type', {}],
  ['text that is JSON', { 'content-type': 'text/plain; application/json' }],
  ['a file', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['a header without the cookie', { 'x-csrftoken': csrfToken }],
  ['a cookie without the header', { cookie: both.cookie }],
  ['a pair that somebody has made up', { cookie: 'csrftoken=forged', 'x-csrftoken': 'forged' }],
  ['the token of another session', { cookie: `csrftoken=${'b'.repeat(40)}`, 'x-csrftoken': 'b'.repeat(40) }],
  ['JSON of another site', { ...JSON_TYPE, origin: 'https://evil.example.com' }],
  ['JSON of a sandboxed page', { ...JSON_TYPE, origin: 'null' }],
  ['the token from another site', { ...both, origin: 'https://docs.example.com.evil.com' }],
])('refuses %s', (_, headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(check(headers, method)).toThrow(failed);
});
