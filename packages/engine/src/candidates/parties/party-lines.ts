import { type PageLayout, type Segment, type Token, unite } from '../../layout/page-layout';
import { isBeside, isInColumn, linesBetween } from '../../layout/relations';
import type { Position } from '../../recognition';
import type { Key } from '../key-phrases';
import { isApart, overlaps, rightOf, topOfBlock } from './blocks';
import type { Party } from './party';
import { COUNTRY, isPostal, isStreet, isTitle } from './party-forms';
import { INSIDE, isHeading, isOnlyWord, isWholeLabel, means, roleOf, startsWithKey } from './party-labels';

/** A line of a block with a name and an address. */
export interface PartyLine {
  text: string;
  box: Position;
  tokens: Token[];
}

/** A line of these words, without the punctuation around it. */
export const toLine = (tokens: Token[]): PartyLine => ({
  text: tokens
    .map((token) => token.text)
    .join(' ')
    .replace(/^[\s:,;*|/-]+|[\s:;*|-]+$/g, ''),
  box: unite(tokens.map((token) => token.box)),
  tokens,
});

/** Lines of the block that a label heads: what is left of its own line, then what stands under it in its column. */
export function linesUnder(page: PageLayout, key: Key, keys: Key[]): PartyLine[] {
  const segment = key.tokens[0]!.segment;
  const last = segment.tokens.indexOf(key.tokens.at(-1)!);
  const rest = segment.tokens.slice(last + 1).filter((token) => /[\p{L}\p{N}]/u.test(token.text));
  const lines: PartyLine[] = [];
  const bracketed = rest.every((token) => /[()[\]]/.test(token.text));
  if (rest.length > 0 && !bracketed && !isWholeLabel(segment, key))
    lines.push(toLine([...rest, ...listed(page, segment)]));
  else {
    const right = page.segments.find(
      (one) =>
        one !== segment &&
        isBeside(one, segment) &&
        one.box[0] > segment.box[2] &&
        one.box[0] - segment.box[2] < 9 * page.unit,
    );
    const under = page.segments.find(
      (one) => isInColumn(segment, one, page.unit) && linesBetween(segment, one, page.unit) < 1.6,
    );
    const isLabel = (other: Key) => !means(other, 'label_name') || /:$/.test(other.tokens.at(-1)!.text);
    // "Statutární město Zlín" is a name, although forms have a label for the town.
    const rightHasKey = right?.tokens.some((token, at) =>
      keys.some(
        (other) =>
          other.tokens.includes(token) &&
          isLabel(other) &&
          (at === 0 || !means(other, 'label_address') || /:$/.test(other.tokens.at(-1)!.text)),
      ),
    );
    if (
      right &&
      !rightHasKey &&
      (!under || Math.abs(under.box[0] - right.box[0]) < page.unit || startsWithKey(under, keys))
    ) {
      return [toLine(right.tokens), ...follow(page, right, keys, key)];
    }
  }
  return [...lines, ...follow(page, segment, keys, key)];
}

/** What goes on behind a comma at the end of a segment: OCR sees wide spaces in type of one width. */
function listed(page: PageLayout, segment: Segment): Token[] {
  const next = /,$/.test(segment.text) ? rightOf(page, segment) : undefined;
  return next ? [...next.tokens, ...listed(page, next)] : [];
}

/** Labels of a house's number, of a postcode and of its place in lines of their own. */
const HOUSE_LABEL =
  /^(?:numero civico|n civico|hausnummer|house n(?:umber|o)|building number|huisnummer|cislo (?:domu|popisne)|nr (?:domu|budynku)|(?:numero|no|num) exterior|hazszam)$/;
const LONE_POSTCODE = /^(?:\d{3,6}|\d{2,4}[ -]\d{2,4})$/;
const LONE_PLACE = /^[^\d,]{2,40}$/;

