/** A word as it stands on a page: text, box, and the line it stands in. */
export interface Word {
  readonly text: string;
  readonly box: Box;
  /** 0-based, from the top. */
  readonly line: number;
}

/** `[left, top, right, bottom]` in pixels of the page image. */
export type Box = readonly [number, number, number, number];

/** What `page_data` may be asked for. API: pages.md. */
export const GRANULARITIES = ['lines', 'words', 'chars', 'texts', 'barcodes'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Words from the JSON text that document-storage keeps, in reading order. */
export function readWords(json: string): Word[] {
  const rows = JSON.parse(json) as [string, number, number, number, number, number][];
  return rows.map(([text, left, top, right, bottom, line]) => ({ text, box: [left, top, right, bottom], line }));
}

/** Words of one line together, in reading order. */
export function groupLines(words: readonly Word[]): Word[][] {
  const lines = new Map<number, Word[]>();
  for (const word of words) {
    const line = lines.get(word.line);
    if (line) line.push(word);
    else lines.set(word.line, [word]);
  }
  return [...lines.values()];
}

/** The items of a page. API: pages.md, spatial data. */
export function toItems(words: readonly Word[], granularity: Exclude<Granularity, 'barcodes'>): object[] {
  switch (granularity) {
    case 'words':
      return words.map(({ text, box }) => ({ position: box, text }));
    case 'lines':
      return groupLines(words).map((line) => ({ position: unite(line), text: textOf(line) }));
    case 'chars':
      return words.flatMap(splitWord);
    case 'texts':
      return [{ text: groupLines(words).map(textOf).join('\n') }];
  }
}

/** The smallest box around all words. */
export function unite(words: readonly Word[]): Box {
  const side = (at: 0 | 1 | 2 | 3, choose: (...values: number[]) => number) =>
    choose(...words.map(({ box }) => box[at]));
  return [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)];
}

function textOf(line: readonly Word[]): string {
  return line.map(({ text }) => text).join(' ');
}

/** Characters of a word; each is taken to be as wide as the others. */
function splitWord({ text, box: [left, top, right, bottom] }: Word): object[] {
  const characters = [...text];
  const width = (right - left) / characters.length;
  const at = (i: number) => Math.round((left + i * width) * 10) / 10;
  return characters.map((character, i) => ({ position: [at(i), top, at(i + 1), bottom], text: character }));
}
