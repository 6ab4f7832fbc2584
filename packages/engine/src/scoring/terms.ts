import type { Key } from '../candidates/key-phrases';
import { pairWithLabels } from '../candidates/labelled';
import { type PageLayout, type Segment, type Token, unite } from '../layout/page-layout';
import { linesBetween } from '../layout/relations';
import type { Findings, Put, Scored } from './findings';

/** Sentences that tell when to pay, also without a label. */
const TERMS =
  /(?<![\p{L}\d])(?:zahlbar(?! an\b| durch\b)|zahlung innerhalb|zahlungsziel|skonto|rein netto|net \d+ days|\d+ days? net|net \d+\b|days? (?:from|end of month|e\.?o\.?m)|end of month|due (?:within|upon|on receipt)|within \d+ days|payment (?:is )?due|payable within|immediate payment|payable (?:immediately|on|upon)|strictly \d+ days|sofort (?:zur zahlung )?(?:fällig|zahlbar)|fällig sofort|netto kasse|prompt netto|zahlbar prompt|due immediately|payable à|dès réception|a la recepción|a ricevimento|direct te voldoen|ihned|natychmiast|straks|omgående|heti|à réception|sous \d+ jours|\d+ jours|paiement (?:à|immédiat|comptant)|splatnost \d+ dn|termin płatności \d+ dni|\d+ dni|entro \d+ giorni|\d+ gg|binnen \d+ dagen|\d+ dagen|\d+ d[ií]as|al contado|rimessa diretta|vista fattura|fine mese|fin de mois|comptant|\d+ dage|\d+ dagar|\d+ dager|\d+ dias|\d+ pv netto|rechnungsbetrag (?:bitte |wird|überweisen))(?![\p{L}\d])/iu;

/** Sentences about a payment that the sender collects, which are often a paragraph. */
const COLLECTED =
  /(?<![\p{L}])(?:abbuchen|abgebucht|eingezogen|sepa-lastschrift|sera prélevé|seront prélevés|will be (?:debited|charged|collected)|se cargará|será cargado|verrà addebitat[oa]|wordt afgeschreven|zal worden afgeschreven|será debitado|trækkes|belastas|veloitetaan)(?![\p{L}])/iu;

const tellsTerms = (text: string) => TERMS.test(text) || COLLECTED.test(text);

/** "30 days net. Interest is charged afterwards.": what the label announces ends with the sentence. */
function firstSentence(text: string): string {
  const [first] = text.split(/(?<=[\p{L}\d)]{3}\.) (?=\p{Lu})/u);
  return first && first !== text && TERMS.test(first) && !TERMS.test(text.slice(first.length)) ? first : text;
}

/** "30 days net to account GB12 ...": the account is no part of the terms. */
const withoutAccount = (text: string) => text.replace(ACCOUNT, '');
const ACCOUNT =
  /,? (?:au compte|sur (?:le )?compte|auf (?:das|unser|folgendes|nachstehendes) Konto|(?:to )?(?:our |the )?(?:account|BSB|sort code|IBAN)|op (?:ons )?rekening(?:nummer)?|na (?:ú|u)čet|na konto|på konto)(?![\p{L}])(?=.*\d{4}).*$/iu;

/** Of a paragraph, the sentences from the first to the last that tell terms; what is collected is told by the whole. */
function tellingSentences(text: string): string {
  if (COLLECTED.test(text)) return text;
  const sentences = text.split(/(?<=[\p{L}\d)]{3}[.!]) (?=\p{Lu})/u);
  const isTelling = (sentence: string) => TERMS.test(sentence);
  const [first, last] = [sentences.findIndex(isTelling), sentences.findLastIndex(isTelling)];
  return first < 0 ? text : withoutAccount(sentences.slice(first, last + 1).join(' '));
}

/** Share of the widest line that the lines of a paragraph reach before they go on in the next. */
const FULL = 0.75;

/** The lines of the paragraph that a line is in: under each other at one edge, each but the last one full. */
function paragraphOf(page: PageLayout, line: Segment): Segment[] {
  const column = page.segments
    .filter((one) => Math.abs(one.box[0] - line.box[0]) < 0.3 * page.unit)
    .sort((a, b) => a.box[1] - b.box[1]);
  const goesOn = (above: Segment | undefined, below: Segment | undefined) => {
    if (!above || !below || Math.abs(linesBetween(above, below, page.unit)) > 0.75) return false;
    const widths = [above, below, line].map(({ box }) => box[2] - box[0]);
    return widths[0]! > FULL * Math.max(...widths) && widths[0]! > 0.2 * page.width;
  };
  const paragraph = [line];
  for (let at = column.indexOf(line); goesOn(column[at - 1], column[at]); at--) paragraph.unshift(column[at - 1]!);
  for (let at = column.indexOf(line); goesOn(column[at], column[at + 1]); at++) paragraph.push(column[at + 1]!);
  return paragraph;
}

/** "21 days Reference: 77": where another label begins, that ends in a colon. */
function upToLabel(tokens: Token[], labels: Key[]): Token[] {
  const end = tokens.findIndex((token) =>
    labels.some((key) => key.tokens[0] === token && /:$/.test(key.tokens.at(-1)!.text)),
  );
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Terms of payment, in the words of the document. */
export function scoreTerms(findings: Findings, put: Put): void {
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
      const behind = upToLabel(own.slice(own.findIndex((token) => token.box[0] > key.box[0])), labels);
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
      const sentence = firstSentence(text);
      scored.push({
        value: sentence,
        raw: sentence,
        page: page.number,
        box: value.box,
        tokens: value.tokens,
        score: score - 0.9 - (relation === 'under' ? 0.3 : 0) - (TERMS.test(text) ? 0 : 0.8),
      });
    }
    // "Date: 07-06-2023 Payment term: 21 days": in the middle of a text.
    for (const key of labels) {
      const { segment } = key.tokens[0]!;
      const last = key.tokens.at(-1)!;
      if (!key.meanings.some(({ field }) => field === 'terms') || key.tokens[0] === segment.tokens[0]) continue;
      const tokens = /:$/.test(last.text)
        ? upToLabel(segment.tokens.slice(segment.tokens.indexOf(last) + 1), labels)
        : [];
      const text = tokens.map((token) => token.text).join(' ');
      if (!/^[\p{L}\p{N}].*\p{L}/u.test(text) || tellsTerms(segment.text)) continue;
      const box = unite(tokens.map((token) => token.box));
      scored.push({ value: text, raw: text, page: page.number, box, tokens, score: 0.8 });
    }
    for (const segment of page.segments) {
      if (!tellsTerms(segment.text) || segment.tokens.every((token) => isLabel(token))) continue;
      const label = labels.find(
        (key) => segment.tokens.includes(key.tokens[0]!) && key.meanings.some((one) => one.field === 'terms'),
      );
      const tokens = label
        ? segment.tokens.slice(segment.tokens.indexOf(label.tokens.at(-1)!) + 1)
        : paragraphOf(page, segment).flatMap((line) => line.tokens);
      if (tokens.length < 2) continue;
      const words = tokens
        .map((token) => token.text)
        .join(' ')
        .replace(/^[\s:]+/, '');
      const text = label ? firstSentence(words) : tellingSentences(words);
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
