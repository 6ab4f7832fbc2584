import type { IncomingMessage } from 'node:http';
import { clientAddressOf, readProxyTrust } from './client-address';

const from = (peer: string, chain?: string) =>
  ({ headers: { 'x-forwarded-for': chain }, socket: { remoteAddress: peer } }) as unknown as IncomingMessage;
const addressOf = (trust: string, peer: string, chain?: string) =>
  clientAddressOf(from(peer, chain), readProxyTrust(trust));

it('is that of the connection when nobody is trusted', () => {
  expect(addressOf('off', '192.0.2.7', '203.0.113.9')).toBe('192.0.2.7');
  expect(addressOf('off', '::ffff:192.0.2.7')).toBe('192.0.2.7');
});

it('is what the one proxy in front has added, never what a client wrote', () => {
  expect(addressOf('on', '10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
  expect(addressOf('on', '10.0.0.1', '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9');
  for (const nothing of [undefined, '', 'unknown', '1.1.1.1, x'])
    expect(addressOf('on', '10.0.0.1', nothing)).toBe('10.0.0.1');
});

it('is the last that is no proxy of the list', () => {
  const trust = '10.0.0.0/8, 198.51.100.4,fd00::/8';
  expect(addressOf(trust, '::ffff:10.1.2.3', '1.1.1.1, 203.0.113.9, 198.51.100.4, 10.9.9.9')).toBe('203.0.113.9');
  expect(addressOf(trust, 'fd00::1', '203.0.113.9')).toBe('203.0.113.9');
  expect(addressOf(trust, '192.0.2.7', '203.0.113.9')).toBe('192.0.2.7');
  expect(addressOf(trust, '10.0.0.1', '10.0.0.2')).toBe('10.0.0.2');
});

it('is the network of an IPv6 address', () => {
  expect(addressOf('off', '2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(addressOf('off', '2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(addressOf('off', '2001:0DB8::1')).toBe('2001:db8:0:0::/64');
  expect(addressOf('off', '::1')).toBe('0:0:0:0::/64');
  expect(addressOf('off', 'fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});

it.each(['10.0.0.0/33', 'proxy', '10.0.0.0/8/1', '10.0.0.0/x', ','])('refuses %j as a list', (text) => {
  expect(() => readProxyTrust(text)).toThrow(/must be on, off, or a list/);
});
