import { findCompactDate } from '../candidates/dates';
import { isBic, isIco, isLuhn, isNif, isTaxCode, mendCountry, namesItself, readVatId } from '../candidates/identifiers';
import type { Key } from '../candidates/key-phrases';
import { type Labelled, type LabelOptions, type Placed, pairWithLabels } from '../candidates/labelled';
import { toUnits } from '../candidates/numbers';
import { describeParty, type Party, type Role } from '../candidates/parties';
import { findGroupedNumbers, findNumbersOfSeries, findReferences, type Reference } from '../candidates/references';
import { CURRENCY_CODES, type Value } from '../candidates/values';
import {
  type Amount,
  chooseTotals,
  rankAmounts,
  type TotalCandidates,
  type TotalField,
  textOf,
} from '../consistency/totals';
import { type PageLayout, type Token, unite } from '../layout/page-layout';
import { isBeside, linesBetween } from '../layout/relations';
import type { FieldCandidate, Position } from '../recognition';
import { guessLanguage, languageValue } from '../text/language';
import { WEIGHTS } from './confidence';
import { clamp, type Features, type Model, toConfidence } from './model';

/** Everything that earlier stages have found in the document. */
export interface Findings {
  pages: PageLayout[];
  keys: Key[];
  values: Value[];
  parties: Party[];
  taxSums: { base: number; tax: number } | undefined;
  /** True for lines that belong to the table of line items. */
  isItem(page: number, line: number): boolean;
}

type Fields = Record<string, FieldCandidate[]>;

/** A candidate while its score is still in logits. */
interface Scored {
  value: string;
  raw: string;
  page: number;
  box: Position | null;
  tokens: Token[];
  score: number;
  /** Features of its own, beside those that every candidate has. */
  hints?: Features;
}

const MAX_CANDIDATES = 5;

/**
 * The scoring stage for everything outside tables.
 *
 * @param least what is less probable is left out
 */
export function scoreFields(findings: Findings, model: Model, least: number): Fields {
  const fields: Fields = {};
  const put = (field: string, scored: Scored[]) => {
    const ranked = rank(field, scored, findings.pages, model).filter((one) => one.confidence >= least);
    if (ranked.length > 0) fields[field] = ranked;
  };
  scoreDates(findings, put);
  scoreReferences(findings, put);
  scoreBank(findings, put);
  scoreTotals(findings, put);
  scoreParties(findings, put);
  scoreCurrency(findings, put);
  scoreTerms(findings, put);
  scoreAttributes(findings, put);
  return fields;
}

type Put = (field: string, scored: Scored[]) => void;

