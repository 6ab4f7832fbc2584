import { createHmac, randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id (the library's default) as OWASP asks for: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Fewest characters of a password that an admin gives to a user. API: organizations-users-groups.md section 3. */
export const MIN_PASSWORD_LENGTH = 8;

/** How long a verified password is not computed again, in milliseconds. */
const REMEMBER_MS = 30_000;
const REMEMBER_AT_MOST = 10_000;

/** Hashes and verifies passwords (argon2id). */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether the password is the one that was hashed; takes as long for a user without a password, or no user (null). */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
  /**
   * Whether the pair was right in the last 30 seconds: basic authentication sends the password with every call. What is remembered
   * is bound to the stored hash, so a changed password is never accepted from memory.
   */
  wasRight(passwordHash: string | null, password: string): boolean;
}

/** @param now clock in milliseconds */
export async function createPasswords(now: () => number = Date.now): Promise<Passwords> {
  const nobody = await hash(randomBytes(20).toString('hex'), OPTIONS);
  const secret = randomBytes(32);
  const remembered = new Map<string, number>();

  const check = async (passwordHash: string | null, password: string): Promise<boolean> => {
    const right = await verify(passwordHash ?? nobody, password);
    return right && passwordHash !== null;
  };

  const pairOf = (passwordHash: string | null, password: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([passwordHash, password]))
      .digest('base64');

  const remember = (pair: string): void => {
    remembered.delete(pair);
    remembered.set(pair, now() + REMEMBER_MS);
    for (const [oldest, until] of remembered) {
      if (until > now() && remembered.size <= REMEMBER_AT_MOST) break;
      remembered.delete(oldest);
    }
  };

  return {
    hash: (password) => hash(password, OPTIONS),
    async verify(passwordHash, password) {
      const right = await check(passwordHash, password);
      if (right) remember(pairOf(passwordHash, password));
      return right;
    },
    wasRight: (passwordHash, password) => (remembered.get(pairOf(passwordHash, password)) ?? 0) > now(),
  };
}
