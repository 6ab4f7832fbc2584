import type { PageLayout, Token } from '../layout/page-layout';
import { isBeside, isInColumn, linesBetween, widthBetween } from '../layout/relations';
import type { Position } from '../recognition';
import { WEIGHTS } from '../scoring/confidence';
import type { Key } from './key-phrases';

/** Anything that can stand beside or under a label. */
export interface Placed {
  box: Position;
  page: number;
  tokens: Token[];
}

/** A value that a label announces. */
export interface Labelled<T> {
  value: T;
  key: Key;
  weight: number;
  /** Sum of what the label and the position say, in logits. */
  score: number;
  relation: 'beside' | 'under';
}

export interface LabelOptions {
  /** How far under the label a value may stand, in line heights; columns of tables go further. */
  maxLines?: number;
  /** On a line with several values behind the label, the last one is meant (amount columns) instead of the first. */
  last?: boolean;
}

/** A value has its decimals, sign and so on beside it; anything else between label and value breaks the connection. */
const BLOCKING_WEIGHT = 0.9;

/**
 * Pairs values with the labels of one field. Another label between label and value breaks the connection.
 *
 * @param keys all labels of the page, also those of other fields
 */
export function pairWithLabels<T extends Placed>(
  page: PageLayout,
  field: string,
  keys: Key[],
  values: T[],
  options: LabelOptions = {},
): Labelled<T>[] {
  const pairs: Labelled<T>[] = [];
  for (const key of keys) {
    const weight = key.meanings.find((meaning) => meaning.field === field)?.weight;
    if (weight === undefined) continue;
    const others = keys.filter((other) => other !== key && other.meanings.some((one) => one.weight >= BLOCKING_WEIGHT));
    const beside = values.filter(
      (value) =>
        isBeside(key, value) &&
        value.box[0] >= key.box[2] - 0.3 * page.unit &&
        !value.tokens.some((token) => key.tokens.includes(token)) &&
        !others.some(
          (other) => isBeside(key, other) && other.box[0] >= key.box[2] - 1 && other.box[2] <= value.box[0] + 1,
        ),
    );
    beside.sort((a, b) => a.box[0] - b.box[0]);
    if (options.last) beside.reverse();
    beside.forEach((value, rank) => {
      const distance = Math.max(0, widthBetween(key, value, page));
      const score =
        WEIGHTS.start +
        WEIGHTS.label * weight +
        WEIGHTS.besideLabel +
        (options.last ? 0 : WEIGHTS.distance * Math.max(0, distance - 0.05)) -
        rank * 0.8;
      pairs.push({ value, key, weight, score, relation: 'beside' });
    });
    const maxLines = options.maxLines ?? 2.2;
    const under = values
      .filter((value) => isInColumn(key, value, page.unit) && linesBetween(key, value, page.unit) < maxLines)
      .filter((value) => !others.some((other) => standsBetween(key, other, value, page.unit)))
      .sort((a, b) => a.box[1] - b.box[1]);
    under.slice(0, 4).forEach((value, rank) => {
      const lines = Math.max(0, linesBetween(key, value, page.unit));
      const score =
        WEIGHTS.start +
        WEIGHTS.label * weight +
        WEIGHTS.underLabel +
        WEIGHTS.linesUnder * lines -
        rank * 0.5 -
        (beside.length > 0 ? 1.5 : 0);
      pairs.push({ value, key, weight, score, relation: 'under' });
    });
  }
  return pairs.sort((a, b) => b.score - a.score);
}

/** True when another label stands under the first one and nearer to the value, or right before the value. */
function standsBetween(key: Key, other: Key, value: Placed, unit: number): boolean {
  if (other.page !== key.page) return false;
  const beforeValue =
    isBeside(other, value) && other.box[2] <= value.box[0] + 1 && other.box[2] > value.box[0] - 8 * unit;
  if (beforeValue && other.box[0] >= key.box[0] - 6 * unit) return true;
  return isInColumn(key, other, unit) && other.box[3] <= value.box[1] + 0.4 * unit && isInColumn(other, value, unit);
}
