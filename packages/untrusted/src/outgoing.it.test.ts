import { createSocket, type Socket } from 'node:dgram';
import { promises as dns, type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket as TcpSocket } from 'node:net';
import { generate } from 'selfsigned';
import { parseNetworks } from './networks';
import { createOutgoing, type OutgoingRequest } from './outgoing';
import { OutgoingError, type OutgoingReason } from './outgoing-error';

/** Outgoing calls against real servers that misbehave. */

const LOOPBACK = '127.0.0.1';
const allow = parseNetworks(LOOPBACK);
const call = createOutgoing({ allow });

const servers: { close(done: () => void): unknown; closeAllConnections?(): void }[] = [];
const sockets = new Set<TcpSocket>();
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(resolve);
          server.closeAllConnections?.();
        }),
    ),
  );
});

async function listen<T extends Server | ReturnType<typeof createTcpServer>>(server: T, host = LOOPBACK, port = 0) {
  servers.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const serve = async (listener: RequestListener, host = LOOPBACK, port = 0) =>
  `http://${host}:${await listen(createServer(listener), host, port)}`;
/** A server that writes bytes of its own on each connection. */
const serveRaw = async (write: (socket: TcpSocket) => void) => {
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
    write(socket);
  });
  return `http://${LOOPBACK}:${await listen(server)}`;
};
async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function failure(request: OutgoingRequest, by = call): Promise<{ reason: OutgoingReason; message: string }> {
  const error = await by(request).then(
    ({ status }) => new Error(`it answered ${status}`),
    (thrown) => thrown,
  );
  if (!(error instanceof OutgoingError)) throw error;
  return { reason: error.reason, message: error.message };
}

it('sends method, headers and body, and gives back whatever comes', async () => {
  const url = await serve(async (request, response) => {
    const body = await readAll(request);
    response.writeHead(418, { 'Content-Type': 'text/plain', 'X-Seen': String(request.headers['x-mine']) });
    response.end(`${request.method} ${request.url} ${body} ${request.headers.host}`);
  });
  const answer = await call({
    url: `${url}/path?q=1`,
    method: 'PUT',
    headers: { 'X-Mine': 'yes', Host: 'internal', 'content-length': '1', 'Transfer-Encoding': 'chunked' },
    body: 'ahoj ž',
  });
  expect(answer.status).toBe(418);
  expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-seen': 'yes' });
  expect(answer.body.toString()).toBe(`PUT /path?q=1 ahoj ž ${new URL(url).host}`);
});

it.each([
  'http://127.0.0.2/',
  'http://2130706434/',
  'http://0x7f.2/',
  'http://0177.0.0.2/',
  'http://127.2/',
  'http://0/',
  'http://[::1]/',
  'http://[::ffff:7f00:2]/',
  'http://[::ffff:169.254.169.254]/',
  'http://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'https://192.168.0.1:8443/',
  'https://100.64.0.1/',
])('does not call %s', async (url) => {
  expect(await failure({ url, allowPlainHttp: true })).toEqual({
    reason: 'REFUSED_ADDRESS',
    message: expect.stringContaining('in a network that is not public'),
  });
});

it('does not call the address of a name either', async () => {
  const nothing = createOutgoing({ allow: [] });
  expect((await failure({ url: 'https://localhost:1/' }, nothing)).reason).toBe('REFUSED_ADDRESS');
});

it.each(['ftp://example.com/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x', 'example.com', ''])(
  'does not take "%s" for a URL to call',
  async (url) => expect((await failure({ url })).reason).toBe('INVALID_REQUEST'),
);

it('refuses headers that would split the request', async () => {
  const url = await serve((_, response) => response.end());
  expect((await failure({ url, headers: { 'X-A': 'a\r\nX-B: b' } })).reason).toBe('INVALID_REQUEST');
  expect((await failure({ url, headers: { 'X A': 'a' } })).reason).toBe('INVALID_REQUEST');
  expect((await failure({ url, method: 'GET / HTTP/1.1\r\n' })).reason).toBe('INVALID_REQUEST');
});

