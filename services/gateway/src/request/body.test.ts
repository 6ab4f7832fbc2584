import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Refusal } from '@intake/rpc';
import Koa from 'koa';
import { readBody } from './body';

const MEGABYTE = 1024 * 1024;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

let server: Server;

beforeAll(async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      ctx.body = { read: await readBody(ctx) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ctx.status = error.httpStatus;
      ctx.body = { reason: error.reason, detail: error.detail };
      if (!ctx.req.complete) ctx.req.resume();
    }
  });
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Body = string | Buffer | readonly Buffer[];

/** Sends exactly these headers; several chunks go without a length. */
async function send(body: Body, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const chunks = Array.isArray(body) ? (body as Buffer[]) : [Buffer.from(body as Buffer)];
  const length = Array.isArray(body) ? {} : { 'content-length': String(chunks[0]!.length) };
  const request = httpRequest({ port, method: 'POST', headers: { ...length, ...headers } });
  // A refusal is answered while its body is still being sent.
  const sent = once(request, 'close');
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  await sent;
  return { status: response.statusCode as number, ...JSON.parse(text) };
}
const read = async (body: Body, type?: string) => (await send(body, type ? { 'content-type': type } : {})).read;

it('takes JSON, whatever is said of it', async () => {
  const types = [JSON_TYPE, `${JSON_TYPE}; charset=utf-8`, 'Application/JSON;;', undefined];
  for (const type of types) expect([type, await read('{"a":"ž"}', type)]).toEqual([type, { a: 'ž' }]);
  expect(await read([Buffer.from('{"a":"\xc5', 'latin1'), Buffer.from('\xbe"}', 'latin1')], JSON_TYPE)).toEqual({
    a: 'ž',
  });
  expect(await read('\ufeff[5]', JSON_TYPE)).toEqual([5]);
  expect(await read('5', JSON_TYPE)).toBe(5);
});

it('takes a form as a flat list of texts, the last of each name', async () => {
  const text = 'a=1&a=2&b.c=3&d[e]=4&f[]=5&g=x+y%20z&h=%ff&__proto__=6&__proto__[i]=7&j';
  expect(await read(text, FORM_TYPE)).toEqual({
    a: '2',
    'b.c': '3',
    'd[e]': '4',
    'f[]': '5',
    '__proto__[i]': '7',
    g: 'x y z',
    h: '%ff',
    j: '',
  });
});

it('takes a form whose text is a JSON object as JSON', async () => {
  expect(await read(' {"a": "b&c=d", "__proto__": 1}', FORM_TYPE)).toEqual({ a: 'b&c=d' });
  const long = JSON.stringify({ a: '&'.repeat(2000) });
  expect(JSON.stringify(await read(long, FORM_TYPE))).toBe(long);
  expect(await send('{"a"', { 'content-type': FORM_TYPE })).toMatchObject({ status: 400, reason: 'PARSE_ERROR' });
});

it('takes nothing as an empty object', async () => {
  for (const type of [JSON_TYPE, FORM_TYPE, undefined]) {
    for (const body of ['', ' \n', [Buffer.from(' ')], []]) {
      expect([type, body, await read(body, type)]).toEqual([type, body, {}]);
    }
  }
  expect(await read('', 'text/xml')).toEqual({});
});

it('drops __proto__ and keeps what stands beside it', async () => {
  expect(JSON.stringify(await read('{"a":{"__proto__":{"b":1},"c":2},"\\u005f_proto__":3}', JSON_TYPE))).toBe(
    '{"a":{"c":2}}',
  );
});

it('refuses what it cannot read, and says why', async () => {
  const refusals: [Body, Record<string, string>, object][] = [
    [
      '{"a":',
      { 'content-type': JSON_TYPE },
      { reason: 'PARSE_ERROR', detail: expect.stringMatching(/^JSON parse error - ./) },
    ],
    [
      Buffer.from('{"a":"\xff"}', 'latin1'),
      { 'content-type': JSON_TYPE },
      { reason: 'PARSE_ERROR', detail: 'JSON parse error - the body is not UTF-8' },
    ],
    [Buffer.from('a=\xc5', 'latin1'), { 'content-type': FORM_TYPE }, { status: 400, reason: 'PARSE_ERROR' }],
    ['['.repeat(100_000) + ']'.repeat(100_000), {}, { status: 400, reason: 'INVALID' }],
    [`{"__proto__":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}, { status: 200, read: {} }],
    [
      'a=1&'.repeat(1001),
      { 'content-type': FORM_TYPE },
      { reason: 'PARSE_ERROR', detail: expect.stringMatching(/^Form/) },
    ],
    ['a', { 'content-type': 'text/plain' }, { status: 415, detail: 'Unsupported media type "text/plain" in request.' }],
    [
      gzipSync('{"a":1}'),
      { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' },
      { status: 415, detail: 'Unsupported content encoding "gzip" in request.' },
    ],
  ];
  for (const [body, headers, answer] of refusals) expect(await send(body, headers)).toMatchObject(answer);
});

it('takes ten megabytes and no more, announced or not', async () => {
  const chunks = Array.from({ length: 10 }, () => Buffer.alloc(MEGABYTE, ' '));
  chunks[0]!.write('[1');
  chunks[9]!.write(']', MEGABYTE - 1);
  const tooLarge = { status: 413, reason: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 10 MB.' };
  for (const type of [JSON_TYPE, FORM_TYPE]) {
    const headers = { 'content-type': type };
    expect(await send([...chunks, Buffer.from(' ')], headers)).toEqual(tooLarge);
    expect(await send(Buffer.concat([...chunks, Buffer.from(' ')]), headers)).toEqual(tooLarge);
  }
  expect(await read(chunks, JSON_TYPE)).toEqual([1]);
  expect(await read(Buffer.concat(chunks), JSON_TYPE)).toEqual([1]);
});
