const MAX_BYTES = 200;

/**
 * A name that can be shown, sent in a header and written to a disk: the last part of a path, without control
 * characters, characters that Windows forbids, direction marks, or leading dots; at most 200 bytes of UTF-8, the
 * extension kept.
 *
 * @param fallback what a name with nothing left becomes
 */
export function safeFileName(name: string, fallback = 'document'): string {
  const last = name.normalize('NFC').split(/[/\\]/).pop() ?? '';
  const clean = last
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '');
  if (clean === '') return fallback;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? '';
  const stem = cutToBytes(clean.slice(0, clean.length - extension.length), MAX_BYTES - extension.length);
  return stem + extension;
}

function cutToBytes(text: string, limit: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept += character;
  }
  return kept;
}
