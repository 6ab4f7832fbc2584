import { normalize, type PageLayout, type Segment, type Token } from '../../layout/page-layout';
import { readVatId } from '../identifiers';
import type { Key } from '../key-phrases';
import { splitAddressLine } from './address-text';
import { blockUnder, findBlocks, height, overlaps, rightOf } from './blocks';
import { ownNames } from './own-names';
import type { Party } from './party';
import { beginsAddress, hasLegalForm, isContact, isPostal, isStreet, isTitle, SALUTATION } from './party-forms';
import { means, startsWithKey } from './party-labels';
import { toLine } from './party-lines';
import { readParty } from './read-party';

/**
 * Two addresses without labels, beside each other or one lower than the other: the sender's tells how to reach him and
 * where he is registered; else the left one, which shows in the window of the envelope, is the recipient's.
 */
export function findOneOfTwoBlocks(page: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
  if (taken.some((party) => party.role === 'sender')) return undefined;
  const all = findBlocks(page);
  const blocks = all
    .map((block) => withoutHeading(block, keys))
    .filter(
      (block) =>
        block.length >= 3 &&
        block[0]!.box[1] < page.height * 0.4 &&
        hasPlace(block) &&
        !startsWithKey(block[0]!, keys) &&
        !isTitle(block[0]!.text),
    );
  const [left, right] = [...blocks].sort((a, b) => a[0]!.box[0] - b[0]!.box[0]);
  if (!left || !right || blocks.length !== 2) return undefined;
  const signs = (block: Segment[]) => ownSigns([...block, ...blockUnder(block, all, page.unit)], page, keys);
  const own = signs(left) - signs(right);
  const top = (block: Segment[]) => block[0]!.box[1];
  const bottom = (block: Segment[]) => block.at(-1)!.box[3];
  const together = top(left) < bottom(right) && top(right) < bottom(left);
  const apart = right[0]!.box[0] - left[0]!.box[0] >= page.width * 0.25;
  if (own === 0 && !(together && apart)) return undefined;
  const lines = (own > 0 ? right : left).map((segment) => toLine(segment.tokens));
  const party = readParty('recipient', lines, keys, page, 'block');
  return party?.name && party.address ? party : undefined;
}

/**
 * A postcode with its place under the first line; in New Zealand and South Africa it is four digits behind the place or
 * under it, under a street.
 */
