import { findCompactDate } from '../candidates/dates';
import type { Key } from '../candidates/key-phrases';
import type { Labelled } from '../candidates/labelled';
import type { Value } from '../candidates/values';
import type { Segment } from '../layout/page-layout';
import { WEIGHTS } from './confidence';
import { type Findings, fromValue, labelHints, type Put, pairs, type Scored, unify } from './findings';

const DATE_FIELDS = ['date_issue', 'date_due', 'date_uzp', '_other_date'] as const;

/** When it was issued, is due and is taxed; where labels leave it open, by the order of the dates. */
export function scoreDates(findings: Findings, put: Put): void {
  const dates = [...findings.values.filter((value) => value.type === 'date'), ...compactDates(findings)];
  const found = new Map<string, Labelled<Value>[]>(
    DATE_FIELDS.map((field) => {
      const list = pairs(findings, field, dates, { maxLines: 3 });
      const isOfPayment = ({ value, key }: Labelled<Value>) => isBehindOther(value, key) && isDeadline(findings, value);
      return [field, field === 'date_issue' ? list.filter((pair) => !isOfPayment(pair)) : list];
    }),
  );
  const claimed = (value: Value, except: string) =>
    [...found].some(
      ([field, list]) =>
        field !== except && list.some((pair) => pair.value === value && pair.weight === 1 && pair.score > 1),
    );
  const isDated = dates.some((value) => value.page === 1 && hasPlace(value));
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
      const isOther = () =>
        isOfOther(findings, pair.key) ||
        isOfRow(findings, pair.key) ||
        beginsPeriod(value, dates) ||
        endsPeriod(value) ||
        isOfDebit(value) ||
        isDeadline(findings, value);
      if (field === 'date_issue' && weight < 1 && isOther()) return [];
      const isInside = isDated && field === 'date_issue' && weight < 1 && isInSentence(findings, pair.key);
      const doubt =
        (isInside ? -1.5 : 0) + (weight < 1 && taken ? -1.5 : 0) + (findings.isItem(value.page, value.line) ? -1.5 : 0);
      return fromValue(value, score + doubt, { ...labelHints(pair), taken: taken ? 1 : 0 });
    });
    scored.set(field, list);
  }
  const issue = scored.get('date_issue')!;
  const free = dates.filter(
    (value) =>
      value.page === 1 &&
      !claimed(value, 'date_issue') &&
      !findings.isItem(value.page, value.line) &&
      !endsPeriod(value) &&
      !isDeadline(findings, value),
  );
  const letter = free.find(isOfLetter);
  const first = [...(letter ? [letter] : []), ...free.filter((value) => value !== letter)].slice(0, 2);
  first.forEach((value, at) => {
    const doubt = value === letter ? -LETTER : at * 0.4;
    const only = free.length === 1 ? WEIGHTS.onlyOne : 0;
    issue.push(fromValue(value, -0.9 + only - doubt, { letter: value === letter ? 1 : 0 }));
  });
  const best = unify(issue)[0];
  const due = scored.get('date_due')!.map((one): Scored => {
    const paid = withoutDiscount(one, dates);
    const early = best && paid.value < best.value ? WEIGHTS.contradicts : 0;
    return { ...paid, score: paid.score + early, hints: { ...paid.hints, early: early < 0 ? 1 : 0 } };
  });
  put('date_issue', issue);
  const likely = due.filter((one) => one.score > -1.2);
  put('date_due', likely.length > 0 ? likely : datesOfDebit(findings, dates, best?.value));
  put(
    'date_uzp',
    scored.get('date_uzp')!.filter((one) => one.score > -0.8),
  );
}

/**
 * "Acompte versé le 20/02/2024", "Bestellung Nr. 118 vom 1.3.2024": the date is that of what the line names first, or of
 * what the line above it names when the words for a date begin a line of a paragraph.
 */
function isOfOther({ keys, pages }: Findings, { tokens, page, line }: Key): boolean {
  const first = tokens[0]!;
  const { segment } = first;
  // "Order 118 Date: 1.3.2024" are two labels.
  const goesOn = /^\p{Ll}/u.test(first.text) && !/:$/.test(tokens.at(-1)!.text);
  const unit = pages.find(({ number }) => number === page)!.unit;
  const isAbove = (other: Key) => {
    const above = other.tokens[0]!.segment;
    const gap = segment.box[1] - above.box[3];
    return other.line === line - 1 && Math.abs(above.box[0] - segment.box[0]) < unit && gap < 0.6 * unit;
  };
  return keys.some(
    (other) =>
      other.page === page &&
      (other.tokens[0]!.segment === segment
        ? other.tokens[0]!.box[0] < first.box[0]
        : segment.tokens[0] === first && goesOn && isAbove(other)) &&
      other.meanings.some(
        ({ field, weight }) =>
          weight === 1 &&
          (/^(?:amount_|_discount|_other_date)/.test(field) ||
            (goesOn && /^(?:order_id|delivery_note_id|_other_id)/.test(field))),
      ),
  );
}

