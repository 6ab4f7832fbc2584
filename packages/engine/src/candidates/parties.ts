import { normalize, type PageLayout, type Segment, type Token, unite } from '../layout/page-layout';
import { isBeside, isInColumn, linesBetween } from '../layout/relations';
import type { Position } from '../recognition';
import type { Key } from './key-phrases';
import { CAPITAL, COUNTRY, hasLegalForm, isContact, isPostal, isStreet, isTrade, REACH } from './party-forms';

export type Role = 'sender' | 'recipient' | 'delivery';

/** A person or company with its address, as it stands on the page. */
export interface Party {
  role: Role;
  name: { text: string; box: Position } | undefined;
  address: { text: string; box: Position } | undefined;
  page: number;
  /** Where the block stands, with its numbers of registration. */
  box: Position;
  /** How it was found; decides the confidence. */
  evidence: 'label' | 'window' | 'company' | 'block' | 'top';
}

/** Features of a name or an address: what its form says, whoever it may be. */
export function describeParty(part: 'name' | 'address', text: string): Record<string, number> {
  if (part === 'address') {
    return { postal: isPostal(text) ? 1 : 0, street: isStreet(text) ? 1 : 0, lines: text.split(',').length / 4 };
  }
  return {
    legalForm: hasLegalForm(text) ? 1 : 0,
    hasDigits: /\d/.test(text) ? 1 : 0,
    streetLike: isStreet(text) || isPostal(text) ? 1 : 0,
    oneWord: /\s/.test(text.trim()) ? 0 : 1,
    small: /^\p{Ll}/u.test(text) ? 1 : 0,
  };
}

const ROLES: Role[] = ['sender', 'recipient', 'delivery'];
const roleOf = (key: Key): Role | undefined => ROLES.find((role) => key.meanings.some((one) => one.field === role));
const means = (key: Key, field: string) => key.meanings.some((meaning) => meaning.field === field);

/** Labels of fields that stand among the lines of an address without ending it. */
const INSIDE = 'label_name label_address label_skip vat_id ic dic _phone _web _other_id customer_id'.split(' ');

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

/** Names and addresses on the first page: under their labels, in the window of a letter, or by their form. */
export function findParties(whole: PageLayout, keys: Key[], isItem: (line: number) => boolean = () => false): Party[] {
  const page = { ...whole, segments: whole.segments.filter(({ line }) => !isItem(line)) };
  const parties: Party[] = [];
  for (const key of keys) {
    const role = roleOf(key);
    if (!role || !isHeading(key, page)) continue;
    const lines = linesUnder(page, key, keys);
    const party = readParty(role, lines, keys, page, 'label');
    if (party && (party.name || party.address)) parties.push(party);
  }
  const sender = parties.find((party) => party.role === 'sender');
  if (sender?.name && !sender.address) {
    const others = parties.filter((party) => party !== sender);
    parties[parties.indexOf(sender)] = {
      ...sender,
      address: findAddressElsewhere(page, { text: sender.name.text, box: sender.box }, others, keys),
    };
  }
  const has = (role: Role) => parties.some((party) => party.role === role);
  const window = readWindow(page);
  if (window && !has('sender')) parties.push(window.sender);
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
  if (consignee && !has('recipient')) parties.push({ ...consignee, role: 'recipient' });
  return parties;
}

/** A label of a party stands alone, or ends in a colon with the name behind it. */
function isHeading(key: Key, page: PageLayout): boolean {
  const segment = key.tokens[0]!.segment;
  if (segment.tokens[0] !== key.tokens[0]) return false;
  const last = key.tokens.at(-1)!;
  const rest = segment.tokens
    .slice(segment.tokens.indexOf(last) + 1)
    .filter((token) => /[\p{L}\p{N}]/u.test(token.text));
  if (rest.length === 0) return key.box[1] < page.height * 0.75;
  if (isWholeLabel(segment, key)) return key.box[1] < page.height * 0.75;
  if (/:$/.test(last.text) || segment.tokens[segment.tokens.indexOf(last) + 1]?.text === ':') return true;
  return rest.every((token) => /^[([].*|.*[)\]]:?$/.test(token.text));
}

