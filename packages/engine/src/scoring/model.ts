import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What speaks for or against a candidate: name of the feature -> value, most between -1 and 1. */
export type Features = Record<string, number>;

/** A candidate as the model sees it. */
export interface Evidence {
  value: string;
  /** Sum of the hand-set weights, in logits. */
  score: number;
  features: Features;
}

/** Says how probable it is that a candidate of a field (or of a column of a table) is right, in logits. */
export type Model = (field: string, evidence: Evidence) => number;

/** Learned weights, as `npm run train` writes them. */
export interface Weights {
  /** Feature -> weight, for all fields. */
  shared: Features;
  /** What is different about single fields, added to the shared weights. */
  fields: Record<string, Features>;
  /** Makes confidences honest: logit = scale * sum + shift; fitted on documents that the weights had not seen. */
  scale: number;
  shift: number;
}

/** The model of learned weights. */
export function createModel({ shared, fields, scale, shift }: Weights): Model {
  return (field, { features }) => {
    const own = fields[field];
    let sum = 0;
    for (const name in features) sum += ((shared[name] ?? 0) + (own?.[name] ?? 0)) * features[name]!;
    return scale * sum + shift;
  };
}

/** The hand-set weights alone. */
export const handSetModel: Model = (_, { score }) => score;

/** The weights that come with the package. */
export const packagedModel: Model = createModel(
  JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'data', 'weights.json'), 'utf8')),
);

/** What is less probable than this is not shown at all: it would be wrong more often than it helps. */
export const LEAST_CONFIDENCE = 0.3;

export const toConfidence = (logit: number) => Math.round((1 / (1 + Math.exp(-logit))) * 1000) / 1000;

export const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
