import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_UPLOAD_BYTES } from './chunks';
import { type IncomingFile, type Received, receiveFiles } from './receive-files';

interface Seen {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly largestChunk: number;
}
type Outcome = Received<Seen> & { readonly error?: { readonly reason: string; readonly fields?: unknown } };

let server: Server;
let outcome: Promise<Outcome>;

const see = async ({ fileName, declaredMimeType, chunks }: IncomingFile): Promise<Seen> => {
  let size = 0;
  let largestChunk = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    largestChunk = Math.max(largestChunk, chunk.length);
  }
  return { name: fileName, type: declaredMimeType, size, largestChunk };
};

beforeAll(async () => {
  server = createServer(async (request: IncomingMessage, response) => {
    const received = receiveFiles(
      request,
      new URL(request.url ?? '/', 'http://x').searchParams.get('name') ?? undefined,
      see,
    );
    outcome = received.catch((error) => ({ error })) as Promise<Outcome>;
    await outcome;
    request.unpipe();
    request.resume();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

const url = (path = '/') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const post = async (body: RequestInit['body'], headers: Record<string, string> = {}, path?: string) => {
  await fetch(url(path), { method: 'POST', body, headers });
  return outcome;
};
const form = (parts: readonly (readonly [name: string, content: string | Buffer, fileName?: string])[]) => {
  const data = new FormData();
  for (const [name, content, fileName] of parts) {
    if (fileName === undefined) data.append(name, content.toString());
    else
      data.append(
        name,
        new Blob([new Uint8Array(Buffer.from(content))], { type: 'application/octet-stream' }),
        fileName,
      );
  }
  return data;
};

it('reads several files with values and metadata after them', async () => {
  const { files, values, metadata } = await post(
    form([
      ['content', 'one', 'ä €.pdf'],
      ['content', 'twotwo', 'b.pdf'],
      ['values', '{"upload:a": "x", "b": 2}'],
      ['metadata', '{"k": [1]}'],
      ['unknown', 'ignored'],
    ]),
  );
  expect(files.map(({ name, size }) => [name, size])).toEqual([
    ['ä €.pdf', 3],
    ['b.pdf', 6],
  ]);
  expect([values, metadata]).toEqual([{ 'upload:a': 'x', 'upload:b': '2' }, { k: [1] }]);
});

it('reads values and metadata that are sent as files without a name', async () => {
  const part = (name: string, fileName: string, type: string, text: string) =>
    `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
  const body =
    part('content', 'a.pdf', 'application/octet-stream', '%PDF') +
    part('values', '', 'application/json', '{"upload:a": "b"}') +
    part('metadata', '', 'application/octet-stream', '{"c": 1}');
  const received = await post(`${body}--B--\r\n`, { 'content-type': 'multipart/form-data; boundary=B' });
  expect(received).toMatchObject({ files: [{ name: 'a.pdf' }], values: { 'upload:a': 'b' }, metadata: { c: 1 } });
});

it.each([
  ['filename="ř.pdf"', 'utf8', 'ř.pdf'],
  ['filename="résumé.pdf"', 'latin1', 'résumé.pdf'],
  ["filename*=iso-8859-1''r%E9sum%E9.pdf", 'utf8', 'résumé.pdf'],
  ['filename="x.pdf"; filename*=UTF-8\'\'%C5%99.pdf', 'utf8', 'ř.pdf'],
] as const)('reads the name of a part in %s (%s)', async (parameter, charset, name) => {
  const head = `--x\r\nContent-Disposition: form-data; name="content"; ${parameter}\r\n\r\nabc\r\n--x--\r\n`;
  const { files } = await post(new Uint8Array(Buffer.from(head, charset)), {
    'content-type': 'multipart/form-data; boundary=x',
  });
  expect(files.map((file) => file.name)).toEqual([name]);
});

it('reads a raw body with its name from the header or the path', async () => {
  const headers = { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="raw.pdf"' };
  expect((await post('%PDF', headers)).files).toMatchObject([{ name: 'raw.pdf', type: 'application/pdf', size: 4 }]);
  expect((await post('%PDF', {}, '/?name=from%20path.pdf')).files).toMatchObject([{ name: 'from path.pdf' }]);
});

it('joins small pieces', async () => {
  const { files } = await post(form([['content', Buffer.alloc(3_000_000), 'a.pdf']]));
  expect(files[0]?.size).toBe(3_000_000);
  expect(files[0]?.largestChunk).toBeGreaterThanOrEqual(64 * 1024);
});

it('takes exactly 40 MB, over all files, and no byte more', async () => {
  const half = Buffer.alloc(MAX_UPLOAD_BYTES / 2);
  const whole = await post(
    form([
      ['content', half, 'a.pdf'],
      ['content', half, 'b.pdf'],
      ['values', '{}'],
    ]),
  );
  expect(whole.files.map(({ size }) => size)).toEqual([half.length, half.length]);
  const more = await post(
    form([
      ['content', half, 'a.pdf'],
      ['content', Buffer.concat([half, Buffer.from('x')]), 'b.pdf'],
    ]),
  );
  expect(more.error).toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' });
});

it.each([
  ['application/pdf', MAX_UPLOAD_BYTES + 1],
  ['multipart/form-data; boundary=B', MAX_UPLOAD_BYTES + 5 * 1024 * 1024],
])('refuses a body of type %s that says it is too large before reading it', async (type, length) => {
  const request = httpRequest(url('/?name=x.pdf'), {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': String(length) },
  });
  request.on('error', () => undefined);
  request.write('x');
  await once(request, 'response');
  request.destroy();
  expect((await outcome).error).toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' });
});

it.each<[string, () => FormData | string, Record<string, string>, unknown]>([
  ['no file', () => form([['values', '{}']]), {}, { content: ['No file was submitted.'] }],
  ['an empty file', () => form([['content', '', 'a.pdf']]), {}, { content: ['The submitted file is empty.'] }],
  [
    'values that are no JSON',
    () =>
      form([
        ['content', 'x', 'a.pdf'],
        ['values', 'nope'],
      ]),
    {},
    { values: ['Value must be valid JSON.'] },
  ],
  [
    'values and metadata that are no objects',
    () =>
      form([
        ['content', 'x', 'a.pdf'],
        ['values', '[]'],
        ['metadata', '3'],
      ]),
    {},
    {
      values: ['Expected a dictionary of items but got type "list".'],
      metadata: ['Expected a dictionary of items but got type "int".'],
    },
  ],
])('refuses %s', async (_, body, headers, fields) => {
  expect((await post(body(), headers)).error?.fields).toEqual(fields);
});

it.each([
  ['multipart/form-data; boundary=B', '--B\r\nContent-Disposition: form-data; name="content"; filename="a"\r\n\r\nx'],
  ['multipart/form-data', 'x'],
  ['application/pdf', 'x'],
])('cannot read a body of type %s that is broken or without name', async (type, body) => {
  expect((await post(body, { 'content-type': type })).error).toMatchObject({ reason: 'PARSE_ERROR' });
});

it.each(['application/pdf', 'multipart/form-data; boundary=B'])(
  'refuses a compressed body of type %s',
  async (type) => {
    const headers = {
      'content-type': type,
      'content-encoding': 'gzip',
      'content-disposition': 'attachment; filename=a',
    };
    expect((await post('x', headers)).error).toMatchObject({ reason: 'UNSUPPORTED_MEDIA_TYPE' });
  },
);

it('gives up when the client goes away in the middle', async () => {
  const request = httpRequest(url(), {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B' },
  });
  request.on('error', () => undefined);
  const started = once(server, 'request');
  request.write('--B\r\nContent-Disposition: form-data; name="content"; filename="a"\r\n\r\nhalf of it');
  await started;
  request.destroy();
  expect((await outcome).error).toMatchObject({ reason: 'PARSE_ERROR' });
});
