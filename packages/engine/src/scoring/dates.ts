import { findCompactDate } from '../candidates/dates';
import type { Key } from '../candidates/key-phrases';
import type { Labelled } from '../candidates/labelled';
import type { Value } from '../candidates/values';
import { WEIGHTS } from './confidence';
import { type Findings, fromValue, labelHints, type Put, pairs, type Scored, unify } from './findings';

const DATE_FIELDS = ['date_issue', 'date_due', 'date_uzp', '_other_date'] as const;

/** When it was issued, is due and is taxed; where labels leave it open, by the order of the dates. */
export function scoreDates(findings: Findings, put: Put): void {
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
