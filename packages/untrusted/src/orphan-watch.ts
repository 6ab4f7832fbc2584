/**
 * A thread of a child, which ends it when its parent is gone. The main thread does so itself, at once, unless it is caught in an
 * endless loop: it has some seconds for that.
 */
import { workerData } from 'node:worker_threads';
import { endGroup } from './process-tree';

const LOOK_MS = 1000;
const LOOKS = 3;

const { parent, folder } = workerData as { parent: number; folder: string };
let orphaned = 0;
setInterval(() => {
  if (process.ppid !== parent) orphaned += 1;
  if (orphaned === LOOKS) endGroup(folder);
}, LOOK_MS);
