import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isSameProcess } from './processes.mjs';

/**
 * Takes the lock file `path` for this process.
 * @param {string} path
 * @returns {{release(): void} | {holder: number}} the lock, or the pid of the living process that holds it
 */
export function tryLock(path) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, identity: identifyProcess(process.pid) }));
  try {
    for (;;) {
      try {
        linkSync(mine, path); // a link appears whole or not at all, so nobody reads a half-written lock
        return { release: () => rmSync(path, { force: true }) };
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = readHolder(path);
      if (holder && isSameProcess(holder)) return { holder: holder.pid };
      if (holder) breakStaleLock(path, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * Runs `work` while this process alone holds the lock file; waits for another living holder.
 * @template T
 * @param {string} path
 * @param {(holderPid: number) => void} onWait called once when somebody else holds it
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  let lock = tryLock(path);
  if ('holder' in lock) onWait(lock.holder);
  while ('holder' in lock) {
    await sleep(300);
    lock = tryLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function readHolder(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    return { pid: 0, identity: '' };
  }
}

/** Two processes may see the same stale lock: who renames a newer one away by mistake puts it back. */
function breakStaleLock(path, stale) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved && (moved.pid !== stale.pid || moved.identity !== stale.identity)) {
    try {
      linkSync(aside, path);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  rmSync(aside, { force: true });
}
