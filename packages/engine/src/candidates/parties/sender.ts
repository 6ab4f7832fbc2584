import { normalize, type PageLayout, type Segment, unite } from '../../layout/page-layout';
import { linesBetween } from '../../layout/relations';
import type { Key } from '../key-phrases';
import { addressIn, SEAT, splitAddressLine } from './address-text';
import { height, lineAbove, overlaps, rightOf } from './blocks';
import { ownNames } from './own-names';
import { type Party, senderInLine } from './party';
import {
  CAPITAL,
  hasLegalForm,
  hasOnlyForms,
  isContact,
  isOwner,
  isPostal,
  isStreet,
  isTitle,
  isTrade,
  NUMBERED_HOUSE,
} from './party-forms';
import { means, startsWithKey } from './party-labels';
import { followCentred, toLine } from './party-lines';
import { readParty } from './read-party';
import { findAddressElsewhere, findNameAgain } from './sender-address';

/** A letterhead or foot with name, street and place in one line. */
export function findAddressLine(page: PageLayout, taken: Party[]): Party | undefined {
  for (const segment of page.segments) {
    if (segment.box[1] > page.height * 0.3 && segment.box[1] < page.height * 0.75) continue;
    const inline = splitAddressLine(segment.text) ?? splitSeat(page, segment);
    if (!inline || SITE.test(segment.text) || taken.some((party) => overlaps(party.box, segment.box))) continue;
    const title = HOSTS.test(inline.name) ? lineOver(page, segment) : undefined;
    const party = senderInLine(page.number, segment.box, inline, 'company');
    return title ? { ...party, name: { text: title.text, box: title.box }, box: unite([title.box, party.box]) } : party;
  }
  return undefined;
}

/** Who has a house, under its name: "Familie Unterrainer · 6382 Kirchdorf, Litzlfelden 18". */
const HOSTS =
  /^(?:Familie|Fam\.|Family|Famille|Famiglia|Familia|Família|Rodina|Rodzina|Inh(?:aber(?:in)?)?\b|Bes(?:itzer(?:in)?)?\b|Prop(?:rietors?|riétaires?)?\b|Titolare|Titular)/iu;

/** The larger line over another, with the same middle or edge. */
const lineOver = (page: PageLayout, { box }: Segment): Segment | undefined =>
  page.segments.findLast(
    (one) =>
      one.box[3] < box[1] + 0.4 * page.unit &&
      box[1] - one.box[3] < 1.5 * page.unit &&
      height(one) > 1.2 * (box[3] - box[1]) &&
      (Math.abs(one.box[0] - box[0]) < page.unit ||
        Math.abs(one.box[0] + one.box[2] - box[0] - box[2]) < 3 * page.unit) &&
      !isTitle(one.text),
  );

/** Where was worked: "BV Neubau Ärztehaus, Ellmosener Straße, 83043 Bad Aibling". */
const SITE =
  /^(?:(?:BV|BVH|Bauvorhaben|Baustelle|Einsatzort|Leistungsort|Chantier|Cantiere)\b|(?:Objekt|Projekt|Betreff|Betr\.|Site|Job|Project|Re|Objet|Oggetto|Obra|Stavba|Akce):)/iu;

/** A seat with its label has the name in the line above. */
function splitSeat(page: PageLayout, segment: Segment): { name: string; address: string } | undefined {
  const rest = segment.text.replace(SEAT, '');
  const above = rest === segment.text || !isPostal(rest) ? undefined : lineAbove(page, segment);
  const isName = above && /\p{L}{3}/u.test(above.text) && !/[\d:@]/.test(above.text) && above.tokens.length < 8;
  return isName ? { name: above.text, address: addressIn(rest) } : undefined;
}

