import type { QueryParameter } from '../route';
import { MAX_PAGE_SIZE } from './pagination';
import type { Query } from './query';

/** How one filter of a list is read from the query; undefined (or an empty list) when it is not given. */
export interface Filter<T> {
  readonly kind: 'ids' | 'text' | 'boolean' | 'times';
  readonly description?: string;
  /** The only values that there are. */
  readonly allowed?: readonly string[];
  readonly read: (query: Query, name: string) => T;
}

/** Filters by the names of their parameters. */
export type Filters = Readonly<Record<string, Filter<unknown>>>;
/** What the filters of a request say. */
export type ValuesOf<F extends Filters> = { readonly [K in keyof F]: F[K] extends Filter<infer T> ? T : never };

/** Ids, several mean OR. */
export const ids: Filter<number[]> = { kind: 'ids', read: (query, name) => query.ids(name) };
/** Exact text. */
export const text: Filter<string | undefined> = { kind: 'text', read: (query, name) => query.get(name) };
/** Exact texts, several mean OR. */
export const texts: Filter<string[]> = {
  kind: 'text',
  description: 'Several separated by commas mean any of them.',
  read: (query, name) => query.list(name),
};
export const boolean: Filter<boolean | undefined> = { kind: 'boolean', read: (query, name) => query.boolean(name) };
/** One or several of a closed list. */
export const choices = <T extends string>(...allowed: readonly T[]): Filter<T[]> => ({
  kind: 'text',
  description: `One of ${allowed.join(', ')}; several separated by commas mean any of them.`,
  read: (query, name) => query.choices(name, allowed),
});
/** One of a closed list. */
export const choice = <T extends string>(...allowed: readonly T[]): Filter<T | undefined> => ({
  kind: 'text',
  allowed,
  read: (query, name) => query.choice(name, allowed),
});
/** `<name>_after` and `<name>_before`. */
export const times: Filter<ReturnType<Query['timeRange']>> = {
  kind: 'times',
  read: (query, name) => query.timeRange(name),
};

/** Reads filters. Throws INVALID with every problem of the query so far. */
export function readFilters<F extends Filters>(filters: F, query: Query): ValuesOf<F> {
  const values = Object.entries(filters).map(([name, filter]) => [name, filter.read(query, name)]);
  query.check();
  return Object.fromEntries(values) as ValuesOf<F>;
}

type Range = ReturnType<Query['timeRange']>;

/** What two ranges of times have in common, where two filters mean the same time. */
export function overlap(one: Range, other: Range): NonNullable<Range> {
  const sorted = (...times: (Date | undefined)[]) =>
    times.filter((time) => time !== undefined).sort((a, b) => a.getTime() - b.getTime());
  return { after: sorted(one?.after, other?.after).at(-1), before: sorted(one?.before, other?.before)[0] };
}

const SCHEMAS = {
  ids: { type: 'string', pattern: '^\\d+(,\\d+)*$', description: 'Ids; several separated by commas mean any of them.' },
  text: { type: 'string' },
  boolean: { type: 'string', enum: ['true', 'false'] },
  times: { type: 'string', format: 'date-time' },
} as const;

/** What the OpenAPI document says of filters. */
export function documentFilters(filters: Filters): QueryParameter[] {
  return Object.entries(filters).flatMap(([name, { kind, description, allowed }]) =>
    (kind === 'times' ? [`${name}_after`, `${name}_before`] : [name]).map((parameter) => ({
      name: parameter,
      schema: allowed ? { ...SCHEMAS[kind], enum: allowed } : SCHEMAS[kind],
      ...(description && { description }),
    })),
  );
}

/** What the OpenAPI document says of the order of a list; nothing where there is one only. */
export function documentOrdering(orderings: readonly string[]): QueryParameter[] {
  if (orderings.length === 0) return [];
  const description = `Keys separated by commas, '-' in front: descending. Keys: ${orderings.join(', ')}.`;
  return [{ name: 'ordering', schema: { type: 'string' }, description }];
}

/** What the OpenAPI document says of parameters that turn something on. */
export const documentFlags = (...names: readonly string[]): QueryParameter[] =>
  names.map((name) => ({ name, schema: SCHEMAS.boolean }));

/** The parameters of a page. */
export const documentPaging = (maximum = MAX_PAGE_SIZE): readonly QueryParameter[] => [
  { name: 'page', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'page_size', schema: { type: 'integer', minimum: 1, maximum, default: 20 } },
];