/** "Abschlagsrechnung 2024-311 vom 28.11.2024   - 4.000,00": a row with an amount of its own tells of another document. */
const isOfRow = ({ values }: Findings, { page, line, box }: Key): boolean =>
  values.some(
    ({ type, decimals, ...value }) =>
      type === 'amount' && decimals === 2 && value.page === page && value.line === line && value.box[0] > box[2],
  );

/** "du 24 au 26/03/2025": the last of some days, of which the first has no month of its own. */
function endsPeriod({ tokens }: Value): boolean {
  const { segment } = tokens[0]!;
  const at = segment.tokens.indexOf(tokens[0]!);
  const [first, word] = [segment.tokens[at - 2], segment.tokens[at - 1]];
  return (
    /^\d{1,2}\.?$/.test(first?.text ?? '') && /^(?:au|bis|to|al|do|t\/m|tot|até|till|til|-|–)$/i.test(word?.text ?? '')
  );
}

/** "vom 06.12.2013 bis zum 06.12.2014": a day on which a period begins. */
function beginsPeriod({ tokens }: Value, dates: Value[]): boolean {
  const { segment } = tokens[0]!;
  const end = segment.tokens.indexOf(tokens.at(-1)!);
  return dates.some((other) => {
    const at = segment.tokens.indexOf(other.tokens[0]!);
    return at > end && at - end <= 3;
  });
}

const DISCOUNT = /skonto|escompte|sconto|korting|kontant(?:rabat)?|\bdiscount|descuento|\bdesconto|slev[ayu]|rabat/iu;

/** "Bis 28.03.2025 2 % Skonto, bis 13.04.2025 ohne Abzug": the later day, on which all is due. */
function withoutDiscount(one: Scored, dates: Value[]): Scored {
  const { segment } = one.tokens[0]!;
  const clauses = segment.text.split(/[,;]\s|\s(?:oder|or|ou|bzw\.?|of|o)\s/);
  const isDiscounted = (raw: string) => clauses.some((clause) => clause.includes(raw) && DISCOUNT.test(clause));
  const later = dates.find(
    ({ value, raw, tokens }) => value > one.value && tokens[0]!.segment === segment && !isDiscounted(raw),
  );
  return later && isDiscounted(one.raw) ? fromValue(later, one.score, one.hints) : one;
}

/** How much the form of a letter's date counts, in logits. */
const LETTER = 1.4;

/** "24 January 2024" alone at the right, or "Leeds, 24 January 2024": so letters are dated. */
const isOfLetter = (value: Value): boolean =>
  value.tokens[0]!.segment.tokens.every((token) => value.tokens.includes(token)) || hasPlace(value);

