import type { IncomingMessage } from 'node:http';
import { createUrlsOf, originOf } from './base-url';
import { readProxyTrust } from './client-address';

const request = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage;

it('begins with what the client used', () => {
  const urlsOf = createUrlsOf({ publicUrl: '', proxies: readProxyTrust('off') });
  expect(urlsOf(request({ host: 'docs.example.com:8080' })).queue(3)).toBe(
    'http://docs.example.com:8080/api/v1/queues/3',
  );
  expect(urlsOf(request({ host: '[::1]:8080' })).root).toBe('http://[::1]:8080/api/v1');
});

it('believes a proxy only where it is told to', () => {
  const headers = { host: 'inside:8080', 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'docs.example.com' };
  expect(originOf(request(headers), false)).toBe('http://inside:8080');
  expect(originOf(request(headers), true)).toBe('https://docs.example.com');
  expect(originOf(request({ host: 'inside', 'x-forwarded-proto': 'javascript' }), true)).toBe('http://inside');
});

it('takes the configured URL before all others', () => {
  const urlsOf = createUrlsOf({ publicUrl: 'https://docs.example.com', proxies: readProxyTrust('on') });
  expect(urlsOf(request({ host: 'evil', 'x-forwarded-host': 'evil' })).root).toBe('https://docs.example.com/api/v1');
});

it.each([undefined, '', 'a b', 'a/b', 'a"b', 'user@host', 'host:port', 'host:123456', '<script>', 'a\r\nb'])(
  'refuses the host %j',
  (host) => {
    expect(() => originOf(request({ host }), false)).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  },
);
