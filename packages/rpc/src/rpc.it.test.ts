import { createHash, randomBytes } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { connect } from 'node:http2';
import { networkInterfaces } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  credentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { fromJSON, loadSync } from '@grpc/proto-loader';
import { documentStorage, extraction, protoRoot } from '@intake/contracts';
import {
  currentContext,
  currentRequestId,
  type RunningService,
  type Runtime,
  runInContext,
  runService,
} from '@intake/service';
import { type ReceivedSpan, receiveTraces, startTcpProxy, waitFor } from '@intake/testkit';
import { type Client, connectRpc, type Handlers, Refusal, serveRpc, signCaller, systemCaller } from '.';
import type { Caller } from './caller';

const SECRET = 'shared by the test';
const CALLER: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: 2,
  username: 'u',
  roles: ['annotator'],
  queueIds: [5],
};
const MB = 1024 * 1024;

const EXTRACTION = { recognize: extraction.ExtractionServiceService.recognize };
const STORAGE = {
  putFile: documentStorage.DocumentStorageServiceService.putFile,
  getFile: documentStorage.DocumentStorageServiceService.getFile,
};
type Recognize = Handlers<typeof EXTRACTION>['recognize'];
type Storage = Handlers<typeof STORAGE>;

const running: RunningService[] = [];
afterEach(async () => {
  for (const service of running.splice(0).reverse()) await service.stop();
});

async function startRuntime(name: string, env = {}): Promise<{ runtime: Runtime; service: RunningService }> {
  let runtime: Runtime | undefined;
  const service = await runService(name, { INTAKE_LOG_LEVEL: 'silent', ...env }, async (given) => {
    runtime = given;
  });
  running.push(service);
  return { runtime: runtime as Runtime, service };
}

interface ServeRecognize {
  readonly host?: string;
  readonly env?: Record<string, string>;
  readonly port?: number;
  readonly isUnavailable?: (error: unknown) => boolean;
}

async function serveRecognize(recognize: Recognize, options: ServeRecognize = {}) {
  const { env, host = '127.0.0.1', port: given = 0, isUnavailable } = options;
  const { runtime, service } = await startRuntime('extraction', env);
  const port = await serveRpc(runtime, {
    definition: EXTRACTION,
    handlers: { recognize },
    proto: 'intake/extraction/v1/extraction.proto',
    host,
    port: given,
    secret: SECRET,
    isUnavailable,
  });
  return { runtime, service, port, address: `127.0.0.1:${port}` };
}

async function serveStorage(handlers: Partial<Storage>) {
  const { runtime, service } = await startRuntime('document-storage');
  const unused = () => {
    throw new Error('not part of this test');
  };
  const port = await serveRpc(runtime, {
    definition: STORAGE,
    handlers: { putFile: unused, getFile: unused, ...handlers } as Storage,
    proto: 'intake/document_storage/v1/document_storage.proto',
    host: '127.0.0.1',
    port: 0,
    secret: SECRET,
  });
  return { service, address: `127.0.0.1:${port}` };
}

async function connectExtraction(address: string, secret = SECRET): Promise<Client<typeof EXTRACTION>> {
  const { runtime } = await startRuntime('gateway');
  return connectRpc(runtime, EXTRACTION, address, { secret });
}

async function connectStorage(address: string): Promise<Client<typeof STORAGE>> {
  const { runtime } = await startRuntime('gateway');
  return connectRpc(runtime, STORAGE, address, { secret: SECRET });
}

const ok = extraction.ExtractionResult.create;
const request = extraction.RecognizeRequest.create({ documentId: 1 });
const refused = (reason: string) => expect.objectContaining({ name: 'Refusal', reason });

async function* chunksOf(bytes: Buffer, size = 256 * 1024) {
  for (let at = 0; at < bytes.length; at += size)
    yield documentStorage.PutFileRequest.create({ chunk: bytes.subarray(at, at + size) });
}

