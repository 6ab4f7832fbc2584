import type { Position, RecognizedPage, Word } from '../recognition';
import { findColumnStarts } from './column-starts';

/** A word, or the part of a word before or behind a colon, as the later stages look at it. */
export interface Token {
  text: string;
  /** Lower case without accents, cut at everything that is neither letter, digit nor `#`. */
  parts: string[];
  box: Position;
  page: number;
  line: number;
  segment: Segment;
  confidence: number;
}

/** Words of a line that stand together, without a gap as between columns. */
export interface Segment {
  page: number;
  line: number;
  tokens: Token[];
  box: Position;
  text: string;
}

export interface Line {
  page: number;
  number: number;
  segments: Segment[];
  tokens: Token[];
  box: Position;
}

/** Where everything stands on a page. */
export interface PageLayout {
  number: number;
  width: number;
  height: number;
  source: 'text' | 'ocr';
  lines: Line[];
  segments: Segment[];
  tokens: Token[];
  /** Height of most words, in pixels; the unit of the distances on the page. */
  unit: number;
}

/** Gap that separates columns, in heights of the words of the page. */
const COLUMN_GAP = 0.85;
/** How much wider the gap between two numbers is than the spaces inside them. */
const WIDER_GAP = 1.8;
/** OCR's boxes end at the ink; those of a text layer reach from the font's descent to its ascent. */
const INK_TO_LINE = 1.45;

/** The layout stage: tokens, segments and lines of a page. */
export function layOutPage(page: RecognizedPage): PageLayout {
  const height = median(page.words.map(({ position }) => position[3] - position[1])) || 20;
  const unit = page.source === 'ocr' ? height * INK_TO_LINE : height;
  const rows = groupBy(page.words, (word) => word.line)
    .filter((words) => page.source !== 'ocr' || !isScratch(words))
    .map((words) => {
      const mended = page.source === 'ocr' ? joinNumbers(words.map(mendZeros).map(mendPostcode), unit) : words;
      return withoutBullet(joinLetters(mended, unit));
    });
  const segmented = rows.map((words) => partWords(words, unit));
  const starts = findColumnStarts(segmented, unit, page.source);
  const lines = segmented
    .map((segments) => layOutLine(page, cutAt(segments, starts)))
    .filter((line): line is Line => line !== undefined);
  return {
    number: page.number,
    width: page.width,
    height: page.height,
    source: page.source,
    lines,
    segments: lines.flatMap((line) => line.segments),
    tokens: lines.flatMap((line) => line.tokens),
    unit,
  };
}

/** "HP18 OQA": in British postcodes a digit stands behind the space. */
const mendPostcode = (word: Word, at: number, words: Word[]): Word =>
  /^O[A-Z]{2}$/.test(word.text) && /^[A-Z]{1,2}\d[A-Z\d]?$/.test(words[at - 1]?.text ?? '')
    ? { ...word, text: word.text.replace('O', '0') }
    : word;

/** OCR takes zeros with a stroke or a dot inside for "@": "11:@6", "IV16-@08". In "2@6.49" it stands before a price. */
function mendZeros(word: Word): Word {
  const { text } = word;
  // "15OOO", "1O.50", "§2100": what is no digit among digits.
  if (/^\d[\dO.,:/-]*O[\dO.,:/-]*$/.test(text) && text.length > 2) return { ...word, text: text.replaceAll('O', '0') };
  if (/^§\d{4}$/.test(text)) return { ...word, text: text.replace('§', '5') };
  if (!text.includes('@') || !/\d/.test(text) || /@[\p{L}\d-]+\.\p{L}/u.test(text)) return word;
  return { ...word, text: text.replace(/(?<=[\d.,:/-])@(?!\d+[.,]\d\d$)|(?<=\p{L})@(?=\d)/gu, '0') };
}

/** A line of dashes, or a picture, which OCR takes for words without being sure of any: "ee ee eee". */
function isScratch(words: readonly Word[]): boolean {
  const sum = words.reduce((all, { confidence }) => all + confidence, 0);
  return (
    words.length > 1 &&
    sum < (words.length > 2 ? 0.35 : 0.2) * words.length &&
    words.every(({ text, confidence }) => confidence < 0.5 && !/\d/.test(text))
  );
}

