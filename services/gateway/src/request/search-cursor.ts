import { createHash } from 'node:crypto';
import { Refusal } from '@intake/rpc';

/** A cursor is good for so long, in milliseconds. */
const LIFE_MS = 15 * 60_000;

/** What a cursor continues: the query and the order; another one is another search. */
function digestOf(search: unknown): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('base64url').slice(0, 16);
}

/**
 * The cursor of a page of a search.
 *
 * @param search what is asked for, apart from the page
 */
export function makeCursor(search: unknown, page: number, now = Date.now()): string {
  return Buffer.from(JSON.stringify([1, page, digestOf(search), now])).toString('base64url');
}

/** The page that a cursor names. INVALID when it is none, or of another search; GONE when it is too old. */
export function readCursor(cursor: string, search: unknown, now = Date.now()): number {
  const [version, page, digest, at] = parse(cursor);
  if (version !== 1 || !Number.isInteger(page) || Number(page) < 1 || typeof at !== 'number') {
    throw wrong('This is no cursor of a search.');
  }
  if (digest !== digestOf(search)) throw wrong('The cursor belongs to a search with another body or ordering.');
  if (now - at > LIFE_MS) throw new Refusal('GONE');
  return Number(page);
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function wrong(message: string): Refusal {
  return new Refusal('INVALID', { fields: { search_after: [message] } });
}
