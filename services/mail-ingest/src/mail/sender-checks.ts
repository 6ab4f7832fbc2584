import { type ChildPool, JobError } from '@intake/untrusted';
import type { Authentication, Email } from '../email/email';
import type { ParseJobs } from './parse-jobs';

export interface SenderChecksOptions {
  readonly pool: Pick<ChildPool<Pick<ParseJobs, 'checkSender'>>, 'run'>;
  /** Name of this server. */
  readonly mta: string;
  /** `address` or `address:port`; empty: those of the system. */
  readonly dnsServers: readonly string[];
}

/** How long name servers that did not answer are left alone, in milliseconds. */
const REST_MS = 30_000;
const UNKNOWN = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', domain: '', source: 'own' };

/**
 * Checks of senders, one after the other in child processes. While name servers do not answer, nobody waits for them: the verdicts
 * are `temperror`, which drops no mail.
 */
export function createSenderChecks({ pool, mta, dnsServers }: SenderChecksOptions) {
  let restUntil = 0;
  return async ({ envelope }: Email, rawPath: string): Promise<Authentication> => {
    const { remoteAddress = '', helo = '', sender = '', encrypted = false } = envelope ?? {};
    if (Date.now() < restUntil) return { ...UNKNOWN, encrypted };
    try {
      const verdict = await pool.run('checkSender', { rawPath, remoteAddress, helo, sender, mta, dnsServers });
      if (verdict.spf === 'temperror' && verdict.dmarc === 'temperror') restUntil = Date.now() + REST_MS;
      return { ...verdict, encrypted };
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      return { ...UNKNOWN, encrypted };
    }
  };
}
