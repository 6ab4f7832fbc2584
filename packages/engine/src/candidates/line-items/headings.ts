import type { Line, Token } from '../../layout/page-layout';
import { type Dictionary, GROSS, type Key, loadPhrases, NET } from '../key-phrases';
import type { Meaning } from './column-meanings';

/** Phrases for headings, and what their columns mean. */
export const COLUMNS: Dictionary = loadPhrases('table-columns.json');

/** What a heading means: the longest phrase in it; a description, when it names that and a code. */
export function readMeaning(parts: string[]): Meaning[] {
  let best: { length: number; meanings: Meaning[] } | undefined;
  let described = false;
  parts.forEach((part, at) => {
    for (const phrase of COLUMNS.get(part) ?? []) {
      if (!phrase.parts.every((one, offset) => parts[at + offset] === one)) continue;
      described ||= phrase.meanings.length === 1 && phrase.meanings[0]!.field === 'description';
      if (!best || phrase.parts.length > best.length) {
        best = { length: phrase.parts.length, meanings: phrase.meanings.map((meaning) => meaning.field as Meaning) };
      }
    }
  });
  if (described && best?.meanings.every((meaning) => meaning === 'code' || meaning === 'position'))
    return ['description'];
  const text = parts.join(' ');
  const isGross = GROSS.test(text) && !NET.test(text);
  return (best?.meanings ?? []).map((meaning) => (isGross ? (WITH_TAX[meaning] ?? meaning) : meaning));
}

/** What amounts are when their heading says that they are with tax: "Item subtotal (incl. VAT)". */
const WITH_TAX: Partial<Record<Meaning, Meaning>> = { amount_base: 'amount', amount_total_base: 'amount_total' };

/** Cuts a line of the head into headings: at gaps, and where a column's phrase begins or ends. */
export function cutAtKeys(line: Line, columnKeys: Key[]): Token[][] {
  const own = columnKeys.filter((key) => key.line === line.number);
  return line.segments.flatMap((segment) => {
    const pieces: Token[][] = [];
    let loose: Token[] = [];
    const flush = () => {
      if (loose.length > 0) pieces.push(loose);
      loose = [];
    };
    for (const token of segment.tokens) {
      // "(excl. VAT)" says more about a heading and is none.
      const key = isInBrackets(segment.tokens, token) ? undefined : own.find((one) => one.tokens.includes(token));
      if (!key) loose.push(token);
      else if (key.tokens[0] === token) {
        flush();
        pieces.push([...key.tokens]);
      }
    }
    flush();
    return glueLoose(pieces, own);
  });
}

function isInBrackets(tokens: Token[], token: Token): boolean {
  const text = tokens
    .slice(0, tokens.indexOf(token) + 1)
    .map((one) => one.text)
    .join(' ');
  return text.lastIndexOf('(') > text.slice(0, -1).lastIndexOf(')');
}

/** Gap between two words of a heading, in heights of the page's words. */
export const HEADING_GAP = 0.6;

/**
 * Words that are no heading of their own ("in EUR", "(net)") belong to the heading before them; at the beginning of a
 * text, to the one behind them ("Type of service").
 */
function glueLoose(pieces: Token[][], keys: Key[]): Token[][] {
  const glued: Token[][] = [];
  const joined = joinAtSlash(pieces);
  const [first, second] = joined;
  const isLoose = first && second && !keys.some((key) => key.tokens[0] === first[0]);
  if (isLoose && areWords(first) && second[0]!.box[0] - first.at(-1)!.box[2] < HEADING_GAP * heightOf(first))
    joined.splice(0, 2, [...first, ...second]);
  for (const piece of joined) {
    const isKey = keys.some((key) => piece.includes(key.tokens[0]!));
    const last = glued.at(-1);
    if (!isKey && last && piece[0]!.box[0] - last.at(-1)!.box[2] < 1.2 * (piece[0]!.box[3] - piece[0]!.box[1]))
      last.push(...piece);
    else glued.push([...piece]);
  }
  return glued;
}

const heightOf = ([token]: Token[]) => token!.box[3] - token!.box[1];

/** "Ohne MwSt." is the second line of a heading, and no heading. */
const areWords = (tokens: Token[]) =>
  tokens.every(({ text, parts }) => /^\p{L}{3,}$/u.test(text) && !NET.test(parts.join(' ')));

/** "Popis / Description" is one heading in two languages. */
function joinAtSlash(pieces: Token[][]): Token[][] {
  const joined: Token[][] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const isNext = last && (last.at(-1)!.text.endsWith('/') || piece[0]!.text.startsWith('/'));
    if (isNext) last.push(...piece);
    else joined.push([...piece]);
  }
  return joined;
}