/** Adds the value of a label to an address: numbers of houses to their street, postcodes and places to each other. */
export function addLabelled(address: PartyLine[], value: PartyLine, label: string): void {
  const last = address.at(-1);
  const isNumber = last && HOUSE_LABEL.test(label) && /^\d/.test(value.text);
  const isPlace = last && LONE_POSTCODE.test(last.text) && LONE_PLACE.test(value.text);
  const isBehind = last && LONE_PLACE.test(last.text) && address.length > 1 && LONE_POSTCODE.test(value.text);
  if (isNumber || isPlace) address[address.length - 1] = toLine([...last.tokens, ...value.tokens]);
  else if (isBehind) address[address.length - 1] = toLine([...value.tokens, ...last.tokens]);
  else address.push(value);
}

/** Lines of a form that are looked at under its heading. */
const MOST_OF_FORM = 10;

/**
 * Name and address in a form under a heading: pairs of a label in a cell of its own and the value in the next, several of
 * them in one line, without colons. Undefined where no name stands so in the first line.
 */
export function formUnder(page: PageLayout, heading: Key, keys: Key[]): PartyLine[] | undefined {
  const start = page.lines.findIndex(({ number }) => number === heading.line) + 1;
  const labelOf = ({ tokens }: Segment) =>
    keys.find((key) => key.tokens[0] === tokens[0] && key.tokens.at(-1) === tokens.at(-1));
  // The form of the other party may stand beside.
  const left = heading.box[0] - page.unit;
  const beside = keys.filter((key) => key.line === heading.line && key.box[0] > heading.box[2] && roleOf(key));
  const right = Math.min(page.width, ...beside.map(({ box }) => box[0] - page.unit));
  const found: { label: Key; value: PartyLine }[] = [];
  for (const line of page.lines.slice(start, start + MOST_OF_FORM)) {
    const segments = line.segments.filter(({ box }) => box[0] >= left && box[0] < right);
    const pairs = segments.flatMap((segment, at) => {
      const label = labelOf(segment);
      const value = segments[at + 1];
      return label && value && !labelOf(value) ? [{ label, value: toLine(value.tokens) }] : [];
    });
    // "Postfach:" may have nothing behind it.
    if (segments.length > 0 && pairs.length === 0 && segments.every(labelOf)) continue;
    const last = found.at(-1);
    const [only, ...others] = segments;
    if (last && only && others.length === 0 && !labelOf(only) && isUnderValue(only, last.value, page.unit)) {
      last.value = toLine([...last.value.tokens, ...only.tokens]);
      continue;
    }
    if (pairs.length === 0 || 2 * pairs.length < segments.length) break;
    found.push(...pairs);
    const isNumbered = found.every(({ label }) => means(label, '_other_id') || means(label, 'customer_id'));
    if (!isNumbered && !found.some(({ label }) => means(label, 'label_name'))) break;
  }
  const name = found.find(({ label }) => means(label, 'label_name'))?.value;
  const address: PartyLine[] = [];
  for (const { label, value } of found) if (means(label, 'label_address')) addLabelled(address, value, label.phrase);
  return name && address.length > 0 ? [name, ...address] : undefined;
}

/** A text that goes on in the next line of its cell begins where it began, or is set in the middle of it. */
const isUnderValue = ({ box }: Segment, value: PartyLine, unit: number) =>
  Math.min(box[2], value.box[2]) > Math.max(box[0], value.box[0]) && box[1] - value.box[3] < 0.6 * unit;

/** Lines of a block at most; those of forms, which have labels of their own, may be twice as many. */
const MOST_LINES = 9;

