import { readFileSync } from 'node:fs';
import path from 'node:path';
import { normalize, type PageLayout, type Segment, type Token, unite } from '../layout/page-layout';
import { isBeside } from '../layout/relations';
import type { Position } from '../recognition';

/** A label on the page that tells what stands beside or below it. */
export interface Key {
  /** What the label may announce, with how surely: 1 for its own phrase, less for words of general meaning. */
  meanings: { field: string; weight: number }[];
  phrase: string;
  tokens: Token[];
  box: Position;
  page: number;
  line: number;
}

/** What a label may read like: its words, without accents and in small letters. */
export interface Phrase {
  parts: string[];
  meanings: { field: string; weight: number }[];
}

const WEAK = 0.45;
/** Letters of a phrase that is known without its spaces too. */
const LEAST_JOINED = 6;

/** How "number" is abbreviated in labels. */
const NUMBER = ['n', 'no', 'nr', 'num', 'nro'];

/** First part of a phrase -> phrases, longest first. */
export type Dictionary = Map<string, Phrase[]>;

/** Reads `data/<file>`: field -> phrases. */
export function loadPhrases(file: string): Dictionary {
  const data: Record<string, { strong: string[]; weak: string[] }> = JSON.parse(
    readFileSync(path.join(__dirname, '..', '..', 'data', file), 'utf8'),
  );
  const byText = new Map<string, Phrase>();
  for (const [field, { strong, weak }] of Object.entries(data)) {
    for (const [texts, weight] of [
      [strong, 1],
      [weak, WEAK],
    ] as const) {
      for (const text of texts) {
        const parts = normalize(text);
        const phrase = byText.get(parts.join(' ')) ?? { parts, meanings: [] };
        byText.set(parts.join(' '), phrase);
        if (!phrase.meanings.some((meaning) => meaning.field === field)) phrase.meanings.push({ field, weight });
      }
    }
  }
  // "InvoiceNo" and "Nettóérték": the space between two words is lost in narrow cells, and by OCR.
  for (const { parts, meanings } of [...byText.values()]) {
    const joined = parts.join('');
    if (joined.length < LEAST_JOINED || byText.has(joined)) continue;
    byText.set(joined, { parts: [joined], meanings });
  }
  // "N.º de factura" is read as "n o de factura", and is the same as "n de factura", "no de factura", "nr de factura".
  for (const { parts, meanings } of [...byText.values()]) {
    const at = parts.findIndex((part) => NUMBER.includes(part));
    if (at < 0 || parts.length < 2 || (parts[at] === 'n' && parts[at + 1] === 'o')) continue;
    for (const word of [...NUMBER, 'n o']) {
      const same = parts.with(at, word).join(' ').split(' ');
      if (!byText.has(same.join(' '))) byText.set(same.join(' '), { parts: same, meanings });
    }
  }
  const dictionary: Dictionary = new Map();
  for (const phrase of byText.values()) {
    const first = phrase.parts[0];
    if (first === undefined) continue;
    const list = dictionary.get(first) ?? [];
    list.push(phrase);
    dictionary.set(first, list);
  }
  for (const list of dictionary.values()) list.sort((a, b) => b.parts.length - a.parts.length);
  return dictionary;
}

const KEYS = loadPhrases('key-phrases.json');

