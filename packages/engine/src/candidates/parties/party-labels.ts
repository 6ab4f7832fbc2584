import type { PageLayout, Segment } from '../../layout/page-layout';
import type { Key } from '../key-phrases';
import type { Role } from './party';

const ROLES: Role[] = ['sender', 'recipient', 'delivery'];

/** The role that a label announces. */
export const roleOf = (key: Key): Role | undefined =>
  ROLES.find((role) => key.meanings.some((one) => one.field === role));

/** Headings of the part of a page that is torn off and sent back with the payment. */
const SLIP = /^(?:payment|remittance) (?:advice|slip|coupon|stub)$|^remittance$|^please (?:detach|return)/i;

/** On a slip that goes back with the payment, "To" names who is paid. */
export function isOnSlip(key: Key, page: PageLayout): boolean {
  return page.segments.some(
    ({ text, box }) => SLIP.test(text) && box[1] > page.height * 0.4 && box[1] < key.box[3] + 2 * page.unit,
  );
}

/** True when a label may announce a field. */
export const means = (key: Key, field: string) => key.meanings.some((meaning) => meaning.field === field);

/** Labels of fields that stand among the lines of an address without ending it. */
export const INSIDE = 'label_name label_address label_skip vat_id ic dic _phone _web _other_id customer_id'.split(' ');

/** A label of a party stands alone, or ends in a colon with the name behind it. */
export function isHeading(key: Key, page: PageLayout): boolean {
  const segment = key.tokens[0]!.segment;
  if (segment.tokens[0] !== key.tokens[0]) return false;
  // In French, "Payée" says that a bill has been paid.
  if (key.phrase === 'payee' && /é/i.test(segment.text)) return false;
  const last = key.tokens.at(-1)!;
  const rest = segment.tokens
    .slice(segment.tokens.indexOf(last) + 1)
    .filter((token) => /[\p{L}\p{N}]/u.test(token.text));
  // "Von - Nach - Schiff" head the columns of a journey.
  const columns = page.lines.find(({ number }) => number === key.line)?.segments.length ?? 1;
  if (rest.length === 0 && columns > 2 && /^(?:von|nach|van|naar|z|do|da|od)$/.test(key.phrase)) return false;
  if (rest.length === 0) return key.box[1] < page.height * 0.75;
  if (isWholeLabel(segment, key)) return key.box[1] < page.height * 0.75;
  // "Sayın Müşterimiz," begins a letter.
  if (HONORIFIC.test(key.phrase) && key.box[1] < page.height * 0.5 && !/[,!]$/.test(segment.text)) return true;
  if (/:$/.test(last.text) || segment.tokens[segment.tokens.indexOf(last) + 1]?.text === ':') return true;
  return rest.every((token) => /^[([].*|.*[)\]]:?$/.test(token.text));
}

/** Words of respect before a name, which only the recipient gets: "Messrs. Fjordland AS". */
const HONORIFIC =
  /^(?:messrs|sayin|spett(?:abile| le)?|spettabile ditta|spett le ditta|senor es|exmo s sr s|exmos senhores)$/;

/** "Sold to / Vendu à:": what stands between a label and the colon that ends the line belongs to the label. */
export function isWholeLabel({ tokens }: Segment, key: Key): boolean {
  const behind = tokens.slice(tokens.indexOf(key.tokens.at(-1)!) + 1);
  return (
    behind.length > 0 &&
    behind.length <= 4 &&
    /:$/.test(behind.at(-1)!.text) &&
    (/^\//.test(behind[0]!.text) || /\/$/.test(key.tokens.at(-1)!.text))
  );
}

/** Towns and the like are named by words that are labels of addresses, too: "City of Ellsworth Falls". */
const COMMUNITY =
  /^(?:(?:City|Town|Township|Village|County|Borough|Parish|State) of|Stadt|Ville de|Comune di|Município d[eao]|Città di|Gemeente|Kommune|Město|Mesto|Statutární město|Obec|Miasto|Grad|Općina|Občina|Opština) \p{L}/iu;

/** True for a text that begins with the label of something, rather than with a word of a name. */
export function startsWithKey(segment: Segment, keys: Key[]): boolean {
  if (COMMUNITY.test(segment.text) && !/[\d:]/.test(segment.text)) return false;
  return keys.some(
    (key) =>
      key.tokens[0] === segment.tokens[0] && key.meanings.some((one) => one.weight === 1) && !isOnlyWord(key, segment),
  );
}

/** Words for amounts are parts of names in other languages ("Zakład", "Bar"): a label has a number behind it. */
export const isOnlyWord = (key: Key, segment: Segment) =>
  key.meanings.every(({ field }) => /^(?:amount_|_discount|_tendered|_change)/.test(field)) &&
  segment.tokens.length > key.tokens.length &&
  !/[\d:]/.test(segment.text);
