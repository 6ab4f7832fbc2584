import { type PageLayout, type Segment, type Token, unite } from '../layout/page-layout';
import type { Position } from '../recognition';
import { findDates, isMonthFirst, mendDates } from './dates';
import { isBic, isIban, readIban, readVatId } from './identifiers';
import { type DecimalMark, guessDecimalMark, NUMBER_PATTERN, parseNumber } from './numbers';

/** Something on the page whose form says what it may be. */
export interface Value {
  type: 'date' | 'amount' | 'rate' | 'iban' | 'bic' | 'vat' | 'email';
  /** Normalized: ISO date, plain decimal, identifier without spaces. */
  value: string;
  raw: string;
  tokens: Token[];
  box: Position;
  page: number;
  line: number;
  /** The other reading of an ambiguous date. */
  swapped?: string;
  /** ISO code of a currency written at an amount. */
  currency?: string;
  /** Decimal places as printed; whole numbers are seldom totals. */
  decimals: number;
  /** Check digits: true they hold, false they do not, undefined there are none. */
  checked?: boolean | undefined;
}

const CURRENCY_SIGNS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  $: 'USD',
  us$: 'USD',
  a$: 'AUD',
  au$: 'AUD',
  c$: 'CAD',
  ca$: 'CAD',
  nz$: 'NZD',
  hk$: 'HKD',
  r$: 'BRL',
  kč: 'CZK',
  kc: 'CZK',
  zł: 'PLN',
  zl: 'PLN',
  ft: 'HUF',
  '¥': 'JPY',
  '₹': 'INR',
  rs: 'INR',
  fr: 'CHF',
  sfr: 'CHF',
  lei: 'RON',
  '₽': 'RUB',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  '₩': 'KRW',
  rm: 'MYR',
  tl: 'TRY',
  's/': 'PEN',
  mx$: 'MXN',
  s$: 'SGD',
  euro: 'EUR',
  eur: 'EUR',
  kr: 'kr',
}; // prettier-ignore
/** Codes that are words as well ("pen", "all", "Bhd") are left out. */
export const CURRENCY_CODES =
  'CZK DKK EUR GBP NOK SEK HUF USD AUD INR CHF CNY JPY PLN RON RUB CAD NZD SGD MYR BGN HRK ISK TRY ZAR MXN BRL THB HKD AED SAR QAR KWD ILS RSD BAM MKD UAH KRW TWD IDR VND ARS CLP COP UYU'.split(
    ' ',
  );

/** ISO code for a sign or code; `kr` for the Nordic crowns, which only the country tells apart. */
export function readCurrency(text: string): string | undefined {
  const upper = text.replace(/[.:()]/g, '').toUpperCase();
  if (CURRENCY_CODES.includes(upper)) return upper;
  return CURRENCY_SIGNS[upper.toLowerCase()];
}

const CURRENCY_PATTERN = String.raw`(?:€|£|(?:US|AU?|CA?|NZ|HK|S|R|MX)\$|\$|¥|₹|₽|₺|₴|₪|₩|Kč|zł|Ft|RM|TL|S/|kr\.?|SFr\.?|Fr\.|lei|Euro|${CURRENCY_CODES.join('|')})`;
const AMOUNT = new RegExp(
  String.raw`(?<![\p{L}\d.,/:-])(?<open>\()?(?<sign>[-+−–]\s?)?(?:(?<before>${CURRENCY_PATTERN})\s?)?(?<inner>[-−–]\s?)?(?<number>${NUMBER_PATTERN})(?<minus>-(?![\p{L}\d]))?(?<dash>,-{1,2}|\.-)?(?:\s?(?<percent>%|v\.H\.)|\s?(?<after>${CURRENCY_PATTERN})(?![\p{L}]))?\)?(?![\p{L}\d/]|[.,:-]\d)`,
  'giu',
);
const IBAN_START = /(?<![A-Za-z0-9])[A-Z]{2}\s?[\dOQDILSBZG]{2}(?=[\sA-Z0-9]|$)/g;
/** Polish accounts are printed as IBANs without the country. */
const POLISH_ACCOUNT = /(?<![A-Za-z0-9]|\d )\d{2}(?: ?\d{4}){6}(?! ?\d|[A-Za-z])/g;
const VAT =
  /(?<![A-Za-z0-9])(?:CHE[-\s]?\d{3}[.\s]?\d{3}[.\s]?\d{3}(?:\s?(?:MWST|TVA|IVA))?|[A-Z]{2}[\s-]?[A-Z0-9][A-Z0-9.\s-]{5,14}[A-Z0-9])(?![A-Za-z0-9])/g;