/** All labels of a page; where several phrases begin at a word, the longest. */
export function findKeys(page: PageLayout, dictionary: Dictionary = KEYS): Key[] {
  const keys: Key[] = [];
  const mend = page.source === 'ocr' ? makeMender(dictionary) : undefined;
  for (const segment of page.segments) {
    const stream = segment.tokens.flatMap((token) =>
      token.parts.map((part, at) => ({ part, token, first: at === 0, last: at === token.parts.length - 1 })),
    );
    if (mend) for (const entry of stream) entry.part = mend(entry.part);
    if (dictionary === KEYS && stream[0]) stream[0].part = baseOf(stream[0].part, dictionary);
    let at = 0;
    while (at < stream.length) {
      const entry = stream[at]!;
      const phrases = dictionary.get(entry.part);
      const phrase =
        (at === 0 ? phrases?.find(({ parts }) => isCutOff(parts, stream)) : undefined) ??
        phrases?.find(({ parts }) => parts.every((part, offset) => stream[at + offset]?.part === part));
      const end = phrase ? stream[at + phrase.parts.length - 1]! : undefined;
      // A phrase inside a longer word ("nr" in "123-nr-5") is no label.
      // "(c) 2022" says whose text it is.
      // "C/ Mayor 7" is a street.
      // "C 01152" has its letter in front; "č." is an abbreviation.
      const isLetter = /^(?:\(c\)|C\/|C)$/.test(entry.token.text) && phrase?.parts.length === 1;
      // "facturation@example.com"
      const isAddress = /\p{L}@\p{L}/u.test(entry.token.text);
      if (
        !phrase ||
        isLetter ||
        isAddress ||
        (LITTLE_WORDS.has(phrase.parts.join(' ')) &&
          !isAllBeforeColon(segment, entry.token) &&
          !isOneOfTwo(page, segment)) ||
        !(entry.first || isBehindStroke(entry)) ||
        (!end!.last && !/[:.]|\/\p{L}{3}/u.test(end!.token.text))
      ) {
        at++;
        continue;
      }
      const tokens = [...new Set(stream.slice(at, at + phrase.parts.length).map((one) => one.token))];
      keys.push({
        meanings: phrase.meanings,
        phrase: phrase.parts.join(' '),
        tokens,
        box: unite(tokens.map((token) => token.box)),
        page: segment.page,
        line: segment.line,
      });
      at += phrase.parts.length;
    }
  }
  return dictionary === KEYS
    ? joinDays(joinTotals(joinNamedTotals(joinPairs(withWrapped(page, keys, dictionary)))))
    : keys;
}

/** Words that announce a party only alone before a colon: "Para:", "De:". */
const LITTLE_WORDS = new Set(
  'de da od para per pour pro pre dla voor fur za pentru reszere komu doit gentile fakturace'.split(' '),
);

const isAllBeforeColon = ({ tokens }: Segment, token: Token): boolean =>
  tokens[0] === token && (/:$/.test(token.text) || tokens[1]?.text === ':');

/** "DE" and "PARA" alone in a line head the blocks of two parties. */
const isOneOfTwo = (page: PageLayout, { line }: Segment): boolean =>
  page.lines.some(
    ({ number, segments }) =>
      number === line &&
      /^(?:de (?:para|pour)|da per|od (?:pro|pre|dla))$/.test(
        segments.flatMap(({ text }) => normalize(text)).join(' '),
      ),
  );

/** "Objekt-/Mieternummer": the second of two words that end alike is the label. */
const isBehindStroke = ({ part, token }: { part: string; token: Token }): boolean => {
  const [, second] = /^\p{L}{3,}-?\/(\p{L}{4,}):?$/u.exec(token.text) ?? [];
  return second !== undefined && normalize(second)[0] === part;
};

/** "Privatrechnung 2025/0417": compounds at the beginning of a text that no phrase begins with are invoices of some kind. */
function baseOf(part: string, dictionary: Dictionary): string {
  const base = /(?<=\p{L}{3})(?:(?<!be|ab|ver)rechnung|faktura|factuur)$/u.exec(part)?.[0];
  return base && !dictionary.has(part) ? base : part;
}

/** A cell of a sheet shows only the beginning of a label that is too long for it. */
function isCutOff(parts: string[], shown: { part: string }[]): boolean {
  const last = shown.length - 1;
  return (
    last > 0 &&
    parts.length === shown.length &&
    shown[last]!.part.length >= 4 &&
    parts[last] !== shown[last]!.part &&
    parts[last]!.startsWith(shown[last]!.part) &&
    parts.slice(0, last).every((part, at) => part === shown[at]!.part)
  );
}

