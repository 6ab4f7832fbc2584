import { normalize, type PageLayout, type Segment, unite } from '../../layout/page-layout';
import type { Position } from '../../recognition';
import type { Key } from '../key-phrases';
import { addressIn, splitAddressLine } from './address-text';
import { lineAbove, overlaps } from './blocks';
import type { Party } from './party';
import { hasLegalForm, isContact, isPostal, isStreet, isTitle } from './party-forms';
import { means, startsWithKey } from './party-labels';
import { follow, toLine } from './party-lines';
import { isPostcode, isTownPostcode, readParty } from './read-party';

/** The name may stand in the letterhead alone, and once more over the address. */
export function findNameAgain(
  page: PageLayout,
  name: { text: string; box: Position },
  keys: Key[],
  taken: Party[],
): Party['address'] {
  const wanted = normalize(name.text).join(' ');
  for (const segment of page.segments) {
    if (overlaps(segment.box, name.box) || taken.some((party) => overlaps(party.box, segment.box))) continue;
    const inline = splitAddressLine(segment.text);
    if (inline && normalize(inline.name).join(' ') === wanted) return { text: inline.address, box: segment.box };
    if (normalize(segment.text).join(' ') !== wanted) continue;
    const party = readParty('sender', [toLine(segment.tokens), ...follow(page, segment, keys)], keys, page, 'company');
    if (party?.address && isPostal(party.address.text)) return party.address;
  }
  return undefined;
}

/** The sender's address may stand beside the name, or in the foot of the page. */
export function findAddressElsewhere(
  page: PageLayout,
  head: { text: string; box: Position },
  taken: Party[],
  keys: Key[],
): Party['address'] {
  // "Fakturanummer 77120" is no place.
  const isNumber = (segment: Segment) => !isStreet(segment.text) && startsWithKey(segment, keys);
  const isOwnNumber = (segment: Segment) =>
    keys.some(
      (key) => key.tokens[0] === segment.tokens[0] && ['vat_id', 'ic', 'dic'].some((field) => means(key, field)),
    );
  const words = normalize(head.text);
  const candidates = page.segments.filter(
    (segment) =>
      isPostal(segment.text) &&
      !isContact(segment.text) &&
      !isNumber(segment) &&
      !taken.some((party) => overlaps(party.box, segment.box)) &&
      segment !== head,
  );
  // "Acme Limited, 1 High Street, ..." anywhere on the page is the address of "Acme".
  const named = candidates.flatMap((one) => {
    const inline = splitAddressLine(one.text);
    const isOwn =
      inline && words.length > 0 && normalize(inline.name).slice(0, words.length).join(' ') === words.join(' ');
    return isOwn ? [{ text: inline.address, box: one.box }] : [];
  });
  if (named[0]) return named[0];
  const near = candidates.sort((a, b) => Math.abs(a.box[1] - head.box[1]) - Math.abs(b.box[1] - head.box[1]))[0];
  if (!near) return undefined;
  const inline = splitAddressLine(near.text);
  if (inline && normalize(inline.name)[0] === words[0]) return { text: inline.address, box: near.box };
  const lines = [near];
  for (let above = lineAbove(page, near); above && lines.length < 4; above = lineAbove(page, above)) {
    const isOverPostcode = (isPostcode(near.text) || isTownPostcode(near.text)) && above.tokens.length < 5;
    // "PUSAT BANDAR DAMANSARA, BLOK D" over a postcode and its town, without a street so far.
    const isListed =
      !lines.some(({ text }) => isStreet(text)) && /\p{L}{3}, ?\p{L}/u.test(above.text) && !hasLegalForm(above.text);
    const isPart =
      isOverPostcode ||
      isListed ||
      (/\d/.test(above.text) && /\p{L}{3}/u.test(above.text)) ||
      isStreet(above.text) ||
      /,$/.test(above.text);
    // "VAT no. GB 123 4567 89" over the street.
    if (isOwnNumber(above)) break;
    const isSentence = above.tokens.length > 5 && /\p{L}{3}\.$/u.test(above.text);
    if (!isPart || isSentence || isTitle(above.text) || isContact(above.text) || /:/.test(above.text)) break;
    if (taken.some((party) => overlaps(party.box, above!.box)) || overlaps(head.box, above.box)) break;
    lines.unshift(above);
  }
  return { text: lines.map((line) => addressIn(line.text)).join(', '), box: unite(lines.map((line) => line.box)) };
}

/** The address of a sender of whom the first page has the name alone: it stands with the name in the foot of another. */
export function findAddressOnPages(pages: PageLayout[], parties: Party[]): Party[] {
  const sender = parties.find(({ role }) => role === 'sender');
  if (!sender?.name || sender.address) return [];
  const wanted = normalize(sender.name.text).join(' ');
  for (const { number, segments } of pages) {
    for (const { text, box } of segments) {
      const inline = splitAddressLine(text);
      if (!inline || normalize(inline.name).join(' ') !== wanted) continue;
      const address = { text: inline.address, box };
      return [{ role: 'sender', name: undefined, address, page: number, box, evidence: 'company' }];
    }
  }
  return [];
}