/** OCR sees a space behind the decimal mark of printers that leave much room there: "79. 35". */
function joinNumbers(words: Word[], unit: number): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const gap = last ? word.position[0] - last.position[2] : 0;
    if (last && gap < 0.9 * unit && /\d[.,]$/.test(last.text) && /^\d{2}(?!\d)/.test(word.text)) {
      const position = unite([last.position, word.position]);
      const confidence = Math.min(last.confidence, word.confidence);
      joined[joined.length - 1] = { ...last, text: last.text + word.text, position, confidence };
    } else joined.push(word);
  }
  return joined;
}

/** Fewer letters that stand alone are initials. */
const LEAST_SPACED = 5;

/** "R E C H N U N G": letters that are set apart are put together; where the gap is wider than the others, a word ends. */
function joinLetters(words: Word[], unit: number): Word[] {
  const gapBefore = (at: number) => words[at]!.position[0] - words[at - 1]!.position[2];
  const heightOf = ({ position }: Word) => position[3] - position[1];
  const joined: Word[] = [];
  for (let at = 0; at < words.length; ) {
    let end = at;
    while (end < words.length && /^\p{L}{1,3}$|^\.\p{L}$/u.test(words[end]!.text)) {
      if (end > at && gapBefore(end) > COLUMN_GAP * Math.max(unit, heightOf(words[end]!))) break;
      end++;
    }
    const run = words.slice(at, Math.max(end, at + 1));
    const alone = run.filter(({ text }) => text.length === 1);
    if (alone.length < LEAST_SPACED || alone.length < 0.6 * run.length) {
      joined.push(...run);
    } else {
      const gaps = run.slice(1).map((_, index) => gapBefore(at + index + 1));
      const widest = WIDER_GAP * Math.max(median(gaps), 1);
      run.forEach((word, index) => {
        const last = joined.at(-1);
        if (index === 0 || !last || gaps[index - 1]! > widest) joined.push(word);
        else {
          const confidence = Math.min(last.confidence, word.confidence);
          const position = unite([last.position, word.position]);
          joined[joined.length - 1] = { ...last, text: last.text + word.text, position, confidence };
        }
      });
    }
    at += run.length;
  }
  return joined;
}

/** Words of a line, parted where a column ends. */
function partWords(words: Word[], unit: number): Word[][] {
  const segments: Word[][] = [];
  for (const [at, word] of words.entries()) {
    const current = segments.at(-1);
    const last = current?.at(-1);
    if (!current || !last) {
      segments.push([word]);
      continue;
    }
    const height = Math.max(word.position[3] - word.position[1], last.position[3] - last.position[1], unit);
    const gap = word.position[0] - last.position[2];
    // Forms align the colons behind their labels.
    const isColon = word.text.startsWith(':') && gap < 8 * height;
    const columnGap = COLUMN_GAP * height;
    if (!isColon && (gap > columnGap || partsNumbers(words, at, columnGap))) segments.push([word]);
    else current.push(word);
  }
  return segments;
}

/** Segments of a line, cut before the words with which columns begin. */
const cutAt = (segments: Word[][], starts: Set<Word>): Word[][] =>
  segments.flatMap((words) => {
    const parts: Word[][] = [];
    for (const word of words) {
      if (parts.length === 0 || starts.has(word)) parts.push([word]);
      else parts.at(-1)!.push(word);
    }
    return parts;
  });

function layOutLine(page: RecognizedPage, parted: Word[][]): Line | undefined {
  const segments = parted
    .map((words) => (page.source === 'ocr' ? withoutRules(words) : words))
    .filter((words) => words.length > 0)
    .map((words) => makeSegment(page.number, words[0]!.line, words));
  const [first] = segments;
  if (!first) return undefined;
  const tokens = segments.flatMap((segment) => segment.tokens);
  const box = unite(tokens.map((token) => token.box));
  return { page: page.number, number: first.line, segments, tokens, box };
}

const BULLET = /^[\u2022\u2023\u25aa\u25ab\u25cf\u25cb\u25e6\u2043\u2219\uf0b7]$/u;

