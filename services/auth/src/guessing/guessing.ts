import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimited } from '@intake/rpc';
import type { AttemptStore } from './attempt.store';

/** Whose password somebody says to know. */
export interface Attempt {
  /** What is guessed: a user name, whether there is such a user or not. */
  readonly target: string;
  /** Of the client; not given: nobody's. */
  readonly address?: string;
  /** The user has logged in from this address before. */
  readonly isKnownAddress: boolean;
}

/** Slows those down who guess passwords. */
export interface Guessing {
  /**
   * Verifies a password as one attempt. Wrong ones are answered slower and slower, by target and by address; after `limit` wrong
   * ones in a minute it is RATE_LIMITED without verifying. Attempts from an address where the user has logged in before count
   * by themselves, so that nobody elsewhere locks the user out.
   *
   * @param verify answers null for a wrong password
   */
  attempt<T>(attempt: Attempt, verify: () => Promise<T | null>): Promise<T | null>;
}

/** So many wrong passwords are answered at once; many people may share an address. */
const FREE = 3;
const FREE_OF_ADDRESS = 10;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

/** How long the answer to a wrong password waits: nothing at first, then twice as long each time. */
export function pauseOf(wrong: number, free: number): number {
  return wrong <= free ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (wrong - free - 1), LONGEST_PAUSE_MS);
}

/** @param limit wrong passwords of a target in a minute; 0: any number */
export function createGuessing({ attempts, limit }: { attempts: AttemptStore; limit: number }): Guessing {
  return {
    async attempt({ target, address, isKnownAddress }, verify) {
      const key = hash(['target', target, isKnownAddress ? address : null]);
      const ticket = randomUUID();
      const { admitted, count, retryAfterS } = await attempts.begin(key, ticket, limit);
      if (!admitted) throw rateLimited(retryAfterS);
      const verified = await verify().catch(async (error) => {
        await attempts.end(key, ticket);
        throw error;
      });
      if (verified !== null) {
        await attempts.end(key, ticket);
        return verified;
      }
      const fromThere = address === undefined ? 0 : (await attempts.begin(hash(['address', address]), ticket, 0)).count;
      await sleep(Math.max(pauseOf(count, FREE), pauseOf(fromThere, FREE_OF_ADDRESS)));
      return null;
    },
  };
}

/** Neither user names nor addresses are kept as they are. */
function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
