import { type PageLayout, type Segment, type Token, unite } from '../layout/page-layout';
import { isTaxCode } from './identifiers';
import type { Placed } from './labelled';
import type { Value } from './values';

/** A number or code that could be a reference of some kind. */
export interface Reference extends Placed {
  value: string;
  raw: string;
}

const strip = (text: string) => text.replace(/^[#:(*„"'.,\-–]+|[),.;:*"'“]+$/g, '');

/** Where cells are set tight, the end of the label is glued to the number: "numberPO-17", "No.4711". */
const GLUED_LABEL = /^(?:[Nn][or]|[Nn]umber|[Nn]ummer|č)\.?(?=[A-Z\d])/;

/**
 * Codes with a digit that are no date, amount with decimals or other typed value. A short prefix before a code and
 * groups of digits behind it belong to it.
 */
export function findReferences(page: PageLayout, values: Value[], labels: Set<Token>): Reference[] {
  const typed = typedTokens(values);
  const references: Reference[] = [];
  for (const { tokens } of page.segments) {
    tokens.forEach((token, at) => {
      const text = strip(token.text);
      // OCR takes "nº" for "n2".
      if (typed.has(token) || !isCode(text) || (page.source === 'ocr' && /^n\d$/i.test(text))) return;
      const group = [token];
      const previous = tokens[at - 1];
      const isPrefix =
        previous && !labels.has(previous) && !typed.has(previous) && /^[A-Z]{1,5}[-/]?$/.test(previous.text);
      if (isPrefix) group.unshift(previous);
      if (/[-/]$/.test(previous?.text ?? '') && isCode(strip(previous!.text)) && !typed.has(previous!)) return;
      for (let next = at + 1; next < tokens.length; next++) {
        const joined = /[-/]$/.test(tokens[next - 1]!.text) || /^[-/]\S/.test(tokens[next]!.text);
        if (!(joined || isSpacedSlash(tokens, next)) || typed.has(tokens[next]!)) break;
        group.push(tokens[next]!);
      }
      const raw = strip(group.map((one) => one.text).join(' ')).replace(GLUED_LABEL, '');
      references.push({
        value: raw.replace(/\s+/g, ''),
        raw,
        tokens: group,
        box: unite(group.map((one) => one.box)),
        page: token.page,
      });
    });
  }
  return references;
}

/** Words of dates, amounts with decimals and the like, which are parts of no code. */
function typedTokens(values: Value[]): Set<Token> {
  return new Set(
    values.flatMap((value) => {
      // "24.0381" has too many decimals for an amount.
      const isPlain = value.decimals === 0 || value.decimals > 3;
      const plainNumber = value.type === 'amount' && isPlain && !value.currency;
      return plainNumber || value.type === 'vat' || value.type === 'bic' ? [] : value.tokens;
    }),
  );
}

/**
 * "RE 2024/AB 0017": groups of capitals and digits that begin with a letter, right behind a label or at the beginning of
 * a text, and up to its end.
 */
export function findGroupedCodes(page: PageLayout, values: Value[], labels: Set<Token>): Reference[] {
  const typed = typedTokens(values);
  return page.segments.flatMap((segment) => {
    const { tokens } = segment;
    const start = tokens.findLastIndex((token) => labels.has(token)) + 1;
    const group = tokens.slice(start).filter(({ text }) => /[\p{L}\p{N}/-]/u.test(text));
    const raw = strip(group.map(({ text }) => text).join(' '));
    const isCodes =
      group.length > 1 &&
      group.length <= MOST_GROUPS &&
      /^[A-Z][A-Z\d]*(?:[ /-]+[A-Z\d]+)+$/.test(raw) &&
      /\d{2}$/.test(raw) &&
      !group.some((token) => typed.has(token));
    const box = unite((isCodes ? group : tokens).map((token) => token.box));
    return isCodes ? [{ value: raw.replace(/\s+/g, ''), raw, tokens: group, box, page: page.number }] : [];
  });
}

/** Numbers of documents have a series, a year, a month and a number at most, with strokes between them. */
const MOST_GROUPS = 6;

/** "37 / 2025": a number and its year. */
const isSpacedSlash = (tokens: Token[], at: number) =>
  tokens[at]!.text === '/' && /^\d{1,6}$/.test(tokens[at - 1]!.text) && /^\d{2,4}$/.test(tokens[at + 1]?.text ?? '');

/**
 * "Seria ATC Nr. 00871", as Romanian invoices are numbered: the series belongs to the number.
 *
 * @returns the numbers with their series; each begins with the series' word
 */
export function findNumbersOfSeries(page: PageLayout): Reference[] {
  return page.lines.flatMap(({ tokens }) =>
    tokens.flatMap((token, at) => {
      const series = tokens[at + 1];
      if (!/^seri[ae]$/.test(token.parts.join(' ')) || !series || !/^[A-Z][A-Z\d-]{0,9}$/.test(series.text)) return [];
      const isMark = ({ parts, text }: Token) => /^(?:nr|no|numar|numarul)?$/.test(parts.join(' ')) && !/\d/.test(text);
      const rest = tokens.slice(at + 2);
      const first = rest.findIndex((one) => !isMark(one));
      const number = rest[first];
      const [, digits] = /^(\d{1,12})(?:[/,;].*)?$/.exec(number ? strip(number.text) : '') ?? [];
      if (first < 1 || !number || !digits) return [];
      const own = [series, ...rest.slice(0, first + 1)];
      const box = unite(own.map((one) => one.box));
      const raw = own.map((one) => one.text).join(' ');
      return [{ value: `${series.text}${digits}`, raw, tokens: own, box, page: token.page }];
    }),
  );
}

/** "1ère", "2nd", "3º": a place in an order. */
const ORDINAL = /^\d{1,2}(?:ère|er|re|ème|e|st|nd|rd|th|º|ª|°)$/iu;

function isCode(text: string): boolean {
  return (
    /\d/.test(text) &&
    !ORDINAL.test(text) &&
    /^[\p{L}\p{N}][\p{L}\p{N}\-/._\\+]*$/u.test(text) &&
    text.length <= 40 &&
    !/^www|@/i.test(text)
  );
}

/** Numbers printed in groups (`123 456 789`), for tax and company numbers: runs of up to 20 characters. */
export function findGroupedNumbers(page: PageLayout): Reference[] {
  const references: Reference[] = [];
  for (const { tokens } of page.segments) {
    for (let at = 0; at < tokens.length; at++) {
      if (!/\d/.test(tokens[at]!.text)) continue;
      const group: Token[] = [];
      for (let next = at; next < tokens.length && group.length < 7; next++) {
        const text = strip(tokens[next]!.text);
        const isWhole = isTaxCode(text);
        if (isWhole && next > at) break;
        if (
          !isWhole &&
          (!/^(?:[A-Z]{0,3}[\d./-]+[A-Z]?\d*|\d{5,6}[a-z])$/.test(text) || (next > at && /^[A-Z]{2}/.test(text)))
        )
          break;
        group.push(tokens[next]!);
        if (isWhole || /[,;]$/.test(tokens[next]!.text)) break;
      }
      if (group.length === 0) continue;
      const rest = restBelow(page, group);
      const raw = strip([...group, ...(rest ? [rest] : [])].map((one) => one.text).join(' '));
      references.push({
        value: raw.replace(/\s+/g, ''),
        raw,
        tokens: group,
        box: unite(group.map((one) => one.box)),
        page: group[0]!.page,
      });
      at += group.length - 1;
    }
  }
  return references;
}

/** "11735005-20991847-" at the end of a line, and "00000000" at the beginning of the next: lines break at hyphens. */
function restBelow(page: PageLayout, group: Token[]): Token | undefined {
  const last = group.at(-1)!;
  const { segment } = last;
  if (!/\d{4}-$/.test(last.text) || segment.tokens.at(-1) !== last) return undefined;
  const isBelow = ({ box, line }: Segment) =>
    line > segment.line &&
    box[1] - segment.box[3] < page.unit &&
    (Math.abs(box[0] - segment.box[0]) < page.unit || Math.abs(box[0] - group[0]!.box[0]) < page.unit);
  const first = page.segments.find(isBelow)?.tokens[0];
  return first && /^\d{4,}$/.test(first.text) ? first : undefined;
}
