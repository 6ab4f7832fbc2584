import type { Authentication } from '../email/email';

const METHODS = ['spf', 'dkim', 'dmarc'] as const;

/**
 * The verdicts in the `Authentication-Results` that a front server wrote; null: it wrote none. Only the newest header with its name
 * counts: what stands below may come from the sender. RFC 8601.
 */
export function readAuthenticationResults(
  values: readonly string[],
  frontServer: string,
): Omit<Authentication, 'encrypted'> | null {
  const own = values.find((value) => /^[^\s;]+/.exec(value)?.[0].toLowerCase() === frontServer.toLowerCase());
  if (own === undefined) return null;
  const parts = own
    .replace(/\([^()]{0,2000}\)/g, ' ')
    .split(';')
    .slice(1);
  const results = parts.flatMap((part) => {
    const [, method = '', result = ''] = /^\s*([a-z]+)\s*=\s*([a-z]+)/i.exec(part) ?? [];
    return method ? [{ method: method.toLowerCase(), result: result.toLowerCase(), part }] : [];
  });
  const verdictOf = (method: string) => {
    const found = results.filter((one) => one.method === method).map((one) => one.result);
    return found.includes('pass') ? 'pass' : (found[0] ?? 'none');
  };
  const [spf, dkim, dmarc] = METHODS.map(verdictOf) as [string, string, string];
  const from = results.find((one) => one.method === 'dmarc')?.part ?? '';
  return { spf, dkim, dmarc, domain: /header\.from\s*=\s*"?([^\s";]+)/i.exec(from)?.[1] ?? '', source: frontServer };
}
