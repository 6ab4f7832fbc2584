import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ChildPool, type ChildPoolOptions, JobCrashed, JobOutOfMemory, JobTimeout, PoolClosed } from './index';

interface Jobs {
  echo: { input: unknown; output: unknown };
  pid: { input: null; output: number };
  env: { input: null; output: Record<string, string> };
  wait: { input: number; output: number };
  loop: { input: null; output: never };
  fillMemory: { input: null; output: never };
  swell: { input: number; output: number };
  die: { input: null; output: never };
  fail: { input: null; output: never };
  spawnAndLoop: { input: string; output: never };
  folder: { input: null; output: string };
  prepared: { input: null; output: { bytes: number } | null };
  strange: { input: null; output: never };
}

const worker = path.join(__dirname, '..', 'test-workers', 'misbehaving.cjs');
const pools: ChildPool<Jobs>[] = [];

function open(options: Partial<ChildPoolOptions> = {}): ChildPool<Jobs> {
  const pool = new ChildPool<Jobs>({ worker, size: 1, ...options });
  pools.push(pool);
  return pool;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process stays in the table until it is waited for.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, timeoutMs = 15_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

test('Buffers and nested values come back as they went', async () => {
  const input = { bytes: Buffer.from([0, 1, 255]), list: [1, null, { deep: 'ž' }], when: new Date(0) };
  const output = await open().run('echo', input);
  expect(output).toEqual(input);
  expect(Buffer.isBuffer((output as typeof input).bytes)).toBe(true);
});

test('jobs above the size wait for a free child, and the children stay warm', async () => {
  const pool = open({ size: 2 });
  const runs = [1, 2, 3, 4, 5].map(() => pool.run('wait', 50));
  expect(pool.load).toEqual({ running: 2, waiting: 3 });
  expect(new Set(await Promise.all(runs)).size).toBe(2);
  expect(await pool.run('pid', null)).toBe(pool.pids[0]);
});

test('an endless loop is stopped after its time, and the jobs behind it are done by a new child', async () => {
  const pool = open();
  const first = await pool.run('pid', null);
  const looping = pool.run('loop', null, { timeoutMs: 300 });
  const behind = pool.run('pid', null);
  await expect(looping).rejects.toBeInstanceOf(JobTimeout);
  expect(await behind).not.toBe(first);
  expect(isAlive(first)).toBe(false);
});

test('a job that takes too much memory is stopped', async () => {
  const pool = open({ memoryBytes: 250e6 });
  await expect(pool.run('fillMemory', null)).rejects.toBeInstanceOf(JobOutOfMemory);
  expect(await pool.run('echo', 'next')).toBe('next');
});

test('a child killed from outside fails its job alone', async () => {
  const pool = open({ size: 2 });
  const other = pool.run('wait', 500);
  const crash = pool.run('die', null);
  await expect(crash).rejects.toBeInstanceOf(JobCrashed);
  await expect(crash).rejects.toMatchObject({ how: 'signal SIGKILL', stderr: 'about to die\n' });
  expect(await other).toBeGreaterThan(0);
  expect(await pool.run('echo', 1)).toBe(1);
});

test('an error of the worker keeps its name, message and reason, and its child', async () => {
  const pool = open();
  const pid = await pool.run('pid', null);
  const failure = pool.run('fail', null);
  await expect(failure).rejects.toBeInstanceOf(Error);
  await expect(failure).rejects.toMatchObject({ name: 'OddError', message: 'Too odd', reason: 'odd' });
  await expect(pool.run('strange', null)).rejects.toThrow('Unknown job: strange');
  expect(await pool.run('pid', null)).toBe(pid);
});

test('what cannot be sent fails its job and no other', async () => {
  const pool = open();
  await expect(pool.run('echo', () => 1)).rejects.toThrow(/could not be cloned/);
  expect(await pool.run('echo', 2)).toBe(2);
});

test('a child is replaced after its number of jobs, and when it has grown large', async () => {
  const pool = open({ jobsPerChild: 2, memoryBytes: 400e6 });
  const pids = [];
  for (let i = 0; i < 4; i++) pids.push(await pool.run('pid', null));
  expect(pids[0]).toBe(pids[1]);
  expect(pids[2]).not.toBe(pids[1]);
  const fat = await pool.run('swell', 220e6);
  expect(await pool.run('pid', null)).not.toBe(fat);
});

test('an aborted job leaves the queue, or its child is killed', async () => {
  const pool = open();
  const running = new AbortController();
  const queued = new AbortController();
  const first = pool.run('loop', null, { signal: running.signal });
  const second = pool.run('echo', 1, { signal: queued.signal });
  const third = pool.run('echo', 2);
  queued.abort(new Error('not needed'));
  running.abort(new Error('lease lost'));
  await expect(first).rejects.toThrow('lease lost');
  await expect(second).rejects.toThrow('not needed');
  expect(await third).toBe(2);
});

test('children see nothing of the environment but what they are given', async () => {
  process.env.INTAKE_TEST_SECRET = 'do not show';
  const env = await open({ env: { LANG: 'C' } }).run('env', null);
  delete process.env.INTAKE_TEST_SECRET;
  expect(env.LANG).toBe('C');
  expect(env.INTAKE_TEST_SECRET).toBeUndefined();
});

test("the allocator of children is set as their parent's", async () => {
  process.env.MALLOC_ARENA_MAX = '2';
  const env = await open().run('env', null);
  delete process.env.MALLOC_ARENA_MAX;
  expect(env.MALLOC_ARENA_MAX).toBe('2');
});

describe('children that are started ahead of their job', () => {
  const openAhead = (bytes: number, idleMs = 60_000) =>
    open({ jobsPerChild: 1, memoryBytes: 250e6, ahead: { count: 1, input: { bytes }, idleMs } });

  test('come with the first job, are prepared, and one takes the next', async () => {
    const pool = openAhead(1000);
    expect(pool.pids).toEqual([]);
    expect(await pool.run('prepared', null)).toBeNull();
    const [ahead] = pool.pids.slice(-1);
    expect(pool.load).toEqual({ running: 0, waiting: 0 });
    expect(await pool.run('pid', null)).toBe(ahead);
    expect(await pool.run('prepared', null)).toEqual({ bytes: 1000 });
  });

  test('do not let more jobs run than may', async () => {
    const pool = openAhead(1000);
    await pool.run('pid', null);
    const runs = [1, 2, 3].map(() => pool.run('wait', 50));
    expect(pool.load.running).toBeLessThanOrEqual(1);
    expect(new Set(await Promise.all(runs)).size).toBe(3);
  });

  test.each([
    ['nothing comes for them', 1000, 300],
    ['they take too much memory', 300e6, 60_000],
  ])('are let go when %s, and the next job is done', async (_, bytes, idleMs) => {
    const pool = openAhead(bytes, idleMs);
    await pool.run('pid', null);
    const ahead = Number(pool.pids.at(-1));
    await until(() => !isAlive(ahead) && pool.pids.length === 0);
    expect(await pool.run('echo', 1)).toBe(1);
  });
});

describe('folders of children', () => {
  const prefix = `intake-test-${process.pid}-`;
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));

  test('are there for a child alone, and go with it', async () => {
    const pool = open({ jobsPerChild: 1, folders: prefix });
    const folders = [await pool.run('folder', null), await pool.run('folder', null)];
    expect(new Set(folders).size).toBe(2);
    await pool.close();
    expect(left()).toEqual([]);
  });

  test('that were left are removed after an hour', async () => {
    const [old, young] = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), prefix))) as [string, string];
    const twoHoursAgo = Date.now() / 1000 - 7200;
    utimesSync(old, twoHoursAgo, twoHoursAgo);
    await open({ folders: prefix }).run('echo', 1);
    await until(() => !existsSync(old));
    expect(existsSync(young)).toBe(true);
    rmSync(young, { recursive: true });
  });
});

