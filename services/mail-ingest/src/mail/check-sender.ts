import { Resolver } from 'node:dns/promises';
import { createReadStream } from 'node:fs';
import { authenticate } from 'mailauth';
import type { Authentication } from '../email/email';

/** What is known of where a message came from. */
export interface SenderCheck {
  readonly rawPath: string;
  /** IP address of the sending server. */
  readonly remoteAddress: string;
  readonly helo: string;
  /** Of MAIL FROM; empty: the null sender. */
  readonly sender: string;
  /** Name of this server. */
  readonly mta: string;
  /** `address` or `address:port`; empty: those of the system. */
  readonly dnsServers: readonly string[];
}

/** One question to a name server, in milliseconds. */
const QUESTION_MS = 2000;

/**
 * Asks whether a message is from whom it says: SPF, DKIM and DMARC. Hostile bytes, and names from outside: runs in a child process.
 * A name server that does not answer makes `temperror`.
 */
export async function checkSender(check: SenderCheck): Promise<Omit<Authentication, 'encrypted'>> {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: 2 });
  if (check.dnsServers.length > 0) resolver.setServers([...check.dnsServers]);
  let isAway = false;
  const resolve = async (name: string, type: string): Promise<unknown> => {
    try {
      // After the first question without an answer the others would only wait as long.
      if (isAway) throw Object.assign(new Error('no name server answers'), { code: 'ETIMEOUT' });
      return await resolver.resolve(name, type as 'TXT');
    } catch (error) {
      isAway ||= ['ETIMEOUT', 'ECONNREFUSED', 'ETIMEDOUT'].includes((error as { code?: string }).code ?? '');
      throw error;
    }
  };
  const { spf, dkim, dmarc } = await authenticate(createReadStream(check.rawPath), {
    ip: check.remoteAddress,
    helo: check.helo,
    sender: check.sender,
    mta: check.mta,
    resolver: resolve,
    disableArc: true,
    disableBimi: true,
  });
  const signatures = (dkim?.results ?? []).map((one) => one.status?.result ?? 'none');
  return {
    spf: (spf ? spf.status?.result : '') || 'none',
    dkim: signatures.includes('pass') ? 'pass' : (signatures[0] ?? 'none'),
    dmarc: isAway ? 'temperror' : (dmarc ? dmarc.status?.result : '') || 'none',
    domain: (dmarc ? dmarc.domain : '') || '',
    source: 'own',
  };
}
