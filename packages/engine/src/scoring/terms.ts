import { pairWithLabels } from '../candidates/labelled';
import { type Token, unite } from '../layout/page-layout';
import type { Findings, Put, Scored } from './findings';

/** Sentences that tell when to pay, also without a label. */
const TERMS =
  /\b(?:zahlbar(?! an\b| durch\b)|zahlung innerhalb|zahlungsziel|skonto|rein netto|net \d+ days|\d+ days? net|net \d+\b|days? from|due (?:within|upon|on receipt)|within \d+ days|payment (?:is )?due|payable within|immediate payment|à réception|sous \d+ jours|\d+ jours|paiement (?:à|immédiat|comptant)|splatnost \d+ dn|termin płatności \d+ dni|\d+ dni|entro \d+ giorni|\d+ gg|binnen \d+ dagen|\d+ dagen|a \d+ días|\d+ dage|\d+ dagar|\d+ dager|\d+ dias|\d+ pv netto|rechnungsbetrag (?:bitte |wird|überweisen)|überweisen sie)\b/iu;

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
