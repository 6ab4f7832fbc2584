/** The values of an invoice that came as XML. Identifiers are those of API: schemas.md section 3. */
export interface EInvoice {
  syntax: 'CII' | 'UBL' | 'ISDOC' | 'FatturaPA';
  /** Values as the engine writes them: ISO dates, plain decimals, trimmed text. */
  fields: Record<string, string>;
  taxDetails: Record<string, string>[];
  lineItems: Record<string, string>[];
  /** Why a person should look at it although the XML is read; empty as a rule. */
  remarks: string[];
}

/** What readers of a syntax give: values as they stand in the XML, undefined for what is not there. */
export type Found = Record<string, string | undefined>;

const DATE = /^date_/;
const NUMBER =
  /^amount_|^tax_detail_(?:base|rate|tax|total)$|^table_column_(?:quantity|rate|tax|amount|amount_base|amount_total|amount_total_base)$/;
/** Amounts that say nothing when they are zero. */
const UNLESS_ZERO = new Set(['amount_paid', 'amount_rounding']);

/** Keeps what is well-formed, written as the engine writes values. */
export function tidy(found: Found): Record<string, string> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, text]) => {
      const value = text === undefined ? undefined : tidyValue(name, text.trim());
      return value ? [[name, value] as const] : [];
    }),
  );
}

function tidyValue(name: string, text: string): string | undefined {
  if (DATE.test(name)) return readDate(text);
  if (NUMBER.test(name)) {
    const number = readDecimal(text);
    return number !== undefined && UNLESS_ZERO.has(name) && Number(number) === 0 ? undefined : number;
  }
  if (/_ic$|^var_sym$/.test(name)) return text.replace(/\D/g, '');
  if (/_dic$|_vat_id$|^(?:account_num|customer_id|document_id|order_id|iban|bic)$/.test(name))
    return text.replace(/\s/g, '');
  return text.replace(/\s+/g, ' ').slice(0, 2000);
}

/** `2024-01-31`, with time or zone behind it, or `20240131`. */
export function readDate(text: string | undefined): string | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text ?? '');
  return match ? `${match[1]}-${match[2]}-${match[3]}` : undefined;
}

/** A decimal of XML as the engine writes it. */
export function readDecimal(text: string | undefined): string | undefined {
  const match = /^([+-]?)(\d{0,15})(?:\.(\d{0,10}))?$/.exec(text?.trim() ?? '');
  if (!match || !(match[2] || match[3])) return undefined;
  const [, sign, whole, fraction] = match;
  const digits = `${(whole ?? '').replace(/^0+(?=\d)/, '') || '0'}${fraction ? `.${fraction}` : ''}`;
  return sign === '-' && /[1-9]/.test(digits) ? `-${digits}` : digits;
}

/** Price of one, where the XML gives the price of several. */
export function priceOfOne(price: string | undefined, quantity: string | undefined): string | undefined {
  const count = Number(readDecimal(quantity) ?? 1);
  const decimal = readDecimal(price);
  if (decimal === undefined || count === 1 || !(count > 0)) return decimal;
  return String(Number((Number(decimal) / count).toFixed(8)));
}

/** Lines of an address in one text, as a letter has them: street, then postal code and town. */
export function writeAddress(
  street: (string | undefined)[],
  postalCode: string | undefined,
  town: string | undefined,
): string | undefined {
  const lines = [...street, [postalCode, town].filter(Boolean).join(' ')].filter((line) => line);
  return lines.length > 0 ? lines.join(', ') : undefined;
}

/** UNTDID 1001 -> document type. */
export function readDocumentType(code: string | undefined): string | undefined {
  if (!code) return undefined;
  if (['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '532'].includes(code)) return 'credit_note';
  if (['80', '84', '383'].includes(code)) return 'debit_note';
  if (code === '325') return 'proforma';
  if (code === '220') return 'order';
  return 'tax_invoice';
}

/** UNTDID 4461 -> payment method. */
export function readPaymentMethod(code: string | undefined): { payment_method_type?: string } {
  if (code === '10') return { payment_method_type: 'cash' };
  if (['48', '54', '55'].includes(code ?? '')) return { payment_method_type: 'card' };
  return {};
}

const UNITS: Record<string, string> = {
  C62: 'pcs',
  H87: 'pcs',
  EA: 'pcs',
  PCE: 'pcs',
  HUR: 'h',
  DAY: 'days',
  MON: 'months',
  ANN: 'years',
  MIN: 'min',
  KGM: 'kg',
  GRM: 'g',
  TNE: 't',
  LTR: 'l',
  MTR: 'm',
  KMT: 'km',
  MTK: 'm²',
  MTQ: 'm³',
  KWH: 'kWh',
  SET: 'sets',
  PR: 'pairs',
};

/** UN/ECE recommendation 20 -> what people write; other codes stay as they are. */
export const readUnit = (code: string | undefined): string | undefined => (code ? (UNITS[code] ?? code) : undefined);

/** An account number is an IBAN if it looks like one. */
export function readAccount(number: string | undefined): { iban?: string; account_num?: string } {
  const plain = number?.replace(/\s/g, '') ?? '';
  if (plain === '') return {};
  return /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/i.test(plain) ? { iban: plain.toUpperCase() } : { account_num: plain };
}