/** One candidate per value, best first; a value found several times counts more. */
function unify(scored: Scored[]): (Scored & { times: number })[] {
  const best = new Map<string, Scored & { times: number }>();
  for (const one of scored) {
    const known = best.get(one.value);
    if (!known) best.set(one.value, { ...one, times: 1 });
    else {
      const again = known.box !== one.box;
      const score = Math.max(known.score, one.score) + (again ? WEIGHTS.repeated : 0);
      best.set(one.value, { ...(one.score > known.score ? one : known), score, times: known.times + Number(again) });
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES);
}

/** Candidates with their confidences, best first. */
function rank(field: string, scored: Scored[], pages: PageLayout[], model: Model): FieldCandidate[] {
  const unified = unify(scored);
  return unified
    .map((one) => {
      const others = unified.filter((other) => other !== one).map((other) => other.score);
      const sure = one.tokens.length > 0 ? mean(one.tokens.map((token) => token.confidence)) : 1;
      const score = one.score + WEIGHTS.unsureWords * (1 - sure);
      const features = describe(one, others, sure, pages);
      const learned = model(field, { value: one.value, score, features });
      // Numbers with wrong check digits are too rare to learn from.
      return { one, logit: features.checked === -1 ? Math.min(learned, DOUBTFUL) : learned };
    })
    .sort((a, b) => b.logit - a.logit)
    .map(({ one: { value, raw, page, box }, logit }) => ({
      value,
      rawText: raw,
      page,
      position: box,
      confidence: toConfidence(logit),
    }));
}

/** Logit above which no value with wrong check digits comes, whatever else speaks for it. */
const DOUBTFUL = 0.8;

/** The features that every candidate has. */
function describe(one: Scored & { times: number }, others: number[], sure: number, pages: PageLayout[]): Features {
  const page = pages.find(({ number }) => number === one.page) ?? pages[0]!;
  const lead = others.length > 0 ? clamp(one.score - Math.max(...others), -4, 4) / 4 : 1;
  const digits = one.value.replace(/\D/g, '').length;
  return {
    always: 1,
    hand: clamp(one.score, -4, 6) / 4,
    strong: Math.max(0, clamp(one.score, 0, 6) - 2) / 2,
    lead,
    first: lead >= 0 ? 1 : 0,
    alone: others.length === 0 ? 1 : 0,
    many: Math.log2(1 + others.length) / 3,
    repeated: one.times > 1 ? 1 : 0,
    ocr: page.source === 'ocr' ? 1 : 0,
    unsure: clamp(1 - sure, 0, 0.6) * 2,
    down: one.box ? one.box[1] / page.height : 0.5,
    right: one.box ? one.box[0] / page.width : 0.5,
    nowhere: one.box ? 0 : 1,
    later: one.page > 1 ? 1 : 0,
    last: one.page === pages.length ? 1 : 0,
    long: clamp(one.value.length / 40, 0, 1.5),
    digits: digits / Math.max(1, one.value.length),
    words: clamp(one.tokens.length / 8, 0, 1.5),
    sparse: page.tokens.length < 150 ? 1 : 0,
    ...one.hints,
  };
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Features of a value that a label announces. */
const labelHints = ({ weight, relation }: { weight: number; relation: 'beside' | 'under' }): Features => ({
  label: weight,
  under: relation === 'under' ? 1 : 0,
});

const fromValue = (value: Value, score: number, hints: Features = {}): Scored => ({
  value: value.value,
  raw: value.raw,
  page: value.page,
  box: value.box,
  tokens: value.tokens,
  score,
  hints: { checked: value.checked === undefined ? 0 : value.checked ? 1 : -1, ...hints },
});

/** Pairs of all pages. */
function pairs<T extends Placed>(
  { pages, keys }: Findings,
  field: string,
  values: T[],
  options?: LabelOptions,
): Labelled<T>[] {
  return pages.flatMap((page) =>
    pairWithLabels(
      page,
      field,
      keys.filter((key) => key.page === page.number),
      values.filter((value) => value.page === page.number),
      options,
    ),
  );
}

// ------------------------------------------------------------------ dates

const DATE_FIELDS = ['date_issue', 'date_due', 'date_uzp', '_other_date'] as const;

function scoreDates(findings: Findings, put: Put): void {
  const dates = [...findings.values.filter((value) => value.type === 'date'), ...compactDates(findings)];
  const found = new Map<string, Labelled<Value>[]>(
    DATE_FIELDS.map((field) => [field, pairs(findings, field, dates, { maxLines: 3 })]),
  );
  const claimed = (value: Value, except: string) =>
    [...found].some(
      ([field, list]) =>
        field !== except && list.some((pair) => pair.value === value && pair.weight === 1 && pair.score > 1),
    );
  const scored = new Map<string, Scored[]>();
  for (const field of DATE_FIELDS) {
    const list = found.get(field)!.flatMap((pair) => {
      const { value, score, weight } = pair;
      // "from 1 January to 31 December": the end of a period is no day of payment.
      const [first] = pair.key.tokens;
      const before = first!.segment.tokens[first!.segment.tokens.indexOf(first!) - 1];
      if (field === 'date_due' && weight < 1 && before && dates.some(({ tokens }) => tokens.includes(before)))
        return [];
      const taken = claimed(value, field);
      if (field === 'date_issue' && weight < 1 && isOfAmount(findings, pair.key)) return [];
      const doubt = (weight < 1 && taken ? -1.5 : 0) + (findings.isItem(value.page, value.line) ? -1.5 : 0);
      return fromValue(value, score + doubt, { ...labelHints(pair), taken: taken ? 1 : 0 });
    });
    scored.set(field, list);
  }
  const issue = scored.get('date_issue')!;
  const free = dates.filter(
    (value) => value.page === 1 && !claimed(value, 'date_issue') && !findings.isItem(value.page, value.line),
  );
  free.slice(0, 2).forEach((value, at) => {
    issue.push(fromValue(value, -0.9 + (free.length === 1 ? WEIGHTS.onlyOne : 0) - at * 0.4));
  });
  const best = unify(issue)[0];
  const due = scored.get('date_due')!.map((one): Scored => {
    const early = best && one.value < best.value ? WEIGHTS.contradicts : 0;
    return { ...one, score: one.score + early, hints: { ...one.hints, early: early < 0 ? 1 : 0 } };
  });
  put('date_issue', issue);
  const likely = due.filter((one) => one.score > -1.2);
  put('date_due', likely.length > 0 ? likely : datesOfDebit(dates, best?.value));
  put(
    'date_uzp',
    scored.get('date_uzp')!.filter((one) => one.score > -0.8),
  );
}

/** "Acompte versé le 20/02/2024": the date is that of the amount which the line names first. */
const isOfAmount = ({ keys }: Findings, { tokens: [first] }: Key) =>
  keys.some(
    (other) =>
      other.tokens[0]!.segment === first!.segment &&
      other.tokens[0]!.box[0] < first!.box[0] &&
      other.meanings.some(
        ({ field, weight }) => weight === 1 && /^(?:amount_|_discount|_other_date|order_id)/.test(field),
      ),
  );

const DEBIT =
  /\b(?:abbuchen|abgebucht|buchen wir|eingezogen|ziehen wir|einzug|fällig|prélev\p{L}*|domiciliación|adeudo|addebit\p{L}*|afgeschreven|incasso|direct debit|be debited|will be collected|trækkes|betalingsservice|autogiro|inkaso|zahlbar|zahlen sie|überweis\p{L}*|begleichen|payable|please (?:pay|transfer|remit)|pay(?:ment)? (?:is )?(?:due )?(?:by|before|until|no later)|à (?:payer|régler)|(?:règlement|paiement) (?:avant|au plus tard|le)|entro il|pagar (?:antes|hasta)|a más tardar|uiterlijk|te voldoen|pagamento até|pagar até|betal\p{L}* (?:senest|senast|innen)|najpóźniej|nejpozději|najneskôr|uhraďte|mennessä|legkésőbb|până la)(?![\p{L}])/iu;

/** "The amount will be collected on 4 March": a date in a sentence about the payment, which no label announces. */
function datesOfDebit(dates: Value[], issue: string | undefined): Scored[] {
  return dates.flatMap((value) => {
    const text = value.tokens[0]!.segment.text;
    const early = issue !== undefined && value.value < issue;
    return DEBIT.test(text) && !early ? [fromValue(value, 0)] : [];
  });
}

/** `20240131` counts as date only where a label says so. */
function compactDates({ pages }: Findings): Value[] {
  return pages.flatMap((page) =>
    page.tokens.flatMap((token) => {
      const iso = /^\d{8}$/.test(token.text) ? findCompactDate(token.text) : undefined;
      if (!iso) return [];
      return [
        {
          type: 'date' as const,
          value: iso,
          raw: token.text,
          tokens: [token],
          box: token.box,
          page: token.page,
          line: token.line,
          decimals: 0,
        },
      ];
    }),
  );
}

// ------------------------------------------------------------------ references

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

function scoreReferences(findings: Findings, put: Put): void {
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
  const isGrouped = ({ tokens }: Reference) => grouped.some((group) => group.tokens[0] === tokens[0]);
  const found = new Map(
    REFERENCE_FIELDS.map((field) => [
      field,
      pairs(
        findings,
        field,
        field === 'var_sym' || field === 'customer_id'
          ? [...references.filter((one) => !isGrouped(one)), ...grouped]
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
      if (field === 'customer_id' && /^acc/.test(pair.key.phrase) && isBesideBank(findings, pair.key)) return [];
      const rival = others.some(
        ([other, list]) => other !== field && list.some((pair) => pair.value === value && pair.score > score + 0.2),
      );
      const short = value.value.length < 3 ? -1 : 0;
      const year = /^(19|20)\d{2}$/.test(value.value) ? -1.2 : 0;
      const bracketed = /^\(/.test(value.tokens[0]!.text) ? -1.5 : 0;
      const inItems = findings.isItem(value.page, value.tokens[0]!.line) ? -2 : 0;
      const later = value.page > 1 ? -0.3 : 0;
      const weakUnder = weight < 1 && relation === 'under' ? -0.8 : 0;
      const total = score + (rival ? -1.8 : 0) + short + year + bracketed + inItems + later + weakUnder;
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

/** "Faktura nr 17/03/2024": what stands right behind the label of a number is one, although it could be a date. */
function numbersLikeDates({ keys, values }: Findings): Reference[] {
  return values.flatMap(({ type, raw, tokens, box, page }) => {
    const [first] = tokens;
    const isNumber =
      type === 'date' &&
      tokens.length === 1 &&
      /^\d{1,3}\/\d{1,2}\/\d{4}$/.test(raw) &&
      keys.some(
        (key) =>
          key.meanings.some(({ field, weight }) => field === 'document_id' && weight === 1) &&
          /(?:^| )(?:nr|numer|no|n|number|numero|cislo|c)$/.test(key.phrase) &&
          first!.segment.tokens.indexOf(first!) === first!.segment.tokens.indexOf(key.tokens.at(-1)!) + 1 &&
          first!.segment === key.tokens[0]!.segment,
      );
    return isNumber ? [{ value: raw, raw, tokens, box, page }] : [];
  });
}

/** "Sort code 40-52-11 Account 71620033": the account is that of the bank. */
const isBesideBank = ({ keys }: Findings, key: Key) =>
  keys.some(
    (other) =>
      other.tokens[0]!.segment === key.tokens[0]!.segment && other.meanings.some((one) => one.field === 'bank_num'),
  );

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
  return value.length <= 35;
}

// ------------------------------------------------------------------ bank

function scoreBank(findings: Findings, put: Put): void {
  // Behind a VAT number there may stand the label of the IBAN.
  const ibans = findings.values.filter((value) => value.type === 'iban' && !value.value.includes('IBAN'));
  put(
    'iban',
    ibans.map((value, at) => {
      const labelled = pairs(findings, 'iban', [value])[0];
      return fromValue(
        value,
        (labelled ? labelled.score : 0) +
          (value.checked ? WEIGHTS.checkHolds : labelled ? WEIGHTS.checkFails / 2 : WEIGHTS.checkFails) -
          at * 0.2,
      );
    }),
  );
  // With its label even an IBAN of the wrong length is shown, for a person to put right.
  const strange = findings.pages.flatMap((page) => page.segments.flatMap((segment) => looksLikeIban(segment.tokens)));
  const odd = pairs(findings, 'iban', strange).filter(
    ({ value }) => !ibans.some((one) => one.tokens[0] === value.tokens[0]),
  );
  if (ibans.length === 0)
    put(
      'iban',
      odd.map(({ value, score }) => fromValue(value, score + WEIGHTS.checkFails)),
    );
  const bics = findings.values.filter((value) => value.type === 'bic');
  const labels = new Set(findings.keys.flatMap((key) => key.tokens));
  const loose = findings.pages.flatMap((page) => looseBics(page, labels));
  const labelled = pairs(findings, 'bic', [...bics, ...loose]);
  const besideIban = bics.filter((bic) => /\d/.test(bic.value) && ibans.some((iban) => isBeside(iban, bic)));
  put('bic', [
    ...labelled
      .filter((pair) => pair.score > 0)
      .map((pair) => fromValue(pair.value, pair.score + 0.6, labelHints(pair))),
    ...besideIban.map((value) => fromValue(value, 0.4)),
  ]);
  scoreAccounts(findings, put);
}

/** Words that begin like an IBAN, whatever their length. */
function looksLikeIban(tokens: Token[]): Value[] {
  return tokens.flatMap((token, at) => {
    if (!/^[A-Z]{2}\d{2}/.test(token.text)) return [];
    const group: Token[] = [];
    for (const next of tokens.slice(at, at + 9)) {
      if (!/^[A-Z0-9]+$/.test(next.text) || (group.length > 0 && !/\d/.test(next.text))) break;
      group.push(next);
    }
    const value = group.map((one) => one.text).join('');
    if (value.length < 14 || value.length > 34) return [];
    const raw = group.map((one) => one.text).join(' ');
    const box = unite(group.map((one) => one.box));
    return [{ type: 'iban' as const, value, raw, tokens: group, box, page: token.page, line: token.line, decimals: 0 }];
  });
}

/** BICs in small letters or with spaces; only a label makes them believable. */
function looseBics(page: PageLayout, labels: Set<Token>): Value[] {
  return page.segments.flatMap((segment) =>
    segment.tokens.flatMap((token, at) => {
      const joined = [token.text, segment.tokens[at + 1]?.text ?? '', segment.tokens[at + 2]?.text ?? ''];
      for (const count of [3, 2, 1]) {
        const text = joined
          .slice(0, count)
          .join('')
          .toUpperCase()
          .replace(/[^A-Z0-9]/g, '');
        if (!isBic(text) || (count === 1 && token.text === text)) continue;
        const tokens = segment.tokens.slice(at, at + count);
        // "BIC NDEAFIHH" has the form of one as a whole, too.
        if (tokens.some((one) => labels.has(one))) continue;
        return [
          {
            type: 'bic' as const,
            value: text,
            raw: tokens.map((one) => one.text).join(' '),
            tokens,
            box: unite(tokens.map((one) => one.box)),
            page: token.page,
            line: token.line,
            decimals: 0,
          },
        ];
      }
      return [];
    }),
  );
}

const CZECH_ACCOUNT = /^((?:\d{1,6}-)?\d{2,10})\/(\d{4})$/;

function scoreAccounts(findings: Findings, put: Put): void {
  const numbers = findings.pages.flatMap((page) => findGroupedNumbers(page));
  const ibans = new Set(findings.values.filter((value) => value.type === 'iban').flatMap((value) => value.tokens));
  const plain = numbers.filter(
    (number) => !number.tokens.some((token) => ibans.has(token)) && number.value.replace(/\D/g, '').length >= 4,
  );
  const accounts: Scored[] = [];
  const banks: Scored[] = [];
  for (const { value, key, score: labelled } of pairs(findings, 'account_num', plain)) {
    const score = labelled + (isBesideBank(findings, key) ? 1.5 : 0);
    const czech = CZECH_ACCOUNT.exec(value.value);
    const base = { raw: value.raw, page: value.page, box: value.box, tokens: value.tokens };
    if (czech) {
      accounts.push({ ...base, value: czech[1]!, score: score + 0.8 });
      banks.push({ ...base, value: czech[2]!, score: score + 0.8 });
    } else accounts.push({ ...base, value: value.value, score: score - 0.6 });
  }
  for (const { value, score } of pairs(findings, 'bank_num', plain)) {
    banks.push({
      value: value.value.replace(/[^\d-]/g, ''),
      raw: value.raw,
      page: value.page,
      box: value.box,
      tokens: value.tokens,
      score,
    });
  }
  put(
    'account_num',
    accounts.filter((one) => one.score > 0.6),
  );
  put(
    'bank_num',
    banks.filter((one) => one.score > 0.6),
  );
}

// ------------------------------------------------------------------ totals

const TOTAL_FIELDS: TotalField[] = [
  'amount_total',
  'amount_total_base',
  'amount_total_tax',
  'amount_due',
  'amount_paid',
  'amount_rounding',
];

function scoreTotals(findings: Findings, put: Put): void {
  const amounts = findings.values.filter(
    (value) =>
      value.type === 'amount' &&
      (value.decimals > 0 || value.currency) &&
      value.decimals <= 3 &&
      !findings.isItem(value.page, value.line),
  );
  const whole = findings.values.filter(
    (value) =>
      value.type === 'amount' && value.decimals === 0 && !value.currency && !findings.isItem(value.page, value.line),
  );
  const lastPage = findings.pages.length;
  const candidates: TotalCandidates = {};
  for (const field of TOTAL_FIELDS) {
    const options: LabelOptions = { last: true, maxLines: 5 };
    const list = [
      ...pairs(findings, field, amounts, options),
      ...pairs(findings, field, whole, options)
        .filter((pair) => pair.relation === 'beside')
        .map((pair) => ({ ...pair, score: pair.score - 0.8 })),
    ];
    // The summary stands at the end: lower on the page and on the last page.
    const placed = list.map((pair) => {
      const page = findings.pages[pair.value.page - 1]!;
      const down = pair.value.box[1] / page.height;
      return { ...pair, score: pair.score + 0.6 * down - 0.3 + (pair.value.page === lastPage ? 0.2 : 0) };
    });
    candidates[field] = rankAmounts(placed);
  }
  for (const { field, value } of findSumRows(findings)) {
    const units = toUnits(value.value);
    const list = candidates[field] ?? [];
    const known = list.find((one) => one.units === units);
    if (known) known.score = Math.max(known.score, SUM_ROW);
    else list.push({ value, units, score: SUM_ROW });
    candidates[field] = list.sort((a, b) => b.score - a.score);
  }
  candidates.amount_total = withLargest(candidates.amount_total ?? [], amounts);
  const chosen = chooseTotals(candidates, [...amounts, ...whole], findings.taxSums);
  const floor: Partial<Record<TotalField, number>> = { amount_total: -2, amount_due: -1 };
  // What is not said to be paid is due.
  const total = chosen.amount_total?.[0];
  const isPaid = chosen.amount_paid?.some((amount) => amount.score > 1);
  if (total && !isPaid && !chosen.amount_due?.some((amount) => amount.score > 0)) {
    chosen.amount_due = [...(chosen.amount_due ?? []), { ...total, score: Math.min(0, total.score - 0.8) }];
    chosen.amount_due.sort((a, b) => b.score - a.score);
  }
  for (const field of TOTAL_FIELDS) {
    const list = (chosen[field] ?? []).filter((amount) => amount.score > (floor[field] ?? -0.5));
    const named = new Set((candidates[field] ?? []).filter((one) => one.value).map((one) => one.units));
    put(
      field,
      list.map((amount) => ({
        ...scoredAmount(amount, field),
        hints: {
          agrees: agrees(field, amount.units, chosen),
          named: named.has(amount.units) ? 1 : 0,
          calculated: amount.value ? 0 : 1,
          whole: amount.value?.decimals === 0 ? 1 : 0,
          taxRows: findings.taxSums ? 1 : 0,
          zero: amount.units === 0 ? 1 : 0,
        },
      })),
    );
  }
}

/** What the last row of a table says by its sums alone, in logits. */
const SUM_ROW = 0.9;

/** The row under a table that begins with "total" and has base, tax and their sum; or base and tax, and the sum below. */
function findSumRows({ pages, keys, values, isItem }: Findings): { field: TotalField; value: Value }[] {
  return pages.flatMap((page) => {
    const named = keys.filter(
      (key) =>
        key.page === page.number &&
        key.meanings.some(({ field }) => field === 'amount_total' || field === 'total_stop'),
    );
    const amounts = values.filter(({ type, page: number }) => type === 'amount' && number === page.number);
    for (const line of [...page.lines].reverse()) {
      const own = amounts
        .filter((value) => value.line === line.number && !isItem(value.page, value.line))
        .sort((a, b) => a.box[0] - b.box[0]);
      if (
        own.length < 2 ||
        own.length > 6 ||
        !named.some((key) => key.line === line.number && key.box[0] < own[0]!.box[0])
      )
        continue;
      const below = amounts.filter(({ box }) => box[1] > line.box[1] && box[1] - line.box[3] < 4 * page.unit);
      for (const [at, base] of own.entries()) {
        for (const tax of own.slice(at + 1)) {
          const [net, added] = [Number(base.value), Number(tax.value)];
          if (net * added <= 0 || Math.abs(added) > 0.3 * Math.abs(net)) continue;
          const total = [...own, ...below].find(
            (value) => value !== base && value !== tax && Math.abs(Number(value.value) - net - added) < 0.011,
          );
          if (!total) continue;
          return [
            { field: 'amount_total_base', value: base },
            { field: 'amount_total_tax', value: tax },
            { field: 'amount_total', value: total },
          ];
        }
      }
    }
    return [];
  });
}

/** 1 when base and tax add up to the total with this amount, -1 when they do not, 0 when one of them is not known. */
function agrees(field: TotalField, units: number, chosen: TotalCandidates): number {
  const of = (other: TotalField) => (other === field ? units : chosen[other]?.[0]?.units);
  const [total, base, tax] = [of('amount_total'), of('amount_total_base'), of('amount_total_tax')];
  if (total === undefined) return 0;
  if (field === 'amount_due' || field === 'amount_paid') {
    return Math.abs(total - units) <= 101 ? 1 : 0;
  }
  if (base === undefined || tax === undefined) return 0;
  return Math.abs(base + tax - total) <= 101 ? 1 : -1;
}

/** Without any label the largest amount is the best guess. */
function withLargest(list: Amount[], amounts: Value[]): Amount[] {
  if (list.length > 0) return list;
  const largest = [...amounts].sort((a, b) => Number(b.value) - Number(a.value))[0];
  return largest ? [{ value: largest, units: Math.round(Number(largest.value) * 10_000), score: -1 }] : [];
}

const scoredAmount = (amount: Amount, field: TotalField): Scored => ({
  // What was paid is often printed as a deduction.
  value: field === 'amount_paid' ? textOf(amount).replace(/^-/, '') : textOf(amount),
  raw: amount.value?.raw ?? '',
  page: amount.value?.page ?? 1,
  box: amount.value?.box ?? null,
  tokens: amount.value?.tokens ?? [],
  score: amount.score,
});

// ------------------------------------------------------------------ parties

const EVIDENCE: Record<Party['evidence'], number> = { label: 1.6, window: 1.4, company: 0.8, block: 0.3, top: 0 };

function scoreParties(findings: Findings, put: Put): void {
  const prefix: Record<Role, string> = { sender: 'sender', recipient: 'recipient', delivery: 'recipient_delivery' };
  const byField = new Map<string, Scored[]>();
  const add = (field: string, scored: Scored) => byField.set(field, [...(byField.get(field) ?? []), scored]);
  findings.parties.forEach((party, at) => {
    const score = EVIDENCE[party.evidence] - at * 0.01;
    for (const part of ['name', 'address'] as const) {
      const text = party[part];
      if (text)
        add(`${prefix[party.role]}_${part}`, {
          value: text.text,
          raw: text.text,
          page: party.page,
          box: text.box,
          tokens: [],
          score,
          hints: { [party.evidence]: 1, ...describeParty(part, text.text), both: party.name && party.address ? 1 : 0 },
        });
    }
  });
  for (const [field, scored] of byField) put(field, scored);
  scoreRegistrations(findings, put);
  const email = findings.values.find((value) => value.type === 'email');
  if (email) put('sender_email', [fromValue(email, 0)]);
}

/** VAT numbers and numbers of registers belong to the party in whose block or column they stand. */
function scoreRegistrations(findings: Findings, put: Put): void {
  const dates = new Set(findings.values.flatMap(({ type, tokens }) => (type === 'date' ? tokens : [])));
  const numbers = findings.pages
    .flatMap((page) => findGroupedNumbers(page))
    .filter(({ tokens }) => !tokens.every((token) => dates.has(token)));
  const typed = findings.values.filter((value) => value.type === 'vat');
  const typedTokens = new Set(typed.flatMap((value) => value.tokens));
  const found: Registration[] = [];
  const keyed = pairs(findings, 'vat_id', typed);
  for (const value of typed) {
    const pair = keyed.find((one) => one.value === value);
    if (!pair && value.checked !== true && !namesItself(value.value)) continue;
    const score =
      (pair ? Math.max(0.6, pair.score) : -0.2) + (value.checked ? 0.8 : value.checked === false ? -0.3 : 0.2);
    found.push({
      kind: 'vat_id',
      scored: fromValue(value, score, pair ? labelHints(pair) : {}),
      role: roleAt(findings, value, pair?.key),
      key: pair?.key,
    });
  }
  for (const scored of looseNifs(findings)) {
    found.push({
      kind: 'vat_id',
      scored,
      role: roleAt(findings, scored.tokens[0]!, undefined),
      key: undefined,
    });
  }
  for (const kind of ['vat_id', 'ic', 'dic'] as const) {
    for (const pair of pairs(findings, kind, numbers)) {
      const { value, key, score } = pair;
      if (value.tokens.some((token) => typedTokens.has(token)) && kind === 'vat_id') continue;
      const isOcr = findings.pages[value.page - 1]!.source === 'ocr';
      const normalized = registration(kind, value, key, isOcr);
      if (!normalized || score < 0.3) continue;
      const scored = {
        value: normalized.value,
        raw: value.raw,
        page: value.page,
        box: value.box,
        tokens: value.tokens,
        score: score + normalized.bonus,
        hints: { ...labelHints(pair), checked: normalized.bonus > 0 ? 1 : normalized.bonus < 0 ? -1 : 0 },
      };
      found.push({ kind, scored, role: roleAt(findings, value, key), key });
    }
  }
  for (const kind of ['vat_id', 'ic', 'dic'] as const) {
    const all = found.filter((one) => one.kind === kind);
    // "SE556677889901" is the VAT number, although the label of the company number stands near.
    const own = all.filter(({ scored }) => kind !== 'ic' || !scored.tokens.some((token) => typedTokens.has(token)));
    const list = (own.length > 0 ? own : all).filter((one, _, others) => isOwnersReading(one, others));
    const sender = list.filter((one) => one.role === 'sender');
    const recipient = list.filter((one) => one.role === 'recipient');
    // What stands in nobody's block is the sender's: in the head or the foot of the letter.
    const open = list.filter(
      (one) => one.role === undefined && !recipient.some((other) => other.scored.value === one.scored.value),
    );
    put(
      `sender_${kind}`,
      [
        ...sender,
        ...open.map((one) => ({
          ...one,
          scored: { ...one.scored, score: one.scored.score - 0.4, hints: { ...one.scored.hints, nobodys: 1 } },
        })),
      ].map((one) => one.scored),
    );
    // The sender's number may stand near the recipient's address again; only inside of it is it the recipient's, too.
    const senders = new Set(sender.map((one) => one.scored.value));
    put(
      `recipient_${kind}`,
      recipient
        .filter(({ scored }) => !senders.has(scored.value) || isInside(findings, 'recipient', scored))
        .map((one) => one.scored),
    );
  }
}

interface Registration {
  kind: 'vat_id' | 'ic' | 'dic';
  scored: Scored;
  role: Role | undefined;
  key: Key | undefined;
}

/** A printed number that labels of both parties announce belongs to one of them: where the label fits best. */
const isOwnersReading = (one: Registration, all: Registration[]) =>
  !all.some(
    (other) =>
      other.scored.tokens[0] === one.scored.tokens[0] &&
      other.role !== one.role &&
      other.scored.score > one.scored.score,
  );

/** Whether something stands among the lines of a party. */
const isInside = ({ parties }: Findings, role: Role, { page, box }: Scored) =>
  box !== null &&
  parties.some(
    (party) =>
      party.role === role &&
      party.page === page &&
      box[0] >= party.box[0] - 1 &&
      box[1] >= party.box[1] - 1 &&
      box[2] <= party.box[2] + 1 &&
      box[3] <= party.box[3] + 1,
  );

/** Spanish tax numbers stand alone under the name; their check character tells them from other codes. */
function looseNifs({ pages }: Findings): Scored[] {
  return pages.flatMap((page) =>
    page.segments.flatMap(({ tokens }) => {
      const [token] = tokens;
      const value = token?.text.replace(/[-.]/g, '') ?? '';
      if (!token || tokens.length !== 1 || !isNif(value)) return [];
      const { page, box } = token;
      return [{ value, raw: token.text, page, box, tokens, score: 0.4, hints: { checked: 1 } }];
    }),
  );
}

function registration(
  kind: 'vat_id' | 'ic' | 'dic',
  { value }: Reference,
  key: Key,
  isOcr: boolean,
): { value: string; bonus: number } | undefined {
  const compact = value.replace(/[\s.\u00a0]/g, '');
  const digits = compact.replace(/\D/g, '');
  if (kind !== 'ic' && isTaxCode(compact)) return { value: compact, bonus: 0.6 };
  if (kind === 'vat_id') {
    if (/(?:^| )(?:ico|ic)$/.test(key.phrase) || digits.length < 7 || digits.length > 15) return undefined;
    const mended = isOcr ? mendCountry(compact) : compact;
    const withCountry = readVatId(mended);
    return {
      value: mended.replace(/[-/](?=\d{1,2}(-|$))/g, '-'),
      bonus: withCountry?.checked ? 0.6 : digits.length < 8 ? -1 : 0,
    };
  }
  if (kind === 'ic') {
    // Numbers of German registers of companies may be short.
    const least = /(?:^| )hr[ab](?: |$)/.test(key.phrase) ? 2 : 5;
    if (digits.length < least || digits.length > 14) return undefined;
    const known = isIco(digits) || ((digits.length === 9 || digits.length === 14) && isLuhn(digits));
    return { value: digits, bonus: known ? WEIGHTS.checkHolds / 2 : 0 };
  }
  if (digits.length < 8 || digits.length > 16) return undefined;
  return { value: compact, bonus: /^[A-Z]{2}\d/.test(compact) ? -0.8 : 0 };
}

const OF_RECIPIENT =
  /\b(?:ihre|your|customer|client|kunden|votre|vase|buyer|recipient|uw|vevo|v no|v n|v nif|v nipc|vosso|vostra|vs)\b/;

/** Whose a number is: by the words of its label, else by the block it stands in or under. */
function roleAt(findings: Findings, placed: Pick<Placed, 'box' | 'page'>, key: Key | undefined): Role | undefined {
  const page = findings.pages[placed.page - 1]!;
  const text = key?.tokens[0]?.segment.tokens.flatMap((token) => token.parts).join(' ') ?? '';
  if (key && OF_RECIPIENT.test(text)) return 'recipient';
  const left = key ? Math.min(key.box[0], placed.box[0]) : placed.box[0];
  let best: { role: Role; gap: number } | undefined;
  for (const party of findings.parties) {
    if (party.page !== placed.page) continue;
    const [l, t, r] = party.box;
    const [, , , b] = party.box;
    const beside =
      placed.box[1] > t - page.unit && placed.box[3] < b + page.unit && left > r && left - r < 0.25 * page.width;
    if (beside && !best) best = { role: party.role, gap: 1 };
    const inColumn = left > l - 2 * page.unit && left < Math.max(r, l + 10 * page.unit);
    if (!inColumn || placed.box[1] < t - page.unit) continue;
    const gap = Math.max(0, linesBetween(party, { box: placed.box, page: placed.page }, page.unit));
    if (gap < 9 && (!best || gap < best.gap)) best = { role: party.role, gap };
  }
  // Far down under an address is the foot of the page.
  if (best && (placed.box[1] < page.height * 0.6 || best.gap < 2))
    return best.role === 'delivery' ? undefined : best.role;
  return undefined;
}

// ------------------------------------------------------------------ currency, terms, attributes

const NORDIC: Record<string, string> = { dan: 'DKK', swe: 'SEK', nor: 'NOK' };

function scoreCurrency(findings: Findings, put: Put): void {
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
      const bare = token.text.replace(/^[(]+|[).,:;]+$/g, '');
      const code = CURRENCY_CODES.includes(bare) || bare in CURRENCY_OF ? bare : undefined;
      if (code) count(CURRENCY_OF[code] ?? code, [token], 0.6, bare);
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
function currencyOfCountry({ values }: Findings): Scored[] {
  const telling = values.filter(({ type, checked }) => type === 'iban' || (type === 'vat' && checked !== false));
  const currencies = new Set(telling.map(({ value }) => CURRENCY_OF_COUNTRY[value.slice(0, 2)]));
  const [value] = currencies;
  if (value === undefined || currencies.size > 1) return [];
  return [{ value, raw: '', page: 1, box: null, tokens: [], score: 0 }];
}

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

/** Whose dollar it is, by its code or by what only one country prints. */
function otherDollar(text: string): string | undefined {
  const code = /\b(?:AUD|CAD|NZD|SGD|HKD|MXN)\b/.exec(text)?.[0];
  if (code) return code;
  if (/\bA\.?B\.?N\.?\b|\bAustralia\b/.test(text)) return 'AUD';
  if (/\b(?:GST\/HST|HST|TPS|TVQ|QST)\b|\bCanada\b|\b[A-Z]\d[A-Z] \d[A-Z]\d\b/.test(text)) return 'CAD';
  if (/\bNew Zealand\b/.test(text)) return 'NZD';
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

const allText = ({ pages }: Findings) =>
  pages.map((page) => page.segments.map((segment) => segment.text).join('\n')).join('\n');

/** Sentences that tell when to pay, also without a label. */
const TERMS =
  /\b(?:zahlbar(?! an\b| durch\b)|zahlung innerhalb|zahlungsziel|skonto|rein netto|net \d+ days|\d+ days? net|net \d+\b|days? from|due (?:within|upon|on receipt)|within \d+ days|payment (?:is )?due|payable within|immediate payment|à réception|sous \d+ jours|\d+ jours|paiement (?:à|immédiat|comptant)|splatnost \d+ dn|termin płatności \d+ dni|\d+ dni|entro \d+ giorni|\d+ gg|binnen \d+ dagen|\d+ dagen|a \d+ días|\d+ dage|\d+ dagar|\d+ dager|\d+ dias|\d+ pv netto|rechnungsbetrag (?:bitte |wird|überweisen)|überweisen sie)\b/iu;

function scoreTerms(findings: Findings, put: Put): void {
  const scored: Scored[] = [];
  for (const page of findings.pages) {
    const segments = page.segments.map((segment) => ({
      segment,
      box: segment.box,
      page: page.number,
      tokens: segment.tokens,
    }));
    const labels = findings.keys.filter((key) => key.page === page.number);
    const isLabel = (token: Token) => labels.some((key) => key.tokens.includes(token));
    for (const { value, key, score, relation } of pairWithLabels(page, 'terms', labels, segments, { maxLines: 1.6 })) {
      const own = value.tokens.filter((token) => !key.tokens.includes(token));
      const behind = own.slice(own.findIndex((token) => token.box[0] > key.box[0]));
      const text = (relation === 'beside' ? behind : own)
        .map((token) => token.text)
        .join(' ')
        .replace(/^[\s:]+/, '');
      if (labels.some((other) => other.tokens[0] === value.tokens[0] && other !== key)) continue;
      if (
        !/^[\p{L}\p{N}].*\p{L}|^\p{L}/u.test(text) ||
        findings.values.some((one) => one.type === 'amount' && one.raw === text)
      )
        continue;
      scored.push({
        value: text,
        raw: text,
        page: page.number,
        box: value.box,
        tokens: value.tokens,
        score: score - 0.9 - (relation === 'under' ? 0.3 : 0) - (TERMS.test(text) ? 0 : 0.8),
      });
    }
    for (const segment of page.segments) {
      if (!TERMS.test(segment.text) || segment.tokens.every((token) => isLabel(token))) continue;
      const label = labels.find(
        (key) => segment.tokens.includes(key.tokens[0]!) && key.meanings.some((one) => one.field === 'terms'),
      );
      const tokens = label ? segment.tokens.slice(segment.tokens.indexOf(label.tokens.at(-1)!) + 1) : segment.tokens;
      if (tokens.length < 2) continue;
      const text = tokens
        .map((token) => token.text)
        .join(' ')
        .replace(/^[\s:]+/, '');
      scored.push({
        value: text,
        raw: text,
        page: page.number,
        box: unite(tokens.map((token) => token.box)),
        tokens,
        score: label ? 1.4 : 0.2,
      });
    }
  }
  put(
    'terms',
    scored.filter((one) => one.score > 0),
  );
}

const TYPES: [type: string, pattern: RegExp, score: number][] = [
  [
    'credit_note',
    /\b(?:credit note|credit memo|gutschrift|stornorechnung|facture d.avoir|avoir|dobropis|opravný daňový doklad|opravná faktúra|faktura koryguj|nota di credito|nota de crédito|factura rectificativa|creditnota|creditfactuur|kreditnota|kreditfaktura|hyvityslasku|módosító számla|sztornó)/iu,
    1.2,
  ],
  ['proforma', /\b(?:pro ?-?forma|zálohová faktura|zálohová faktúra|zálohový list)/iu, 1],
  ['delivery_note', /^(?:delivery note|lieferschein|bon de livraison|dodací list|pakbon|albarán)\b/imu, 0.3],
  ['order', /^(?:purchase order|bestellung|bon de commande|objednávka)\s*$/imu, 0],
  ['debit_note', /\b(?:debit note|lastschriftanzeige|vrubopis|ťarchopis)/iu, 0.6],
  [
    'receipt',
    /\b(?:receipt|kassenbon|quittung|ticket de caisse|účtenka|paragon|scontrino|bonnetje|cash bill|cash sales|cashier)\b/iu,
    0.2,
  ],
  [
    'tax_invoice',
    /\b(?:invoice|rechnung|faktura|faktúra|facture|fattura|factura|factuur|fatura|számla|lasku|daňový doklad|tax invoice)/iu,
    0.5,
  ],
];

/** Attributes of the whole document: what it is and its language. */
function scoreAttributes(findings: Findings, put: Put): void {
  const top = findings.pages[0]?.segments.filter((segment) => segment.box[1] < findings.pages[0]!.height * 0.5) ?? [];
  const scored: Scored[] = [];
  for (const [type, pattern, score] of TYPES) {
    const segment = top.filter((one) => pattern.test(one.text)).sort((a, b) => height(b) - height(a))[0];
    if (!segment) continue;
    const title = height(segment) / findings.pages[0]!.unit > 1.25 || segment.tokens.length <= 4 ? 0.8 : -0.6;
    scored.push({
      value: type,
      raw: segment.text,
      page: 1,
      box: segment.box,
      tokens: segment.tokens,
      score: score + title,
      hints: { [type]: 1, title: title > 0 ? 1 : 0 },
    });
  }
  if (scored.length === 0) scored.push({ value: 'tax_invoice', raw: '', page: 1, box: null, tokens: [], score: -0.2 });
  put('document_type', scored);
  const language = guessLanguage(findings.pages.flatMap((page) => page.tokens.map((token) => token.text)));
  if (language) {
    const score = Math.log(language.confidence / (1 - language.confidence));
    put('language', [{ value: languageValue(language.code), raw: '', page: 1, box: null, tokens: [], score }]);
  }
}

const height = ({ box }: { box: Position }) => box[3] - box[1];
