/** Texts for placeholders, by name. */
export type Placeholders = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{\{\s{0,20}([\w.-]{1,200})\s{0,20}\}\}/g;
/** The one value that is HTML itself. */
const HTML_VALUES = new Set(['document_list']);

/** Names of the placeholders in a text. */
export function placeholdersIn(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name]) => name ?? ''))];
}

/** A text with its placeholders filled in; unknown ones become empty. API: email-import.md section 4. */
export function renderText(template: string, values: Placeholders): string {
  return template.replace(PLACEHOLDER, (_, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''));
}

/** The same for HTML: values are escaped. */
export function renderHtml(template: string, values: Placeholders): string {
  const escaped = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, HTML_VALUES.has(name) ? value : escapeHtml(value)]),
  );
  return renderText(template, escaped);
}

/** Text that shows as it is in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
