/** Patterns of MongoDB may have some 32,000 characters; nobody searches for more than this. */
const MAX_LENGTH = 1000;

/**
 * A text as a pattern (`$regex`, `new RegExp`) in which nothing is special, cut after 1000 characters. A null character is
 * written out: MongoDB takes no pattern that holds one.
 */
export function escapePattern(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    .replaceAll('\0', '\\x00');
}