/** The beginning of one at the end of a line. */
const VAT_START = /(?<![A-Za-z0-9])(?:CHE|[A-Z]{2})(?:[\s.-]?[A-Z]?\d[\d.\s-]*)?$/;
/** Norwegian numbers are printed without the prefix: "987 654 321 MVA". */
const NORWEGIAN_VAT = /(?<![A-Za-z0-9])\d{3} ?\d{3} ?\d{3} ?MVA(?![A-Za-z0-9])/g;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** What holds for the whole document when its values are read. */
export interface ReadingRules {
  mark: DecimalMark;
  monthFirst: boolean;
}

/** Words and signs of places where the day comes first, whatever the locale of the queue that a document came to. */
const NOT_AMERICAN =
  /€|£|\b(?:EUR|GBP|IBAN|VAT|GST|HST|ABN|MwSt|USt|TVA|DPH|BTW|IVA|moms|NIP|CHF|Sdn|Ltd|GmbH|AUD|NZD|INR|SGD|MYR)\b/;

const DOLLARS = /\$|\bUSD\b/;
const STATE =
  'A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]';
/** "Cambridge, MA 12210", "CHICAGO, IL", "(800) 532-2918", "Sales Tax". */
const AMERICAN = new RegExp(
  String.raw`\p{L}(?:,? (?:${STATE})\.?,? \d{5}(?:-\d{4})?(?!\d)|, (?:${STATE})$)|(?<![\d-])(?:\([2-9]\d\d\) ?|[2-9]\d\d-)\d{3}-\d{4}(?![\d-])|\b[Ss](?:ales [Tt]ax|ALES TAX)\b`,
  'u',
);

/** "Denver CO 80206": DE is Germany, too. */
const AMERICAN_PLACE = new RegExp(String.raw`\p{L}{3},? (?!DE )(?:${STATE}) \d{5}(?:-\d{4})?(?!\d)`, 'u');

/**
 * Finds out how the document writes numbers and dates.
 *
 * @param locale of the queue; undefined or `auto`: nobody has said where its documents come from
 */
export function learnRules(pages: PageLayout[], locale: string | undefined): ReadingRules {
  const texts = pages.flatMap((page) => page.segments.map((segment) => segment.text));
  const has = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  // Most queues have the locale that they were made with: a document that is plainly American goes before it.
  const isOpen = !locale || locale.toLowerCase() === 'auto';
  const american = /[-_]US$/i.test(locale ?? '') || (has(DOLLARS) && (isOpen || has(AMERICAN))) || has(AMERICAN_PLACE);
  return {
    mark: guessDecimalMark(texts),
    monthFirst: isMonthFirst(texts) ?? (american && !has(NOT_AMERICAN)),
  };
}

/** All typed values of a page. */
export function findValues(page: PageLayout, rules: ReadingRules): Value[] {
  return [
    ...page.segments.flatMap((segment) => findInSegment(segment, rules, page.source === 'ocr')),
    ...findWrappedIbans(page),
    ...findWrappedVatIds(page),
    ...findWrappedDates(page, rules),
  ];
}

/** "2025-03-" at the end of a line, and "20" at the beginning of the next: browsers break lines at hyphens. */
function findWrappedDates(page: PageLayout, { monthFirst }: ReadingRules): Value[] {
  return page.lines.flatMap(({ segments }): Value[] => {
    const [first, segment] = [segments[0]!, segments.at(-1)!];
    const start = segment.text.search(/(?<!\S)\d{4}-\d{2}-$/);
    const isNext = (one: Segment) =>
      one.line > segment.line && (isNextLine(page, segment, one) || isNextLine(page, first, one));
    const under = start < 0 ? undefined : page.segments.find(isNext);
    const [rest] = under?.tokens ?? [];
    const date = rest && findDates(`${segment.text.slice(start)}${rest.text.replace(/[.,;]$/, '')}`, monthFirst)[0];
    if (!under || !date) return [];
    // It stands where it begins: behind its label.
    const tokens = tokensAt(segment, start, segment.text.length);
    const place = { tokens, box: unite(tokens.map(({ box }) => box)), page: segment.page, line: segment.line };
    return [{ type: 'date', value: date.iso, raw: `${tokens.at(-1)!.text}${rest!.text}`, ...place, decimals: 0 }];
  });
}

const isNextLine = (page: PageLayout, above: Segment, below: Segment) =>
  Math.abs(below.box[0] - above.box[0]) < page.unit && below.box[1] - above.box[3] < page.unit;

