import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { servePage } from './serve-page';

const PAGE = '<!doctype html><title>Intake</title>';
const SCRIPT = `console.log('${'x'.repeat(500)}')`;
const HTML = { accept: 'text/html,*/*' };
const servers: Server[] = [];
let folder: string;
let base: string;

async function serve(from: string, embedOrigins: string[] = []): Promise<string> {
  const app = new Koa().use(servePage(from, embedOrigins)).use((ctx) => {
    ctx.status = 404;
    ctx.body = { code: 'not_found' };
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intake-page-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'assets', 'app-1a2b.js'), SCRIPT);
  base = await serve(folder);
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

it('gives the page at / and at every place of it that a browser opens', async () => {
  for (const path of ['/', '/queues/7', '/annotations/1?x=2']) {
    const answer = await fetch(`${base}${path}`, { headers: HTML });
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([
      200,
      PAGE,
      'text/html; charset=utf-8',
    ]);
  }
});

it('lets nothing run but its own files', async () => {
  const { headers } = await fetch(base);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

it('may be shown by the pages of others where it is one document for review, and they are named', async () => {
  const named = await serve(folder, ['https://erp.example.com', 'https://app.example.com']);
  const ancestors = async (url: string) => {
    const { headers } = await fetch(url, { headers: HTML });
    return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
  };
  expect(await ancestors(`${named}/embedded/document/7`)).toBe('https://erp.example.com https://app.example.com');
  expect(await ancestors(`${named}/annotations/7`)).toBe("'none'");
  expect(await ancestors(`${base}/embedded/document/7`)).toBe("'none'");
});

it('keeps files with a hash in their name for ever, the page only while it is the same', async () => {
  const script = await fetch(`${base}/assets/app-1a2b.js`);
  expect([await script.text(), script.headers.get('cache-control')]).toEqual([
    SCRIPT,
    'public, max-age=31536000, immutable',
  ]);
  const page = await fetch(base);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const again = await fetch(base, {
    headers: { 'if-none-match': page.headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
  });
  expect(again.status).toBe(304);
});

it.each(['br', 'gzip', 'identity'])('compresses what the browser takes: %s', async (encoding) => {
  const answer = await fetch(`${base}/assets/app-1a2b.js`, { headers: { 'accept-encoding': encoding } });
  expect(await answer.text()).toBe(SCRIPT);
  expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
  if (encoding !== 'identity') expect(Number(answer.headers.get('content-length'))).toBeLessThan(200);
});

it('leaves the API, what is no file, and other methods to the others', async () => {
  const asked: [string, RequestInit][] = [
    ['/api', { headers: HTML }],
    ['/api/v1/queues', { headers: HTML }],
    ['/assets/none.js', { headers: HTML }],
    ['/queues/7', {}],
    ['/%2e%2e/secret.txt', { headers: HTML }],
    ['/', { method: 'POST' }],
  ];
  for (const [path, init] of asked) expect((await fetch(`${base}${path}`, init)).status).toBe(404);
});

it('serves nothing while the page is not built', async () => {
  const nothing = await serve(join(folder, 'missing'));
  expect((await fetch(nothing, { headers: HTML })).status).toBe(404);
});
