import { normalize, type PageLayout, type Segment } from '../../layout/page-layout';
import type { Features } from '../../scoring/model';
import type { Key } from '../key-phrases';
import { findBlocks, lineAbove, overlaps } from './blocks';
import type { Party } from './party';
import { beginsAddress, hasLegalForm, isPostal, isStreet, isTitle } from './party-forms';
import { means, startsWithKey } from './party-labels';
import { toLine } from './party-lines';
import { readParty } from './read-party';

/**
 * What speaks for a block being the recipient's, in logits: fitted by logistic regression on blocks of the corpus and of
 * invented documents, without what weighed less than one, and rounded.
 */
const WEIGHTS: Features = {
  place: 2.5,
  fewLines: 1.5,
  underLabel: 1.5,
  startsWithLabel: -1,
  low: -1,
  underCompany: -1,
  nothingAbove: -1,
  nameHasDigits: -1.5,
  nameIsTitle: -1.5,
  nameIsStreet: -1.5,
  nameIsOneWord: -2.5,
  addressOfOneLine: -2,
  bankInside: -1.5,
  nameInFoot: -1.5,
  atTop: -1.5,
  notWhole: -1.5,
};

/** Sum of the weights below which a block is nobody's. */
const LEAST = -0.5;

/** Letters side by side on a narrow roll of paper, in heights of a line: a sheet has room for more. */
const NARROW = 40;

/** A receipt of a till rarely names who bought, and then with the address. */
const isSlip = (page: PageLayout): boolean => page.source === 'ocr' && page.width < NARROW * page.unit;

/** Lines that may stand over the name: titles and labels that no dictionary has. */
const MOST_HEADINGS = 3;

/** The block that is most probably the recipient's, for pages on which nothing says it outright. */
export function findLikeliestBlock(page: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
  const candidates = findBlocks(page).flatMap((block) =>
    block.slice(0, Math.min(block.length - 1, MOST_HEADINGS + 1)).flatMap((top, at) => {
      if (taken.some((party) => overlaps(party.box, top.box))) return [];
      const lines = block.slice(at);
      const party = readParty(
        'recipient',
        lines.map(({ tokens }) => toLine(tokens)),
        keys,
        page,
        'block',
      );
      if (!party?.name || !party.address || !overlaps(party.name.box, top.box) || beginsAddress(party.name.text))
        return [];
      if (isSlip(page) && !isPostal(party.address.text)) return [];
      const above = at > 0 ? block[at - 1] : lineAbove(page, top);
      const features = describeBlock(page, keys, lines, above, party.name.text, party.address.text);
      const score = Object.entries({ ...features, notWhole: at > 0 }).reduce(
        (sum, [name, holds]) => (holds ? sum + WEIGHTS[name]! : sum),
        0,
      );
      return score > LEAST ? [{ party, score }] : [];
    }),
  );
  return candidates.sort((a, b) => b.score - a.score)[0]?.party;
}

function describeBlock(
  page: PageLayout,
  keys: Key[],
  lines: Segment[],
  above: Segment | undefined,
  name: string,
  address: string,
) {
  const top = lines[0]!;
  const letters = normalize(name).join('');
  const isInFoot = ({ box, text }: Segment) =>
    box[1] > page.height * 0.8 && letters.length > 4 && normalize(text).join('').includes(letters);
  const bank = keys.filter((key) => ['iban', 'bic', 'account_num'].some((field) => means(key, field)));
  return {
    place: isPostal(address),
    fewLines: lines.length >= 3 && lines.length <= 6,
    underLabel: above !== undefined && startsWithKey(above, keys),
    startsWithLabel: startsWithKey(top, keys),
    low: top.box[1] > page.height * 0.4,
    underCompany: above !== undefined && hasLegalForm(above.text),
    nothingAbove: above === undefined,
    nameHasDigits: /\d/.test(name),
    nameIsTitle: isTitle(top.text),
    nameIsStreet: isStreet(name) || isPostal(name),
    nameIsOneWord: !/\s/.test(name),
    addressOfOneLine: !address.includes(','),
    bankInside: bank.some((key) => lines.some(({ tokens }) => tokens.includes(key.tokens[0]!))),
    nameInFoot: page.segments.some(isInFoot),
    atTop: top.box[1] < page.height * 0.08,
  };
}
