import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Nothing uses a folder for so long. */
const LEFT_OVER_MS = 3_600_000;

/** Has a folder of its own for a task, which goes with it. What earlier runs were killed with goes after an hour. */
export async function withFolder<T>(prefix: string, task: (folder: string) => Promise<T>): Promise<T> {
  await removeLeftOver(prefix);
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the folders that earlier runs were killed with. */
export async function removeLeftOver(prefix: string): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  for (const folder of names.map((name) => path.join(tmpdir(), name))) {
    // Somebody else may have removed it meanwhile.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (mtimeMs < Date.now() - LEFT_OVER_MS) await rm(folder, { recursive: true, force: true });
  }
}
