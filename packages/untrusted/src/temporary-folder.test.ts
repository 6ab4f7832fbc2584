import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withFolder } from './temporary-folder';

const prefix = `intake-test-folder-${process.pid}-`;

it('is there for a task and goes with it, also when that fails', async () => {
  const task = async (folder: string) => {
    writeFileSync(path.join(folder, 'file'), 'x');
    return folder;
  };
  expect(existsSync(await withFolder(prefix, task))).toBe(false);
  let used = '';
  const failing = withFolder(prefix, async (folder) => {
    used = await task(folder);
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(existsSync(used)).toBe(false);
});

it('takes those along that a killed process left more than an hour ago', async () => {
  const [old, young] = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), prefix))) as [string, string];
  const twoHoursAgo = Date.now() / 1000 - 7200;
  utimesSync(old, twoHoursAgo, twoHoursAgo);
  await withFolder(prefix, async () => undefined);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  rmSync(young, { recursive: true });
});
