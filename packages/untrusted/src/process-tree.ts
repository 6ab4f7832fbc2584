import { existsSync, readFileSync, rmSync } from 'node:fs';

/** How often a folder is removed in which something still writes, and how long to wait between, in milliseconds. */
const REMOVALS = 40;
const PAUSE_MS = 50;

/** What a process has started itself; none where there is no /proc, or a kernel that does not list children. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Kills what a process has started, and what that has. */
function killDescendants(pid: number): void {
  for (const child of childrenOf(pid)) {
    killDescendants(child);
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** Removes a folder of programs that were just killed: until they are gone they may still put something back. */
function removeFolder(folder: string): void {
  for (let removal = 0; removal < REMOVALS && existsSync(folder); removal += 1) {
    if (removal > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Something came in between. What stays at last is removed by a later pool.
    }
  }
}

/** Ends this process, the leader of a group, with all that it has started, and removes its folder; an empty one is none. */
export function endGroup(folder: string): void {
  killDescendants(process.pid);
  if (folder) removeFolder(folder);
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