it('a server says at once that it takes more than the default of HTTP/2, of each call and of all together', async () => {
  const { address } = await serveRecognize(async () => ok());
  const session = connect(`http://${address}`);
  try {
    const [settings] = await once(session, 'remoteSettings');
    expect(settings.initialWindowSize).toBe(128 * 1024);
    await waitFor('the window of the connection', () => (session.state.remoteWindowSize ?? 0) > 15 * 1024 * 1024);
  } finally {
    session.destroy();
  }
});

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.address === '::1'));
(hasIPv6 ? it : it.skip).each([
  ['::', '127.0.0.1'],
  ['::', '[::1]'],
  ['::1', '[::1]'],
])('a server that listens on %s is reached at %s', async (host, from) => {
  const { port } = await serveRecognize(async () => ok(), { host });
  const client = await connectExtraction(`${from}:${port}`);
  expect(await client.recognize(request, CALLER)).toEqual(ok());
});

describe('replicas', () => {
  it('each have their share of the calls, and those that are left take over', async () => {
    const calls: string[] = [];
    const servers = [];
    for (const name of ['a', 'b']) {
      servers.push(
        await serveRecognize(async () => {
          calls.push(name);
          return ok({});
        }),
      );
    }
    const client = await connectExtraction(`ipv4:${servers.map(({ address }) => address).join(',')}`);
    await waitFor('calls at both', async () => {
      await client.recognize(request, CALLER);
      return new Set(calls).size === 2;
    });
    await servers[0]?.service.stop();
    calls.length = 0;
    for (let i = 0; i < 5; i++) await client.recognize(request, CALLER);
    expect(calls).toEqual(['b', 'b', 'b', 'b', 'b']);
  });

  it('that are replaced one after the other fail no call', async () => {
    const serve = (name: string, port?: number) => serveRecognize(async () => ok({ language: name }), { port });
    const first = await serve('first');
    const second = await serve('second');
    const client = await connectExtraction(`ipv4:${first.address},${second.address}`);
    const answered: string[] = [];
    let over = false;
    const call = async () => {
      while (!over) answered.push((await client.recognize(request, CALLER)).language);
    };
    const calling = Promise.all([call(), call(), call()]);
    try {
      await waitFor('calls at both', () => new Set(answered).size === 2);
      await first.service.stop();
      await waitFor('the first to be missed', () => !answered.slice(-20).includes('first'));
      await serve('first again', first.port);
      await second.service.stop();
      await serve('second again', second.port);
      await waitFor('calls at both again', () => new Set(answered).size === 4);
    } finally {
      over = true;
    }
    await calling;
  });
});

describe('who calls', () => {
  it('arrives as the gateway verified it', async () => {
    let seen: Caller | undefined;
    const { address } = await serveRecognize(async (_, caller) => {
      seen = caller;
      return ok();
    });
    await (await connectExtraction(address)).recognize(request, CALLER);
    expect(seen).toEqual(CALLER);
  });

  it('is refused with another secret, and without any', async () => {
    let calls = 0;
    const { address } = await serveRecognize(async () => {
      calls += 1;
      return ok();
    });
    const forging = await connectExtraction(address, 'guessed');
    await expect(forging.recognize(request, CALLER)).rejects.toEqual(refused('UNVERIFIED_CALLER'));
    await expect(callPlainly(address, new Metadata())).rejects.toMatchObject({ details: 'UNVERIFIED_CALLER' });
    const old = new Metadata();
    old.set('intake-caller', signCaller(CALLER, SECRET, Date.now() - 121_000));
    await expect(callPlainly(address, old)).rejects.toMatchObject({ details: 'UNVERIFIED_CALLER' });
    const good = new Metadata();
    good.set('intake-caller', signCaller(CALLER, SECRET));
    await callPlainly(address, good);
    expect(calls).toBe(1);
  });
});

