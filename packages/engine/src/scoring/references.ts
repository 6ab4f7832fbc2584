import type { Key } from '../candidates/key-phrases';
import {
  findGroupedCodes,
  findGroupedNumbers,
  findNumbersOfSeries,
  findReferences,
  type Reference,
} from '../candidates/references';
import { type Token, unite } from '../layout/page-layout';
import { isBeside } from '../layout/relations';
import { type Findings, labelHints, type Put, pairs, type Scored } from './findings';

const REFERENCE_FIELDS = [
  'document_id',
  'order_id',
  'customer_id',
  'delivery_note_id',
  'sender_order_id',
  'var_sym',
  'const_sym',
  'spec_sym',
];

/** Numbers of the document, its order, its customer and its payment, by their labels. */
export function scoreReferences(findings: Findings, put: Put): void {
  const labels = new Set(findings.keys.flatMap((key) => key.tokens));
  const ofSeries = findings.pages.flatMap((page) => findNumbersOfSeries(page));
  const inSeries = new Set(ofSeries.flatMap(({ tokens }) => tokens));
  const references = [
    ...findings.pages
      .flatMap((page) => findReferences(page, findings.values, labels))
      .filter(({ tokens }) => !tokens.some((token) => inSeries.has(token))),
    ...numbersLikeDates(findings),
    ...ofSeries,
  ];
  // Payment references and numbers of customers are printed in groups too.
  const grouped = findings.pages
    .flatMap((page) => findGroupedNumbers(page))
    .filter(({ raw, value }) => /^\d[\d ]*$/.test(raw) && /\s/.test(raw) && value.length <= 25);
  const isGrouped = ({ tokens }: Reference) => grouped.some((group) => group.tokens.includes(tokens[0]!));
  const codes = findings.pages.flatMap((page) => findGroupedCodes(page, findings.values, labels));
  const whole = [...grouped.filter((group) => isWholeNumber(group, labels)), ...codes];
  const found = new Map(
    REFERENCE_FIELDS.map((field) => [
      field,
      pairs(
        findings,
        field,
        field === 'var_sym' || field === 'customer_id'
          ? [...references.filter((one) => !isGrouped(one)), ...grouped]
          : field === 'document_id'
            ? [...references.filter((one) => !whole.some(({ tokens }) => tokens.includes(one.tokens[0]!))), ...whole]
            : references,
      ),
    ]),
  );
  const others = [
    ...found,
    ['_other_id', pairs(findings, '_other_id', references)] as const,
    ['_phone', pairs(findings, '_phone', references)] as const,
  ];
  for (const field of REFERENCE_FIELDS) {
    const scored = found.get(field)!.flatMap((pair): Scored[] => {
      const { value, score, weight, relation } = pair;
      if (!fits(field, value.value)) return [];
      if (field === 'customer_id' && /^(?:a c|acc\S*) /.test(`${pair.key.phrase} `) && isBesideBank(findings, pair.key))
        return [];
      const rival = others.some(
        ([other, list]) => other !== field && list.some((pair) => pair.value === value && pair.score > score + 0.2),
      );
      const short = value.value.length < 3 ? -1 : 0;
      const year = /^(19|20)\d{2}$/.test(value.value) ? -1.2 : 0;
      const bracketed = /^\(/.test(value.tokens[0]!.text) ? -1.5 : 0;
      const inItems = findings.isItem(value.page, value.tokens[0]!.line) ? -2 : 0;
      const later = value.page > 1 ? -0.3 : 0;
      const isOurs =
        field === 'order_id' &&
        isOwnOrder(pair.key) &&
        found.get(field)!.some((other) => other.score > 0 && isCustomersOrder(other.key));
      const weakUnder = weight < 1 && relation === 'under' ? -0.8 : 0;
      const total =
        score + (rival ? -1.8 : 0) + short + year + bracketed + inItems + later + weakUnder + (isOurs ? -1.5 : 0);
      const hints = {
        ...labelHints(pair),
        rival: rival ? 1 : 0,
        inItems: inItems < 0 ? 1 : 0,
        short: short < 0 ? 1 : 0,
      };
      const { raw, page, box, tokens } = value;
      return [{ value: value.value, raw, page, box, tokens, score: total, hints }];
    });
    if (field === 'customer_id') scored.push(...numbersOfRecipient(findings, references));
    put(
      field,
      scored.filter((one) => one.score > (field === 'document_id' ? -1.2 : 0)),
    );
  }
}

/** The sender's own number of an order, which counts where the customer's is not printed. */
const isOwnOrder = ({ phrase }: Key) =>
  /^(?:auftrag|unser|our |sales order|ab nr|ordine cliente|zlecenie)/.test(phrase);
const isCustomersOrder = ({ phrase }: Key) =>
  /^(?:bestell|ihre? |ihr |kundenbestell|your |customer|cust |buyer|purchase|p ?o\b)/.test(phrase);

/** "n° 25 0312 88417": groups of digits up to the end of a text, with nothing but a label before them. */
function isWholeNumber({ tokens, value }: Reference, labels: Set<Token>): boolean {
  const all = tokens[0]!.segment.tokens.filter(({ text }) => text !== ':');
  const start = all.indexOf(tokens[0]!);
  const isAll = tokens.at(-1) === all.at(-1) && (start === 0 || labels.has(all[start - 1]!));
  return isAll && tokens.length > 1 && value.length >= LEAST_GROUPED;
}

/** Shorter numbers are not printed in groups. */
const LEAST_GROUPED = 8;

/** Capitals before a number, none of which is the word before a day. */
const SERIES =
  /^(?!(?:D|Z|DE|DU|DEL|DAL|DI|LE|IL|EL|AM|VOM|OF|ON|DEN|OD|DO|ZE|DNE|DNIA|EM|AL|VAN|DATA|DATE)$)[A-Z]{1,5}$/;

/** "Faktura nr 17/03/2024": what stands right behind the label of a number is one, although it could be a date. */
function numbersLikeDates({ keys, values }: Findings): Reference[] {
  return values.flatMap(({ type, raw, tokens, box, page }) => {
    if (type !== 'date' || tokens.length !== 1 || !/^\d{1,3}\/\d{1,2}\/\d{4}$/.test(raw)) return [];
    const all = tokens[0]!.segment.tokens;
    const at = all.indexOf(tokens[0]!);
    const isLabel = (key: Key, end: number, least: number) =>
      key.tokens.at(-1) === all[end] &&
      key.meanings.some(({ field, weight }) => field === 'document_id' && weight >= least) &&
      /(?:^| )(?:nr|numer|no|n|number|numero|cislo|c|faktura|rachunek)$/.test(key.phrase);
    // "nr FZ 4/02/2025": the series stands before the number.
    const series = all[at - 1];
    if (series && SERIES.test(series.text) && keys.some((key) => isLabel(key, at - 2, 0))) {
      const text = `${series.text} ${raw}`;
      return [
        { value: text.replace(' ', ''), raw: text, tokens: [series, ...tokens], box: unite([series.box, box]), page },
      ];
    }
    return keys.some((key) => isLabel(key, at - 1, 1)) ? [{ value: raw, raw, tokens, box, page }] : [];
  });
}

/** "Sort code 40-52-11 Account 71620033": the account is that of the bank. */
export const isBesideBank = ({ keys, pages }: Findings, key: Key) => {
  const { unit } = pages[key.page - 1]!;
  const isNear = (other: Key) =>
    other.tokens[0]!.segment === key.tokens[0]!.segment ||
    (other.line === key.line && other.page === key.page && Math.abs(other.box[0] - key.box[0]) < 20 * unit) ||
    (other.page === key.page &&
      Math.abs(other.tokens[0]!.segment.box[0] - key.tokens[0]!.segment.box[0]) < unit &&
      Math.abs(other.box[1] - key.box[1]) < 3 * unit);
  return keys.some((other) => isNear(other) && other.meanings.some((one) => one.field === 'bank_num'));
};

/** "Number" in the block of the recipient is his number with the sender. */
function numbersOfRecipient(findings: Findings, references: Reference[]): Scored[] {
  const recipient = findings.parties.find((party) => party.role === 'recipient');
  if (!recipient) return [];
  const [left, top, right, bottom] = recipient.box;
  const plain = findings.keys.filter((key) => /^(?:nummer|number|no|nr|numero|cislo|kod|code|n)$/.test(key.phrase));
  return references
    .filter(
      ({ box, page }) =>
        page === recipient.page && box[0] >= left && box[2] <= right + 1 && box[1] >= top && box[3] <= bottom + 1,
    )
    .filter((reference) =>
      plain.some(
        (key) =>
          key.page === reference.page &&
          // "Str. Doja nr. 64" is a house.
          key.tokens[0] === key.tokens[0]!.segment.tokens[0] &&
          isBeside(key, reference) &&
          key.box[0] < reference.box[0] &&
          reference.tokens[0]!.segment.line === key.line,
      ),
    )
    .map((one) => ({ value: one.value, raw: one.raw, page: one.page, box: one.box, tokens: one.tokens, score: 0.3 }));
}

function fits(field: string, value: string): boolean {
  if (field === 'var_sym') return /^\d{1,20}$/.test(value);
  if (field === 'const_sym') return /^\d{1,8}$/.test(value);
  if (field === 'spec_sym') return /^\d{1,10}$/.test(value);
  // "Facturae 3.2.2" is the version of a format.
  if (field === 'document_id' && /^\d\.\d(?:\.\d)?$/.test(value)) return false;
  // Hungarian accounts are called "számlaszám" like invoices: "10918001-00000027-88110002".
  if (field === 'document_id' && /^\d{8}-\d{8}(?:-\d{8})?$/.test(value)) return false;
  return value.length <= 35;
}
