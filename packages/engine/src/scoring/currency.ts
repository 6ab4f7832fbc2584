import { isGstin } from '../candidates/identifiers';
import { CURRENCY_CODES } from '../candidates/values';
import { type Token, unite } from '../layout/page-layout';
import { guessLanguage } from '../text/language';
import type { Findings, Put, Scored } from './findings';

const NORDIC: Record<string, string> = { dan: 'DKK', swe: 'SEK', nor: 'NOK' };

/** The currency of the amounts, or else of the country that the account and the tax numbers name. */
export function scoreCurrency(findings: Findings, put: Put): void {
  const language = guessLanguage(findings.pages.flatMap((page) => page.tokens.map((token) => token.text)))?.code ?? '';
  const counts = new Map<string, { count: number; tokens: Token[]; text: string }>();
  const count = (code: string | undefined, tokens: Token[], weight: number, text: string) => {
    if (!code) return;
    const iso = code === 'kr' ? (NORDIC[language] ?? 'SEK') : code;
    const known = counts.get(iso);
    counts.set(iso, {
      count: (known?.count ?? 0) + weight,
      tokens: known?.tokens ?? tokens,
      text: known?.text ?? text,
    });
  };
  for (const value of findings.values) if (value.type === 'amount') count(value.currency, value.tokens, 1, value.raw);
  for (const page of findings.pages) {
    for (const token of page.tokens) {
      // "Price(€)" heads a column.
      const bare = (/\(([^()]+)\)$/.exec(token.text)?.[1] ?? token.text).replace(/^[(]+|[).,:;]+$/g, '');
      const code = CURRENCY_CODES.includes(bare) || bare in CURRENCY_OF ? bare : undefined;
      if (code) count(CURRENCY_OF[code] ?? code, [token], 0.6, bare);
      // "Total kr." names the currency without an amount behind it.
      else if (/^kr$/i.test(bare)) count(NORDIC[language], [token], 0.6, bare);
    }
  }
  const dollar = counts.get('USD');
  const other = dollar && !/\bUSD\b|US\$/.test(allText(findings)) ? otherDollar(allText(findings)) : undefined;
  if (dollar && other) {
    counts.set(other, { ...dollar, count: dollar.count + (counts.get(other)?.count ?? 0) });
    counts.delete('USD');
  }
  if (counts.size === 0) {
    put('currency', currencyOfCountry(findings));
    return;
  }
  const total = [...counts.values()].reduce((sum, one) => sum + one.count, 0);
  put(
    'currency',
    [...counts].map(([value, { count: times, tokens, text }]) => ({
      value,
      raw: text,
      page: tokens[0]!.page,
      box: unite(tokens.map((token) => token.box)),
      tokens,
      score: -0.5 + 3.5 * (times / total) + Math.min(0.5, times * 0.1),
      hints: { share: times / total, often: Math.min(1, times / 5) },
    })),
  );
}

/** Where no amount has a currency, that of the countries in the numbers of accounts and taxes, if they have the same. */
function currencyOfCountry({ values, pages }: Findings): Scored[] {
  const telling = values.filter(({ type, checked }) => type === 'iban' || (type === 'vat' && checked !== false));
  const isIndian = pages.some(({ tokens }) => tokens.some(({ text }) => isGstin(text)));
  const printed = allText({ pages });
  const currencies = new Set([
    ...telling.map(({ value }) => CURRENCY_OF_COUNTRY[value.slice(0, 2)]),
    ...(isIndian ? ['INR'] : []),
    ...CURRENCY_OF_WORDS.flatMap(([words, currency]) => (words.test(printed) ? [currency] : [])),
  ]);
  const [value] = currencies;
  if (value === undefined || currencies.size > 1) return [];
  return [{ value, raw: '', page: 1, box: null, tokens: [], score: 0 }];
}

