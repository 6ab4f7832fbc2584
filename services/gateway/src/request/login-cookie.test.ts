import { makeLoginCookie, readLoginCookie } from './login-cookie';

const NAME = 'oauth_ba7816bf8f01cfea'; // SHA-256 of "abc"

it('is for the pages of the login only, by https where the site has it', () => {
  expect(makeLoginCookie('abc', 'key', { root: 'http://127.0.0.1:8080/api/v1' })).toBe(
    `${NAME}=key; Path=/api/v1/oauth; Max-Age=600; HttpOnly; SameSite=Lax`,
  );
  expect(makeLoginCookie('abc', 'key', { root: 'https://example.com/intake/api/v1' })).toBe(
    `${NAME}=key; Path=/intake/api/v1/oauth; Max-Age=600; HttpOnly; SameSite=Lax; Secure`,
  );
  expect(makeLoginCookie('abc', '', { root: 'http://x/api/v1' })).toContain(`${NAME}=; Path=/api/v1/oauth; Max-Age=0;`);
});

it('is found among others', () => {
  expect(readLoginCookie(`sessionid=1; ${NAME}=key;x=y`, 'abc')).toBe('key');
  expect(readLoginCookie(`${NAME}=key`, 'other')).toBeUndefined();
  expect(readLoginCookie(`x${NAME}=key`, 'abc')).toBeUndefined();
  expect(readLoginCookie(undefined, 'abc')).toBeUndefined();
});
