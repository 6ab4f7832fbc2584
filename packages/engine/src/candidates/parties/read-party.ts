import { type PageLayout, unite } from '../../layout/page-layout';
import { findDates } from '../dates';
import { isTaxCode } from '../identifiers';
import type { Key } from '../key-phrases';
import { addressIn, HOUSE_NAME, splitAddressLine } from './address-text';
import type { Party, Role } from './party';
import {
  CAPITAL,
  COUNTRY,
  hasLegalForm,
  isCompanyNumber,
  isContact,
  isOwner,
  isPostal,
  isStreet,
  isTrade,
  SALUTATION,
  withoutBrand,
  withoutCompanyNumber,
} from './party-forms';
import { INSIDE, means } from './party-labels';
import { addLabelled, type PartyLine, toLine } from './party-lines';

/** Name and address in the lines of a block: the first line that can be one is the name, what follows the address. */
export function readParty(
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
  let nameless = false;
  let nameLabel = '';
  for (const line of lines) {
    // "LOT 12 JALAN UTARA" is a place, although goods have lots too.
    const label = keys.find((key) => key.tokens[0] === line.tokens[0] && !/^lot$/.test(key.phrase));
    const labelled = label && INSIDE.some((field) => means(label, field)) ? label : undefined;
    // "Customer Services Ltd" and "Mobila SRL" are names: a label of a number has one behind it.
    const isWord =
      labelled &&
      (['label_name', 'label_address', 'label_skip'].some((field) => means(labelled, field)) || !/\d/.test(line.text));
    const isPerson = labelled && PERSON.test(labelled.phrase);
    const isLabel =
      labelled && (!isWord || isPerson || /:/.test(line.text) || line.tokens.length === labelled.tokens.length);
    if (labelled && isLabel) {
      const rest = line.tokens.filter((token) => !labelled.tokens.includes(token));
      const value = rest.length > 0 ? toLine(rest) : undefined;
      if (isPerson || labelled.phrase === 'c o') person ??= value;
      else if (means(labelled, 'label_name')) {
        // "Nome: Giovanni" over "Cognome: Rossetti"
        const isRest =
          name && value && FAMILY.test(labelled.phrase) !== FAMILY.test(nameLabel) && isGiven(labelled, nameLabel);
        name = isRest ? toLine([...name!.tokens, ...value!.tokens]) : (name ?? value);
        if (name === value) nameLabel = labelled.phrase;
      } else if (means(labelled, 'label_address') && value)
        addLabelled(address, stripLabels(value, keys), labelled.phrase);
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
    if (isCompanyNumber(line.text) && !isPostal(line.text)) continue;
    if (isTaxCode(line.text.replace(/\s/g, ''))) {
      closed = address.length > 0;
      continue;
    }
    if (!name) {
      // A number, a date, the number of the page ("1 de 1"), or a label with something behind it, is no name.
      if (
        !(page.source === 'ocr' ? /\p{L}{3}|\p{L}[^\p{L}]{1,3}\p{L}/u : /\p{L}{2}/u).test(line.text) ||
        isDate(line.text) ||
        /^[^:]{2,30}\s*:(?! ?\()/.test(line.text)
      )
        continue;
      if (/^\d+ \p{Ll}{1,3} \d+$/u.test(line.text)) continue;
      if (person && /^\d/.test(line.text)) {
        name = person;
        address.push(line);
        continue;
      }
      if (
        role === 'sender' &&
        evidence === 'label' &&
        isHouse(line.text) &&
        startsWithPlace(lines[lines.indexOf(line) + 1])
      ) {
        address.push(line);
        nameless = true;
        continue;
      }
      if (nameless) {
        address.push(line);
        continue;
      }
      const inline = splitAddressLine(line.text);
      if (!inline && evidence === 'label' && line === lines[0] && isWholeAddress(line.text)) {
        address.push(line);
        nameless = true;
        continue;
      }
      if (inline) {
        name = { ...line, text: inline.name };
        address.push({ ...line, text: inline.address });
      } else name = line;
      continue;
    }
    if (SALUTATION.test(name.text)) {
      name = TO.test(name.text) ? line : toLine([...name.tokens, ...line.tokens]);
      continue;
    }
    if (/^[^:]{2,30}\s+:\s/.test(line.text)) continue;
    // "Razón social: AYUNTAMIENTO DE" over "ROBLEDILLO" over "Domicilio:": what a cell has no room for.
    const next = lines[lines.indexOf(line) + 1];
    const isBetween = nameLabel !== '' && address.length === 0 && next && isAddressLabel(next, keys);
    if (isBetween && !/[\d:,]/.test(line.text) && !isStreet(line.text)) {
      name = toLine([...name.tokens, ...line.tokens]);
      continue;
    }
    // "Nordlicht" over "Versicherungsverein Kiel a.G.": the name of a seller in two lines.
    if (role === 'sender' && evidence === 'label' && address.length === 0 && goesOn(name.text, line.text)) {
      name = toLine([...name.tokens, ...line.tokens]);
      continue;
    }
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
            text: kept.map((line) => mendStreet(addressIn(line.text).replace(/,$/, ''), page.source)).join(', '),
            box: unite(kept.map((line) => line.box)),
          }
        : undefined,
    page: page.number,
    box: unite(lines.map((line) => line.box)),
    evidence,
  };
}

/** Labels of a family's name, and of the name before it. */
const FAMILY = /^(?:cognome|last name|surname|nachname|apellidos?|prijmeni|priezvisko|nazwisko)$/;
const GIVEN = /^(?:nome|first name|vorname|prenom|nombre|imie|jmeno|meno|name|nom)$/;

const isGiven = ({ phrase }: Key, other: string) => GIVEN.test(phrase) || GIVEN.test(other);

const isAddressLabel = ({ tokens }: PartyLine, keys: Key[]) =>
  keys.some((key) => key.tokens[0] === tokens[0] && means(key, 'label_address'));

/** Whether the legal form that a name lacks stands in the line under it. */
const goesOn = (name: string, next: string) =>
  !hasLegalForm(name) && hasLegalForm(next) && !isOwner(next) && !isTrade(next) && !isStreet(next) && !isPostal(next);

/** Words before somebody in a company; with whom the recipient is to be found ("c/o") belongs to his address. */
const PERSON =
  /^(?:attn|attention|att|z hd|zu handen|fao|for the attention of|t a v|ter attentie van|a l attention de|a la atencion de)$/;

/** "De Bosuil B.V. t.a.v. de administratie": for whom in the company it is. */
const ADDRESSEE =
  /,? (?:t\. ?a\. ?v\.|ter attentie van|z\. ?Hd\.|zu Händen|attn:?|att:|FAO|à l['’]attention de|all['’]attenzione di|alla c\.a\.|k rukám|do rąk)(?: .*)?$/iu;

/** Words over a name that are no part of it. */
const TO = /^(?:an(?: die| den| das)?|to|attn:?)$/i;

/** "Cintorínska 18" */
const isHouse = (text: string) => /^\p{Lu}[\p{L}. ]+ \d{1,4}(?:[/-]\d{1,4})?[a-z]?$/iu.test(text);

/** "118 MG Road, Ajmer, Rajasthan 305001": under a label of its own stands the address alone. */
const isWholeAddress = (text: string) => /^\d.*,/.test(text) && isStreet(text) && isPostal(text);

const startsWithPlace = (line: PartyLine | undefined) =>
  line !== undefined && POSTCODE.test(line.text) && isPostal(line.text);

/** A name without the numbers of its company: "Ribeira, Lda · NIPC 513 222 114", "Lim Trading Sdn Bhd (1191015-W)". */
function nameIn(line: string, source: PageLayout['source']): string {
  const name = withoutCompanyNumber(withoutBrand(line))
    .split(/\s+[|·•∙]\s+(?=.*\d)/)[0]!
    .replace(ADDRESSEE, '')
    .replace(/,$/, '');
  // Letters that OCR confuses in the words for a legal form.
  return source === 'ocr'
    ? name
        .replace(/\b[S5][DO0][NM](?=\.?,? ?[BS8]H[DO0]\b)/i, 'SDN')
        .replace(/(?<=\bSDN\.?,? ?)[BS8]H[DO0]\b/i, 'BHD')
        .replace(/\bS\/[B8]{1,2}$/, 'S/B')
        .replace(/\bGMB[RK]\b/i, 'GmbH')
    : name;
}

/** "HauptstraBe 3": OCR that does not know the language of a street takes its letter for another. */
const mendStreet = (line: string, source: PageLayout['source']): string =>
  source === 'ocr' ? line.replace(/(?<=[Ss]tra)B(?=e\b)/g, 'ß') : line;

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
  // "1180 Homer St" is no place where a Canadian postcode comes behind.
  const isTown = lines.some(({ text }) => CANADIAN.test(text)) ? (text: string) => CANADIAN.test(text) : isPostal;
  const isPlace = ({ text }: PartyLine) =>
    ((/\d/.test(text) && /\p{L}{3}/u.test(text)) || isStreet(text) || isPostcode(text)) && !/^\([^()]*\)$/.test(text);
  const numbered = lines.findIndex(isPlace);
  if (numbered < 0) return [];
  // "Gas Safe 541188" over an address in one line is no part of it.
  const whole = lines.findIndex(({ text }) => isTown(text) && isStreet(text) && /,/.test(text));
  const isApart =
    whole > numbered &&
    !lines.slice(numbered, whole).some(({ text }) => isStreet(text) || isTown(text) || /,/.test(text));
  const place = isApart ? whole : numbered;
  // Without a word for streets and a number, what stands right over the place is the street: "ZA de la Croix".
  const above = lines[place - 1];
  const isOver = above !== undefined && POSTCODE.test(lines[place]!.text) && isTown(lines[place]!.text);
  // British places stand in a line of their own over the postcode, houses with a name over them.
  const isBritish = TOWN_POSTCODE.test(lines[place]!.text) && !/,/.test(lines[place]!.text);
  const isUnderHouse =
    above !== undefined &&
    HOUSE_NAME.test(above.text) &&
    !/\d/.test(lines[place]!.text) &&
    lines.slice(place).some(({ text }) => isPostcode(text) || TOWN_POSTCODE.test(text));
  let linesOver = 0;
  if (isPostcode(lines[place]!.text)) linesOver = LINES_OVER_POSTCODE;
  else if (isUnderHouse) linesOver = 1;
  else if (isBritish) linesOver = LINES_OVER_POSTCODE - 1;
  else if (isOver || (above !== undefined && BUILDING.test(above.text))) linesOver = 1;
  const first = Math.max(0, place - linesOver);
  let end = first;
  let postalSeen = false;
  for (let at = first; at < Math.min(lines.length, first + 6); at++) {
    const { text } = lines[at]!;
    // "Ara Damansara, 47301" over "Petaling Jaya, Selangor": the postcode ends the line before its place.
    const goesOn = /,$|\p{L}, \d{5}$/u.test(lines[at - 1]?.text ?? '') && /^[\p{L}\s.,'-]+$/u.test(text);
    // In Hungary the place comes before the street.
    const isStreetBehind = at === first + 1 && isStreet(text) && /\d/.test(text) && !isContact(text) && !/:/.test(text);
    if (postalSeen && !COUNTRY.test(text) && !isTown(text) && !goesOn && !isStreetBehind) break;
    if (isTown(text)) postalSeen = true;
    end = at + 1;
  }
  const kept = lines.slice(first, postalSeen ? end : Math.min(end, first + 3));
  return kept.filter((line) => !/^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(line.text));
}

const CANADIAN = /\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b/;

/** Houses with a name and parts of towns, over their street. */
const BUILDING =
  /^(?:r[ée]sidence|immeuble|b[âa]timent|b[âa]t\.?|lotissement|quartier|le clos|les? jardins|edificio|edif\.|edifício|urbani[sz]aci[óo]n|urb\.|urbanização|residencial|conjunto|condominio|palazzo|complesso|wohnpark|wohnanlage|budynek|osiedle|stambeno naselje|naselje|bloc|ansamblul)(?!\p{L}) ?\p{L}/iu;

/** Lines of an address in which no number tells a house: its name, the street and the place. */
const LINES_OVER_POSTCODE = 3;

/** A town with its British postcode, without a house. */
const TOWN_POSTCODE = /^\p{Lu}[\p{L} '-]+ [A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/u;

export const isTownPostcode = (text: string) => TOWN_POSTCODE.test(text);

/** A British, Canadian or Irish postcode alone. */
export const isPostcode = (text: string) =>
  /^(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d|[A-Z]\d[\dW] [A-Z\d]{4})$/.test(text);

const isDate = (text: string) => {
  const [date] = findDates(text);
  return date !== undefined && date.start === 0 && date.end === text.length;
};

const POSTCODE = /^(?:[A-Z]{1,2}-)?(?:\d{4,6}|\d{2}-\d{3}|\d{3} \d{2}|\d{4}-\d{3})(?!\d)/;
