import { readNatsUrl } from './nats-url';

it.each([
  ['nats://localhost:4222', { servers: ['localhost:4222'] }],
  ['localhost', { servers: ['localhost:4222'] }],
  ['127.0.0.1:4223, b.example.com', { servers: ['127.0.0.1:4223', 'b.example.com:4222'] }],
  ['nats://me:p%40ss@a:1,nats://me:p%40ss@b:2', { servers: ['a:1', 'b:2'], user: 'me', pass: 'p@ss' }],
  ['nats://secret@a', { servers: ['a:4222'], token: 'secret' }],
  ['tls://me:x@nats.example.com', { servers: ['nats.example.com:4222'], user: 'me', pass: 'x', tls: {} }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
])('%s', (text, options) => expect(readNatsUrl(text)).toEqual(options));

it.each(['nats://', 'nats://a b'])('refuses %j', (text) => expect(() => readNatsUrl(text)).toThrow('must be nats://'));
