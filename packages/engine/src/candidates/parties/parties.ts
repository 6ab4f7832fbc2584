import { normalize, type PageLayout } from '../../layout/page-layout';
import type { Key } from '../key-phrases';
import { readWindow } from './letter-window';
import { findLikeliestBlock } from './likeliest-block';
import type { Party, Role } from './party';
import { isBox, isPostal, isStreet } from './party-forms';
import { isHeading, isOnSlip, roleOf } from './party-labels';
import { formUnder, linesUnder } from './party-lines';
import { readParty } from './read-party';
import { findAddressBlock, findAddressOfNamed, findOneOfTwoBlocks } from './recipient';
import { findAddressLine, findFullName, findSender } from './sender';
import { findAddressElsewhere, findNameAgain } from './sender-address';

/** Names and addresses on the first page: under their labels, in the window of a letter, or by their form. */
export function findParties(whole: PageLayout, keys: Key[], isItem: (line: number) => boolean = () => false): Party[] {
  const page = { ...whole, segments: whole.segments.filter(({ line }) => !isItem(line)) };
  const parties: Party[] = [];
  let remitted: Party | undefined;
  let guest: Party | undefined;
  for (const key of keys) {
    const named = roleOf(key);
    if (!named || !isHeading(key, page)) continue;
    const onSlip = isOnSlip(key, page);
    if (onSlip && key.phrase !== 'to') continue;
    const role = onSlip ? 'sender' : named;
    const lines = formUnder(page, key, keys) ?? linesUnder(page, key, keys);
    const party = readParty(role, lines, keys, page, 'label');
    if (!party || !(party.name || party.address)) continue;
    // Who slept or was treated is not always who pays.
    if (GUEST.test(key.phrase) && !(party.address && isPostal(party.address.text))) guest ??= party;
    else parties.push(party);
    if (/^remit/.test(key.phrase)) remitted = party;
  }
  // Cheques go to a box elsewhere; the letterhead with the same name has the sender's address.
  const head = remitted?.name && findSender(page, keys, without(parties, remitted));
  if (head?.address && (isSameName(head, remitted) || isLongerName(head, remitted)))
    parties[parties.indexOf(remitted!)] = head;
  // Who ships goods and gets the bill has not written it.
  const shipper = parties.find(({ role }) => role === 'sender');
  if (shipper?.name && parties.some((one) => one.role === 'recipient' && isSameName(one, shipper)))
    parties.splice(parties.indexOf(shipper), 1);
  const sender = parties.find((party) => party.role === 'sender');
  if (sender?.name && !sender.address) {
    parties[parties.indexOf(sender)] = {
      ...sender,
      address: findAddressElsewhere(page, { text: sender.name.text, box: sender.box }, without(parties, sender), keys),
    };
  }
  // "Supplier" over the address alone: the name is in the letterhead.
  const unnamed = parties.find(({ role, name, address }) => role === 'sender' && !name && address);
  const letterhead = unnamed && findSender(page, keys, parties);
  if (letterhead?.name) parties[parties.indexOf(unnamed!)] = { ...unnamed!, name: letterhead.name };
  const isAddress = (text: string) => isPostal(text) || isStreet(text);
  const named = parties.find(
    ({ role, name, address }) => role === 'recipient' && name && !(address && isAddress(address.text)),
  );
  const addressed = named && findAddressOfNamed(page, keys, named, without(parties, named));
  if (addressed) parties[parties.indexOf(named)] = addressed;
  const has = (role: Role) => parties.some((party) => party.role === role);
  const window = readWindow(page);
  if (window && !has('sender')) parties.push(findSeat(page, window.sender, keys, parties));
  if (window && !has('recipient')) {
    const party = readParty('recipient', window.lines, keys, page, 'window');
    if (party?.name) parties.push(party);
  }
  if (!has('recipient')) {
    const found = findOneOfTwoBlocks(page, keys, parties) ?? findAddressBlock(page, keys, parties);
    if (found) parties.push(found);
  }
  if (!has('sender')) {
    const found = findAddressLine(page, parties) ?? findSender(page, keys, parties);
    if (found) parties.push(found);
  }
  // Papers for the customs name no buyer beside the consignee.
  const consignee = parties.find(({ role }) => role === 'delivery');
  if (consignee?.address && !has('recipient')) parties.push({ ...consignee, role: 'recipient' });
  if (guest && !has('recipient')) parties.push(guest);
  const likeliest = has('recipient') ? undefined : findLikeliestBlock(page, keys, parties);
  if (likeliest) parties.push(likeliest);
  return parties;
}

const GUEST = /^(?:gast|guest|gaste|ospite|huesped|hote)$/;

/** Over the window of a letter there is room for a short name and a box; the foot tells the whole name with the street. */
function findSeat(page: PageLayout, sender: Party, keys: Key[], taken: Party[]): Party {
  if (!sender.name || !sender.address) return sender;
  const found = findFullName(page, sender.name, taken);
  const words = normalize(found.text);
  const full = normalize(sender.name.text).every((word) => words.includes(word)) ? found : sender.name;
  const seat = isBox(sender.address.text)
    ? findNameAgain(page, { ...full, box: sender.name.box }, keys, taken)
    : undefined;
  return { ...sender, name: full, address: seat && !isBox(seat.text) ? seat : sender.address };
}

const isSameName = (one: Party, other: Party | undefined) =>
  normalize(one.name?.text ?? '').join() === normalize(other?.name?.text ?? '').join();

/** "Boxworks Supply" and "BOXWORKS SUPPLY CO". */
function isLongerName(one: Party, other: Party | undefined): boolean {
  const words = normalize(other?.name?.text ?? '');
  return (
    words.length > 1 &&
    words.join() ===
      normalize(one.name?.text ?? '')
        .slice(0, words.length)
        .join()
  );
}

const without = (parties: Party[], one: Party) => parties.filter((party) => party !== one);