describe('processes that end together', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'child-pool-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('what the child has started is killed with it', async () => {
    const file = path.join(folder, 'pid');
    await expect(open().run('spawnAndLoop', file, { timeoutMs: 1500 })).rejects.toBeInstanceOf(JobTimeout);
    const started = Number(readFileSync(file, 'utf8'));
    await until(() => !isAlive(started));
  });

  test('close fails what is left and leaves no process', async () => {
    const pool = open();
    const running = pool.run('loop', null);
    const waiting = pool.run('echo', 1);
    const rejected = Promise.all([
      expect(running).rejects.toBeInstanceOf(PoolClosed),
      expect(waiting).rejects.toBeInstanceOf(PoolClosed),
    ]);
    const pids = pool.pids;
    await pool.close();
    await rejected;
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(pool.run('echo', 1)).rejects.toBeInstanceOf(PoolClosed);
  });

  test('a job does not run out of time while the machine stands still', async () => {
    const begun = path.join(folder, 'begun');
    const ended = path.join(folder, 'ended');
    const script = `
      const { writeFileSync } = require('node:fs');
      const { ChildPool } = require(${JSON.stringify(path.join(__dirname, '..', 'dist', 'index.js'))});
      const pool = new ChildPool({ worker: ${JSON.stringify(worker)}, size: 1, timeoutMs: 4000 });
      const run = async () => {
        await pool.run('echo', 1);
        const job = pool.run('wait', 2000);
        writeFileSync(${JSON.stringify(begun)}, String(pool.pids));
        writeFileSync(${JSON.stringify(ended)}, await job.then(() => 'done', (error) => error.name));
        await pool.close();
      };
      run();
    `;
    const parent = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
    await until(() => existsSync(begun) && readFileSync(begun, 'utf8') !== '');
    const child = Number(readFileSync(begun, 'utf8'));
    for (const pid of [child, Number(parent.pid)]) process.kill(pid, 'SIGSTOP');
    const stoppedAt = Date.now();
    await until(() => Date.now() - stoppedAt > 4500);
    for (const pid of [Number(parent.pid), child]) process.kill(pid, 'SIGCONT');
    await until(() => existsSync(ended) && readFileSync(ended, 'utf8') !== '');
    expect(readFileSync(ended, 'utf8')).toBe('done');
  });

  test('children die with a parent that was killed, even in an endless loop', async () => {
    const file = path.join(folder, 'pids');
    const script = `
      const { ChildPool } = require(${JSON.stringify(path.join(__dirname, '..', 'dist', 'index.js'))});
      const pool = new ChildPool({ worker: ${JSON.stringify(worker)}, size: 2 });
      pool.run('spawnAndLoop', ${JSON.stringify(path.join(folder, 'grandchild'))}).catch(() => {});
      pool.run('echo', 1).then(() => require('node:fs').writeFileSync(${JSON.stringify(file)}, pool.pids.join(' ')));
    `;
    const parent: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
    await until(() => existsSync(file) && existsSync(path.join(folder, 'grandchild')));
    const pids = [
      ...readFileSync(file, 'utf8').split(' ').map(Number),
      Number(readFileSync(path.join(folder, 'grandchild'))),
    ];
    expect(pids).toHaveLength(3);
    expect(pids.every(isAlive)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !pids.some(isAlive));
  });
});
