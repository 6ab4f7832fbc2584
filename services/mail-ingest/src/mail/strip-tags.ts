/** Characters of an HTML body that are looked at: more than is kept of its text. */
const MAX_HTML = 64 * 1024;

const SILENT = new Set(['script', 'style', 'head', 'title']);
const LINE_ENDS = new Set(['br', '/p', '/div', '/tr', '/li', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6']);
const SPACES = new Set(['/td', '/th']);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The text of an HTML mail, by dropping its tags, in time linear to its length. API: email-import.md section 1.4. */
export function stripTags(html: string): string {
  return dropTags(html.slice(0, MAX_HTML))
    .replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => decodeEntity(name) ?? whole)
    .replace(/\s+/g, (space) => (space.includes('\n') ? '\n'.repeat(Math.min(space.split('\n').length - 1, 2)) : ' '))
    .trim();
}

function dropTags(html: string): string {
  const lower = html.toLowerCase();
  let text = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<', at);
    const end = start < 0 ? -1 : html.indexOf('>', start);
    if (end < 0) return text + html.slice(at, start < 0 ? html.length : start);
    text += html.slice(at, start);
    const name = /^\/?[a-z0-9]+/.exec(lower.slice(start + 1, start + 12))?.[0] ?? '';
    if (LINE_ENDS.has(name)) text += '\n';
    if (SPACES.has(name)) text += ' ';
    at = end + 1;
    if (!SILENT.has(name)) continue;
    at = lower.indexOf(`</${name}`, at);
    if (at < 0) return text;
  }
}

function decodeEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
