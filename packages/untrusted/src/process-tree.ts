import { readFileSync, rmSync } from 'node:fs';

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

/** Ends this process, the leader of a group, with all that it has started, and removes its folder; an empty one is none. */
export function endGroup(folder: string): void {
  // A program that goes on writing would put back what is removed.
  killDescendants(process.pid);
  try {
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Something still writes there: a later pool removes it.
  }
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
