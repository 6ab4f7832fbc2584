/** Characters of Windows-1252 that Latin-1 does not have: those of the bytes 0x80 to 0x9f. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Text in an encoding that is named as on the web. Other than TextDecoder alone, which in Node 20 reads Windows-1252 as Latin-1.
 *
 * @throws RangeError when the encoding is not known
 */
export function decodeCharset(bytes: Uint8Array, encoding: string): string {
  const decoder = new TextDecoder(encoding);
  const text = decoder.decode(bytes);
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!);
}