/** "Sold to / Vendu à:": what stands between a label and the colon that ends the line belongs to the label. */
function isWholeLabel({ tokens }: Segment, key: Key): boolean {
  const behind = tokens.slice(tokens.indexOf(key.tokens.at(-1)!) + 1);
  return (
    behind.length > 0 &&
    behind.length <= 4 &&
    /:$/.test(behind.at(-1)!.text) &&
    (/^\//.test(behind[0]!.text) || /\/$/.test(key.tokens.at(-1)!.text))
  );
}

interface PartyLine {
  text: string;
  box: Position;
  tokens: Token[];
}

const toLine = (tokens: Token[]): PartyLine => ({
  text: tokens
    .map((token) => token.text)
    .join(' ')
    .replace(/^[\s:,;*|-]+|[\s:;*|-]+$/g, ''),
  box: unite(tokens.map((token) => token.box)),
  tokens,
});

/** Lines of the block that a label heads: what is left of its own line, then what stands under it in its column. */
function linesUnder(page: PageLayout, key: Key, keys: Key[]): PartyLine[] {
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
    const rightHasKey = right?.tokens.some((token) =>
      keys.some((other) => other.tokens.includes(token) && isLabel(other)),
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

function startsWithKey(segment: Segment, keys: Key[]): boolean {
  return keys.some(
    (key) =>
      key.tokens[0] === segment.tokens[0] && key.meanings.some((one) => one.weight === 1) && !isOnlyWord(key, segment),
  );
}

/** Segments under another one, as long as they belong together. */
function follow(page: PageLayout, head: Segment, keys: Key[], heading?: Key): PartyLine[] {
  const lines: PartyLine[] = [];
  let above: Segment = head;
  let left = head.box[0];
  /** In forms with the labels in a column of their own, where the values stand. */
  let values: number | undefined;
  let placed = false;
  let housed = false;
  for (let count = 0; count < 9; count++) {
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
    const isStreetBehind: boolean = !housed && isStreet(next.text) && /\d/.test(next.text);
    if (!heading && placed && !inside && !COUNTRY.test(next.text) && !isStreetBehind) break;
    housed ||= isStreetBehind;
    placed ||= isPostal(next.text);
    const value = /:$/.test(next.text) ? rightOf(page, next) : undefined;
    if (value) values = value.box[0];
    lines.push(toLine([...next.tokens, ...(value?.tokens ?? [])]));
    if (count === 0) left = next.box[0];
    above = next;
  }
  return lines;
}

/** The first line of the block that a line is in: a smaller share of a long one is under the head than of those below it. */
function topOfBlock(page: PageLayout, head: Segment, line: Segment): Segment {
  const above = page.segments.find(
    (one) =>
      one.box[1] > head.box[3] - 0.4 * page.unit &&
      one.box[1] < line.box[1] - 0.4 * page.unit &&
      Math.abs(one.box[0] - line.box[0]) < 0.3 * page.unit &&
      linesBetween(one, line, page.unit) < 0.6,
  );
  return above ? topOfBlock(page, head, above) : line;
}

/** True when something else of the lower one's column stands between the two. */
function isApart(page: PageLayout, above: Segment, below: Segment): boolean {
  const near = 0.4 * page.unit;
  return page.segments.some(
    (one) => one.box[1] > above.box[1] + near && one.box[1] < below.box[1] - near && isInColumn(one, below, page.unit),
  );
}

/** Words for amounts are parts of names in other languages ("Zakład", "Bar"): a label has a number behind it. */
const isOnlyWord = (key: Key, segment: Segment) =>
  key.meanings.every(({ field }) => /^(?:amount_|_discount|_tendered|_change)/.test(field)) &&
  segment.tokens.length > key.tokens.length &&
  !/[\d:]/.test(segment.text);

/** What stands behind a label on its line. */
function rightOf(page: PageLayout, label: Segment): Segment | undefined {
  const right = page.segments.filter((one) => isBeside(one, label) && one.box[0] > label.box[2]);
  return right.sort((a, b) => a.box[0] - b.box[0])[0];
}

function readParty(
  role: Role,
  lines: PartyLine[],
  keys: Key[],
  page: PageLayout,
  evidence: Party['evidence'],
): Party | undefined {
  let name: PartyLine | undefined;
  let person: PartyLine | undefined;
  const address: PartyLine[] = [];
  let closed = false;
  for (const line of lines) {
    const label = keys.find((key) => key.tokens[0] === line.tokens[0]);
    const labelled = label && INSIDE.some((field) => means(label, field)) ? label : undefined;
    // "Customer Services Ltd" and "Mobila SRL" are names: a label of a number has one behind it.
    const isWord =
      labelled &&
      (['label_name', 'label_address', 'label_skip'].some((field) => means(labelled, field)) || !/\d/.test(line.text));
    const isLabel = labelled && (!isWord || /:/.test(line.text) || line.tokens.length === labelled.tokens.length);
    if (labelled && isLabel) {
      const rest = line.tokens.filter((token) => !labelled.tokens.includes(token));
      const value = rest.length > 0 ? toLine(rest) : undefined;
      if (/^(?:attn|attention|att|z hd|zu handen|c o)$/.test(labelled.phrase)) person ??= value;
      else if (means(labelled, 'label_name')) name ??= value;
      else if (means(labelled, 'label_address') && value) address.push(stripLabels(value, keys));
      else if (
        name &&
        (means(labelled, 'vat_id') || means(labelled, 'ic') || means(labelled, '_phone')) &&
        address.length > 0
      )
        closed = true;
      continue;
    }
    if (closed || line.text.length < 2 || (name && CAPITAL.test(line.text))) continue;
    if (isContact(line.text)) {
      // "Main Street 1 · 12345 Place · Tel. 0123 456": the address stands before it.
      const own = addressIn(line.text);
      if (name && !isContact(own) && isPostal(own)) address.push(line);
      continue;
    }
    if (!name) {
      // A number, or a label with something behind it, is no name.
      if (!/\p{L}{2}/u.test(line.text) || /^[^:]{2,30}\s*:/.test(line.text)) continue;
      if (person && /^\d/.test(line.text)) {
        name = person;
        address.push(line);
        continue;
      }
      const inline = splitAddressLine(line.text);
      if (inline) {
        name = { ...line, text: inline.name };
        address.push({ ...line, text: inline.address });
      } else name = line;
      continue;
    }
    if (SALUTATION.test(name.text)) {
      name = toLine([...name.tokens, ...line.tokens]);
      continue;
    }
    if (/^[^:]{2,30}\s+:\s/.test(line.text)) continue;
    address.push(line);
  }
  const kept = trimAddress(address);
  const used = [...(name ? [name] : []), ...kept];
  if (used.length === 0) return undefined;
  return {
    role,
    name: name && { text: nameIn(name.text, page.source), box: name.box },
    address:
      kept.length > 0
        ? {
            text: kept.map((line) => addressIn(line.text).replace(/,$/, '')).join(', '),
            box: unite(kept.map((line) => line.box)),
          }
        : undefined,
    page: page.number,
    box: unite(lines.map((line) => line.box)),
    evidence,
  };
}

/** A name without the numbers of its company: "Ribeira, Lda · NIPC 513 222 114", "Lim Trading Sdn Bhd (1191015-W)". */
function nameIn(line: string, source: PageLayout['source']): string {
  const name = line
    .split(/\s+[|·•∙]\s+(?=.*\d)/)[0]!
    .replace(/(?<=\p{L}\.?) \([\d -]{5,}(?:-[A-Z])?\)$/u, '')
    .replace(/,$/, '');
  // Letters that OCR confuses in the words for a legal form.
  return source === 'ocr' ? name.replace(/\bS[O0]N(?=\.?,? BHD\b)/i, 'SDN').replace(/\bGMB[RK]\b/i, 'GmbH') : name;
}

/** "CAP: 00145 Nazione: IT" is two labels in one line. */
function stripLabels(line: PartyLine, keys: Key[]): PartyLine {
  const inner = new Set(
    keys
      .filter((key) => INSIDE.some((field) => means(key, field)) && /:/.test(key.tokens.at(-1)!.text))
      .flatMap((key) => key.tokens),
  );
  const kept = line.tokens.filter((token) => !inner.has(token));
  return kept.length > 0 ? toLine(kept) : line;
}

/** Persons and departments before the street are no address; nor is what comes behind the place. */
function trimAddress(lines: PartyLine[]): PartyLine[] {
  const isPlace = ({ text }: PartyLine) =>
    ((/\d/.test(text) && /\p{L}{3}/u.test(text)) || isStreet(text)) && !/^\([^()]*\)$/.test(text);
  const place = lines.findIndex(isPlace);
  if (place < 0) return [];
  // Without a word for streets and a number, what stands right over the place is the street: "ZA de la Croix".
  const above = lines[place - 1];
  const isOver = above !== undefined && POSTCODE.test(lines[place]!.text) && isPostal(lines[place]!.text);
  const first = isOver ? place - 1 : place;
  let end = first;
  let postalSeen = false;
  for (let at = first; at < Math.min(lines.length, first + 6); at++) {
    const { text } = lines[at]!;
    const goesOn = /,$/.test(lines[at - 1]?.text ?? '') && /^[\p{L}\s.,'-]+$/u.test(text);
    // In Hungary the place comes before the street.
    const isStreetBehind = at === first + 1 && isStreet(text) && /\d/.test(text) && !isContact(text) && !/:/.test(text);
    if (postalSeen && !COUNTRY.test(text) && !isPostal(text) && !goesOn && !isStreetBehind) break;
    if (isPostal(text)) postalSeen = true;
    end = at + 1;
  }
  const kept = lines.slice(first, postalSeen ? end : Math.min(end, first + 3));
  return kept.filter((line) => !/^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(line.text));
}

const POSTCODE = /^(?:[A-Z]{1,2}-)?(?:\d{4,6}|\d{2}-\d{3}|\d{3} \d{2}|\d{4}-\d{3})(?!\d)/;

const SALUTATION =
  /^(?:herrn?|frau|familie|eheleute|firma|fa\.|hr\.?|fru|pan|pán|pan[íi]|dott\.?|egr\. ?sig\.?|gent\.ma|sr\.?|sra\.?|señor|señora|d\.|dña\.|dhr\.|mevr\.|mr\.?|mrs\.?|ms\.?|messrs\.?|m\.|mme|monsieur|madame|sig\.|spett\.? ?le|an|an die|to|attn:?)$/iu;

/** The capital of a French company, which stands behind its name. */
const SHARES = /,? au capital (?:social )?de [\d\s.,]+(?:€|euros?)/i;

/** "Name - Street 1 - 12345 Place" in one line. */
function splitAddressLine(line: string): { name: string; address: string } | undefined {
  const sentences = line.split(SENTENCE);
  const registered = sentences.length > 1 && hasLegalForm(sentences[0]!) && !isPostal(sentences[0]!);
  const office = registered ? sentences.find((one) => LABEL.test(one) && isPostal(one)) : undefined;
  if (office) return { name: sentences[0]!, address: office.replace(LABEL, '').replace(/\.$/, '') };
  const whole = sentences.length > 1 && isPostal(sentences[0]!) ? sentences[0]! : line;
  const seated = splitAtSeat(whole);
  if (seated) return seated;
  const text = whole.replace(SHARES, '');
  if (!isPostal(text) || text.length > 160) return undefined;
  // "Web Design · The Old Dairy, Ashby, Totnes TQ9 7UU · 01803 555 019"
  const [head = '', seat = ''] = text.split(/\s+[|·•∙]\s+/);
  const isSeat = isPostal(seat) && /,/.test(seat) && !/:/.test(seat);
  if (isSeat && !/[\d,:@]/.test(head) && /\p{L}{3}/u.test(head)) return { name: head, address: addressIn(seat) };
  const parts = text
    // OCR loses the dot between a house and its place: "Am Hohlweg 12 97318 Kitzingen".
    .replace(/(?<=\p{L} \d{1,3}[a-z]?) (?=\d{4,5} \p{Lu}\p{Ll})/u, ', ')
    .split(/\s+[·•|*∙–—-]\s*|\s*[·•|∙]\s*|,\s+|\s*;\s*/)
    .map((part) => part.trim())
    .filter(Boolean);
  const street = parts.findIndex((part, at) => at > 0 && (/\d/.test(part) || isStreet(part)));
  // "Seattle, WA 98109, US" is a place without a name.
  if (street > 0 && isPostal(parts[street]!) && !hasLegalForm(parts[0]!)) return undefined;
  if (parts.length < 3) return splitAtForm(text);
  if (parts.length > 7 || street < 1 || street > 2) return undefined;
  if (/\d{3}|:/.test(parts[0]!) || !/\p{L}{3}/u.test(parts[0]!) || startsAsStreet(parts[0]!)) return undefined;
  const place = parts.findIndex((part, at) => at >= street && isPostal(part));
  const last = place >= 0 && COUNTRY.test(parts[place + 1] ?? '') ? place + 1 : place;
  const isBehind = (part: string, at: number) =>
    isContact(part) || /:/.test(part) || (place >= 0 && at > last && /\d/.test(part));
  const end = parts.findIndex((part, at) => at >= street && isBehind(part, at));
  const address = parts.slice(street, end < 0 ? undefined : end).join(', ');
  return isPostal(address) ? { name: parts.slice(0, street).join(' '), address } : undefined;
}

/** "Acme GmbH Lindenweg 3 83556 Griesbach": OCR loses the small dots between a name and its address. */
function splitAtForm(text: string): { name: string; address: string } | undefined {
  const [, name, address] =
    /^(.{3,50}?\s(?:GmbH(?: & Co\. KG)?|AG|KG|OHG|e\. ?K\.|Ltd\.?|S\.?A\.?R\.?L\.?|SAS|S\.r\.l\.|s\.r\.o\.|B\.?V\.?|AB|ApS|A\/S|AS))[ ,]+(\p{Lu}.*\d.*)$/u.exec(
      text,
    ) ?? [];
  const isWhole = name && address && /^\P{N}+\d{1,4}\p{L}?,? (?:\p{Lu}{1,2}-)?\d{4,5} \p{Lu}\p{L}+/u.test(address);
  return isWhole ? { name, address: address.replace(/[ ,]+$/, '') } : undefined;
}

const startsAsStreet = (text: string) =>
  (isStreet(text) && /\d$/.test(text)) ||
  /^(?:via|viale|piazza|corso|calle|c\/|avda\.?|rua|av\.|rue|ul\.|al\.|plot|unit|level|no\.) /iu.test(text);

/** The small line above the window of a German letter: sender, street, place; the recipient stands under it. */
function readWindow(page: PageLayout): { sender: Party; lines: PartyLine[] } | undefined {
  for (const segment of page.segments) {
    if (segment.box[1] > page.height * 0.4) break;
    if (isContact(segment.text)) continue;
    const inline = splitAddressLine(segment.text);
    if (!inline) continue;
    const near = follow(page, segment, []);
    const isLetterhead = hasLegalForm(inline.name) || isStreet(inline.address);
    const under = near.length > 0 || !isLetterhead ? near : linesOfWindow(page, segment);
    if (under.length < 2 || (near.length > 0 && !under.some((line) => isPostal(line.text)))) continue;
    const box = segment.box;
    const sender: Party = {
      role: 'sender',
      name: { text: inline.name, box },
      address: { text: inline.address, box },
      page: page.number,
      box,
      evidence: 'window',
    };
    return { sender, lines: under };
  }
  return undefined;
}

/** The block that begins some lines under the sender's line, at its left edge. */
function linesOfWindow(page: PageLayout, head: Segment): PartyLine[] {
  const block = findBlocks(page).find(([top]) => {
    const gap = linesBetween(head, top!, page.unit);
    return gap > 0 && gap < 7 && Math.abs(top!.box[0] - head.box[0]) < 0.8 * page.unit;
  });
  const isAddress = block && block.length >= 3 && block.length <= 7 && block.some(({ text }) => /\d/.test(text));
  return isAddress && !isTitle(block[0]!.text) ? block.map(({ tokens }) => toLine(tokens)) : [];
}

/**
 * Two addresses without labels, beside each other or one lower than the other: the sender's tells how to reach him and
 * where he is registered; else the left one, which shows in the window of the envelope, is the recipient's.
 */
function findOneOfTwoBlocks(page: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
  if (taken.some((party) => party.role === 'sender')) return undefined;
  const all = findBlocks(page);
  const untitled = all.map((block) => block.slice(block.findIndex((one) => !isTitle(one.text))));
  const blocks = untitled.filter(
    (block) =>
      block.length >= 3 &&
      block[0]!.box[1] < page.height * 0.4 &&
      block.slice(1).some((segment) => isPostal(segment.text)) &&
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

/** What stands under an address at the same edge, behind an empty line: how to reach the sender, his bank and registers. */
function blockUnder(block: Segment[], all: Segment[][], unit: number): Segment[] {
  const last = block.at(-1)!;
  const isUnder = ([top]: Segment[]) => {
    const gap = linesBetween(last, top!, unit);
    return gap > -0.6 && gap < 2.2 && top!.box[1] > last.box[1] && Math.abs(top!.box[0] - last.box[0]) < 0.8 * unit;
  };
  return all.find(isUnder) ?? [];
}

/** How much in a block only the sender of a letter has there: his bank, how to reach him, his own domain. */
function ownSigns(block: Segment[], page: PageLayout, keys: Key[]): number {
  const named = keys.filter((key) => block.some((segment) => segment.tokens.includes(key.tokens[0]!)));
  const text = block.map((segment) => segment.text).join('\n');
  const name = normalize(block[0]!.text).join('');
  const domain = normalize(/(?:@|www\.)([\w-]{4,})\./.exec(text)?.[1] ?? '').join('');
  const inFoot = page.segments.some(
    (segment) =>
      segment.box[1] > page.height * 0.8 && name.length > 4 && normalize(segment.text).join('').includes(name),
  );
  const signs = [
    isContact(text),
    named.some((key) => means(key, 'iban') || means(key, 'account_num')),
    named.some((key) => means(key, 'vat_id') || means(key, 'ic')),
    domain !== '' && (name.includes(domain) || domain.includes(name)),
    inFoot,
    // A name in large letters is a letterhead; what OCR has read may reach into the frame around it.
    page.source === 'text' && height(block[0]!) > 1.3 * page.unit,
  ];
  return signs.filter(Boolean).length;
}

/** A block with a place in the upper half that belongs to nobody yet. */
function findAddressBlock(page: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
  for (const block of findBlocks(page)) {
    const top = block[0]!;
    if (top.box[1] > page.height * 0.5 || top.box[1] < page.height * 0.08 || block.length < 3) continue;
    if (!block.slice(1).some((segment) => isPostal(segment.text))) continue;
    if (taken.some((party) => overlaps(party.box, top.box))) continue;
    const own = block.some(
      (segment) =>
        isContact(segment.text) ||
        keys.some(
          (key) =>
            segment.tokens.includes(key.tokens[0]!) &&
            (means(key, 'iban') || (isRegistration(key) && !hasAnother(key, block, keys))),
        ),
    );
    // "Firma" alone over a name addresses it; elsewhere it is a label.
    if (own || (startsWithKey(top, keys) && !SALUTATION.test(top.text))) continue;
    // Receipts begin with the address of the shop, in the middle of the paper.
    if (isFirstAddress(page, block) && block.every((segment) => isCentred(segment, page))) continue;
    // The topmost address of a page without labels is the sender's letterhead.
    if (
      !taken.some((party) => party.role === 'sender') &&
      isFirstAddress(page, block) &&
      top.box[1] < page.height * 0.12 &&
      !hasAddressInFoot(page, block)
    )
      continue;
    const party = readParty(
      'recipient',
      block.map((segment) => toLine(segment.tokens)),
      keys,
      page,
      'block',
    );
    if (party?.name && party.address) return party;
  }
  return undefined;
}

const isRegistration = (key: Key) => means(key, 'vat_id') || means(key, 'ic');

/** Whether a number of the same kind, but another one, stands outside of the block: then the page has both parties'. */
function hasAnother(key: Key, block: Segment[], keys: Key[]): boolean {
  const digitsOf = (one: Key) => one.tokens[0]!.segment.text.replace(/\D/g, '');
  return keys.some(
    (other) =>
      !block.includes(other.tokens[0]!.segment) &&
      ['vat_id', 'ic'].some((field) => means(key, field) && means(other, field)) &&
      digitsOf(other).length >= 7 &&
      digitsOf(other) !== digitsOf(key),
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
  return page.segments.some(
    ({ text, box }) =>
      isPostal(text) &&
      !own.some((one) => normalize(text).join(' ').includes(one)) &&
      (box[1] > page.height * 0.75 ||
        (box[1] > block.at(-1)!.box[3] && hasLegalForm(splitAddressLine(text)?.name ?? ''))),
  );
}

const overlaps = (a: Position, b: Position) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Segments under one another with the same left or right edge. */
function findBlocks(page: PageLayout): Segment[][] {
  const blocks: Segment[][] = [];
  for (const segment of page.segments) {
    const block = blocks.find((one) => {
      const last = one.at(-1)!;
      const gap = linesBetween(last, segment, page.unit);
      const aligned =
        Math.abs(last.box[0] - segment.box[0]) < 0.8 * page.unit ||
        (last.box[0] > page.width * 0.4 && Math.abs(last.box[2] - segment.box[2]) < 0.2 * page.unit);
      return aligned && gap > -0.6 && gap < 1.1 && !isSetApart(one, segment);
    });
    if (block) block.push(segment);
    else blocks.push([segment]);
  }
  return blocks.flatMap((block) => (isUnderLogo(block, page.unit) ? [block.slice(0, 1), block.slice(1)] : [block]));
}

/** A logo in large letters stands apart from the window under it, of which the lines stand closer together. */
function isUnderLogo([logo, first, second]: Segment[], unit: number): boolean {
  if (!logo || !first || !second || height(logo) < 1.5 * height(first)) return false;
  return first.box[1] - logo.box[3] - (second.box[1] - first.box[3]) > 0.5 * unit;
}

/** True behind a space that is much wider than those between the lines of a block. */
function isSetApart(block: Segment[], next: Segment): boolean {
  const tops = [...block.slice(-2), next].map((one) => one.box[1]);
  return tops.length === 3 && tops[2]! - tops[1]! > 1.7 * (tops[1]! - tops[0]!);
}

/** "Registered office: 1 High Street, Leeds LS1 1AA" */
const SEAT =
  /^(?:siège(?: social)?|registered (?:office|address)|sitz(?: der gesellschaft)?|geschäftsanschrift|sede(?: legale| social)?|domicilio(?: social)?|sídlo|siedziba|zetel|székhely|sediul(?: social)?)\s*:\s*/iu;

/** "Acme Ltd · Registered office: 1 High Street, Leeds LS1 1AA": the label of the seat ends the name before it. */
function splitAtSeat(line: string): { name: string; address: string } | undefined {
  const [name = '', seat = ''] = line.split(/\s+[|·•∙*–—-]\s+/);
  const address = seat.replace(SEAT, '');
  const isName = hasLegalForm(name) && !/[:@]|\d{3}/.test(name);
  return isName && address !== seat && isPostal(address) ? { name, address: addressIn(address) } : undefined;
}

/** A seat with its label has the name in the line above. */
function splitSeat(page: PageLayout, segment: Segment): { name: string; address: string } | undefined {
  const rest = segment.text.replace(SEAT, '');
  const above = rest === segment.text || !isPostal(rest) ? undefined : lineAbove(page, segment);
  const isName = above && /\p{L}{3}/u.test(above.text) && !/[\d:@]/.test(above.text) && above.tokens.length < 8;
  return isName ? { name: above.text, address: addressIn(rest) } : undefined;
}

/** A letterhead or foot with name, street and place in one line. */
function findAddressLine(page: PageLayout, taken: Party[]): Party | undefined {
  for (const segment of page.segments) {
    if (segment.box[1] > page.height * 0.3 && segment.box[1] < page.height * 0.75) continue;
    const inline = splitAddressLine(segment.text) ?? splitSeat(page, segment);
    if (!inline || taken.some((party) => overlaps(party.box, segment.box))) continue;
    const box = segment.box;
    return {
      role: 'sender',
      name: { text: inline.name, box },
      address: { text: inline.address, box },
      page: page.number,
      box,
      evidence: 'company',
    };
  }
  return undefined;
}

/** Title words that are no company. */
const TITLE =
  /^(?:(?:tax |commercial |proforma |cash |simplified )*(?:invoice|bill|receipt)|\p{L}*rechnung|fakt[uú]ra|facture|factur[aă]|factuur|fattura|fatura|számla|lasku|\p{L}*gutschrift|credit (?:note|memo)|avoir|kredit(?:t)?not\p{L}*|kreditfaktura|creditnota|creditfactuur|dobropis|nota (?:di|de) cr[eé]dito|hyvityslasku|zálohov\p{L}*|daňový doklad|pro ?forma|quittung|kvitto|kvittering|kuitti|reçu|recibo|účtenka|paragon|nyugta|statement|lieferschein|original|copy|kopie|duplicate|page|seite|welcome|thank|date|datum|stylesheet)|\b(?:nr|no|n°)\.? ?\d/iu;

/** Addresses have numbers too ("No. 8, High Street"). */
const isTitle = (text: string) => TITLE.test(text) && !isStreet(text) && !isPostal(text);

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

/** Without a label: a company by its legal form, near the top or at the bottom; else the line at the top. */
function findSender(tight: PageLayout, keys: Key[], taken: Party[]): Party | undefined {
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
      hasLegalForm(segment.text) &&
      !isOther(segment) &&
      !/:$/.test(segment.text) &&
      !CAPITAL.test(segment.text) &&
      !keys.some((key) => key.tokens[0] === segment.tokens[0] && means(key, 'label_skip')) &&
      segment.tokens.length <= 9,
  );
  const zone = (segment: Segment) =>
    segment.box[1] < page.height * 0.3 ? 0 : segment.box[1] > page.height * 0.75 ? 1 : 2;
  const chosen = [...companies].sort((a, b) => zone(a) - zone(b) || a.box[1] - b.box[1])[0];
  const topmost = free.filter(
    (segment) =>
      segment.box[1] < page.height * 0.3 &&
      !startsWithKey(segment, keys) &&
      !isContact(segment.text) &&
      segment.text.length > 2 &&
      looksNamed(segment) &&
      !isPostal(segment.text) &&
      !isLabelOfNumber(page, segment) &&
      !isOther(segment),
  );
  const top = topmost
    .slice(0, 4)
    .sort((a, b) =>
      height(b) - height(a) > 0.35 * page.unit ? 1 : height(a) - height(b) > 0.35 * page.unit ? -1 : 0,
    )[0];
  // A trade under the name at the top says what the shop is.
  const isUnderName = chosen && topmost[0] && isTrade(chosen.text) && lineAbove(page, chosen) === topmost[0];
  const head = isUnderName ? topmost[0] : chosen && zone(chosen) < 2 ? chosen : (top ?? chosen);
  if (!head) return undefined;
  // The legal form may stand alone in the second line of a name.
  const before = head.tokens.length <= 2 ? lineAbove(page, head) : undefined;
  const isPart = before && looksNamed(before) && !startsWithKey(before, keys);
  const title = head.tokens.findLastIndex((token, at) => at > 0 && isTitle(token.text));
  const named = title > 0 && title === head.tokens.length - 1 ? head.tokens.slice(0, title) : head.tokens;
  const name = toLine([...(isPart ? before.tokens : []), ...named]);
  const under = [name, ...followCentred(page, head, keys, taken)];
  const evidence = head === chosen ? 'company' : 'top';
  const party = readParty('sender', under, keys, page, evidence) ?? {
    role: 'sender' as const,
    name: { text: head.text, box: head.box },
    address: undefined,
    page: page.number,
    box: head.box,
    evidence: evidence as Party['evidence'],
  };
  if (party.address && isPostal(party.address.text)) return party;
  const again = party.name ? findNameAgain(page, party.name, keys, taken) : undefined;
  if (again) return { ...party, address: again };
  if (party.address) return party;
  const elsewhere = findAddressElsewhere(page, head, taken, keys);
  return elsewhere ? { ...party, address: elsewhere } : party;
}

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

/** The name may stand in the letterhead alone, and once more over the address. */
function findNameAgain(
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

const height = ({ box }: Segment) => box[3] - box[1];
/** Words of a name that OCR is unsure of may be right; when it is of most of them, it is a picture. */
const isCertain = ({ tokens }: Segment) =>
  tokens.filter(({ confidence }) => confidence > 0.55).length >= tokens.length / 2;

/** Letterheads are often centred, or aligned right. */
function followCentred(page: PageLayout, head: Segment, keys: Key[], taken: Party[]): PartyLine[] {
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
    const ends =
      first && !INSIDE.some((field) => means(first, field)) && first.meanings.some((one) => one.weight === 1);
    if (ends && !isStreet(next.text)) break;
    if (isTitle(next.text) || taken.some((party) => overlaps(party.box, next.box))) break;
    lines.push(toLine(next.tokens));
    above = next;
  }
  return lines;
}

/** The text right above another one, aligned with it at the left or in the middle. */
function lineAbove(page: PageLayout, below: Segment): Segment | undefined {
  return page.segments
    .filter(
      (one) =>
        one !== below && one.box[1] < below.box[1] - 0.4 * page.unit && linesBetween(one, below, page.unit) < 0.9,
    )
    .filter((one) => {
      const centre = Math.abs((one.box[0] + one.box[2] - below.box[0] - below.box[2]) / 2);
      return Math.abs(one.box[0] - below.box[0]) < page.unit || centre < 2 * page.unit;
    })
    .sort((a, b) => b.box[1] - a.box[1])[0];
}

/** The sender's address may stand beside the name, or in the foot of the page. */
function findAddressElsewhere(
  page: PageLayout,
  head: { text: string; box: Position },
  taken: Party[],
  keys: Key[],
): Party['address'] {
  // "Fakturanummer 77120" is no place.
  const isNumber = (segment: Segment) => !isStreet(segment.text) && startsWithKey(segment, keys);
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
    const isPart =
      (/\d/.test(above.text) && /\p{L}{3}/u.test(above.text)) || isStreet(above.text) || /,$/.test(above.text);
    const isSentence = above.tokens.length > 5 && /\p{L}{3}\.$/u.test(above.text);
    if (!isPart || isSentence || isTitle(above.text) || isContact(above.text) || /:/.test(above.text)) break;
    if (taken.some((party) => overlaps(party.box, above!.box)) || above === head) break;
    lines.unshift(above);
  }
  return { text: lines.map((line) => addressIn(line.text)).join(', '), box: unite(lines.map((line) => line.box)) };
}

/** The end of a sentence: not that of "St. Mary" or "No. 5". */
const SENTENCE = /(?<=\p{L}{4}|[A-Z]{2}|\d{5}|\b(?:Ltd|Inc))\.\s+(?=\p{Lu})/u;
const LABEL = /^[^:,\d]{3,30}:\s*/;

/** "Acme Ltd. Registered office: 1 High Street, Leeds LS1 1AA. Registered in England" names the place in one sentence. */
function sentenceOf(text: string): string {
  const sentences = text.split(SENTENCE);
  const placed = sentences.find((one) => isPostal(one));
  return placed && sentences.length > 1 ? placed.replace(LABEL, '') : text;
}

/** What is the address in "High Street 1, Leeds LS1 1AA | 0113 496 0000 | VAT 123 4567 82". */
function addressIn(line: string): string {
  const sentence = sentenceOf(line);
  // "88662 Seeheim Tel. 07551 48110": OCR loses the dot before the telephone.
  const reach = sentence.search(REACH);
  const before = sentence.slice(0, Math.max(0, reach)).replace(/[\s|·•∙–—-]+$/, '');
  const text = isPostal(before) ? before : sentence;
  // A dash stands in "Madurai - 625001" too; between an address and other things it is a border.
  const isListed = isContact(sentence) || (sentence.match(/\s[–—-]\s/g)?.length ?? 0) > 1;
  const parts = text.split(isListed ? /\s+[|·•∙–—-]\s+/ : /\s+[|·•∙]\s+/);
  const isOther = (part: string) =>
    isContact(part) || /:/.test(part) || !/\p{L}{2}/u.test(part) || (/\d{3}[\d ]{4}/.test(part) && !isPostal(part));
  // "1 High Street, Leeds LS1 1AA · DX 240 Leeds": behind the place comes at most the country.
  const place = parts.findIndex((part) => isPostal(part));
  const kept = parts.filter((part, at) => !isOther(part) && !(place >= 0 && at > place && /\d/.test(part)));
  return kept.length > 0 ? kept.join(', ') : text;
}
