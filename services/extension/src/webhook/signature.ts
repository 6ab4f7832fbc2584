import { createHmac } from 'node:crypto';

/** What a call is signed with. */
export interface Signed {
  /** The same for every attempt of a call. */
  readonly id: string;
  /** Of this attempt. */
  readonly at: Date;
  /** Exactly the bytes that are sent. */
  readonly body: string;
}

/**
 * The headers by which a receiver knows who calls: those of the API (hooks-and-connectors.md section 3) and those of Standard
 * Webhooks, whose signature covers id and time as well, so that an old call cannot be sent again by somebody else. Without a secret
 * nothing is signed.
 */
export function signatureHeaders(secret: string | null | undefined, { id, at, body }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const stamps = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (!secret) return stamps;
  return {
    ...stamps,
    'webhook-signature': `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    'X-Rossum-Signature-SHA256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'X-Elis-Signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
  };
}

const PREFIX = 'whsec_';

/** Standard Webhooks write keys in base64 behind a prefix; any other secret is taken as the bytes of its text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);
}