describe('errors', () => {
  it('a refusal arrives with its text, fields and extra', async () => {
    const { address } = await serveRecognize(async () => {
      throw new Refusal('CONFLICT_STATUS', {
        detail: 'Wait.',
        fields: { a: [{ b: ['c'] }] },
        extra: { messages: [1] },
      });
    });
    await expect((await connectExtraction(address)).recognize(request, CALLER)).rejects.toMatchObject({
      reason: 'CONFLICT_STATUS',
      detail: 'Wait.',
      fields: { a: [{ b: ['c'] }] },
      extra: { messages: [1] },
      httpStatus: 409,
    });
  });

  it('an unknown error tells nothing', async () => {
    const { address } = await serveRecognize(async () => {
      throw new Error('password of the database');
    });
    const error: Error = await (await connectExtraction(address)).recognize(request, CALLER).then(
      () => Promise.reject(new Error('was not refused')),
      (reason) => reason,
    );
    expect(error).toEqual(refused('INTERNAL'));
    expect(`${error.message} ${(error.cause as Error).message}`).not.toContain('password');
  });

  it('an error of a backing service is worth a retry', async () => {
    const away = new Error('no primary');
    const { address } = await serveRecognize(
      async () => {
        throw away;
      },
      { isUnavailable: (error) => error === away },
    );
    const client = await connectExtraction(address);
    await expect(client.recognize(request, CALLER)).rejects.toEqual(refused('SERVICE_UNAVAILABLE'));
  });

  it('a service that is not there is unavailable soon, and is found again', async () => {
    const first = await serveRecognize(async () => ok({ language: 'one' }));
    const client = await connectExtraction(first.address);
    await expect(client.recognize(request, CALLER)).resolves.toMatchObject({ language: 'one' });
    await first.service.stop();
    const started = Date.now();
    await expect(client.recognize(request, CALLER)).rejects.toEqual(refused('SERVICE_UNAVAILABLE'));
    expect(Date.now() - started).toBeLessThan(2000);

    await serveRecognize(async () => ok({ language: 'two' }), { port: first.port });
    await waitFor('the new process', async () => (await client.recognize(request, CALLER)).language === 'two');
  });
});

describe('deadlines', () => {
  it('ends a call that takes longer than its time-out', async () => {
    const { address } = await serveRecognize(() => new Promise(() => undefined));
    const client = await connectExtraction(address);
    const started = Date.now();
    const call = client.recognize(request, CALLER, { timeoutMs: 300 });
    await expect(call).rejects.toEqual(refused('SERVICE_UNAVAILABLE'));
    expect(Date.now() - started).toBeGreaterThanOrEqual(290);
    expect(Date.now() - started).toBeLessThan(1500);
  });

  it('is handed on to nested calls, which are given up when the first caller goes', async () => {
    let innerDeadline: Date | undefined;
    let innerAborted = false;
    const inner = await serveRecognize(() => {
      const { deadline, signal } = currentContext();
      innerDeadline = deadline;
      signal?.addEventListener('abort', () => {
        innerAborted = true;
      });
      return new Promise(() => undefined);
    });
    const toInner = await connectExtraction(inner.address);
    const outer = await serveRecognize(({ documentId }, caller) => toInner.recognize({ documentId }, caller));
    const client = await connectExtraction(outer.address);
    const edge = new Date(Date.now() + 500);
    const call = runInContext({ ...currentContext(), deadline: edge }, () => client.recognize(request, CALLER));
    await expect(call).rejects.toEqual(refused('SERVICE_UNAVAILABLE'));
    // Not the ten seconds that a call has by itself; the way there takes its time.
    expect((innerDeadline?.getTime() ?? 0) - edge.getTime()).toBeLessThan(3000);
    await waitFor('the inner call to be given up', () => innerAborted);
  });

  it('a request keeps nothing of the calls that it has made', async () => {
    const { address } = await serveRecognize(async ({ documentId }) => {
      if (documentId === 2) throw new Refusal('NOT_FOUND');
      return ok();
    });
    const client = await connectExtraction(address);
    const { signal } = new AbortController();
    await runInContext({ ...currentContext(), signal }, async () => {
      await client.recognize(request, CALLER);
      await client.recognize({ ...request, documentId: 2 }, CALLER).catch(() => undefined);
    });
    await waitFor('the listeners to be gone', () => getEventListeners(signal, 'abort').length === 0);
  });

  it('cancels the call when the request it serves has gone', async () => {
    let started = false;
    let aborted = false;
    const { address } = await serveRecognize(() => {
      started = true;
      currentContext().signal?.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => undefined);
    });
    const client = await connectExtraction(address);
    const gone = new AbortController();
    const call = runInContext({ ...currentContext(), signal: gone.signal }, () => client.recognize(request, CALLER));
    const outcome = expect(call).rejects.toEqual(refused('SERVICE_UNAVAILABLE'));
    await waitFor('the call', () => started);
    gone.abort();
    await outcome;
    await waitFor('the handler to know', () => aborted);
  });

  it('does not tell a handler that its caller has gone when the call is just over', async () => {
    let signal: AbortSignal | undefined;
    const { address } = await serveRecognize(async () => {
      signal = currentContext().signal;
      return ok();
    });
    const client = await connectExtraction(address);
    await client.recognize(request, CALLER);
    await client.recognize(request, CALLER);
    expect(signal?.aborted).toBe(false);
  });
});

