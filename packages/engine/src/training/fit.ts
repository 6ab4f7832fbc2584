import { clamp, type Features, type Weights } from '../scoring/model';

/** A candidate with its outcome. */
export interface Example {
  field: string;
  features: Features;
  right: boolean;
  /** How much it counts. */
  weight: number;
}

/** How strongly weights are held back: those of all fields, and what single fields add. */
const HOLD_SHARED = 2;
const HOLD_FIELD = 6;
const ROUNDS = 250;
const STEP = 0.08;

/**
 * Fits a logistic regression in which each field has the shared weights and small ones of its own, by gradient descent
 * with momentum (Adam). The same examples give the same weights.
 */
export function fit(examples: Example[]): Weights {
  const index = new Map<string, number>();
  const hold: number[] = [];
  const numberOf = (name: string, held: number) => {
    const known = index.get(name);
    if (known !== undefined) return known;
    index.set(name, hold.length);
    hold.push(held);
    return hold.length - 1;
  };
  const rows = examples.map(({ field, features, right, weight }) => {
    const present = Object.entries(features).filter(([, value]) => value !== 0);
    return {
      at: Int32Array.from(
        present.flatMap(([name]) => [numberOf(name, HOLD_SHARED), numberOf(`${field}/${name}`, HOLD_FIELD)]),
      ),
      values: Float64Array.from(present.flatMap(([, value]) => [value, value])),
      right: right ? 1 : 0,
      weight,
    };
  });
  const size = hold.length;
  const weights = new Float64Array(size);
  const [first, second] = [new Float64Array(size), new Float64Array(size)];
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = new Float64Array(size);
    for (let at = 0; at < size; at++) gradient[at] = hold[at]! * weights[at]!;
    for (const { at, values, right, weight } of rows) {
      let sum = 0;
      for (let one = 0; one < at.length; one++) sum += weights[at[one]!]! * values[one]!;
      const error = (1 / (1 + Math.exp(-sum)) - right) * weight;
      for (let one = 0; one < at.length; one++) gradient[at[one]!]! += error * values[one]!;
    }
    const rate = STEP * (1 - 0.9 * (round / ROUNDS));
    for (let at = 0; at < size; at++) {
      const slope = gradient[at]! / total;
      first[at] = 0.9 * first[at]! + 0.1 * slope;
      second[at] = 0.999 * second[at]! + 0.001 * slope * slope;
      const step = first[at]! / (1 - 0.9 ** round) / (Math.sqrt(second[at]! / (1 - 0.999 ** round)) + 1e-9);
      weights[at]! -= rate * step;
    }
  }
  const result: Weights = { shared: {}, fields: {}, scale: 1, shift: 0 };
  for (const [name, at] of index) {
    const value = Math.round(weights[at]! * 1000) / 1000;
    if (value === 0) continue;
    const [field, feature] = name.includes('/') ? (name.split('/') as [string, string]) : [undefined, name];
    if (field === undefined) result.shared[feature] = value;
    else {
      result.fields[field] ??= {};
      result.fields[field][feature] = value;
    }
  }
  return result;
}

/** Fits scale and shift so that the logits of values tell how often they are right (Platt's method). */
export function fitScale(judged: { logit: number; right: boolean }[]): { scale: number; shift: number } {
  let [scale, shift] = [1, 0];
  for (let round = 0; round < 100; round++) {
    // Newton's method in two dimensions.
    let [gScale, gShift, hScale, hBoth, hShift] = [(scale - 1) * 2, shift * 2, 2, 0, 2];
    for (const { logit, right } of judged) {
      const p = 1 / (1 + Math.exp(-(scale * logit + shift)));
      const error = p - Number(right);
      const curve = p * (1 - p);
      gScale += error * logit;
      gShift += error;
      hScale += curve * logit * logit;
      hBoth += curve * logit;
      hShift += curve;
    }
    const det = hScale * hShift - hBoth * hBoth;
    const [dScale, dShift] = [(gScale * hShift - gShift * hBoth) / det, (gShift * hScale - gScale * hBoth) / det];
    // Far from the solution full steps overshoot.
    scale -= clamp(dScale, -0.2, 0.2);
    shift -= clamp(dShift, -0.5, 0.5);
    if (Math.abs(dScale) + Math.abs(dShift) < 1e-9) break;
  }
  return { scale: Math.round(scale * 1e4) / 1e4, shift: Math.round(shift * 1e4) / 1e4 };
}
