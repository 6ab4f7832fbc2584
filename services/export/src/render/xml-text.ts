/** What XML 1.0 does not allow anywhere, lone surrogates included. */
const ILLEGAL = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text without the characters that XML does not allow. */
export function dropIllegal(text: string): string {
  return text.replace(ILLEGAL, '');
}

/** Text of an element: what XML does not allow is dropped, line ends are kept (a bare CR would be read back as LF). */
export function escapeText(text: string): string {
  return dropIllegal(text).replace(/[&<>\r]/g, (character) => ENTITIES[character]!);
}

/** Value of an attribute in double quotes; white space other than blanks is kept by reference. */
export function escapeAttribute(text: string): string {
  return dropIllegal(text).replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character]!);
}