describe('streams', () => {
  it('keep nothing of what was sent', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const { address } = await serveStorage({
      async putFile(requests) {
        let size = 0;
        for await (const { chunk } of requests) size += chunk?.length ?? 0;
        return documentStorage.StoredFile.fromPartial({ size });
      },
    });
    const client = await connectStorage(address);
    const sent: WeakRef<object>[] = [];
    let kept = -1;
    async function* observed() {
      for (let i = 0; i < 100; i++) {
        const request = documentStorage.PutFileRequest.create({ chunk: Buffer.alloc(MB) });
        sent.push(new WeakRef(request));
        yield request;
      }
      collectGarbage();
      kept = sent.filter((request) => request.deref() !== undefined).length;
    }
    const { size } = await client.putFile(observed(), CALLER);
    expect(size).toBe(100 * MB);
    expect(kept).toBeLessThan(50);
  });

  const file = randomBytes(40 * MB);
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it('take 40 MB up, no faster than the server reads', async () => {
    let released: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      released = resolve;
    });
    const { address } = await serveStorage({
      async putFile(requests) {
        await gate;
        const hash = createHash('sha256');
        let size = 0;
        for await (const { chunk = Buffer.alloc(0) } of requests) {
          hash.update(chunk);
          size += chunk.length;
        }
        return documentStorage.StoredFile.create({ sha256: hash.digest('hex'), size });
      },
    });
    const client = await connectStorage(address);
    let taken = 0;
    async function* counted() {
      for await (const chunk of chunksOf(file)) {
        taken += 256 * 1024;
        yield chunk;
      }
    }
    const call = client.putFile(counted(), CALLER);
    await waitForRest(() => taken);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(20 * MB);
    released();
    await expect(call).resolves.toMatchObject({ sha256: sha256(file), size: file.length });
  });

  it('bring 40 MB down, no faster than the client reads', async () => {
    let given = 0;
    const { address } = await serveStorage({
      async *getFile() {
        for (let at = 0; at < file.length; at += 256 * 1024) {
          given = at;
          yield documentStorage.FileChunk.create({ chunk: file.subarray(at, at + 256 * 1024) });
        }
      },
    });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const client = await connectStorage(address);
    const stream = client.getFile(documentStorage.GetFileRequest.create(), CALLER)[Symbol.asyncIterator]();
    const parts = [(await stream.next()).value.chunk as Buffer];
    await waitForRest(() => given);
    expect(given).toBeLessThan(20 * MB);
    for (let next = await stream.next(); !next.done; next = await stream.next()) parts.push(next.value.chunk as Buffer);
    process.off('warning', onWarning);
    expect(sha256(Buffer.concat(parts))).toBe(sha256(file));
    expect(warnings).toEqual([]); // one listener too many for each pause would warn of a leak
  });

  it('a reader that breaks off stops the handler', async () => {
    let ended = false;
    const { address } = await serveStorage({
      async *getFile() {
        try {
          for (;;) yield documentStorage.FileChunk.create({ chunk: Buffer.alloc(256 * 1024) });
        } finally {
          ended = true;
        }
      },
    });
    const client = await connectStorage(address);
    for await (const _ of client.getFile(documentStorage.GetFileRequest.create(), CALLER)) break;
    await waitFor('the handler to end', () => ended);
  });

  it('a refusal in the middle of a download arrives after what was sent', async () => {
    const { address } = await serveStorage({
      async *getFile() {
        yield documentStorage.FileChunk.create({ chunk: Buffer.from('begin') });
        throw new Refusal('NOT_FOUND', { detail: 'Gone.' });
      },
    });
    const client = await connectStorage(address);
    const received: string[] = [];
    const read = async () => {
      for await (const { chunk } of client.getFile(documentStorage.GetFileRequest.create(), CALLER))
        received.push(String(chunk));
    };
    await expect(read()).rejects.toMatchObject({ reason: 'NOT_FOUND', detail: 'Gone.' });
    expect(received).toEqual(['begin']);
  });

  it('a refusal in the middle of an upload arrives although the source has more', async () => {
    const { address } = await serveStorage({
      async putFile(requests) {
        for await (const _ of requests) throw new Refusal('PAYLOAD_TOO_LARGE');
        return documentStorage.StoredFile.create();
      },
    });
    const client = await connectStorage(address);
    await expect(client.putFile(chunksOf(file), CALLER)).rejects.toEqual(refused('PAYLOAD_TOO_LARGE'));
  });

  it('an answer does not wait for a source that says nothing more', async () => {
    const { address } = await serveStorage({
      async putFile(requests) {
        for await (const _ of requests) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
        return documentStorage.StoredFile.create();
      },
    });
    const client = await connectStorage(address);
    async function* stalled() {
      yield documentStorage.PutFileRequest.create({ chunk: Buffer.from('x') });
      await new Promise(() => undefined);
    }
    await expect(client.putFile(stalled(), CALLER)).rejects.toEqual(refused('UNSUPPORTED_MEDIA_TYPE'));
  });

  it('an upload ends when the network swallows it, on its way or before, whatever time it has', async () => {
    let received = 0;
    const { address } = await serveStorage({
      async putFile(requests) {
        for await (const { chunk } of requests) received += chunk?.length ?? 0;
        return documentStorage.StoredFile.create({ size: received });
      },
    });
    const proxy = await startTcpProxy(Number(address.split(':')[1]));
    const client = await connectStorage(`127.0.0.1:${proxy.port}`);
    const upload = async (source: () => AsyncGenerator<documentStorage.PutFileRequest>) => {
      const started = Date.now();
      await expect(client.putFile(source(), CALLER, { timeoutMs: 600_000 })).rejects.toEqual(
        refused('SERVICE_UNAVAILABLE'),
      );
      return Date.now() - started;
    };
    try {
      const onItsWay = await upload(async function* () {
        yield documentStorage.PutFileRequest.create({ chunk: file.subarray(0, MB) });
        await waitFor('the first chunk to arrive', () => received === MB);
        proxy.freeze();
        yield* chunksOf(file);
      });
      const before = await upload(() => chunksOf(file));
      expect(Math.max(onItsWay, before)).toBeLessThan(15_000);
      expect(received).toBe(MB);
      proxy.mend();
      await waitFor('the way to be found again', async () => (await client.putFile(chunksOf(file), CALLER)).size > 0);
    } finally {
      await proxy.stop();
    }
  });

  it('an upload whose source breaks reaches the handler as an error and the caller as its own', async () => {
    let seen: unknown;
    let reading = false;
    const { address } = await serveStorage({
      async putFile(requests) {
        try {
          for await (const _ of requests) reading = true;
        } catch (error) {
          seen = error;
          throw error;
        }
        seen = 'ended as if it were complete';
        return documentStorage.StoredFile.create();
      },
    });
    const client = await connectStorage(address);
    async function* breaking() {
      yield documentStorage.PutFileRequest.create({ chunk: Buffer.from('x') });
      await waitFor('the first chunk to arrive', () => reading);
      throw new Error('the browser went away');
    }
    await expect(client.putFile(breaking(), CALLER)).rejects.toThrow('the browser went away');
    await waitFor('the handler to see it', () => seen);
    expect(seen).toBeInstanceOf(Error);
  });
});

