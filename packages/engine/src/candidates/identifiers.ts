/** Length of an IBAN by country. */
const IBAN_LENGTH: Record<string, number> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MT: 31,
  NL: 18,
  NO: 15,
  PK: 24,
  PL: 28,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TN: 24,
  TR: 26,
  UA: 29,
  XK: 20,
}; // prettier-ignore

/** True when the check digits of an IBAN hold (ISO 13616, modulo 97). */
export function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) || IBAN_LENGTH[iban.slice(0, 2)] !== iban.length) return false;
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/**
 * The IBAN at the start of a text, spaces allowed. What OCR takes for letters among digits is put right when the
 * check digits then hold.
 *
 * @returns the IBAN without spaces, whether it checks, and how many characters of the text it took
 */
export function readIban(text: string): FoundIban | undefined {
  const read = readWholeIban(text);
  if (read?.valid) return read;
  // OCR sees a zero twice, as a letter and as a digit: "DEO02".
  const [doubled, country] = /^([A-Z]{2} ?)[OQ](?=0\d)/.exec(text) ?? [];
  const other = doubled ? readWholeIban(country + text.slice(doubled.length)) : undefined;
  return other?.valid ? { ...other, length: other.length + 1 } : read;
}

interface FoundIban {
  iban: string;
  valid: boolean;
  length: number;
}

function readWholeIban(text: string): FoundIban | undefined {
  const country = text.slice(0, 2).toUpperCase();
  const wanted = IBAN_LENGTH[country];
  if (!wanted) return undefined;
  let compact = '';
  let length = 0;
  for (const character of text) {
    if (compact.length === wanted) break;
    length += character.length;
    if (/[A-Za-z0-9]/.test(character)) compact += character.toUpperCase();
    else if (!/[\s.\-\u00a0]/.test(character)) return undefined;
  }
  if (compact.length !== wanted || /[A-Za-z0-9]/.test(text[length] ?? '')) return undefined;
  if (isIban(compact)) return { iban: compact, valid: true, length };
  const mended = mend(compact, isIban);
  if (mended) return { iban: mended, valid: true, length };
  return /^[A-Z]{2}\d{2}/.test(compact) ? { iban: compact, valid: false, length } : undefined;
}

const CONFUSED: Record<string, string> = { O: '0', Q: '0', D: '0', I: '1', L: '1', S: '5', B: '8', Z: '2', G: '6' };
const MOST_CONFUSED = 8;

/** Letters behind the country that OCR may have taken for digits, put right so that the check digits hold. */
function mend(compact: string, holds: (text: string) => boolean): string | undefined {
  const places = [...compact].flatMap((letter, at) => (at >= 2 && CONFUSED[letter] ? [at] : []));
  const all =
    places.length > MOST_CONFUSED ? [(1 << places.length) - 1] : [...Array(1 << places.length).keys()].reverse();
  for (const choice of all) {
    const letters = [...compact];
    places.forEach((at, bit) => {
      if (choice & (1 << bit)) letters[at] = CONFUSED[letters[at]!]!;
    });
    const text = letters.join('');
    if (text !== compact && holds(text)) return text;
  }
  return undefined;
}

/** Formats of VAT numbers behind the country prefix. */
const VAT_FORMATS: Record<string, RegExp> = {
  AT: /^U\d{8}$/,
  BE: /^[01]?\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z0-9]{2}\d{9}$/,
  GB: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  GR: /^\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^[1-9]\d{1,9}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^\d{9}$/,
  CHE: /^\d{9}(MWST|TVA|IVA)?$/,
  NO: /^\d{9}(MVA)?$/,
}; // prettier-ignore

const digitsOf = (text: string) => [...text].map(Number);