/** Segments under another one, as long as they belong together. */
export function follow(page: PageLayout, head: Segment, keys: Key[], heading?: Key): PartyLine[] {
  const lines: PartyLine[] = [];
  let above: Segment = head;
  let left = head.box[0];
  /** In forms with the labels in a column of their own, where the values stand. */
  let values: number | undefined;
  let placed = false;
  let housed = false;
  for (let count = 0; count < 2 * MOST_LINES; count++) {
    const [nearest] = page.segments
      .filter((one) => one !== above && one.box[1] > above.box[1] + 0.4 * page.unit)
      .filter((one) => {
        const near =
          Math.abs(one.box[0] - left) < 1.6 * page.unit ||
          // Blocks are set to the right edge too.
          (Math.abs(one.box[2] - above.box[2]) < 0.3 * page.unit &&
            isInColumn(above, one, page.unit) &&
            !isApart(page, above, one));
        if (values !== undefined && Math.abs(one.box[0] - values) < 0.6 * page.unit) return true;
        // Forms set the labels further left than the name.
        const isFormLabel =
          heading !== undefined &&
          Math.abs(one.box[0] - head.box[0]) < 0.6 * page.unit &&
          keys.some((key) => key.tokens[0] === one.tokens[0] && means(key, 'label_address'));
        return near || isFormLabel || (count === 0 && isInColumn(above, one, page.unit));
      })
      .sort((a, b) => (isBeside(a, b) ? a.box[0] - b.box[0] : a.box[1] - b.box[1]));
    const next = nearest && count === 0 ? topOfBlock(page, head, nearest) : nearest;
    if (!next || linesBetween(above, next, page.unit) > (count === 0 ? 2.6 : heading ? 2.1 : 1.5)) break;
    // The heading of another party may stand between two of its lines in the middle.
    const isBetween = ({ box, tokens: [token] }: Key) =>
      token!.segment !== above &&
      token!.segment !== next &&
      box[1] > above.box[1] &&
      box[3] < next.box[3] &&
      box[0] < next.box[2] &&
      box[2] > next.box[0];
    if (heading && keys.some((key) => roleOf(key) && isBetween(key) && isHeading(key, page))) break;
    const first = keys.filter(
      (key) => next.tokens.slice(0, 2).includes(key.tokens[0]!) && key.tokens.some((t) => next.tokens[0] === t),
    );
    const ends = first.some(
      (key) =>
        key !== heading &&
        key.meanings.some((one) => one.weight === 1) &&
        !isOnlyWord(key, next) &&
        !INSIDE.some((field) => means(key, field)) &&
        !(roleOf(key) && !isHeading(key, page)),
    );
    if (ends) break;
    // Under the place of an address without a label, only its country and numbers still belong to it.
    const inside = first.some((key) => INSIDE.some((field) => means(key, field)));
    if (count >= MOST_LINES && !(heading && inside)) break;
    const isStreetBehind: boolean = !housed && isStreet(next.text) && /\d/.test(next.text);
    if (!heading && placed && !inside && !COUNTRY.test(next.text) && !isStreetBehind) break;
    housed ||= isStreetBehind;
    placed ||= isPostal(next.text);
    const right = /:$/.test(next.text) ? rightOf(page, next) : undefined;
    // In the block beside, the same label may stand in the same line.
    const value = right && !/:$/.test(right.text) ? right : undefined;
    if (value) values = value.box[0];
    lines.push(toLine([...next.tokens, ...(value?.tokens ?? [])]));
    if (count === 0) left = next.box[0];
    above = next;
  }
  return lines;
}

/** Letterheads are often centred, or aligned right. */
export function followCentred(page: PageLayout, head: Segment, keys: Key[], taken: Party[]): PartyLine[] {
  const lines: PartyLine[] = [];
  let above = head;
  for (let count = 0; count < 7; count++) {
    const next = page.segments
      .filter((one) => one.box[1] > above.box[1] + 0.4 * page.unit && linesBetween(above, one, page.unit) < 1.7)
      .filter((one) => {
        const centre = Math.abs((one.box[0] + one.box[2]) / 2 - (above.box[0] + above.box[2]) / 2) < 2 * page.unit;
        return (
          centre || Math.abs(one.box[0] - above.box[0]) < page.unit || Math.abs(one.box[2] - above.box[2]) < page.unit
        );
      })
      .sort((a, b) => a.box[1] - b.box[1])[0];
    if (!next) break;
    const first = keys.find((key) => key.tokens[0] === next.tokens[0]);
    // "LOT 12 JALAN UTARA" is a place, although goods have lots too.
    const inside = first !== undefined && INSIDE.some((field) => means(first, field));
    const ends = first && !inside && first.meanings.some((one) => one.weight === 1);
    if (ends && !isStreet(next.text)) break;
    // "GST Reg. No. 000155453440" is no title, although it has a number.
    if ((isTitle(next.text) && !inside) || taken.some((party) => overlaps(party.box, next.box))) break;
    lines.push(toLine(next.tokens));
    above = next;
  }
  return lines;
}