/** In narrow cells an IBAN goes on in the next line. */
function findWrappedIbans(page: PageLayout): Value[] {
  return page.segments.flatMap((segment): Value[] => {
    const start = [...segment.text.matchAll(IBAN_START)].at(-1)?.index ?? -1;
    if (start < 0 || readIban(segment.text.slice(start))) return [];
    const goesOn = goesOnBelow(page, segment, start);
    if (goesOn) return [goesOn];
    const below = restsBelow(page, segment);
    const join = (one: Segment) => readIban(`${segment.text.slice(start)} ${one.text}`);
    // Of several columns in one line, the check digits tell in which the number goes on.
    const under = below.find((one) => join(one)?.valid) ?? below.find((one) => join(one));
    const iban = under && join(under);
    if (!under || !iban) return [];
    return [{ type: 'iban', value: iban.iban, ...overLines(segment, start, under), checked: iban.valid }];
  });
}

/** In a paragraph it goes on at the beginning of the next line; only check digits can tell where it ends. */
function goesOnBelow(page: PageLayout, segment: Segment, start: number): Value | undefined {
  const below = page.segments.find((one) => one.line > segment.line && isNextLine(page, segment, one));
  for (let count = 1; below && count <= below.tokens.length && count < 8; count++) {
    const tokens = below.tokens.slice(0, count);
    if (!tokens.every((token) => /\d/.test(token.text))) return undefined;
    const text = tokens.map((token) => token.text.replace(/[,.;)]+$/, '')).join(' ');
    const iban = readIban(`${segment.text.slice(start)} ${text}`);
    if (!iban?.valid) continue;
    const place = overLines(segment, start, { ...below, tokens });
    return { type: 'iban', value: iban.iban, ...place, checked: true };
  }
  return undefined;
}

/** "VAT Reg. No. ", in front of a number. */
const VAT_LABEL = /\b(?:VAT|TVA|BTW|MWST|USt|IVA|moms|MVA|ALV)\b[^,;]{0,25}$/iu;

/** So does a VAT number, of which the first line may have no more than the country. */
function findWrappedVatIds(page: PageLayout): Value[] {
  return page.segments.flatMap((segment): Value[] => {
    const start = segment.text.search(VAT_START);
    if (start < 0 || readVatId(segment.text.slice(start))) return [];
    for (const under of [...restsBelow(page, segment), ...firstWordBelow(page, segment)]) {
      const read = readVatId(`${segment.text.slice(start)} ${under.text}`);
      // Without check digits and a label anything could be the rest of anything.
      const isLabelled = read?.checked === undefined && VAT_LABEL.test(segment.text.slice(0, start));
      if (!read || !(read.checked || isLabelled)) continue;
      const place = overLines(segment, start, under);
      // Beside its label stands what is in its line.
      const tokens = isLabelled ? tokensAt(segment, start, segment.text.length) : place.tokens;
      const box = unite(tokens.map((token) => token.box));
      return [{ type: 'vat', value: read.vatId, ...place, tokens, box, checked: read.checked }];
    }
    return [];
  });
}

/** In a paragraph a number goes on with the first word of the next line. */
function firstWordBelow(page: PageLayout, segment: Segment): Segment[] {
  const below = page.segments.find((one) => one.line > segment.line && isNextLine(page, segment, one));
  const [first, ...rest] = below?.tokens ?? [];
  const text = first?.text.replace(/[,.;)]+$/, '') ?? '';
  return rest.length > 0 && /^[A-Z0-9]*\d{3}$/.test(text) ? [{ ...below!, tokens: [first!], text }] : [];
}

/** Where a number stands that begins in a text and takes all of the one under it. */
function overLines(segment: Segment, start: number, under: Segment) {
  const tokens = [...tokensAt(segment, start, segment.text.length), ...under.tokens];
  const raw = tokens.map((token) => token.text).join(' ');
  const box = unite(tokens.map((token) => token.box));
  return { raw, tokens, box, page: segment.page, line: segment.line, decimals: 0 };
}

/** Codes right under a text, at the left edge of one of its words: there a number may go on. */
const restsBelow = (page: PageLayout, segment: Segment) =>
  page.segments.filter(
    (one) =>
      one.line > segment.line &&
      segment.tokens.some(({ box }) => Math.abs(one.box[0] - box[0]) < page.unit) &&
      one.box[1] - segment.box[3] < page.unit &&
      /^[A-Z0-9 .]+$/.test(one.text),
  );

