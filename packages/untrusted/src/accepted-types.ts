/** Names that mean the same type as the one `detectMimeType` answers. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/xml': 'text/xml',
  'application/x-zip-compressed': 'application/zip',
  'image/jpg': 'image/jpeg',
};

/**
 * Whether a list of accepted types holds a type: exactly, under another name, or by a wildcard such as `image/*`
 * (API: workspaces-queues.md, accepted_mime_types).
 *
 * @param mimeType as `detectMimeType` answers it
 */
export function acceptsMimeType(accepted: readonly string[], mimeType: string): boolean {
  return accepted.some((entry) => {
    const allowed = entry.trim().toLowerCase();
    if (allowed.endsWith('/*')) return mimeType.startsWith(allowed.slice(0, -1));
    return (ALIASES[allowed] ?? allowed) === mimeType;
  });
}