/** Labels in narrow cells go on in the next line: "Payment" over "reference:". */
function withWrapped(page: PageLayout, keys: Key[], dictionary: Dictionary): Key[] {
  const wrapped: Key[] = [];
  const isShort = ({ tokens, text }: Segment) => tokens.length <= 3 && /\p{L}/u.test(text);
  const short = page.segments.filter(isShort);
  for (const above of short) {
    if (/\d/.test(above.text)) continue;
    const under = short.find(
      (one) =>
        one.line > above.line &&
        Math.abs(one.box[0] - above.box[0]) < 0.4 * page.unit &&
        height(above) < 1.5 * height(one) &&
        one.box[1] - above.box[3] < 0.5 * page.unit &&
        one.box[1] > above.box[1] + 0.4 * page.unit,
    );
    if (!under || /:$/.test(above.text) || haveOwnValues(page, above, under)) continue;
    // "Client" over "n° 008812": the value stands behind the second half.
    const value = under.tokens.findIndex(({ text }) => /\d/.test(text));
    if (value === 0) continue;
    const second = value < 0 ? under.tokens : under.tokens.slice(0, value);
    const tokens = [...above.tokens, ...second];
    const parts = tokens.flatMap((token) => token.parts);
    const phrase = dictionary
      .get(parts[0] ?? '')
      ?.find((one) => one.parts.length === parts.length && one.parts.every((part, at) => part === parts[at]));
    if (!phrase || parts.length < 2) continue;
    const box = unite((value < 0 ? tokens : second).map((token) => token.box));
    wrapped.push({
      meanings: phrase.meanings,
      phrase: parts.join(' '),
      tokens,
      box,
      page: page.number,
      line: under.line,
    });
  }
  if (wrapped.length === 0) return keys;
  const covered = new Set(wrapped.flatMap((key) => key.tokens));
  return [...keys.filter((key) => !key.tokens.every((token) => covered.has(token))), ...wrapped];
}

/** Whether two texts have numbers behind them that stand in one column, too: then they are two labels. */
function haveOwnValues(page: PageLayout, above: Segment, under: Segment): boolean {
  const [upper, lower] = [above, under].map(
    (label) =>
      page.segments
        .filter((one) => one.box[0] > label.box[2] && isBeside(one, label))
        .sort((a, b) => a.box[0] - b.box[0])[0],
  );
  if (!upper || !lower || upper === lower || !/\d/.test(upper.text) || !/\d/.test(lower.text)) return false;
  return [0, 2].some((edge) => Math.abs(upper.box[edge]! - lower.box[edge]!) < 0.5 * page.unit);
}

const height = ({ box }: Segment) => box[3] - box[1];

/** "Invoice date / Tax point" and "Due / Échéance" announce one value with two labels. */
function joinPairs(keys: Key[]): Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const before = joined.at(-1);
    const segment = key.tokens[0]!.segment;
    const between = before && before.tokens[0]!.segment === segment ? tokensBetween(segment, before, key) : undefined;
    if (!before || !between || !isSlash(between, before, key)) {
      joined.push(key);
      continue;
    }
    const tokens = [...before.tokens, ...between, ...key.tokens];
    const meanings = [...before.meanings, ...key.meanings];
    joined[joined.length - 1] = {
      ...before,
      meanings: meanings.filter(
        (one) => one.weight === Math.max(...meanings.filter(({ field }) => field === one.field).map((m) => m.weight)),
      ),
      phrase: `${before.phrase} ${key.phrase}`,
      tokens,
      box: unite(tokens.map((token) => token.box)),
    };
  }
  return joined;
}

function tokensBetween({ tokens }: Segment, left: Key, right: Key): Token[] {
  return tokens.slice(tokens.indexOf(left.tokens.at(-1)!) + 1, tokens.indexOf(right.tokens[0]!));
}

function isSlash(between: Token[], left: Key, right: Key): boolean {
  const text = [left.tokens.at(-1)!.text.slice(-1), ...between.map((token) => token.text), right.tokens[0]!.text[0]];
  return (
    between.length <= 1 && text.some((one) => one === '/') && !between.some((token) => /[\p{L}\p{N}]/u.test(token.text))
  );
}

