import type { EngineJobs } from '@intake/engine';
import { type ChildPool, JobError, type UnpackedArchive } from '@intake/untrusted';

const OPEN_MS = 45_000;

/**
 * Opens PDF portfolios. Null: it is another PDF, or one that cannot be opened, which is told where it is read.
 *
 * @throws ArchiveError
 */
export function createOpenPortfolio(engine: ChildPool<EngineJobs>) {
  return async (bytes: Buffer): Promise<UnpackedArchive | null> => {
    // What is none is not taken apart. The dictionary that says so may be packed, a file in it is not.
    const mayBe = bytes.includes('/Collection') || (bytes.includes('/ObjStm') && bytes.includes('/EmbeddedFile'));
    if (!mayBe) return null;
    try {
      return await engine.run('openPortfolio', { bytes }, { timeoutMs: OPEN_MS });
    } catch (error) {
      if (error instanceof JobError) return null;
      throw error;
    }
  };
}