/** What only the bank transfers, registers and tax offices of one country are called. */
const CURRENCY_OF_WORDS: [words: RegExp, currency: string][] = [
  [/\b(?:bankgiro|plusgiro|F-skatt)\b/i, 'SEK'],
  [/\bCVR\b/, 'DKK'],
  [/\d MVA\b|\bForetaksregisteret\b/, 'NOK'],
  [/\bsort code\b/i, 'GBP'],
  [/\bIFSC\b/, 'INR'],
  [/\(Pty\) Ltd\b|\bSouth Africa\b/i, 'ZAR'],
  [/\bVergi Dairesi\b/i, 'TRY'],
];

/**
 * What is paid with in the countries that have IBANs or VAT numbers. Bulgaria is left out, which changed to the Euro in
 * 2026, and so are countries where two currencies are usual.
 */
const CURRENCY_OF_COUNTRY: Record<string, string | undefined> = {
  ...Object.fromEntries(
    'AD AT BE CY DE EE EL ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK'
      .split(' ')
      .map((country) => [country, 'EUR']),
  ),
  AE: 'AED',
  AL: 'ALL',
  AZ: 'AZN',
  BA: 'BAM',
  BH: 'BHD',
  BR: 'BRL',
  CH: 'CHF',
  CZ: 'CZK',
  DK: 'DKK',
  EG: 'EGP',
  FO: 'DKK',
  GB: 'GBP',
  GE: 'GEL',
  GI: 'GIP',
  GL: 'DKK',
  HU: 'HUF',
  IL: 'ILS',
  IS: 'ISK',
  JO: 'JOD',
  KW: 'KWD',
  KZ: 'KZT',
  LI: 'CHF',
  MD: 'MDL',
  MK: 'MKD',
  NO: 'NOK',
  PK: 'PKR',
  PL: 'PLN',
  QA: 'QAR',
  RO: 'RON',
  RS: 'RSD',
  SA: 'SAR',
  SE: 'SEK',
  TN: 'TND',
  TR: 'TRY',
  UA: 'UAH',
  XI: 'GBP',
};

/** Whose dollar or peso it is, by its code or by what only one country prints. */
function otherDollar(text: string): string | undefined {
  const code = /\b(?:AUD|CAD|NZD|SGD|HKD|MXN|ARS|CLP|COP|UYU)\b/.exec(text)?.[0];
  if (code) return code;
  if (/\bA\.?B\.?N\.?\b|\bAustralia\b/.test(text)) return 'AUD';
  if (/\b(?:GST\/HST|HST|TPS|TVQ|QST)\b|\bCanada\b|\b[A-Z]\d[A-Z] \d[A-Z]\d\b/.test(text)) return 'CAD';
  // Accounts and tax numbers of New Zealand: "12-3078-0004411-00", "49-098-576".
  if (/\bNew Zealand\b|\b\d\d-\d{4}-\d{7}-\d{2,3}\b|\bGST (?:No|Number|Reg)[.:#\s]*\d{2,3}-\d{3}-\d{3}\b/i.test(text))
    return 'NZD';
  if (/\bCFDI\b|\bR\.?F\.?C\.?:? ?[A-ZÑ&]{3,4}-?\d{6}/.test(text)) return 'MXN';
  if (/\bCUIT\b|\bC\.U\.I\.T\b/.test(text)) return 'ARS';
  if (/\bS\.?I\.?I\.?\b|\bChile\b/.test(text) && /\bR\.?U\.?T\b/i.test(text)) return 'CLP';
  if (/\bDIAN\b|\bCUFE\b|\bColombia\b/i.test(text) && /\bN\.?I\.?T\b/i.test(text)) return 'COP';
  if (/\bNIT\b/.test(text) && /\bIVA\b.{0,6}\b19\b/.test(text)) return 'COP';
  return /\bSingapore\b/.test(text) ? 'SGD' : undefined;
}

const CURRENCY_OF: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  Kč: 'CZK',
  RM: 'MYR',
  zł: 'PLN',
  Ft: 'HUF',
  lei: 'RON',
  '₹': 'INR',
};

const allText = ({ pages }: Pick<Findings, 'pages'>) =>
  pages.map((page) => page.segments.map((segment) => segment.text).join('\n')).join('\n');
