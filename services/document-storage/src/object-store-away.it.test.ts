import { documentStorage } from '@intake/contracts';
import { type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import {
  backing,
  dropTestData,
  freePorts,
  listObjects,
  type ServiceEnv,
  serviceEnv,
  startMinio,
  waitFor,
} from '@intake/testkit';
import { start } from './main';

/** How long it may take until the caller hears of it, with some room for a busy machine: nobody listens, or nobody answers. */
const SOON_MS = 4000;
const SILENT_MS = 15_000;

let minio: Awaited<ReturnType<typeof startMinio>>;
let env: ServiceEnv;
let service: RunningService;
let probe: RunningService;
let storage: Client<typeof documentStorage.DocumentStorageServiceService>;

beforeAll(async () => {
  minio = await startMinio();
  const [port] = await freePorts(1);
  env = serviceEnv({ INTAKE_RPC_PORT: String(port) }, { ...backing(), s3: minio.s3 });
  probe = await runService('test', env, async (runtime) => {
    const { DocumentStorageServiceService: definition } = documentStorage;
    storage = connectRpc(runtime, definition, `127.0.0.1:${port}`, { secret: env.INTAKE_RPC_SECRET ?? '' });
  });
  await minio.kill();
  service = await start(env);
});

afterAll(async () => {
  await service?.stop();
  await probe?.stop();
  await minio?.stop();
  const { url, accessKey, secretKey } = backing().s3; // its own store has gone, with all that was in it
  await dropTestData({
    ...env,
    INTAKE_S3_URL: url,
    INTAKE_S3_ACCESS_KEY: accessKey,
    INTAKE_S3_SECRET_KEY: secretKey,
  });
});

async function* file(size: number, onHalf: () => Promise<void> = async () => undefined) {
  yield { header: { fileName: 'a.pdf', declaredMimeType: '', maxSize: 0 } };
  const chunk = 256 * 1024;
  for (let sent = 0; sent < size; sent += chunk) {
    if (sent >= size / 2 && sent < size / 2 + chunk) await onHalf();
    yield { chunk: Buffer.alloc(Math.min(chunk, size - sent)) };
  }
}
const put = (size = 1000, onHalf?: () => Promise<void>) =>
  storage.putFile(file(size, onHalf), systemCaller('test', 1), { timeoutMs: 60_000 });
const refusalOf = async (call: Promise<unknown>) => {
  const started = Date.now();
  const error = await call.then(
    () => undefined,
    (refused) => refused,
  );
  return { reason: error instanceof Refusal ? error.reason : String(error), ms: Date.now() - started };
};
const isReady = async () => (await fetch(`http://127.0.0.1:${service.opsPort}/readyz`)).ok;

it('starts without its object store, refuses soon, and works as soon as it is there', async () => {
  const { reason, ms } = await refusalOf(put());
  expect(reason).toBe('SERVICE_UNAVAILABLE');
  expect(ms).toBeLessThan(SOON_MS);
  expect(await isReady()).toBe(false);

  await minio.restart();
  const stored = await waitFor('the object store to be used again', () => put());
  expect(stored.size).toBe(1000);
  expect(await isReady()).toBe(true);
});

it('refuses a file whose store dies in the middle, and leaves nothing of it', async () => {
  const before = await listObjects(minio.s3, env.INTAKE_S3_BUCKET ?? '');
  const { reason } = await refusalOf(put(24 * 1024 * 1024, () => minio.kill()));
  expect(reason).toBe('SERVICE_UNAVAILABLE');
  await minio.restart();
  await waitFor('the object store to be used again', () => put(500));
  const after = await listObjects(minio.s3, env.INTAKE_S3_BUCKET ?? '');
  expect(after).toHaveLength(before.length + 1);
});

it('refuses a file in time when its store does not answer any more, at its beginning and in its middle', async () => {
  const pause = () => minio.pause();
  for (const call of [() => pause().then(() => put()), () => put(24 * 1024 * 1024, pause)]) {
    const { reason, ms } = await refusalOf(call());
    minio.resume();
    expect(reason).toBe('SERVICE_UNAVAILABLE');
    expect(ms).toBeLessThan(SILENT_MS);
    await waitFor('the object store to be used again', () => put(500));
  }
});
