import { COUNTRY, hasLegalForm, isContact, isPostal, isStreet, REACH } from './party-forms';

/** The end of a sentence: not that of "St. Mary" or "No. 5". */
const SENTENCE =
  /(?<=\p{L}{4}|[A-Z]{2}|\d{5}|\b(?:Ltd|Inc))(?<!\b(?:Blvd|Avda|Ctra|Prol|Bldg|Prof|Gral|Cnel|Edif|Apdo|Pque|Urb))\.\s+(?=\p{Lu})/u;

const LABEL = /^[^:,\d]{3,30}:\s*/;

/** "Acme Ltd. Registered office: 1 High Street, Leeds LS1 1AA. Registered in England" names the place in one sentence. */
function sentenceOf(text: string): string {
  const sentences = text.split(SENTENCE);
  const placed = sentences.find((one) => isPostal(one));
  return placed && sentences.length > 1 ? placed.replace(LABEL, '') : text;
}

/** "722 15 Västerås Org.nr 559018-4472": what begins with the word for a number ends the address before it. */
const NUMBERS =
  /[\s,;]+(?:org(?:anisations)?\.? ?n(?:umme)?r|company (?:no|number|reg)|reg(?:istration)?\.? no|VAT|GST|GSTIN|ABN|ACN|EIN|UEN|CVR|KvK|BTW|USt|UID|MWST|St\.?-?Nr|Steuer|HR[AB]|SIRET|SIREN|R\.?C\.?S|TVA|P\.? ?IVA|C\.? ?F\.|N\.?I\.?F|C\.?I\.?F|NIPC|NIP|REGON|KRS|IČO?|DIČ|adószám|IBAN|BIC|SWIFT|bankgiro|plusgiro|BG|PG|Moms)(?![\p{L}]).*$/iu;

function withoutNumbers(address: string): string {
  const cut = address.replace(NUMBERS, '');
  return isPostal(cut) ? cut : address;
}

/** What is the address in "High Street 1, Leeds LS1 1AA | 0113 496 0000 | VAT 123 4567 82". */
export function addressIn(line: string): string {
  const sentence = sentenceOf(line);
  // "88662 Seeheim Tel. 07551 48110": OCR loses the dot before the telephone.
  const reach = sentence.search(REACH);
  const before = sentence.slice(0, Math.max(0, reach)).replace(/[\s|·•∙–—-]+$/, '');
  const text = isPostal(before) ? before : sentence;
  // A dash stands in "Madurai - 625001" too; between an address and other things it is a border.
  const isListed = isContact(sentence) || (sentence.match(/\s[–—-]\s/g)?.length ?? 0) > 1;
  const parts = text.split(isListed ? /\s+[|·•∙–—-]\s+/ : /\s+[|·•∙]\s+/);
  const isOther = (part: string) =>
    isContact(part) ||
    (/:/.test(part) && !/^(?:CEP|CAP|ZIP|C\.?P\.?)\s?:/.test(part)) ||
    !/\p{L}{2}/u.test(part) ||
    (/\d{3}[\d ]{4}/.test(part) && !isPostal(part));
  // "1 High Street, Leeds LS1 1AA · DX 240 Leeds": behind the place comes at most the country.
  const place = parts.findIndex((part) => isPostal(part));
  const kept = parts.filter((part, at) => !isOther(part) && !(place >= 0 && at > place && /\d/.test(part)));
  return withoutNumbers(kept.length > 0 ? kept.join(', ') : text);
}

/** The capital of a French company, which stands behind its name. */
const SHARES =
  /(?:(?:,\s?|\s[–-]\s)(?:SA|SAS|SASU|SARL|EURL|SNC|S\.A\.(?:S\.)?|S\.A\.R\.L\.|société (?:anonyme|par actions simplifiée|à responsabilité limitée)(?: unipersonnelle)?))? au capital (?:social )?(?:variable )?de [\d\s.,]+(?:€|euros?|EUR)/iu;

/** What else stands between a French company's name and its address: its numbers, and the word for its seat. */
const PARTICULARS =
  /[\s,–·•|-]*(?:\d{3} ?\d{3} ?\d{3} R\.?C\.?S\.?(?: \p{Lu}[\p{L}-]+)?|(?:n° ?)?(?:R\.?C\.?S\.?|SIREN|SIRET|APE|NAF)(?: \p{Lu}\p{L}[\p{L}-]*)?(?: ?:)? ?(?:[AB] ?)?\d[\d .]{2,}\d[A-Z]?)(?![\p{L}\d])|(?<=[\s,–·•|-])siège(?: social)?\s*:?\s+/giu;

/** Letters of a line in the foot; what is longer was not printed as one. */
const LONGEST_FOOT = 500;

/** Where the street has no number, the house has a name. */
export const HOUSE_NAME =
  /^(?:the |old )|\b(?:house|hall|mill|dairy|farm|barns?|cottage|lodge|works|manor|chambers|wharf|rectory|vicarage|forge|stables|granary|court|chapel|schoolhouse|villa|grange|priory)$/i;

/** "ABN 43 518 844 271", "CVR-nr. 34188448": between a name and its address. */
const COMPANY_NUMBER = /^(?:\p{L}[\p{L}.-]*[ :]+){1,3}(?:\p{Lu}-?)?\d[\d ./-]{6,}[A-Z]?$/u;