describe('operations', () => {
  it('health and reflection answer clients of their own', async () => {
    const { address } = await serveRecognize(async () => ok());
    const health = loadClient(
      loadSync(require.resolve('grpc-health-check/proto/health/v1/health.proto')),
      'grpc.health.v1.Health',
      address,
    );
    // 1 is SERVING
    for (const service of ['', 'intake.extraction.v1.ExtractionService'])
      await expect(health.call('check', { service })).resolves.toMatchObject({ status: 1 });
    await expect(health.call('check', { service: 'other' })).rejects.toMatchObject({ code: 5 });

    const reflection = loadClient(fromJSON(REFLECTION as never), 'grpc.reflection.v1.ServerReflection', address);
    const answer = await reflection.ask('ServerReflectionInfo', { listServices: '' });
    const names = (answer.listServicesResponse as { service: { name: string }[] }).service.map(({ name }) => name);
    expect(names).toContain('intake.extraction.v1.ExtractionService');
    health.close();
    reflection.close();
  });

  it('a stop waits for the call in flight and refuses new ones', async () => {
    let finish: () => void = () => undefined;
    let started = false;
    const { address, service } = await serveRecognize(async () => {
      started = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return ok({ language: 'eng' });
    });
    const client = await connectExtraction(address);
    const call = client.recognize(request, CALLER);
    await waitFor('the call', () => started);
    const stopped = service.stop();
    const late = await connectExtraction(address);
    await waitFor('new calls to be refused', () =>
      late.recognize(request, CALLER, { timeoutMs: 200 }).then(
        () => false,
        () => true,
      ),
    );
    finish();
    await expect(call).resolves.toMatchObject({ language: 'eng' });
    await stopped;
  });

  it('one request id and one trace go through nested calls', async () => {
    const receiver = await receiveTraces();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    let innerId: string | undefined;
    const inner = await serveRecognize(
      async () => {
        innerId = currentRequestId();
        return ok();
      },
      { env },
    );
    const { runtime } = await startRuntime('annotation', env);
    const toInner = connectRpc(runtime, EXTRACTION, inner.address, { secret: SECRET });
    const port = await serveRpc(runtime, {
      definition: EXTRACTION,
      handlers: { recognize: (one, caller) => toInner.recognize(one, caller) },
      proto: 'intake/extraction/v1/extraction.proto',
      host: '127.0.0.1',
      port: 0,
      secret: SECRET,
    });
    const { runtime: edge } = await startRuntime('gateway', env);
    const client = connectRpc(edge, EXTRACTION, `127.0.0.1:${port}`, { secret: SECRET });
    await runInContext({ ...currentContext(), requestId: 'the-one' }, () => client.recognize(request, CALLER));
    for (const service of running.splice(0).reverse()) await service.stop(); // sends the last traces
    await receiver.stop();

    expect(innerId).toBe('the-one');
    const chain: ReceivedSpan[] = [];
    let next = receiver.spans.find(({ parentSpanId }) => parentSpanId === '');
    while (next) {
      chain.push(next);
      const { spanId } = next;
      next = receiver.spans.find(({ parentSpanId }) => parentSpanId === spanId);
    }
    expect(chain.map(({ service }) => service)).toEqual([
      'intake-gateway',
      'intake-annotation',
      'intake-annotation',
      'intake-extraction',
    ]);
    expect(new Set(chain.map(({ traceId }) => traceId)).size).toBe(1);
    expect(chain.map(({ attributes }) => attributes['intake.request_id'])).toEqual(Array(4).fill('the-one'));
  });

  it('counts calls by their outcome', async () => {
    const { address, service } = await serveRecognize(async () => {
      throw new Refusal('NOT_FOUND');
    });
    const client = await connectExtraction(address);
    await client.recognize(request, systemCaller('test', 1)).catch(() => undefined);
    const metrics = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
    expect(metrics).toMatch(/intake_rpc_server_seconds_count\{[^}]*reason="NOT_FOUND"[^}]*\} 1/);
  });
});