/** Checks that go beyond the format, for the countries where they are published and simple. */
const VAT_CHECKS: Record<string, (body: string) => boolean> = {
  DE: (body) => {
    let product = 10;
    for (const digit of digitsOf(body.slice(0, 8))) {
      const sum = (digit + product) % 10 || 10;
      product = (2 * sum) % 11;
    }
    return (11 - product) % 10 === Number(body[8]);
  },
  CZ: (body) => body.length !== 8 || isIco(body),
  ES: (body) => isNif(body),
  FR: (body) => !/^\d{11}$/.test(body) || (12 + 3 * (Number(body.slice(2)) % 97)) % 97 === Number(body.slice(0, 2)),
  IT: (body) => isLuhn(body),
  PL: (body) => weigh(body.slice(0, 9), [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(body[9]),
  SK: (body) => Number(body) % 11 === 0,
  BE: (body) => 97 - (Number(body.padStart(10, '0').slice(0, 8)) % 97) === Number(body.slice(-2)),
  AT: (body) => {
    const sum = digitsOf(body.slice(1, 8)).reduce((total, digit, at) => {
      const value = at % 2 ? digit * 2 : digit;
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return (10 - ((sum + 4) % 10)) % 10 === Number(body[8]);
  },
  DK: (body) => weigh(body, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  FI: (body) => {
    const rest = weigh(body.slice(0, 7), [7, 9, 10, 5, 8, 4, 2]) % 11;
    return rest !== 1 && (rest === 0 ? 0 : 11 - rest) === Number(body[7]);
  },
  HU: (body) => (10 - (weigh(body.slice(0, 7), [9, 7, 3, 1, 9, 7, 3]) % 10)) % 10 === Number(body[7]),
  LU: (body) => Number(body.slice(0, 6)) % 89 === Number(body.slice(6)),
  SE: (body) => isLuhn(body.slice(0, 10)),
  SI: (body) => {
    const check = 11 - (weigh(body.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) % 11);
    return (check === 10 ? 0 : check) === Number(body[7]);
  },
  PT: (body) => {
    const check = 11 - (weigh(body.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    return (check > 9 ? 0 : check) === Number(body[8]);
  },
};

/** Numbers that say themselves what they are, so that they need no label: the Swiss and Norwegian ones with their ending. */
export const namesItself = (vatId: string): boolean =>
  /^CHE\d{9}(?:MWST|TVA|IVA)$|^NO\d{9}MVA$|^NL\d{9}B\d{2}$/.test(vatId);

const weigh = (text: string, weights: number[]) =>
  digitsOf(text).reduce((sum, digit, at) => sum + digit * weights[at]!, 0);

/** True when a Czech or Slovak IČO's check digit holds. */
export function isIco(ico: string): boolean {
  if (!/^\d{8}$/.test(ico)) return false;
  return (11 - (weigh(ico.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === Number(ico[7]);
}

const NIF_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** True for a Spanish NIF (persons, foreigners, companies) whose check character holds. */
export function isNif(text: string): boolean {
  const person = /^([XYZ]?)(\d{7,8})([A-Z])$/.exec(text);
  if (person) {
    const number = Number(`${person[1] ? 'XYZ'.indexOf(person[1]) : ''}${person[2]}`);
    return `${person[1]}${person[2]}`.length === 8 && NIF_LETTERS[number % 23] === person[3];
  }
  const company = /^[A-HJNP-SUVW](\d{7})([0-9A-J])$/.exec(text);
  if (!company) return false;
  const sum = digitsOf(company[1]!).reduce((total, digit, at) => {
    const value = at % 2 ? digit : digit * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  const check = (10 - (sum % 10)) % 10;
  return company[2] === String(check) || company[2] === 'JABCDEFGHI'[check];
}

/** Luhn's check, as SIREN, SIRET and the Italian partita IVA have it. */
export function isLuhn(number: string): boolean {
  const sum = digitsOf(number)
    .reverse()
    .reduce((total, digit, at) => total + (at % 2 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit), 0);
  return /^\d+$/.test(number) && sum % 10 === 0;
}

/**
 * A VAT number with its country prefix, without spaces and punctuation.
 *
 * @returns `checked` is true when the country's check digits hold, undefined when none are known here
 */
export function readVatId(text: string): { vatId: string; checked: boolean | undefined } | undefined {
  const compact = text.toUpperCase().replace(/[\s.\-/\u00a0]/g, '');
  const country = compact.startsWith('CHE') ? 'CHE' : compact.slice(0, 2);
  const isRight = (id: string) =>
    VAT_FORMATS[country]!.test(id.slice(country.length)) && VAT_CHECKS[country]?.(id.slice(country.length)) === true;
  if (!VAT_FORMATS[country]) return undefined;
  const body = compact.slice(country.length);
  const checked = VAT_FORMATS[country].test(body) ? VAT_CHECKS[country]?.(body) : false;
  const mended = checked === false && /\d{4}/.test(body) ? mend(compact, isRight) : undefined;
  if (mended) return { vatId: mended, checked: true };
  return VAT_FORMATS[country].test(body) ? { vatId: compact, checked } : undefined;
}

/** True for tax numbers that are letters as much as digits: India's GSTIN, Italy's codice fiscale, Mexico's RFC. */
export const isTaxCode = (text: string): boolean =>
  /^(?:\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]|[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3})$/.test(
    text,
  );

/** True for a number of India's GST. */
export const isGstin = (text: string): boolean => /^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]$/.test(text);

/** True for a number of India's GST whose check character holds (Luhn's check to the base 36). */
export function isCheckedGstin(text: string): boolean {
  const sum = [...text.slice(0, 14)].reduce((total, character, at) => {
    const product = Number.parseInt(character, 36) * (at % 2 ? 2 : 1);
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return isGstin(text) && (36 - (sum % 36)) % 36 === Number.parseInt(text[14]!, 36);
}

const LETTERS: Record<string, string> = { '0': 'O', '1': 'I', '2': 'Z', '5': 'S', '6': 'G', '8': 'B' };

/** A VAT number of which OCR has taken a letter of the country for a digit ("F115728600", "R034512390"), put right. */
export function mendCountry(text: string): string {
  // The "O" of "RO39118447" is seen twice: no number in Romania begins with a zero.
  if (/^RO0[1-9]\d{3,}$/.test(text)) return text.replace('0', '');
  const [, country, body] = /^([A-Z]\d|\d[A-Z])([A-Z\d]{6,})$/.exec(text) ?? [];
  if (!country || !body) return text;
  const read = readVatId(country.replace(/\d/, (digit) => LETTERS[digit] ?? digit) + body);
  return read && read.checked !== false ? read.vatId : text;
}

/**
 * A BIC in which OCR has taken a digit for a letter ("GENODEFIMO4"), put right: no place of German banks has an I as
 * its second character, and a branch that has digits has a zero rather than an O beside them.
 */
export function mendBic(text: string): string {
  return text.replace(/^([A-Z]{4}DE[A-Z])I/, '$11').replace(/(?<=^.{8}.*)O(?=\d)|(?<=^.{8}.*\d)O/g, '0');
}

/** True for what has the form of a BIC (ISO 9362) with a country that uses IBAN or is known to. */
export function isBic(text: string): boolean {
  const match = /^[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}([A-Z0-9]{3})?$/.exec(text);
  return (
    match !== null &&
    (match[1]! in IBAN_LENGTH ||
      ['US', 'SG', 'HK', 'JP', 'CN', 'AU', 'CA', 'IN', 'MY', 'NZ', 'ZA', 'RU'].includes(match[1]!))
  );
}