/** "Name - Street 1 - 12345 Place" in one line. */
export function splitAddressLine(line: string): { name: string; address: string } | undefined {
  const sentences = line.split(SENTENCE);
  const registered = sentences.length > 1 && hasLegalForm(sentences[0]!) && !isPostal(sentences[0]!);
  const office = registered ? sentences.find((one) => LABEL.test(one) && isPostal(one)) : undefined;
  if (office) return { name: sentences[0]!, address: office.replace(LABEL, '').replace(/\.$/, '') };
  const whole = sentences.length > 1 && isPostal(sentences[0]!) ? sentences[0]! : line;
  const seated = splitAtSeat(whole);
  if (seated) return seated;
  const company = whole.replace(SHARES, '');
  const isLong = company.length > LONGEST_FOOT;
  const text = company === whole || isLong ? company : company.replace(PARTICULARS, '');
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
    .filter((part, at) => part !== '' && (at !== 1 || !COMPANY_NUMBER.test(part) || isPostal(part)));
  const numbered = parts.findIndex((part, at) => at > 0 && (/\d/.test(part) || isStreet(part)));
  const isHouse = numbered > 0 && !/\d/.test(parts[numbered]!) && HOUSE_NAME.test(parts[numbered - 1]!);
  // "The Old Dairy, Chapel Lane, Tideswell SK17 8NR" is an address alone.
  if (isHouse && numbered === 1 && !hasLegalForm(parts[0]!)) return undefined;
  const street = isHouse && numbered === 2 ? 1 : numbered;
  // "Seattle, WA 98109, US" and "Madurai - 625016, Tamil Nadu" are places without a name.
  const isCompany = text !== whole || hasLegalForm(parts[0]!);
  if (street > 0 && isPostal(parts[street]!) && !isCompany) return undefined;
  if (street === 1 && /^\d{4,6}$/.test(parts[street]!) && !hasLegalForm(parts[0]!)) return undefined;
  const [only = '', behind = ''] = parts;
  if (parts.length === 2 && text !== whole && isPostal(behind) && !/\d{3}|:/.test(only)) {
    return { name: only, address: behind };
  }
  if (parts.length < 3) return splitAtForm(text);
  if (parts.length > 7 || street < 1 || street > 2) return undefined;
  if (/\d{3}|:/.test(parts[0]!) || !/\p{L}{3}/u.test(parts[0]!) || startsAsStreet(parts[0]!)) return undefined;
  const place = parts.findIndex((part, at) => at >= street && isPostal(part));
  const last = place >= 0 && COUNTRY.test(parts[place + 1] ?? '') ? place + 1 : place;
  const isBehind = (part: string, at: number) =>
    isContact(part) || /:/.test(part) || (place >= 0 && at > last && /\d/.test(part));
  const end = parts.findIndex((part, at) => at >= street && isBehind(part, at));
  const address = withoutNumbers(parts.slice(street, end < 0 ? undefined : end).join(', '));
  return isPostal(address) ? { name: parts.slice(0, street).join(' '), address } : undefined;
}

/** "Acme GmbH Lindenweg 3 83556 Griesbach": OCR loses the small dots between a name and its address. */
function splitAtForm(text: string): { name: string; address: string } | undefined {
  const [, name, address] =
    /^(.{3,50}?\s(?:GmbH(?: & Co\. KG)?|AG|KG|OHG|e\. ?K\.|Ltd\.?|S\.?A\.?R\.?L\.?|SAS|S\.r\.l\.|s\.r\.o\.|B\.?V\.?|AB|ApS|A\/S|AS))[ ,]+(\p{Lu}.*\d.*)$/u.exec(
      text,
    ) ?? [];
  const isWhole =
    name &&
    address &&
    /^\P{N}+(?:\d{1,4}\p{L}?|\d\d(?: \d\d){1,2}),? (?:\p{Lu}{1,2}-)?\d{4,5} \p{Lu}\p{L}+/u.test(address);
  return isWhole ? { name, address: address.replace(/[ ,]+$/, '') } : undefined;
}

const startsAsStreet = (text: string) =>
  (isStreet(text) && /\d$/.test(text)) ||
  /^(?:via|viale|piazza|corso|calle|c\/|avda\.?|rua|av\.|rue|ul\.|al\.|plot|unit|level|no\.) /iu.test(text) ||
  /^(?:shop|flat|office|suite|block|door|survey|sector|gala)(?: no\.?)? \d/i.test(text);

/** "Registered office: 1 High Street, Leeds LS1 1AA" */
export const SEAT =
  /^(?:siège(?: social)?|registered (?:office|address)|sitz(?: der gesellschaft)?|geschäftsanschrift|sede(?: legale| social)?|domicilio(?: social)?|sídlo|siedziba|zetel|székhely|sediul(?: social)?)\s*:\s*/iu;

/** "Acme Ltd · Registered office: 1 High Street, Leeds LS1 1AA": the label of the seat ends the name before it. */
function splitAtSeat(line: string): { name: string; address: string } | undefined {
  const [name = '', seat = ''] = line.split(/\s+[|·•∙*–—-]\s+/);
  const address = seat.replace(SEAT, '');
  const isName = hasLegalForm(name) && !/[:@]|\d{3}/.test(name);
  return isName && address !== seat && isPostal(address) ? { name, address: addressIn(address) } : undefined;
}