/** Without a label: a company by its legal form, near the top or at the bottom; else the line at the top. */
export function findSender(tight: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
  const page = loosen(tight);
  const free = page.segments.filter(
    (segment) =>
      !taken.some((party) => overlaps(party.box, segment.box)) &&
      !isTitle(segment.text) &&
      /\p{L}{2}/u.test(segment.text) &&
      segment.text.length < 80,
  );
  const looksNamed = (segment: Segment) => {
    const letters = segment.text.match(/\p{L}/gu)?.length ?? 0;
    return letters > 0.6 * segment.text.replace(/\s/g, '').length && isCertain(segment);
  };
  const names = taken.flatMap((party) => (party.name ? [normalize(party.name.text).join(' ')] : []));
  const isOther = (segment: Segment) =>
    names.some((name) => name.length > 3 && normalize(segment.text).join(' ').includes(name));
  const companies = free.filter(
    (segment) =>
      (hasLegalForm(segment.text) || COMPANY_NUMBER.test(segment.text)) &&
      hasOwnWord(page, segment) &&
      !isOther(segment) &&
      !/:$/.test(segment.text) &&
      !CAPITAL.test(segment.text) &&
      // "AG Iserlohn HRB 4418" is a court.
      !/\bHR[AB]\b/.test(segment.text) &&
      !isOwner(segment.text) &&
      !keys.some((key) => key.tokens[0] === segment.tokens[0] && means(key, 'label_skip')) &&
      segment.tokens.length <= 9,
  );
  const zone = (segment: Segment) =>
    segment.box[1] < page.height * 0.3 ? 0 : segment.box[1] > page.height * 0.75 ? 1 : 2;
  // Those of parties that are known have other names.
  const isOwn = ownNames(page.segments.filter((one) => !taken.some((party) => overlaps(party.box, one.box))));
  const chosen = [...companies].sort(
    (a, b) => Number(isOwn(b)) - Number(isOwn(a)) || zone(a) - zone(b) || a.box[1] - b.box[1],
  )[0];
  const topmost = free.filter(
    (segment) =>
      segment.box[1] < page.height * 0.3 &&
      looksNamed(segment) &&
      // "NO.1 NASI LEMAK" is a shop.
      !(NUMBERED_HOUSE.test(segment.text) && (/,/.test(segment.text) || isStreet(segment.text))) &&
      !startsWithKey(segment, keys) &&
      !isContact(segment.text) &&
      segment.text.length > 2 &&
      hasOwnWord(page, segment) &&
      !isPostal(segment.text) &&
      !isLabelOfNumber(page, segment) &&
      !isSentence(segment) &&
      !isOther(segment),
  );
  const top = topmost
    .slice(0, 4)
    .sort((a, b) =>
      height(b) - height(a) > 0.35 * page.unit ? 1 : height(a) - height(b) > 0.35 * page.unit ? -1 : 0,
    )[0];
  // A trade under the name at the top says what the shop is.
  const isUnderName = chosen && topmost[0] && isTrade(chosen.text) && lineAbove(page, chosen) === topmost[0];
  // Under the name of a shop stands the company that has it.
  const owned = topmost.filter(isOwn);
  const isKept = chosen && (isOwn(chosen) || owned.some((one) => isLineUnder(page, one, chosen)));
  const own = isKept ? undefined : owned[0];
  const head = own ?? (isUnderName ? topmost[0] : chosen && zone(chosen) < 2 ? chosen : (top ?? chosen));
  if (!head) return undefined;
  // The legal form may stand alone in the second line of a name, or the first line end with "and".
  const before = lineAbove(page, head);
  const goesOn =
    head.tokens.length <= 2 || hasOnlyForms(head.text) || /\s(?:&|and|und|et|y|e|dan)$/i.test(before?.text ?? '');
  const isAgain = before !== undefined && head.text.toLowerCase().startsWith(before.text.toLowerCase());
  const isPart =
    goesOn && before && !isAgain && looksNamed(before) && !startsWithKey(before, keys) && !isTitle(before.text);
  const title = head.tokens.findLastIndex((token, at) => at > 0 && isTitle(token.text));
  const named = title > 0 && title === head.tokens.length - 1 ? head.tokens.slice(0, title) : head.tokens;
  const name = toLine([...(isPart ? before.tokens : []), ...named]);
  const below = followCentred(page, head, keys, taken);
  const [next] = below;
  // "Home Master Hardware &" and "Lim Bros (M) Sdn" go on in the next line.
  const isOpen = next && goesOnBelow(named.at(-1)!.text, next.text);
  // A short name in the line over the whole one.
  const isWhole =
    next && !isOpen && next.text.toLowerCase().startsWith(`${name.text.toLowerCase()} `) && !/\d/.test(next.text);
  const under = isOpen
    ? [toLine([...name.tokens, ...next.tokens]), ...below.slice(1)]
    : isWhole
      ? below
      : [name, ...below];
  const evidence = head === chosen ? 'company' : 'top';
  const read = readParty('sender', under, keys, page, evidence) ?? {
    role: 'sender' as const,
    name: { text: head.text, box: head.box },
    address: undefined,
    page: page.number,
    box: head.box,
    evidence: evidence as Party['evidence'],
  };
  const party = evidence === 'top' && read.name ? { ...read, name: findFullName(page, read.name, taken) } : read;
  if (party.address && isPostal(party.address.text)) return party;
  const again = party.name ? findNameAgain(page, party.name, keys, taken) : undefined;
  if (again) return { ...party, address: again };
  if (party.address) return party;
  const elsewhere = findAddressElsewhere(page, head, taken, keys);
  return elsewhere ? { ...party, address: elsewhere } : party;
}

/** Whether a name that ends in a word has another part under it. */
const goesOnBelow = (last: string, next: string): boolean =>
  (/^(?:&|and|dan|und|et|y)$/i.test(last) && !/\d/.test(next)) || (/^sdn\.?$/i.test(last) && /^bhd\b/i.test(next));

