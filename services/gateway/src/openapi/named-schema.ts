import { answers, type JsonSchema } from '@intake/resources';
import { FIELDS_PARAMETERS } from '../request/fields';
import type { RouteDoc } from '../route';

/** What the OpenAPI document says of endpoints that answer one kind of object. */
export interface NamedSchema {
  /** Refers to it. */
  readonly ref: JsonSchema;
  readonly components: RouteDoc['components'];
  /** Answers one, whole. */
  readonly one: (summary: string, more?: RouteDoc) => RouteDoc;
  /** Answers one that `fields` may reduce. */
  readonly retrieved: (summary: string, more?: RouteDoc) => RouteDoc;
  /** Lists them. */
  readonly listed: (summary: string) => Pick<RouteDoc, 'summary' | 'components'> & { readonly item: JsonSchema };
}

/** @param name under `#/components/schemas` */
export function namedSchema(name: string, schema: JsonSchema): NamedSchema {
  const ref = { $ref: `#/components/schemas/${name}` };
  const components = { [name]: schema };
  const reducible = { anyOf: [ref, { type: 'object', description: 'Reduced by `fields` or `fields!`.' }] };
  return {
    ref,
    components,
    one: (summary, more = {}) => ({ summary, components, answer: ref, ...more }),
    retrieved: (summary, { query = [], ...more } = {}) => ({
      ...{ summary, components, answer: reducible },
      ...{ query: [...query, ...FIELDS_PARAMETERS], ...more },
    }),
    listed: (summary) => ({ summary, components, item: reducible }),
  };
}

/** Answers a plain object, all of whose keys are always there. */
export const answersObject = (
  summary: string,
  properties: Readonly<Record<string, JsonSchema>>,
  more: RouteDoc = {},
): RouteDoc => ({
  summary,
  answer: { type: 'object', properties, required: Object.keys(properties) },
  ...more,
});

/** Attributes of an answer that only says what was done. */
export const DETAIL = { detail: answers.string };

/** Answers what is no JSON. */
export const answersFile = (summary: string, media: string, more: RouteDoc = {}): RouteDoc => ({
  summary,
  media,
  ...more,
});

/** Answers the URL of a task. */
export const answersTask = (summary: string, more: RouteDoc = {}): RouteDoc =>
  answersObject(summary, { url: answers.uri }, { status: 202, ...more });