it('wants https where the network is not listed, unless it is told otherwise', async () => {
  const far = createOutgoing({ allow, lookup: async () => [{ address: '192.88.98.1', family: 4 }] });
  expect(await failure({ url: 'http://far.example/' }, far)).toEqual({
    reason: 'NEEDS_HTTPS',
    message: 'far.example must be called by https.',
  });
  const signal = AbortSignal.abort();
  expect((await failure({ url: 'http://far.example/', allowPlainHttp: true, signal }, far)).reason).toBe('ABORTED');
});

it('does not follow redirects', async () => {
  let visits = 0;
  const inside = await serve((_, response) => {
    visits += 1;
    response.end();
  });
  const url = await serve((_, response) => response.writeHead(302, { Location: inside }).end('moved'));
  const answer = await call({ url });
  expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 302, location: inside });
  expect(visits).toBe(0);
});

describe('time', () => {
  const timeoutMs = 300;
  const late = { reason: 'TIMEOUT', message: `${LOOPBACK} did not answer within 0.3 seconds.` };

  it.each<[string, (socket: TcpSocket) => void]>([
    ['says nothing', () => undefined],
    ['sends its header drop by drop', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n')],
    ['sends its body drop by drop', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', '.')],
    ['announces answers without end', (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('is limited as a whole: a server that %s', async (_, write) => {
    expect(await failure({ url: await serveRaw(write), timeoutMs })).toEqual(late);
  });

  it('is limited for the resolver and for the body that is sent, too', async () => {
    const waiting = createOutgoing({ allow, lookup: () => new Promise(() => undefined) });
    expect((await failure({ url: 'https://slow.example/', timeoutMs }, waiting)).reason).toBe('TIMEOUT');
    const deaf = await serveRaw((socket) => socket.pause());
    const body = Buffer.alloc(50_000_000);
    expect((await failure({ url: deaf, timeoutMs, method: 'POST', body })).reason).toBe('TIMEOUT');
  });

  it('is the caller’s, who may give up', async () => {
    const caller = new AbortController();
    const url = await serve(() => caller.abort());
    expect((await failure({ url, signal: caller.signal })).reason).toBe('ABORTED');
  });

  function drip(socket: TcpSocket, first: string, drop: string): void {
    socket.write(first);
    const timer = setInterval(() => socket.write(drop), 20);
    socket.once('close', () => clearInterval(timer));
  }
});

describe('size', () => {
  it('is limited, whether it was announced or not', async () => {
    let sent = 0;
    const endless = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      };
      response.on('drain', more);
      more();
    });
    const announced = await serve((_, response) => response.writeHead(200, { 'Content-Length': 1e12 }).write('x'));
    expect(await failure({ url: endless, maxBytes: 100_000 })).toEqual({
      reason: 'TOO_LARGE',
      message: 'The answer is larger than 100000 bytes.',
    });
    expect(sent).toBeLessThan(20_000_000);
    expect((await failure({ url: announced })).reason).toBe('TOO_LARGE');
    const exact = await serve((_, response) => response.end(Buffer.alloc(1000)));
    expect((await call({ url: exact, maxBytes: 1000 })).body).toHaveLength(1000);
    expect((await failure({ url: exact, maxBytes: 999 })).reason).toBe('TOO_LARGE');
  });

  it('of the header is limited', async () => {
    const url = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`));
    expect((await failure({ url })).reason).toBe('BROKEN_ANSWER');
  });

  it('of a compressed body is what was sent: it is not inflated', async () => {
    const url = await serve((request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(String(request.headers['accept-encoding'])),
    );
    expect((await call({ url })).body.toString()).toBe('identity');
  });
});

it.each<[OutgoingReason, string, (socket: TcpSocket) => void]>([
  ['BROKEN_ANSWER', 'is no HTTP server', (socket) => socket.write('220 mail.example ESMTP\r\n')],
  ['UNREACHABLE', 'hangs up', (socket) => socket.destroy()],
  ['UNREACHABLE', 'breaks off', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this')],
  [
    'BROKEN_ANSWER',
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
])('%s: a server that %s', async (reason, _, write) => {
  expect((await failure({ url: await serveRaw(write), timeoutMs: 5000 })).reason).toBe(reason);
});

it('says that nobody listens, or that the name is unknown', async () => {
  expect(await failure({ url: `http://${LOOPBACK}:1/` })).toEqual({
    reason: 'UNREACHABLE',
    message: `No connection to ${LOOPBACK} (ECONNREFUSED).`,
  });
  expect(await failure({ url: 'https://nobody.invalid/' })).toEqual({
    reason: 'UNKNOWN_NAME',
    message: 'The name nobody.invalid is not known.',
  });
});

describe('names', () => {
  /** A name server that gives each question for an IPv4 address the next answer, the last one again and again. */
  let server: Socket;
  let resolver: dns.Resolver;
  let answers: string[] = [];
  let asked = 0;
  beforeAll(async () => {
    server = createSocket('udp4', (query, from) => {
      asked += 1;
      const end = query.indexOf(0, 12) + 5;
      const address = (answers.length > 1 ? answers.shift() : answers[0]) as string;
      const header = Buffer.from([query[0] as number, query[1] as number, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
      server.send(Buffer.concat([header, query.subarray(12, end), record]), from.port);
    });
    server.bind(0, LOOPBACK);
    await once(server, 'listening');
    servers.push(server);
    resolver = new dns.Resolver();
    resolver.setServers([`${LOOPBACK}:${server.address().port}`]);
  });
  const lookup = async (name: string): Promise<LookupAddress[]> =>
    (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }));

  it('are resolved once: a name server that changes its mind gains nothing', async () => {
    const visited: string[] = [];
    const visit =
      (who: string): RequestListener =>
      (_, response) => {
        visited.push(who);
        response.end(who);
      };
    const outside = await serve(visit('outside'));
    const port = Number(new URL(outside).port);
    await serve(visit('inside'), '127.0.0.2', port);
    const url = `http://rebinding.example:${port}/`;
    const rebinding = createOutgoing({ allow, lookup });

    answers = [LOOPBACK, '127.0.0.2'];
    asked = 0;
    expect((await rebinding({ url })).body.toString()).toBe('outside');
    expect(asked).toBe(1);
    expect((await failure({ url }, rebinding)).reason).toBe('REFUSED_ADDRESS');
    expect(visited).toEqual(['outside']);
  });

  it('of several addresses only those that may be called are', async () => {
    const url = new URL(await serve((_, response) => response.end('here')));
    url.hostname = 'several.example';
    const several = createOutgoing({
      allow,
      lookup: async () =>
        ['10.0.0.1', LOOPBACK, '::1'].map((address) => ({ address, family: address === '::1' ? 6 : 4 })),
    });
    expect((await several({ url })).body.toString()).toBe('here');
  });
});

describe('TLS', () => {
  const make = async (name: string) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
    } as Parameters<typeof generate>[1]);
    return { key, cert };
  };
  const lookup = async () => [{ address: LOOPBACK, family: 4 }];
  const calls = createOutgoing({ allow, lookup });

  it('trusts certificates of the right name only, and shows its own', async () => {
    const [server, client, stranger] = await Promise.all([make('secure.example'), make('client'), make('stranger')]);
    const port = await listen(
      createTlsServer({ ...server, requestCert: true, ca: client.cert }, (_, response) => response.end('welcome')),
    );
    const url = `https://secure.example:${port}/`;
    const right = { url, ca: server.cert, clientCertificate: client };
    expect((await calls(right)).body.toString()).toBe('welcome');
    expect((await failure({ ...right, ca: undefined }, calls)).reason).toBe('TLS_FAILED');
    expect((await failure({ ...right, url: `https://other.example:${port}/` }, calls)).reason).toBe('TLS_FAILED');
    const headers = { Host: 'secure.example' };
    const disguised = { ...right, headers, url: `https://other.example:${port}/` };
    expect((await failure(disguised, calls)).reason).toBe('TLS_FAILED');
    expect((await failure({ ...right, clientCertificate: stranger }, calls)).reason).not.toBe('INVALID_REQUEST');
    expect((await failure({ ...right, clientCertificate: undefined }, calls)).reason).toMatch(/UNREACHABLE|TLS_FAILED/);
    expect((await failure({ ...right, clientCertificate: { cert: 'x', key: 'y' } }, calls)).reason).toBe('TLS_FAILED');
  });

  it('says that a server has none', async () => {
    const url = (await serve((_, response) => response.end())).replace('http:', 'https:');
    expect((await failure({ url })).reason).toBe('TLS_FAILED');
  });
});