/** A list's bullet before a line is no word of it. */
const withoutBullet = (words: Word[]): Word[] =>
  words.length > 1 && BULLET.test(words[0]!.text) ? words.slice(1) : words;

/** OCR takes the rules at both sides of a cell for strokes. */
function withoutRules(words: Word[]): Word[] {
  const isText = ({ text }: Word) => !/^[|¦]+$/.test(text);
  const first = words.findIndex(isText);
  return first < 0 ? [] : words.slice(first, words.findLastIndex(isText) + 1);
}

/** True where the gap before a word parts "70 200" from "330 200": it is wider than those inside the numbers. */
function partsNumbers(words: Word[], at: number, columnGap: number): boolean {
  const gapBefore = (index: number) => {
    const [left, right] = [words[index - 1], words[index]];
    const areGroups = left && right && isGroup(left) && isGroup(right);
    return areGroups ? right.position[0] - left.position[2] : Number.POSITIVE_INFINITY;
  };
  const gap = gapBefore(at);
  const inside = Math.min(gapBefore(at - 1), gapBefore(at + 1));
  return gap < columnGap && gap > WIDER_GAP * Math.max(inside, columnGap / 6);
}

const isGroup = ({ text }: Word) => /^\d{1,3}(?:[.,]\d+)?$/.test(text);

function makeSegment(page: number, line: number, words: Word[]): Segment {
  const segment: Segment = { page, line, tokens: [], box: unite(words.map((word) => word.position)), text: '' };
  segment.tokens = words.flatMap((word) =>
    splitAtColon(word).map(({ text, position, confidence }) => ({
      text,
      parts: normalize(text),
      box: position,
      page,
      line,
      segment,
      confidence,
    })),
  );
  segment.text = segment.tokens.map((token) => token.text).join(' ');
  return segment;
}

/** `Nr.:4711` is a label and a value in one word. */
function splitAtColon(word: Word): { text: string; position: Position; confidence: number }[] {
  const { text, confidence } = word;
  const length = lengthOfFirst(text);
  if (length === 0) return [{ text, position: word.position, confidence }];
  const [left, top, right, bottom] = word.position;
  const middle = left + ((right - left) * length) / text.length;
  return [
    { text: text.slice(0, length), position: [left, top, middle, bottom], confidence },
    { text: text.slice(length), position: [middle, top, right, bottom], confidence },
  ];
}

/** Letters of the first of two that are set as one word; 0 for all other words. */
function lengthOfFirst(text: string): number {
  // Where cells are set tight, a number follows right on a word: "reference8454365179", "Total-223,96".
  const glued = /^\p{Lu}?\p{Ll}{5,}(?=\d{5,}$|[-–]?\d[\d.,]*[.,]\d{2}$)/u.exec(text);
  // Receipts print the time close behind the date.
  const date = /^\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d(?=\d{1,2}:\d\d)/.exec(text);
  if (glued ?? date) return (glued ?? date)![0].length;
  if (/^#(?:\d{4,}|[A-Z]{1,4}[-/]?\d{3,})$/.test(text)) return 1;
  const length = text.search(/[:#](?=.)/u) + 1;
  // Times and addresses of the web are none.
  const isLabel = /\p{L}[.\p{L}]*[:#]$/u.test(text.slice(0, length)) && !/^(?:https?|mailto):/i.test(text);
  return length > 1 && isLabel ? length : 0;
}

const SPECIAL: Record<string, string> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** Lower case without accents, cut at everything that is neither letter, digit nor `#`. */
export function normalize(text: string): string[] {
  const plain = text
    .replace(/№/g, 'no')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßłøđæœı]/g, (letter) => SPECIAL[letter]!);
  return plain.match(/[\p{L}\p{N}]+|#/gu) ?? [];
}

/** The smallest box around all. */
export function unite(boxes: readonly Position[]): Position {
  return [
    Math.min(...boxes.map((box) => box[0])),
    Math.min(...boxes.map((box) => box[1])),
    Math.max(...boxes.map((box) => box[2])),
    Math.max(...boxes.map((box) => box[3])),
  ];
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function groupBy<T>(items: T[], key: (item: T) => number): T[][] {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups.values()];
}
