import type { mailIngest } from '@intake/contracts';
import { type Client, Refusal, systemCaller } from '@intake/rpc';
import type { UnpackArchivesOptions } from './unpack-archives';

/** Longest look of the inbox at the files of an archive, in milliseconds. */
const JUDGE_MS = 120_000;

/** Asks mail-ingest what the inbox of an e-mail makes of the files of an archive. */
export function createJudgeMailed(
  mail: Client<typeof mailIngest.MailIngestServiceService>,
): UnpackArchivesOptions['judgeMailed'] {
  return async ({ organizationId }, emailId, files) => {
    const members = files.map(({ key, fileName, mimeType, size }) => ({ key, fileName, mimeType, size }));
    const caller = systemCaller('document-storage', organizationId);
    try {
      return (await mail.judgeMembers({ emailId, members }, caller, { timeoutMs: JUDGE_MS })).verdicts;
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'NOT_FOUND') return null;
      throw error;
    }
  };
}
