import type { documentStorage } from '@intake/contracts';
import { systemCaller } from '@intake/rpc';
import { UsageError } from '../arguments';
import type { Command } from '../command';

/** A check of everything may take long. */
const LONGEST_MS = 24 * 3600 * 1000;
/** So many problems are printed; all are counted. */
const PRINTED = 1000;

/** Compares the database with the object store, both ways. */
export const fsck: Command = {
  name: 'fsck',
  about: 'compare documents in the database with the object store, both ways; exit code 1 when something is wrong',
  options: {},
  optional: { bytes: 'yes or no: read every file and compare its hash too' },
  async run({ bytes = 'no' }, { storage }) {
    if (bytes !== 'yes' && bytes !== 'no') throw new UsageError('--bytes must be yes or no.');
    const problems: documentStorage.StorageProblem[] = [];
    let counts: documentStorage.StorageCounts | undefined;
    const parts = storage.checkStorage({ bytes: bytes === 'yes' }, systemCaller('cli'), { timeoutMs: LONGEST_MS });
    for await (const part of parts) {
      if (part.problem && problems.length < PRINTED) problems.push(part.problem);
      counts = part.counts ?? counts;
    }
    return { ...counts, problems };
  },
  isFailure: (printed) => (printed as { problems: unknown[] }).problems.length > 0,
};
