import { isBic, mendBic } from '../candidates/identifiers';
import { findGroupedNumbers } from '../candidates/references';
import type { Value } from '../candidates/values';
import { type PageLayout, type Token, unite } from '../layout/page-layout';
import { isBeside, isInColumn, linesBetween } from '../layout/relations';
import { WEIGHTS } from './confidence';
import { type Findings, fromValue, labelHints, type Put, pairs, type Scored } from './findings';
import { isBesideBank } from './references';

/** Account numbers and the codes of banks, by their check digits and labels. */
export function scoreBank(findings: Findings, put: Put): void {
  // Behind a VAT number there may stand the label of the IBAN, or of another number.
  const ibans = findings.values.filter(
    (value) => value.type === 'iban' && !value.value.includes('IBAN') && !/[A-Z]{6}/.test(value.value.slice(4)),
  );
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
  const underIban = bics.filter((bic) => ibans.some((iban) => isUnder(findings, bic, iban)));
  const behindIban = bics.filter((bic) => ibans.some((iban) => isRightBehind(bic, iban)));
  const fromBic = (value: Value, score: number, hints?: Scored['hints']) =>
    fromValue(
      findings.pages[value.page - 1]!.source === 'ocr' ? { ...value, value: mendBic(value.value) } : value,
      score,
      hints,
    );
  put('bic', [
    ...labelled.filter((pair) => pair.score > 0).map((pair) => fromBic(pair.value, pair.score + 0.6, labelHints(pair))),
    ...besideIban.map((value) => fromBic(value, 0.4)),
    ...[...behindIban, ...underIban].map((value) => fromBic(value, 0.6)),
  ]);
  scoreAccounts(findings, put);
}

/** "FI49 5000 9420 0287 30, OKOYFIHH": the bank of the same country right behind the account, without a label. */
function isRightBehind(bic: Value, iban: Value): boolean {
  const { tokens } = bic.tokens[0]!.segment;
  return (
    tokens[tokens.indexOf(bic.tokens[0]!) - 1] === iban.tokens.at(-1) &&
    bic.value.slice(4, 6) === iban.value.slice(0, 2)
  );
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

/** In a block of its bank, without a label: the line under the account begins with the bank of the same country. */
function isUnder({ pages }: Findings, bic: Value, iban: Value): boolean {
  const { unit } = pages[bic.page - 1]!;
  return (
    bic.page === iban.page &&
    bic.value.slice(4, 6) === iban.value.slice(0, 2) &&
    bic.tokens[0] === bic.tokens[0]!.segment.tokens[0] &&
    isInColumn(iban, bic, unit) &&
    linesBetween(iban, bic, unit) < 1
  );
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

/** Words that tell that a line is about a bank. */
const OF_BANK = /(?<!\p{L})(?:bank|bacs|account|acc|a\/c|sort|transfer|payments?|pay|chaps)(?!\p{L})/iu;

/** "Bank transfer to D Oakridge, 20-45-77, 30118842": the form of British sort codes with an account right behind. */
export function findBritishAccounts(page: PageLayout): { bank: Token; account: Token }[] {
  return page.segments.flatMap(({ tokens, text }) =>
    tokens.flatMap((bank, at) => {
      if (!/^\(?\d{2}-\d{2}-\d{2}[),.;]*$/.test(bank.text) || !OF_BANK.test(text)) return [];
      const account = tokens.slice(at + 1, at + 7).find((token) => /\d/.test(token.text));
      return account && /^\d{8}[),.;]*$/.test(account.text) ? [{ bank, account }] : [];
    }),
  );
}

/** How surely the form of a sort code before it tells an account, in logits. */
const BRITISH = 1.6;

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
  for (const { bank, account } of findings.pages.flatMap(findBritishAccounts)) {
    const scored = (token: Token): Scored => {
      const { text: raw, page, box } = token;
      return { value: raw.replace(/[^\d-]/g, ''), raw, page, box, tokens: [token], score: BRITISH };
    };
    accounts.push(scored(account));
    banks.push(scored(bank));
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
