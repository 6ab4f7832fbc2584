/**
 * A `Content-Disposition` header for a download (RFC 6266): an ASCII name for old clients and the exact one as `filename*`.
 * Nothing in the name can end the header or the parameter.
 */
export function attachment(fileName: string): string {
  const name =
    fileName.replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').replace(/[/\\]/g, '_') || 'document';
  const ascii =
    name
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]/g, '')
      .replace(/["%]/g, '_')
      .trim() || 'document';
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=utf-8''${encoded}`;
}