const hasPlace = (block: Segment[]): boolean =>
  block.slice(1).some(({ text }) => isPostal(text)) ||
  (block.some(({ text }) => isStreet(text) && /\d/.test(text)) &&
    block
      .slice(2)
      .some(
        ({ text }, at) =>
          /^\p{Lu}[\p{L}' -]+,? (?!(?:19|20)\d\d$)\d{4}$/u.test(text) ||
          (/^\d{4}$/.test(text) && /^\p{Lu}[\p{L}' -]+$/u.test(block[at + 1]!.text)),
      ));

/** How much in a block only the sender of a letter has there: his bank, how to reach him, his domain, his letterhead. */
function ownSigns(block: Segment[], page: PageLayout, keys: Key[]): number {
  const named = keys.filter((key) => block.some((segment) => segment.tokens.includes(key.tokens[0]!)));
  const text = block.map((segment) => segment.text).join('\n');
  const name = normalize(block[0]!.text).join('');
  const inFoot = page.segments.some(
    (segment) =>
      segment.box[1] > page.height * 0.8 && name.length > 4 && normalize(segment.text).join('').includes(name),
  );
  const [first = ''] = normalize(block[0]!.text);
  const inHead = page.segments.some(
    (segment) =>
      !block.includes(segment) &&
      height(segment) > 1.3 * page.unit &&
      first.length > 3 &&
      normalize(segment.text)[0] === first,
  );
  const signs = [
    isContact(text),
    named.some((key) => ['iban', 'bic', 'account_num'].some((field) => means(key, field))),
    named.some((key) => means(key, 'vat_id') || means(key, 'ic')),
    ownNames(page.segments)(block[0]!),
    inFoot,
    // The letterhead says it more surely than an e-mail address, which shops print of the buyer too.
    ...[inHead, inHead],
    // A name in large letters is a letterhead; what OCR has read may reach into the frame around it.
    page.source === 'text' && height(block[0]!) > 1.3 * page.unit,
  ];
  // Nobody writes under his own name for whose attention it is; under an address it may be whom a delivery goes to.
  const isAddressed = block.slice(0, 2).some((segment) => FOR_ATTENTION.test(segment.text));
  return signs.filter(Boolean).length - (isAddressed ? 2 : 0);
}

const FOR_ATTENTION =
  /^(?:attn|attention|att|fao|z\. ?hd|zu händen|t\. ?a\. ?v|ter attentie van|à l['’]attention de|all['’]attenzione|a la atención de|k rukám)(?!\p{L})/iu;

/** The address of somebody whom a label names without one: "Guest: Jane Doe", in a letter to her company. */
export function findAddressOfNamed(page: PageLayout, keys: Key[], { name }: Party, taken: Party[]): Party | undefined {
  const wanted = normalize(name?.text ?? '');
  // "GUÉRIN JÉRÔME" is one of "Maëlle et Jérôme Guérin".
  const hasAll = (words: string[]) => wanted.length > 1 && wanted.every((word) => words.includes(word));
  const isElsewhere = ({ box }: Segment) => !taken.some((party) => overlaps(party.box, box));
  const block = findBlocks(page).find(
    (lines) =>
      lines.length > 2 && hasPlace(lines) && lines.some((line) => isElsewhere(line) && hasAll(normalize(line.text))),
  );
  return block && findAddressBlock({ ...page, segments: block }, keys, taken, true);
}

/**
 * A block with a place in the upper half that belongs to nobody yet.
 *
 * @param isNamed true where a label elsewhere names who is in the block: then it may be the topmost
 */
export function findAddressBlock(page: PageLayout, keys: Key[], taken: Party[], isNamed = false): Party | undefined {
  for (const whole of findBlocks(page)) {
    const block = withoutHeading(whole, keys);
    const [top] = block;
    if (!top || top.box[1] > page.height * 0.5 || block.length < 3 || !hasPlace(block)) continue;
    if (!isNamed && top.box[1] < page.height * 0.08 && !hasAddressInFoot(page, block)) continue;
    // An address without a name is that of the letterhead.
    if (beginsAddress(top.text)) continue;
    if (taken.some((party) => overlaps(party.box, top.box))) continue;
    const isSender = ({ role, name }: Party) =>
      role === 'sender' && normalize(name?.text ?? '').join() === normalize(top.text).join();
    if (taken.some(isSender)) continue;
    const own = block.some(
      (segment) =>
        isContact(segment.text) ||
        keys.some(
          (key) =>
            segment.tokens.includes(key.tokens[0]!) &&
            (means(key, 'iban') || (isRegistration(key) && !hasAnother(page, key, block, keys))),
        ),
    );
    // "Firma" alone over a name addresses it; elsewhere it is a label.
    if (own || (startsWithKey(top, keys) && !SALUTATION.test(top.text))) continue;
    // Receipts begin with the address of the shop, in the middle of the paper.
    if (isFirstAddress(page, block) && block.every((segment) => isCentred(segment, page))) continue;
    // The topmost address of a page without labels is the sender's letterhead.
    if (
      !isNamed &&
      !taken.some((party) => party.role === 'sender') &&
      isFirstAddress(page, block) &&
      top.box[1] < page.height * 0.12 &&
      !hasAddressInFoot(page, block)
    )
      continue;
    const party = readParty(
      'recipient',
      block.map((segment) => toLine([...segment.tokens, ...nameBehind(page, segment)])),
      keys,
      page,
      'block',
    );
    if (party?.name && party.address) return party;
  }
  return undefined;
}

/** A title, a label or the number of a customer may stand right over the name: "Account: FLY002". */
function withoutHeading(block: Segment[], keys: Key[]): Segment[] {
  const isHeading = (one: Segment) =>
    isTitle(one.text) ||
    (/:$/.test(one.text) && !startsWithKey(one, keys)) ||
    (/^\p{L}[^:\d]{2,25}:\s*\S*\d/u.test(one.text) && !isPostal(one.text));
  const first = block.findIndex((one) => !isHeading(one));
  return first > 0 ? block.slice(first) : block;
}

/** In type of one width "Mr." and the name stand apart. */
function nameBehind(page: PageLayout, salutation: Segment): Token[] {
  const next = SALUTATION.test(salutation.text) ? rightOf(page, salutation) : undefined;
  return next && next.box[0] - salutation.box[2] < 2 * page.unit ? next.tokens : [];
}

const isRegistration = (key: Key) => means(key, 'vat_id') || means(key, 'ic');

/** Whether a number of the same kind, but another one, stands outside of the block: then the page has both parties'. */
function hasAnother(page: PageLayout, key: Key, block: Segment[], keys: Key[]): boolean {
  const digitsOf = (one: Key) => one.tokens[0]!.segment.text.replace(/\D/g, '');
  const isNamed = keys.some(
    (other) =>
      !block.includes(other.tokens[0]!.segment) &&
      ['vat_id', 'ic'].some((field) => means(key, field) && means(other, field)) &&
      digitsOf(other).length >= 7 &&
      digitsOf(other) !== digitsOf(key),
  );
  // In a foot, it may have no label.
  const own = digitsOf(key);
  const isOther = ({ text }: Token) => {
    const read = /^[A-Z]{2,3}[A-Z]?\d/.test(text) ? readVatId(text) : undefined;
    return read?.checked === true && read.vatId.replace(/\D/g, '') !== own;
  };
  return (
    isNamed || (means(key, 'vat_id') && page.segments.some((one) => !block.includes(one) && one.tokens.some(isOther)))
  );
}

function isFirstAddress(page: PageLayout, block: Segment[]): boolean {
  const first = page.segments.find((segment) => isPostal(segment.text));
  return first !== undefined && block.includes(first);
}

const isCentred = ({ box }: Segment, page: PageLayout) =>
  Math.abs((box[0] + box[2]) / 2 - page.width / 2) < 0.04 * page.width;

/** The sender's address is in the foot of the page or in a line with his name, when it is another than that of the block. */
function hasAddressInFoot(page: PageLayout, block: Segment[]): boolean {
  const own = block.filter(({ text }) => isPostal(text)).map(({ text }) => normalize(text).join(' '));
  const isOwn = (text: string) => {
    const words = normalize(text).join(' ');
    return own.some((one) => words.includes(one) || one.endsWith(words));
  };
  // On the slip at the foot of a bill there is the address of who is paid, beside that of who pays.
  const foot = page.segments.filter(({ text, box }) => isPostal(text) && box[1] > page.height * 0.75);
  if (block[0]!.box[1] < page.height * 0.12 && foot.some(({ text }) => isOwn(text))) return false;
  return page.segments.some(
    ({ text, box }) =>
      isPostal(text) &&
      !isOwn(text) &&
      (box[1] > page.height * 0.75 ||
        (box[1] > block.at(-1)!.box[3] && hasLegalForm(splitAddressLine(text)?.name ?? ''))),
  );
}