function findInSegment(segment: Segment, rules: ReadingRules, isOcr: boolean): Value[] {
  const text = segment.text;
  const found: (Value & { start: number; end: number })[] = [];
  const add = (start: number, end: number, value: Omit<Value, 'raw' | 'tokens' | 'box' | 'page' | 'line'>) => {
    if (found.some((one) => start < one.end && end > one.start)) return;
    const tokens = tokensAt(segment, start, end);
    if (tokens.length === 0) return;
    found.push({
      ...value,
      raw: text.slice(start, end).trim(),
      tokens,
      box: unite(tokens.map((token) => token.box)),
      page: segment.page,
      line: segment.line,
      start,
      end,
    });
  };
  for (const match of text.matchAll(IBAN_START)) {
    const iban = readIban(text.slice(match.index));
    if (iban) {
      add(match.index, match.index + iban.length, { type: 'iban', value: iban.iban, decimals: 0, checked: iban.valid });
    }
  }
  for (const match of text.matchAll(POLISH_ACCOUNT)) {
    const value = `PL${match[0].replaceAll(' ', '')}`;
    if (isIban(value))
      add(match.index, match.index + match[0].length, { type: 'iban', value, decimals: 0, checked: true });
  }
  for (const match of text.matchAll(EMAIL)) {
    add(match.index, match.index + match[0].length, { type: 'email', value: match[0], decimals: 0 });
  }
  for (const date of findDates(isOcr ? mendDates(text) : text, rules.monthFirst)) {
    add(date.start, date.end, {
      type: 'date',
      value: date.iso,
      decimals: 0,
      ...(date.swapped && { swapped: date.swapped }),
    });
  }
  for (let match = matchFrom(VAT, text, 0); match; ) {
    // "BTW BE 0417.497.106": what begins with the label may hold the number further on.
    const next = text.indexOf(' ', match.index) + 1;
    const end = addVat(match[0], match.index, add) ?? (next > 0 ? next : text.length);
    match = matchFrom(VAT, text, end);
  }
  for (const match of text.matchAll(NORWEGIAN_VAT)) {
    const read = readVatId(`NO${match[0]}`);
    if (read) {
      const { vatId: value, checked } = read;
      add(match.index, match.index + match[0].length, { type: 'vat', value, decimals: 0, checked });
    }
  }
  for (const token of segment.tokens) {
    const bare = token.text.replace(/^[(:]+|[),.;]+$/g, '');
    if (!isBic(bare)) continue;
    const start = offsetOf(segment, token);
    add(start, start + token.text.length, { type: 'bic', value: bare, decimals: 0 });
  }
  for (const match of text.matchAll(AMOUNT)) addAmount(match, rules.mark, add);
  return found;
}

type Add = (start: number, end: number, value: Omit<Value, 'raw' | 'tokens' | 'box' | 'page' | 'line'>) => void;

function matchFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/**
 * The pattern takes more than it should when words follow; shorter readings are tried until one fits its country.
 *
 * @returns where the number ends; undefined when there is none
 */
function addVat(text: string, start: number, add: Add): number | undefined {
  let rest = text;
  while (rest.length >= 8) {
    const read = readVatId(rest);
    if (read && /\d{2}/.test(read.vatId)) {
      add(start, start + rest.length, { type: 'vat', value: read.vatId, decimals: 0, checked: read.checked });
      return start + rest.length;
    }
    const cut = Math.max(rest.lastIndexOf(' '), rest.lastIndexOf('-'));
    if (cut < 8) return undefined;
    rest = rest.slice(0, cut).trimEnd();
  }
  return undefined;
}

function addAmount(match: RegExpExecArray, mark: DecimalMark, add: Add): void {
  const { open, sign, inner, before, number, minus, dash, percent, after } = match.groups!;
  const plain = parseNumber(number!, mark);
  if (plain === undefined || /^\d{13}/.test(plain)) return;
  // "IVA (6,00%)": brackets around a rate are no minus.
  const negative = /[-−–]/.test(sign ?? '') || inner || minus || (open && !percent && match[0].endsWith(')'));
  const value = negative && /[1-9]/.test(plain) ? `-${plain}` : plain;
  // "KR87654321", "PEN004" and "S/220187" are codes, not crowns and soles.
  if (before && /\p{L}/u.test(before) && /[\p{L}/](?:\d{4,}|0\d+)$/u.test(match[0])) return;
  const decimals = dash ? 2 : (plain.split('.')[1]?.length ?? 0);
  const printed = (before ?? after ?? '').trim();
  // "10 ft" are feet; so few forint are nothing's price.
  const currency = printed === 'ft' && Number(plain) < 100 ? undefined : readCurrency(printed);
  const end = match.index + match[0].length;
  add(match.index, end, {
    type: percent ? 'rate' : 'amount',
    value,
    decimals,
    ...(currency && { currency }),
  });
}

function offsetOf(segment: Segment, token: Token): number {
  let offset = 0;
  for (const one of segment.tokens) {
    if (one === token) return offset;
    offset += one.text.length + 1;
  }
  return offset;
}

/** Tokens that a range of the segment's text touches. */
export function tokensAt(segment: Segment, start: number, end: number): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  for (const token of segment.tokens) {
    if (offset < end && offset + token.text.length > start) tokens.push(token);
    offset += token.text.length + 1;
  }
  return tokens;
}
