import { documentStorage } from '@intake/contracts';
import { type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import {
  backing,
  dropTestData,
  freePorts,
  listObjects,
  type PrivateServer,
  type ServiceEnv,
  serviceEnv,
  startMongo,
  waitFor,
} from '@intake/testkit';
import { start } from './main';

/** What the issue allows until the caller hears of it, and some room for a busy machine. */
const SOON_MS = 5000;

let mongo: PrivateServer;
let env: ServiceEnv;
let service: RunningService;
let probe: RunningService;
let storage: Client<typeof documentStorage.DocumentStorageServiceService>;

beforeAll(async () => {
  mongo = await startMongo();
  const [port] = await freePorts(1);
  env = serviceEnv({ INTAKE_RPC_PORT: String(port) }, { ...backing(), mongodbUrl: mongo.url });
  service = await start(env);
  probe = await runService('test', env, async (runtime) => {
    const { DocumentStorageServiceService: definition } = documentStorage;
    storage = connectRpc(runtime, definition, `127.0.0.1:${port}`, { secret: env.INTAKE_RPC_SECRET ?? '' });
  });
});

afterAll(async () => {
  await service?.stop();
  await probe?.stop();
  await mongo?.stop();
  await dropTestData({ ...env, INTAKE_MONGODB_URL: backing().mongodbUrl }); // its own database has gone
});

const caller = systemCaller('test', 1);
const put = () =>
  storage.putFile(
    (async function* () {
      yield { header: { fileName: 'a.txt', declaredMimeType: '', maxSize: 0 } };
      yield { chunk: Buffer.from('text') };
    })(),
    caller,
  );
const refusalOf = async (call: Promise<unknown>) => {
  const started = Date.now();
  const error = await call.then(
    () => undefined,
    (refused) => refused,
  );
  return { reason: error instanceof Refusal ? error.reason : String(error), ms: Date.now() - started };
};

it('without its database it refuses soon, stores nothing, and goes on when it is back', async () => {
  const file = await put();
  const before = await listObjects(backing().s3, env.INTAKE_S3_BUCKET ?? '');
  expect(before).toEqual([file.key]);

  await mongo.kill();
  for (const call of [put, () => storage.getTask({ id: 1 }, caller), () => storage.getUpload({ id: 1 }, caller)]) {
    const { reason, ms } = await refusalOf(call());
    expect(reason).toBe('SERVICE_UNAVAILABLE');
    expect(ms).toBeLessThan(SOON_MS);
  }
  expect(await listObjects(backing().s3, env.INTAKE_S3_BUCKET ?? '')).toEqual(before);

  await mongo.restart();
  const again = await waitFor('the database to be used again', put, { timeoutMs: 30_000 });
  expect(again.key).not.toBe(file.key);
});
