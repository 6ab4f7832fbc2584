/** What is told of an HTML text, in its order. */
export interface HtmlVisitor {
  /** Text between tags, with its entities as they stand. */
  onText(text: string): void;
  /** `td` begins, `/td` ends; the attributes are in small letters. */
  onTag(name: string, attributes: string): void;
}

/**
 * Goes through an HTML text in time linear to its length, whatever stands there: no tree is built, and nothing must be closed.
 *
 * @param silent elements whose text is none to a reader (`script`)
 */
export function walkHtml(html: string, silent: ReadonlySet<string>, { onText, onTag }: HtmlVisitor): void {
  // Other letters may become two ("İ"), and what follows would stand elsewhere.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const find = (text: string, from: number) => {
    const at = lower.indexOf(text, from);
    return at < 0 ? html.length : at;
  };
  let at = 0;
  while (at < html.length) {
    const start = find('<', at);
    if (start > at) onText(html.slice(at, start));
    if (start === html.length) return;
    const [tag = '', name = ''] = /^<(\/?[a-z][a-z0-9]*|[!?])/.exec(lower.slice(start, start + 20)) ?? [];
    if (tag === '') {
      onText(html.slice(start, start + 1));
      at = start + 1;
    } else if (lower.startsWith('<!--', start)) {
      at = find('-->', start) + 3;
    } else {
      const end = find('>', start);
      onTag(name, lower.slice(start + tag.length, end));
      at = silent.has(name) ? find(`</${name}`, end) : end + 1;
    }
  }
}