/** Waits until a number has not changed for a while. */
async function waitForRest(read: () => number): Promise<void> {
  let before = -1;
  let same = 0;
  await waitFor('the stream to rest', () => {
    same = read() === before ? same + 1 : 0;
    before = read();
    return same >= 12;
  });
}

/** A client that knows nothing of Intake's own. */
async function callPlainly(address: string, metadata: Metadata): Promise<unknown> {
  const definition = loadSync('intake/extraction/v1/extraction.proto', { includeDirs: [protoRoot] });
  const client = loadClient(definition, 'intake.extraction.v1.ExtractionService', address);
  try {
    return await client.call('recognize', { documentId: 1 }, metadata);
  } finally {
    client.close();
  }
}

type Answer = Record<string, unknown>;

function loadClient(definition: ReturnType<typeof loadSync>, name: string, address: string) {
  let found: unknown = loadPackageDefinition(definition);
  for (const part of name.split('.')) found = (found as GrpcObject)[part];
  const Constructor = found as ServiceClientConstructor;
  const client = new Constructor(address, credentials.createInsecure());
  const deadline = () => ({ deadline: Date.now() + 5000 });
  return {
    call: (method: string, body: object, metadata = new Metadata()) =>
      new Promise<Answer>((resolve, reject) => {
        client[method]?.(body, metadata, deadline(), (error: Error | null, answer: Answer) =>
          error ? reject(error) : resolve(answer),
        );
      }),
    /** One question on a stream of both directions. */
    ask: (method: string, body: object) =>
      new Promise<Answer>((resolve, reject) => {
        const stream = client[method]?.(new Metadata(), deadline());
        stream.on('data', (answer: Answer) => {
          resolve(answer);
          stream.end();
        });
        stream.on('error', reject);
        stream.write(body);
      }),
    close: () => client.close(),
  };
}

/** The part of grpc.reflection.v1 that lists services. */
const REFLECTION = {
  nested: {
    grpc: {
      nested: {
        reflection: {
          nested: {
            v1: {
              nested: {
                ServerReflection: {
                  methods: {
                    ServerReflectionInfo: {
                      requestType: 'ServerReflectionRequest',
                      requestStream: true,
                      responseType: 'ServerReflectionResponse',
                      responseStream: true,
                    },
                  },
                },
                ServerReflectionRequest: { fields: { listServices: { type: 'string', id: 7 } } },
                ServerReflectionResponse: { fields: { listServicesResponse: { type: 'ListServiceResponse', id: 6 } } },
                ListServiceResponse: { fields: { service: { rule: 'repeated', type: 'ServiceResponse', id: 1 } } },
                ServiceResponse: { fields: { name: { type: 'string', id: 1 } } },
              },
            },
          },
        },
      },
    },
  },
};