/** "Leeds, 24 January 2024" */
function hasPlace({ tokens }: Value): boolean {
  const { segment } = tokens[0]!;
  const others = segment.tokens.filter((token) => !tokens.includes(token));
  const place = others.map(({ text }) => text).join(' ');
  return (
    segment.tokens.at(-1) === tokens.at(-1) &&
    /^\p{Lu}[\p{L}.' -]{1,30},(?: (?:den|am|le|il|dne|dňa|dnia|on|kelt|em|a|på))?$/u.test(place)
  );
}

/** "Prescription of Dr. Hill of 3 May 2024": a small word for a date behind words that do not name the document. */
function isInSentence({ keys }: Findings, { tokens: [first] }: Key): boolean {
  const { segment } = first!;
  const at = segment.tokens.indexOf(first!);
  const isDocument = keys.some(
    (other) =>
      other.tokens[0]!.segment === segment &&
      segment.tokens.indexOf(other.tokens[0]!) < at &&
      other.meanings.some(({ field }) => field === 'document_id'),
  );
  return at > 0 && /^\p{Ll}/u.test(first!.text) && !isDocument;
}

const DEBIT =
  /\b(?:abbuchen|abgebucht|buchen wir|eingezogen|einziehen|ziehen wir|einzug|belasten wir|lastschrift|fällig|prélev\p{L}*|domiciliación|adeudo|addebit\p{L}*|afgeschreven|schrijven wij|geïncasseerd|incasseren|incasso|se cargará|cargaremos|fecha de cargo|domiciliado|strhneme|stiahneme|pobierzemy|pobrana|dras från|veloitetaan|veloitamme|direct debit|be debited|(?:will|we['’]ll) (?:collect|debit|take)|will be (?:collected|taken)|trækkes|betalingsservice|autogiro|inkaso|zahlbar|zahlen sie|überweis\p{L}*|begleichen|payable|please (?:pay|transfer|remit)|pay(?:ment)? (?:is )?(?:due )?(?:by|before|until|no later)|à (?:payer|régler)|(?:règlement|paiement) (?:avant|au plus tard|le)|entro il|pagar (?:antes|hasta)|a más tardar|uiterlijk|te voldoen|pagamento até|pagar até|betal\p{L}* (?:senest|senast|innen)|najpóźniej|nejpozději|najneskôr|uhraďte|mennessä|legkésőbb|până la)(?![\p{L}])/iu;

/** "We collect the amount on 4 March", in a sentence. */
const isOfDebit = ({ tokens }: Value) => tokens[0]!.segment.tokens.length > 5 && DEBIT.test(tokens[0]!.segment.text);

const DEADLINE =
  /(?<!\p{L})(?:pay\p{L}*|settle\p{L}*|remit\p{L}*|transfer|r[éè]gl\p{L}*|paye[rz]|paiement|virement|abon\p{L}*|pag[aou]\p{L}*|bonifico|salda\p{L}*|liquida\p{L}*|betal\p{L}*|voldoe\p{L}*|overmaken|over te maken|zahl\p{L}*|überweis\p{L}*|begleich\p{L}*|ausgleich\p{L}*|zapła\p{L}*|wpła\p{L}*|płatno\p{L}*|uhra\p{L}*|zapla\p{L}*|úhrad\p{L}*|maksa\p{L}*|fizet\p{L}*|utal\p{L}*|achit\p{L}*|plat\p{L}*)(?!\p{L})[^.!?]{0,60}?(?<!\p{L})(?:by|before|no later than|not later than|on or before|latest by|avant(?: le)?|au plus tard(?: le)?|jusqu['’]au|antes del?|(?:a )?más tardar (?:el|hasta el)|hasta el|entro(?: e non oltre)?(?: il| l['’])?|até(?: ao| o| a)?|vóór|voor|uiterlijk(?: op)?|senest(?: den)?|senast(?: den)?|innen(?: den)?|bis(?: spätestens)?(?: zum| am)?|(?:bis )?spätestens(?: am| zum| bis(?: zum)?)?|(?:najpóźniej )?do(?: dnia)?|nejpozději(?: do)?|najneskôr(?: do)?)$/iu;

/** "Please settle this account by 20 March": the last day of a payment, in a sentence, which may begin in the line above. */
function isDeadline({ pages }: Findings, { page, tokens: [first] }: Value): boolean {
  const { segment } = first!;
  const before = segment.tokens.slice(0, segment.tokens.indexOf(first!));
  const above = before.length < 6 ? lineOf(pages, page, segment, -1) : undefined;
  const text = [...(above?.tokens ?? []), ...before].map((token) => token.text).join(' ');
  return DEADLINE.test(text) || (THAT_IS.test(text) && TERMS_OF_PAYMENT.test(text));
}

/** "30 jours date de facture, soit le 07/03/2025": words between terms of payment and the day that follows from them. */
const THAT_IS =
  /(?<!\p{L})(?:soit|c['’]est[- ]à[- ]dire|d\. ?h\.|das heißt|also|i\. ?e\.|that is|cioè|ossia|ovvero|es decir|o sea|ou seja|isto é|dus|ofwel|d\.w\.z\.|t\. ?j\.|tzn\.|to znamená|czyli|dvs\.|eli|azaz|adică),?(?: (?:le|au|jusqu['’]au|avant le|am|bis|bis zum|zum|by|on|il|al|entro il|el|até|a|em|op|uiterlijk|uiterlijk op|do|dne|dňa|dnia|den|senast|senest|innen|la))?$/iu;

/** A count of days, or a word for what is to be paid. */
const TERMS_OF_PAYMENT =
  /(?<!\d)\d{1,3} (?:jours?|days?|tagen?|dní|dni|dnů|dňoch|giorni|gg|días|dias|dagen|dagar|dage|dager|päivää|nap|zile)(?!\p{L})|(?<!\p{L})(?:éch[ée]an|échoi|r[èé]gl|pai?em|payab|payment|due|terms|zahl|fällig|splatn|úhrad|termin|płatn|pagam|scaden|pago|vencim|betal|vervalt|forfald|forfall|förfall|erä|maksu|fizet|esedékes|scaden|plat)/iu;

/** Whether there are words between a label and the date behind it in the same text. */
function isBehindOther({ tokens: [first] }: Value, key: Key): boolean {
  const { tokens } = first!.segment;
  const end = tokens.indexOf(key.tokens.at(-1)!);
  return end >= 0 && tokens.indexOf(first!) > end + 1;
}

/** The line of the same paragraph above (-1) or below (1) another. */
function lineOf(pages: Findings['pages'], number: number, { box, line }: Segment, step: -1 | 1): Segment | undefined {
  const { segments, unit } = pages.find((page) => page.number === number)!;
  const gapTo = (other: Segment) => (step > 0 ? other.box[1] - box[3] : box[1] - other.box[3]);
  return segments.find(
    (other) => other.line === line + step && Math.abs(other.box[0] - box[0]) < unit && gapTo(other) < 0.6 * unit,
  );
}

/** "The amount will be collected on 4 March": a date in a sentence about the payment, which no label announces. */
function datesOfDebit(findings: Findings, dates: Value[], issue: string | undefined): Scored[] {
  return dates.flatMap((value) => {
    const { segment } = value.tokens[0]!;
    // Sentences go on in the next line.
    const goesOn = segment.tokens.at(-1) !== value.tokens.at(-1);
    const below = goesOn ? lineOf(findings.pages, value.page, segment, 1) : undefined;
    const isDue = DEBIT.test(`${segment.text} ${below?.text ?? ''}`) || isDeadline(findings, value);
    const early = issue !== undefined && value.value < issue;
    return isDue && !early ? [fromValue(value, 0)] : [];
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