/** "ALV yhteensä" and "Moms i alt" are totals of what the first word names. */
function joinNamedTotals(keys: Key[]): Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const before = joined.at(-1);
    const isNamed = before?.meanings.some(
      ({ field, weight }) => weight === 1 && (field === 'amount_total_tax' || field === 'amount_total_base'),
    );
    const isTotal = key.meanings.some(({ field }) => field === 'amount_total');
    const segment = key.tokens[0]!.segment;
    const isSame = before?.tokens[0]?.segment === segment;
    const between = before && isSame ? tokensBetween(segment, before, key) : [];
    const follows = isSame && between.length <= 1 && between.every((token) => !/[\d()]/.test(token.text));
    if (!before || !isNamed || !isTotal || !follows || NET.test(key.phrase) || GROSS.test(key.phrase)) {
      joined.push(key);
      continue;
    }
    const tokens = [...before.tokens, ...between, ...key.tokens];
    joined[joined.length - 1] = {
      ...before,
      meanings: before.meanings.filter(({ field }) => field.startsWith('amount_')),
      tokens,
      box: unite(tokens.map((token) => token.box)),
    };
  }
  return joined;
}

/** Words between "amount due" and a day. */
const DAY_WORDS =
  /^(?:(?:spätestens )?(?:bis(?: zum| spätestens)?|am)|by|before|on|until|avant(?: le)?|au plus tard le|pour le|le|d'ici au|entro(?: il)?|antes del?|hasta(?: el)?|até|uiterlijk|vóór|voor|do(?: dnia)?|najpóźniej|nejpozději|do)$/iu;

/** "Amount to pay before 4 February 2025: 132.23": the label of an amount that goes on to a day announces both. */
function joinDays(keys: Key[]): Key[] {
  return keys.map((key) => {
    const { tokens: all } = key.tokens[0]!.segment;
    const start = all.indexOf(key.tokens.at(-1)!) + 1;
    const rest = all.slice(start);
    const count = rest.findIndex(({ text }) => /^\d/.test(text));
    const words = rest.slice(0, Math.max(0, count));
    const isDue = key.meanings.some(({ field, weight }) => field === 'amount_due' && weight === 1);
    if (!isDue || !DAY_WORDS.test(words.map(({ text }) => text).join(' '))) return key;
    const tokens = [...key.tokens, ...words];
    const meanings = [...key.meanings.filter(({ field }) => field !== 'date_due'), { field: 'date_due', weight: 1 }];
    return { ...key, meanings, tokens, box: unite(tokens.map(({ box }) => box)) };
  });
}

const TOTALS = ['amount_total', 'amount_total_base', 'amount_due'];
export const NET =
  /(?:^| )(?:netto|net|excl|exkl|excluding|exclusive|without|before|ohne|hors|ht|htva|bez|senza|sin|sem|fara|ekskl|eks|uden|utan)(?: |$)/;
export const GROSS =
  /(?:^| )(?:brutto|gross|incl|inkl|inc|including|inclusive|ttc|tvac|mit|vcetne|vc|s dph|con|com|med|ivato)(?: |$)/;

/**
 * "Invoice total (excl. VAT)" is one label: the word for net or gross decides what a total is, and the tax it names is
 * not announced.
 */
function joinTotals(keys: Key[]): Key[] {
  const joined: Key[] = [];
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const segment = key.tokens[0]!.segment;
    const rest = keys.slice(at).filter((other) => other.tokens[0]!.segment === segment);
    const isTotal = key.meanings.some((one) => TOTALS.includes(one.field));
    const tokens = isTotal ? labelTokens(segment, key, rest) : [];
    const text = tokens.flatMap((token) => token.parts).join(' ');
    const meaning = NET.test(text) ? 'amount_total_base' : GROSS.test(text) ? 'amount_total' : undefined;
    if (!meaning || tokens.length <= key.tokens.length) {
      joined.push(key);
      continue;
    }
    const inside = rest.filter((other) => tokens.includes(other.tokens[0]!));
    joined.push({
      ...key,
      meanings: [{ field: meaning, weight: 1 }],
      phrase: text,
      tokens,
      box: unite(tokens.map((token) => token.box)),
    });
    at += inside.length - 1;
  }
  return joined;
}

