/** Values of placeholders by name, as text; those of `html` are HTML already. */
export interface PlaceholderValues {
  readonly text: ReadonlyMap<string, string>;
  readonly html: ReadonlyMap<string, string>;
}

const PLACEHOLDER = /\{\{ *([\w.]+) *\}\}/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML that shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Names of the placeholders in a text. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? ''))];
}

/** A text with values for its placeholders: one line, unknown ones are empty (API: email-import.md section 4). */
export function renderText(template: string, { text, html }: PlaceholderValues): string {
  const toLine = (value: string) => value.replace(/\s+/g, ' ').trim();
  return toLine(
    template.replace(
      PLACEHOLDER,
      (_, name: string) => text.get(name) ?? (html.get(name) ?? '').replace(/<[^>]*>/g, ' '),
    ),
  );
}

/** HTML with values for its placeholders; values are escaped, unknown ones are empty. */
export function renderHtml(template: string, { text, html }: PlaceholderValues): string {
  return template.replace(PLACEHOLDER, (_, name: string) => html.get(name) ?? escapeHtml(text.get(name) ?? ''));
}

/** A list of names in HTML. */
export function toHtmlList(names: readonly string[]): string {
  return names.length === 0 ? '' : `<ul>${names.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`;
}
