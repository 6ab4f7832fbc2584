import { Refusal } from '@intake/rpc';

/** A part of a file: `length` bytes from `offset`. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads a `Range` header (RFC 9110 section 14). Null when the whole file is to be sent: no header, another unit, several ranges, or
 * one that is none. Throws RANGE_NOT_SATISFIABLE when it begins behind the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, first, last] = match as unknown as [string, string, string];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length === 0) throw new Refusal('RANGE_NOT_SATISFIABLE');
    return { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < offset) return null;
  if (offset >= size) throw new Refusal('RANGE_NOT_SATISFIABLE');
  return { offset, length: end - offset + 1 };
}

/** Whether `If-None-Match` names the version that the client would get (RFC 9110 section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header || !etag) return false;
  if (header.trim() === '*') return true;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => bare(tag) === bare(etag));
}
