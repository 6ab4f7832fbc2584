/** A file that stood in a text. */
export interface UuencodedFile {
  readonly fileName: string;
  readonly content: Buffer;
}

const BEGIN = /^begin [0-7]{3,4} (\S.{0,254})$/;

/**
 * Takes uuencoded files out of the text of a mail, as old mail programs put them there (POSIX, uuencode). What only begins like one stays text.
 * In time linear to the length of the text, but for lines that begin a file in vain: no more than `most` are tried.
 */
export function takeUuencoded(text: string, most: number): { text: string; files: UuencodedFile[] } {
  if (!/^begin [0-7]{3,4} \S/m.test(text)) return { text, files: [] };
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  const files: UuencodedFile[] = [];
  let tried = 0;
  for (let i = 0; i < lines.length; i++) {
    const [, fileName] = (tried < most && BEGIN.exec(lines[i] as string)) || [];
    const found = fileName === undefined ? null : decodeLines(lines, i + 1);
    if (fileName !== undefined) tried += 1;
    if (fileName === undefined || !found) {
      kept.push(lines[i] as string);
      continue;
    }
    files.push({ fileName: fileName.trim(), content: found.content });
    i = found.end;
  }
  return { text: kept.join('\n'), files };
}

/** What the lines up to `end` hold; null when they are no such file. */
function decodeLines(lines: readonly string[], from: number): { content: Buffer; end: number } | null {
  const chunks: Buffer[] = [];
  for (let i = from; i < lines.length; i++) {
    const line = lines[i] as string;
    if (line === 'end') return { content: Buffer.concat(chunks), end: i };
    const chunk = decodeLine(line);
    if (!chunk) return null;
    chunks.push(chunk);
  }
  return null;
}

/** The bytes of a line, of which the first character says how many there are; blanks at its end may have been lost. */
function decodeLine(line: string): Buffer | null {
  if (/[^ -`]/.test(line)) return null;
  const size = line === '' ? 0 : (line.charCodeAt(0) - 32) & 63;
  const characters = Math.ceil(size / 3) * 4;
  // Some programs write a checksum behind.
  if (line.length > characters + 2) return null;
  const bytes = Buffer.alloc(Math.ceil(size / 3) * 3);
  for (let i = 0; i < characters; i += 4) {
    let bits = 0;
    for (let j = 1; j <= 4; j++) bits = (bits << 6) | ((line.charCodeAt(i + j) - 32) & 63 || 0);
    bytes.writeUIntBE(bits, (i / 4) * 3, 3);
  }
  return bytes.subarray(0, size);
}