/** "Thank you for your order, which we bill as follows." */
const isSentence = ({ text, tokens }: Segment): boolean =>
  tokens.length > 5 && /\p{Ll}.*[.!?]$/u.test(text) && !hasLegalForm(text);

/** Whether a text stands in one of the lines under another, without a space between them. */
const isLineUnder = (page: PageLayout, above: Segment, below: Segment): boolean => {
  const next = lineAbove(page, below);
  return next === above || (next !== undefined && next.box[1] > above.box[1] && isLineUnder(page, above, next));
};

/** A legal form alone is the second line of a name, or a scrap of one that OCR could not read. */
const hasOwnWord = (page: PageLayout, segment: Segment): boolean =>
  segment.tokens.some(({ text }) => /\p{L}{3}/u.test(text) && !hasLegalForm(text)) ||
  /\p{L}{3}/u.test(lineAbove(page, segment)?.text ?? '');

/** The letterhead may show a short name; that of the company, with its legal form or over its address, holds its words. */
export function findFullName(
  page: PageLayout,
  name: NonNullable<Party['name']>,
  taken: Party[],
): NonNullable<Party['name']> {
  const words = normalize(name.text);
  if (hasLegalForm(name.text) || words.join('').length < LEAST_NAME) return name;
  for (const segment of page.segments) {
    if (overlaps(segment.box, name.box) || taken.some((party) => overlaps(party.box, segment.box))) continue;
    const [text = ''] = segment.text.split(/\s+[|·•∙–—-]\s+|,\s+(?=\p{L}*\s?\d)/u);
    const own = normalize(text);
    const isLonger = own.length > words.length && own.length < 8 && words.every((word) => own.includes(word));
    // "greenfield" in a logo is that of "Green Field Ltd".
    const isJoined = own.join('').startsWith(words.join(''));
    const isFull = hasLegalForm(text)
      ? own[0] === words[0] || isLonger || isJoined
      : isLonger && isOverAddress(page, segment);
    if (isFull && !/[\d:@]/.test(text)) return { text, box: segment.box };
  }
  return name;
}

/** "Farmasi Sentosa S/B (512345-U)": in Malaysia the number of a company stands behind its name. */
const COMPANY_NUMBER = /\p{L}{3}.*\(\d{5,8}-[A-Z]\)/u;

/** Shorter words stand in other names too. */
const LEAST_NAME = 5;

/** Whether the two lines under a text are a street and a place. */
function isOverAddress(page: PageLayout, segment: Segment): boolean {
  const lineBelow = (above: Segment) =>
    page.segments.find(
      (one) =>
        one.box[1] > above.box[1] + 0.4 * page.unit &&
        linesBetween(above, one, page.unit) < 0.9 &&
        Math.abs(one.box[0] - above.box[0]) < page.unit,
    );
  const street = lineBelow(segment);
  const place = street && lineBelow(street);
  return place !== undefined && (isPostal(street!.text) || isPostal(place.text));
}

/** Receipts are printed with wide spaces: there, what stands in one line near each other is one text. */
function loosen(page: PageLayout): PageLayout {
  if (page.source === 'text') return page;
  const segments = page.lines.flatMap((line) => {
    const joined: Segment[] = [];
    for (const segment of line.segments) {
      const last = joined.at(-1);
      if (last && segment.box[0] - last.box[2] < 2 * page.unit) {
        joined[joined.length - 1] = {
          ...last,
          tokens: [...last.tokens, ...segment.tokens],
          box: unite([last.box, segment.box]),
          text: `${last.text} ${segment.text}`,
        };
      } else joined.push(segment);
    }
    return joined;
  });
  return { ...page, segments };
}

/** Words of a name that OCR is unsure of may be right; when it is of most of them, it is a picture. */
const isCertain = ({ tokens }: Segment) =>
  tokens.filter(({ confidence }) => confidence > 0.55).length >= tokens.length / 2;

/** "Tenant ref." with a code or a date beside it, in a column of such pairs, is a label that no dictionary has. */
function isLabelOfNumber(page: PageLayout, segment: Segment): boolean {
  const isPair = (one: Segment) => {
    const value = rightOf(page, one);
    const isNear = value !== undefined && value.box[0] - one.box[2] < PAIR_GAP * page.unit;
    return isNear && /\d/.test(value.text) && !isPostal(value.text) && !/\d/.test(one.text);
  };
  const isNeighbour = (one: Segment) =>
    one !== segment &&
    Math.abs(one.box[0] - segment.box[0]) < 0.5 * page.unit &&
    Math.min(Math.abs(linesBetween(segment, one, page.unit)), Math.abs(linesBetween(one, segment, page.unit))) < 1.2;
  return isPair(segment) && page.segments.some((one) => isNeighbour(one) && isPair(one));
}

/** Space between a label and its value, in heights of the page's words; between a name and what stands beside it there is more. */
const PAIR_GAP = 5;
