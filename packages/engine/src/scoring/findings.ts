import type { Key } from '../candidates/key-phrases';
import { type Labelled, type LabelOptions, type Placed, pairWithLabels } from '../candidates/labelled';
import type { Party } from '../candidates/parties/party';
import type { Value } from '../candidates/values';
import type { TaxSums } from '../consistency/tax-rows';
import type { PageLayout, Token } from '../layout/page-layout';
import type { Position } from '../recognition';
import { WEIGHTS } from './confidence';
import type { Features } from './model';

/** Everything that earlier stages have found in the document. */
export interface Findings {
  pages: PageLayout[];
  keys: Key[];
  values: Value[];
  parties: Party[];
  taxSums: TaxSums | undefined;
  /** True for lines that belong to the table of line items. */
  isItem(page: number, line: number): boolean;
}

/** A candidate while its score is still in logits. */
export interface Scored {
  value: string;
  raw: string;
  page: number;
  box: Position | null;
  tokens: Token[];
  score: number;
  /** Features of its own, beside those that every candidate has. */
  hints?: Features;
}

/** Takes the candidates of a field. */
export type Put = (field: string, scored: Scored[]) => void;

/** Features of a value that a label announces. */
export const labelHints = ({ weight, relation }: { weight: number; relation: 'beside' | 'under' }): Features => ({
  label: weight,
  under: relation === 'under' ? 1 : 0,
});

/** The candidate that a typed value is. */
export const fromValue = (value: Value, score: number, hints: Features = {}): Scored => ({
  value: value.value,
  raw: value.raw,
  page: value.page,
  box: value.box,
  tokens: value.tokens,
  score,
  hints: { checked: value.checked === undefined ? 0 : value.checked ? 1 : -1, ...hints },
});

/** Pairs of all pages. */
export function pairs<T extends Placed>(
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

const MAX_CANDIDATES = 5;

/** One candidate per value, best first; a value found several times counts more. */
export function unify(scored: Scored[]): (Scored & { times: number })[] {
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
