import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'nats';
import {
  buildMail,
  buildPdf,
  dropTestData,
  findStored,
  freePorts,
  invoiceLines,
  listDatabases,
  type PrivateServer,
  serviceEnv,
  startMinio,
  startMongo,
  startNats,
  waitFor,
} from '.';
import { insertStored, runAdminCommand } from './databases.store';

describe('waitFor', () => {
  it('answers what the probe found, after errors and falsy answers', async () => {
    let calls = 0;
    const probe = () => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return calls < 3 ? 0 : 'found';
    };
    await expect(waitFor('it', probe)).resolves.toBe('found');
    expect(calls).toBe(3);
  });

  it('says what was waited for, and the last answer or error', async () => {
    await expect(waitFor('the moon', () => null, { timeoutMs: 50 })).rejects.toThrow(/the moon; last answer: null/);
    const failing = () => Promise.reject(new Error('clouds'));
    await expect(waitFor('the moon', failing, { timeoutMs: 50 })).rejects.toThrow(/last error: Error: clouds/);
  });
});

it('finds different free ports, and none that another process was given', async () => {
  const ports = await freePorts(5);
  expect(new Set(ports).size).toBe(5);
  const giveOut = `const { freePorts } = require(${JSON.stringify(join(__dirname, '../dist/ports.js'))});
    freePorts(150).then((ports) => { console.log(JSON.stringify(ports)); setInterval(() => {}, 1000); })`;
  const others = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['-e', giveOut], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  try {
    const lines = await Promise.all(
      others.map(async ({ stdout }) => JSON.parse(String((await once(stdout, 'data'))[0]))),
    );
    const all = [...ports, ...lines.flat()];
    expect(new Set(all).size).toBe(605);
  } finally {
    for (const other of others) other.kill();
  }
});

it('builds PDFs that differ by their marker', async () => {
  const one = await buildPdf({ lines: invoiceLines('A-1'), pages: [['second']], marker: 'a' });
  const two = await buildPdf({ lines: invoiceLines('A-1'), pages: [['second']], marker: 'b' });
  expect(one.subarray(0, 5).toString()).toBe('%PDF-');
  expect(one.equals(two)).toBe(false);
});

it('builds mails with attachments', async () => {
  const content = Buffer.from('hello');
  const mail = await buildMail({ to: 'inbox@localhost', subject: 'S', attachments: [{ filename: 'a.pdf', content }] });
  expect(mail.toString()).toMatch(/^To: inbox@localhost\r$/m);
  expect(mail.toString()).toContain(content.toString('base64'));
});

describe('private servers', () => {
  let server: PrivateServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('MongoDB keeps its data over kill -9 and loses them when wiped', async () => {
    const mongo = await startMongo();
    server = mongo;
    await insertStored(mongo.url, 'mine', 'things', { name: 'one' });
    await mongo.kill();
    await expect(runAdminCommand(`${mongo.url}&serverSelectionTimeoutMS=300`, { ping: 1 })).rejects.toThrow();
    await mongo.restart();
    await expect(findStored(mongo.url, 'mine', 'things')).resolves.toMatchObject([{ name: 'one' }]);
    await mongo.kill();
    mongo.wipe();
    await mongo.restart();
    await expect(findStored(mongo.url, 'mine', 'things')).resolves.toEqual([]);
  });

  it('NATS keeps its streams over kill -9, loses them when wiped, and can be paused', async () => {
    const nats = await startNats();
    server = nats;
    const withManager = async <T>(task: (names: string[], add: () => Promise<unknown>) => Promise<T> | T) => {
      const connection = await connect({ servers: nats.url });
      try {
        const manager = await connection.jetstreamManager();
        const names: string[] = [];
        for await (const name of manager.streams.names()) names.push(name);
        return await task(names, () => manager.streams.add({ name: 'S', subjects: ['s'] }));
      } finally {
        await connection.close();
      }
    };
    await withManager((_, add) => add());
    await nats.kill();
    await nats.restart();
    expect(await withManager((names) => names)).toEqual(['S']);
    await nats.pause();
    await expect(connect({ servers: nats.url, timeout: 300, reconnect: false })).rejects.toThrow();
    nats.resume();
    await nats.kill('SIGTERM');
    nats.wipe();
    await nats.restart();
    expect(await withManager((names) => names)).toEqual([]);
  });

  it('MinIO answers', async () => {
    const minio = await startMinio();
    server = minio;
    expect((await fetch(`${minio.s3.url}/minio/health/live`)).status).toBe(200);
  });
});

it('dropTestData removes what an environment made and nothing else', async () => {
  const [mine, other] = [serviceEnv(), serviceEnv()];
  for (const env of [mine, other]) {
    const nats = await connect({ servers: env.INTAKE_NATS_URL as string });
    await (await nats.jetstreamManager()).streams.add({
      name: `${env.INTAKE_NATS_PREFIX}-EVENTS`,
      subjects: [`${env.INTAKE_NATS_PREFIX}.x`],
    });
    await nats.close();
    await insertStored(env.INTAKE_MONGODB_URL as string, `${env.INTAKE_MONGODB_PREFIX}_auth`, 'things', { x: 1 });
  }
  const count = async (env: typeof mine) =>
    (await listDatabases(env.INTAKE_MONGODB_URL as string, `${env.INTAKE_MONGODB_PREFIX}_`)).length;
  await dropTestData(mine);
  expect([await count(mine), await count(other)]).toEqual([0, 1]);
  await dropTestData(other);
  expect(await count(other)).toBe(0);
});
