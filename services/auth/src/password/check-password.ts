import { createHash } from 'node:crypto';
import type { Guessing } from '../guessing/guessing';
import { type Account, passwordHashOf, toUsernameKey } from '../user/user';
import type { Passwords } from './password';

/** Who says to know which password. */
export interface GivenPassword {
  /** Null: there is no such user. */
  readonly account: Account | null;
  readonly username: string;
  readonly password: string;
  /** Of the client, as it is counted. */
  readonly address?: string;
}

/** An address where a user has logged in, only to be recognised. */
export function hashAddress(userId: number, address: string): string {
  return createHash('sha256').update(`${userId} ${address}`).digest('hex');
}

/** How long an address where the user has logged in is known. */
const KNOWN_MS = 30 * 24 * 3600 * 1000;

/** Whether the user has logged in from this address in the last thirty days. */
export function knowsAddress(account: Account | null, address: string | undefined): boolean {
  if (!account || address === undefined) return false;
  const hash = hashAddress(account.id, address);
  return account.knownAddresses.some((known) => known.hash === hash && known.seenAt.getTime() > Date.now() - KNOWN_MS);
}

/**
 * Whether it is the user's password, in the same time when there is no such user. Wrong ones are answered slower and slower, and
 * then RATE_LIMITED.
 */
export async function checkPassword(
  { account, username, password, address }: GivenPassword,
  { passwords, guessing }: { readonly passwords: Passwords; readonly guessing: Guessing },
): Promise<boolean> {
  const attempt = { target: toUsernameKey(username), address, isKnownAddress: knowsAddress(account, address) };
  const right = await guessing.attempt(attempt, async () =>
    (await passwords.verify(account && passwordHashOf(account), password)) ? true : null,
  );
  return right === true;
}
