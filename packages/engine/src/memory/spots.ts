import { findGroupedNumbers, findReferences } from '../candidates/references';
import { findValues, type ReadingRules, type Value } from '../candidates/values';
import { normalize, type PageLayout, type Token } from '../layout/page-layout';
import type { Position } from '../recognition';
import { isAlike } from './alike';

/** What a field holds, as far as remembering it goes; an attribute is told from the whole document. */
export type Kind = 'date' | 'amount' | 'code' | 'text' | 'attribute';

/** Something on a page that could be the value of a field. */
export interface Spot {
  kind: Kind;
  /** As the engine writes values: ISO date, plain decimal, code without spaces. */
  value: string;
  raw: string;
  page: number;
  box: Position;
  tokens: Token[];
}

const TEXT = /_(?:name|address)$|^(?:terms|notes|supply_place|payment_method)$/;

/** What a sender's documents have in common. Their type is not among it. */
const ATTRIBUTES = new Set(['currency', 'language']);

/** Undefined for fields that are not remembered. */
export function kindOfField(field: string): Kind | undefined {
  if (field === 'document_type' || field.startsWith('tax_detail') || field.startsWith('table_column')) return undefined;
  if (ATTRIBUTES.has(field)) return 'attribute';
  if (field.startsWith('date_')) return 'date';
  if (field.startsWith('amount_')) return 'amount';
  return TEXT.test(field) ? 'text' : 'code';
}

const KINDS: Record<Value['type'], Kind | undefined> = {
  date: 'date',
  amount: 'amount',
  rate: undefined,
  iban: 'code',
  bic: 'code',
  vat: 'code',
  email: 'code',
};

/** Everything on the pages that could be a value, in reading order; texts are found by their words instead. */
export function findSpots(pages: PageLayout[], rules: ReadingRules): Spot[] {
  return pages.flatMap((page) => {
    const values = findValues(page, rules);
    const typed = values.flatMap(({ type, value, raw, box, tokens }): Spot[] => {
      const kind = KINDS[type];
      return kind ? [{ kind, value, raw, page: page.number, box, tokens }] : [];
    });
    const codes = [...findReferences(page, values, new Set()), ...findGroupedNumbers(page)].map(
      ({ value, raw, box, tokens }): Spot => ({ kind: 'code', value, raw, page: page.number, box, tokens }),
    );
    return [...typed, ...codes];
  });
}

/** Whether two values of a kind are the same, however they are written. */
export function isSame(kind: Kind, a: string, b: string): boolean {
  if (kind === 'date') return a === b;
  if (kind === 'amount') return Math.abs(Number(a) - Number(b)) < 0.0051;
  if (kind === 'code' || kind === 'attribute') return plain(a) !== '' && plain(a) === plain(b);
  return normalize(a).join(' ') === normalize(b).join(' ');
}

const plain = (text: string) => normalize(text).join('');

/** Signs that OCR takes for each other, each by one of them. */
const CONFUSED: Record<string, string> = {
  o: '0',
  q: '0',
  d: '0',
  i: '1',
  l: '1',
  t: '1',
  a: '1',
  z: '2',
  s: '5',
  g: '6',
  b: '8',
};

/** Whether two codes of some length differ only by signs that OCR takes for each other. */
export function looksSame(a: string, b: string): boolean {
  const [one, other] = [shape(a), shape(b)];
  return one.length >= 8 && one === other;
}

const shape = (text: string) => plain(text).replace(/[a-z]/g, (letter) => CONFUSED[letter] ?? letter);

/** Where a text stands whose words follow each other on up to `MOST_LINES` lines, and how much of it is there (0..1). */
export function findText(
  pages: PageLayout[],
  text: string,
): { page: number; box: Position; share: number } | undefined {
  const words = normalize(text);
  let best: { page: number; box: Position; share: number } | undefined;
  for (const { page, tokens } of beginningsOf(pages, words)) {
    const found = matchWords(words, tokens);
    const share = found.matched / words.length;
    if (found.tokens.length > 0 && share > (best?.share ?? 0))
      best = { page: page.number, box: uniteTokens(found.tokens), share };
  }
  return best;
}

/** Fewer words than these, beside its numbers, are no sentence that is known again. */
const WORDS_OF_SENTENCE = 5;

/** Where a sentence stands with all its words and with numbers of its own (dates, amounts), and how it reads there. */
export function findSentence(
  pages: PageLayout[],
  text: string,
): { page: number; box: Position; value: string } | undefined {
  const words = normalize(text).filter((word) => !/\d/.test(word));
  if (words.length < WORDS_OF_SENTENCE) return undefined;
  for (const { page, tokens } of beginningsOf(pages, words)) {
    const found = matchWords(words, tokens);
    if (found.matched < words.length) continue;
    const box = uniteTokens(found.tokens);
    const inside = tokens
      .slice(0, tokens.indexOf(found.tokens.at(-1)!) + 1)
      .filter((token) => token.box[0] >= box[0] && token.box[2] <= box[2]);
    // Words of other columns, or of another text in between, are no part of it.
    const strange = inside.filter((token) => !found.tokens.includes(token) && !/\d/.test(token.text));
    if (strange.length > 0.1 * inside.length) continue;
    return { page: page.number, box, value: inside.map((token) => token.text).join(' ') };
  }
  return undefined;
}

/** The tokens from each one on with which a text may begin. */
function* beginningsOf(
  pages: PageLayout[],
  words: readonly string[],
): Generator<{ page: PageLayout; tokens: Token[] }> {
  if (words.length === 0) return;
  for (const page of pages) {
    for (const start of page.tokens) {
      if (!start.parts.some((part) => isAlike(part, words[0]!))) continue;
      const near = page.tokens.filter(
        ({ line, box }) =>
          line >= start.line && line < start.line + MOST_LINES && box[0] > start.box[0] - 3 * page.unit,
      );
      yield { page, tokens: near.slice(near.indexOf(start)) };
    }
  }
}

/** Lines that a name or an address may take. */
const MOST_LINES = 7;

/** Takes the words in their order; tokens between them, of other columns, are passed over. */
function matchWords(words: readonly string[], tokens: readonly Token[]): { matched: number; tokens: Token[] } {
  const taken: Token[] = [];
  let at = 0;
  for (const token of tokens) {
    const here = token.parts.findIndex((part) => isAlike(part, words[at]!));
    if (here < 0) continue;
    taken.push(token);
    let part = here;
    while (at < words.length && part < token.parts.length && isAlike(token.parts[part]!, words[at]!)) {
      at++;
      part++;
    }
    if (at === words.length) break;
  }
  return { matched: at, tokens: taken };
}

function uniteTokens(tokens: readonly Token[]): Position {
  return [
    Math.min(...tokens.map(({ box }) => box[0])),
    Math.min(...tokens.map(({ box }) => box[1])),
    Math.max(...tokens.map(({ box }) => box[2])),
    Math.max(...tokens.map(({ box }) => box[3])),
  ];
}
