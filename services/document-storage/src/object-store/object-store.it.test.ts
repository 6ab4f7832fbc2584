import { backing, dropTestData, type ServiceEnv, serviceEnv, startTcpProxy, type TcpProxy } from '@intake/testkit';
import { createObjectStore, type ObjectStore } from './object-store';

const MULTIPART_BYTES = 12 * 1024 * 1024;

let env: ServiceEnv;
let proxy: TcpProxy;
let objects: ObjectStore;

beforeAll(async () => {
  env = serviceEnv();
  const { s3 } = backing();
  proxy = await startTcpProxy(Number(new URL(s3.url).port));
  const url = `http://127.0.0.1:${proxy.port}`;
  objects = createObjectStore({ ...s3, url, bucket: env.INTAKE_S3_BUCKET ?? '', region: 'us-east-1' });
});

afterAll(async () => {
  await proxy?.stop();
  await dropTestData(env);
});

async function* chunks(size: number) {
  for (let at = 0; at < size; at += 65_536) yield Buffer.alloc(Math.min(65_536, size - at), at);
}

it('what meets a connection that the store has ended is asked on another one', async () => {
  // Several connections, so that a second one could be as old as the first.
  await Promise.all(['a', 'b', 'c'].map((key) => objects.write(key, chunks(1000))));
  proxy.expire();
  expect((await objects.write('d', chunks(2000))).size).toBe(2000);
  proxy.expire();
  expect((await objects.write('large', chunks(MULTIPART_BYTES))).size).toBe(MULTIPART_BYTES);
  proxy.expire();
  expect(await objects.readAll('a')).toHaveLength(1000);
  proxy.expire();
  await objects.remove('a');
  proxy.expire();
  expect(await objects.find('a')).toBeNull();
});

it('a store that is away is said to be away, whatever connections there were', async () => {
  await objects.write('e', chunks(1000));
  proxy.cut();
  await expect(objects.write('f', chunks(1000))).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  proxy.mend();
  expect((await objects.write('f', chunks(1000))).size).toBe(1000);
});
