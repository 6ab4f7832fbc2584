import { walkHtml } from '@intake/untrusted';
import { decodeHTMLStrict } from 'entities';

/** Characters of an HTML body that are looked at: more than is kept of its text. */
const MAX_HTML = 64 * 1024;

const SILENT = new Set(['script', 'style', 'head', 'title']);
const LINES = ['p', 'div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const LINE_ENDS = new Set(['br', ...LINES.map((name) => `/${name}`)]);
/** What begins on a line of its own. */
const LINE_STARTS = new Set([...LINES, 'table', 'ul', 'ol', 'blockquote', 'pre', 'hr']);
const SPACES = new Set(['/td', '/th']);

/** The text of an HTML mail, by dropping its tags, in time linear to its length. API: email-import.md section 1.4. */
export function stripTags(html: string): string {
  return decodeHTMLStrict(dropTags(html.slice(0, MAX_HTML)))
    .replace(/\s+/g, (space) => (space.includes('\n') ? '\n'.repeat(Math.min(space.split('\n').length - 1, 2)) : ' '))
    .trim();
}

function dropTags(html: string): string {
  let kept = '';
  walkHtml(html, SILENT, {
    onText: (text) => {
      kept += text;
    },
    onTag: (name) => {
      if (LINE_ENDS.has(name) || (LINE_STARTS.has(name) && !isLineStart(kept))) kept += '\n';
      if (SPACES.has(name)) kept += ' ';
    },
  });
  return kept;
}

function isLineStart(text: string): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(-20));
}
