import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extraction } from '@intake/contracts';
import { type RunningService, runService } from '@intake/service';
import { makeCertificate } from '@intake/testkit';
import { connectRpc, type RpcTls, readRpcSettings, serveRpc, systemCaller } from '.';

/** Certificates between services. */

jest.setTimeout(60_000);

const DEFINITION = extraction.ExtractionServiceService;
const SECRET = 'shared by the test';
const REFUSED = { reason: 'SERVICE_UNAVAILABLE' };

let folder: string;
let ours: Record<string, string>;
let strangers: Record<string, string>;
const running: RunningService[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intake-tls-'));
  const make = async (name: string) => {
    const own = join(folder, name);
    mkdirSync(own);
    const { certFile, keyFile } = await makeCertificate(own, 'intake');
    return { INTAKE_RPC_TLS_CA: certFile, INTAKE_RPC_TLS_CERT: certFile, INTAKE_RPC_TLS_KEY: keyFile };
  };
  [ours, strangers] = [await make('ours'), await make('strangers')];
});
afterEach(async () => {
  for (const service of running.splice(0).reverse()) await service.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tlsOf = (env: Record<string, string>): RpcTls | undefined =>
  readRpcSettings({ INTAKE_RPC_SECRET: SECRET, ...env }).tls;

async function serve(tls: RpcTls | undefined, host = '127.0.0.1'): Promise<string> {
  let port = 0;
  running.push(
    await runService('extraction', { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
      const refuse = () => {
        throw new Error('not part of this test');
      };
      port = await serveRpc(runtime, {
        definition: DEFINITION,
        handlers: {
          recognize: async () => extraction.ExtractionResult.create({}),
          listLessons: refuse,
          forgetLessons: refuse,
        },
        proto: 'intake/extraction/v1/extraction.proto',
        host,
        port: 0,
        secret: SECRET,
        tls,
      });
    }),
  );
  return `${host}:${port}`;
}

async function call(address: string, tls: RpcTls | undefined) {
  let answer: Promise<unknown> = Promise.resolve();
  running.push(
    await runService('gateway', { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
      const client = connectRpc(runtime, DEFINITION, address, { secret: SECRET, tls });
      const request = extraction.RecognizeRequest.create({ documentId: 1 });
      answer = client.recognize(request, systemCaller('test'), { timeoutMs: 5000 });
      await answer.catch(() => undefined);
    }),
  );
  return answer;
}

it('services with certificates of one authority talk to each other', async () => {
  const tls = tlsOf(ours);
  await expect(call(await serve(tls), tls)).resolves.toMatchObject({});
});

it('who shows none, or one of another authority, is not served', async () => {
  const address = await serve(tlsOf(ours));
  await expect(call(address, undefined)).rejects.toMatchObject(REFUSED);
  await expect(call(address, tlsOf(strangers))).rejects.toMatchObject(REFUSED);
  const withoutOwn = { ...strangers, INTAKE_RPC_TLS_CA: ours.INTAKE_RPC_TLS_CA as string };
  await expect(call(address, tlsOf(withoutOwn))).rejects.toMatchObject(REFUSED);
});

it('a server of another authority, or of another name, is not called', async () => {
  await expect(call(await serve(tlsOf(strangers)), tlsOf(ours))).rejects.toMatchObject(REFUSED);
  await expect(call(await serve(undefined), tlsOf(ours))).rejects.toMatchObject(REFUSED);
  // The certificates are of 127.0.0.1.
  await expect(call(await serve(tlsOf(ours), '127.0.0.2'), tlsOf(ours))).rejects.toMatchObject(REFUSED);
  const address = await serve(tlsOf(ours));
  await expect(call(address, tlsOf({ ...ours, INTAKE_RPC_TLS_NAME: 'other' }))).rejects.toMatchObject(REFUSED);
  await expect(call(address, tlsOf({ ...ours, INTAKE_RPC_TLS_NAME: 'intake' }))).resolves.toMatchObject({});
});

it('settings that are incomplete, or name files that are not there, are refused', () => {
  expect(tlsOf({})).toBeUndefined();
  const { INTAKE_RPC_TLS_KEY: _, ...incomplete } = ours;
  expect(() => tlsOf(incomplete)).toThrow(/go together/);
  expect(() => tlsOf({ ...ours, INTAKE_RPC_TLS_KEY: join(folder, 'nothing') })).toThrow(
    /INTAKE_RPC_TLS_KEY cannot be read/,
  );
  const noPem = join(folder, 'no.pem');
  writeFileSync(noPem, 'nothing');
  expect(() => tlsOf({ ...ours, INTAKE_RPC_TLS_CA: noPem })).toThrow(/INTAKE_RPC_TLS_CA cannot be read: .*no PEM/);
  const mixed = { ...ours, INTAKE_RPC_TLS_KEY: strangers.INTAKE_RPC_TLS_KEY as string };
  expect(() => tlsOf(mixed)).toThrow(/INTAKE_RPC_TLS_CERT and INTAKE_RPC_TLS_KEY do not go together/);
});
