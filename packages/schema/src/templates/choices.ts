import { options } from './fields';

/** Kinds of documents that the engine knows. */
export const DOCUMENT_TYPES = options({
  tax_invoice: 'Tax invoice',
  credit_note: 'Credit note',
  debit_note: 'Debit note',
  proforma: 'Proforma invoice',
  receipt: 'Receipt',
  delivery_note: 'Delivery note',
  order: 'Order',
  other: 'Other',
});

/** Languages that the engine knows. */
export const LANGUAGES = options({
  ces: 'Czech',
  dan: 'Danish',
  deu: 'German',
  eng: 'English',
  esp: 'Spanish',
  fin: 'Finnish',
  fra: 'French',
  hun: 'Hungarian',
  ital: 'Italian',
  nor: 'Norwegian',
  pol: 'Polish',
  por: 'Portuguese',
  slk: 'Slovak',
  swe: 'Swedish',
  other: 'Other',
});

const CURRENCY_CODES = 'aud bgn cad chf cny czk dkk eur gbp huf inr jpy nok pln ron rub sek usd'.split(' ');
/** Currencies by code, in lower case as the engine gives them. */
export const CURRENCIES = [
  ...CURRENCY_CODES.map((code) => ({ value: code, label: code.toUpperCase() })),
  { value: 'other', label: 'Other' },
];