/** Words from the beginning of a label up to the first number. */
function labelTokens(segment: Segment, key: Key, others: Key[]): Token[] {
  const start = segment.tokens.indexOf(key.tokens[0]!);
  const tokens: Token[] = [];
  for (const token of segment.tokens.slice(start)) {
    if (/\d/.test(token.text) && !/%/.test(token.text)) break;
    tokens.push(token);
  }
  const strange = others.some(
    (other) =>
      tokens.includes(other.tokens[0]!) && !other.meanings.some((one) => /^amount_|^_discount|^vat_id/.test(one.field)),
  );
  return strange || tokens.length > 9 ? [...key.tokens] : tokens;
}

/** Words of a dictionary's phrases. */
interface Vocabulary {
  all: Set<string>;
  /** Those that are long enough to be known with a wrong letter, by their first letter (`a_`) and by their last (`_a`). */
  long: Map<string, { word: string; at: number }[]>;
}

const vocabularies = new WeakMap<Dictionary, Vocabulary>();

/** Letters of a word that is known with one of them wrong. */
const LEAST_MENDED = 5;

function vocabularyOf(dictionary: Dictionary): Vocabulary {
  const known = vocabularies.get(dictionary);
  if (known) return known;
  const all = new Set([...dictionary.values()].flatMap((list) => list.flatMap(({ parts }) => parts)));
  const long: Vocabulary['long'] = new Map();
  [...all]
    .filter((word) => word.length >= LEAST_MENDED)
    .forEach((word, at) => {
      for (const end of [`${word[0]}_`, `_${word.at(-1)}`]) {
        const list = long.get(end);
        if (list) list.push({ word, at });
        else long.set(end, [{ word, at }]);
      }
    });
  vocabularies.set(dictionary, { all, long });
  return { all, long };
}

/** OCR gets a letter of a long word wrong now and then: the word that differs in one letter is meant. */
export function makeMender(dictionary: Dictionary): (part: string) => string {
  const { all, long } = vocabularyOf(dictionary);
  return (part) => {
    // "1ČO", "lBAN", "N1P": letters that look like digits or like each other.
    const letters = part.replace(/[1l]/g, 'i').replace(/0/g, 'o').replace(/5/g, 's');
    if (letters !== part && letters.length >= 3 && !all.has(part) && all.has(letters)) return letters;
    if (part.length < LEAST_MENDED || all.has(part) || /\d{3}/.test(part)) return part;
    // One wrong letter leaves the first or the last as it is.
    const found = [`${part[0]}_`, `_${part.at(-1)}`].flatMap(
      (end) => long.get(end)?.find(({ word }) => differsByOne(word, part)) ?? [],
    );
    return found.sort((a, b) => a.at - b.at)[0]?.word ?? part;
  };
}

/** Words of so few letters are often like others; the letter must be one that is taken for the other: "Serpa" is no "seria". */
const LEAST_SURE = 5;

/** Letters that look alike in print. */
const ALIKE = ['iljtfr1', 'oceadgqbp0', 'uvnhmbkxy', 'sgz5', 'ijy', 'wvm', 'tf', 'rnpmk'];

const isMisread = (a: string, b: string): boolean => ALIKE.some((set) => set.includes(a) && set.includes(b));

function differsByOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length === b.length)
    return a.slice(at + 1) === b.slice(at + 1) && (a.length > LEAST_SURE || isMisread(a[at]!, b[at]!));
  return a.length > b.length ? a.slice(at + 1) === b.slice(at) : a.slice(at) === b.slice(at + 1);
}
