import type { PageLayout } from '../layout/page-layout';
import type { FieldCandidate } from '../recognition';
import { scoreBank } from './accounts';
import { scoreAttributes } from './attributes';
import { WEIGHTS } from './confidence';
import { scoreCurrency } from './currency';
import { scoreDates } from './dates';
import { type Findings, type Scored, unify } from './findings';
import { clamp, type Features, type Model, toConfidence } from './model';
import { scoreParties } from './parties';
import { scoreReferences } from './references';
import { scoreTerms } from './terms';
import { scoreTotals } from './totals';

type Fields = Record<string, FieldCandidate[]>;

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
