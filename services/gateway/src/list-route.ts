import type { Caller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { replyList } from './reply/list';
import { FIELDS_PARAMETERS } from './request/fields';
import { MAX_PAGE_SIZE, type Page, readPage } from './request/pagination';
import type { Query } from './request/query';
import type { Permission } from './roles';
import { type ParametersOf, type QueryParameter, type Route, type RouteDoc, route } from './route';

/** How one filter of a list is read from the query; undefined (or an empty list) when it is not given. */
export interface Filter<T> {
  readonly kind: 'ids' | 'text' | 'boolean' | 'times';
  readonly read: (query: Query, name: string) => T;
}

/** Ids, several mean OR. */
export const ids: Filter<number[]> = { kind: 'ids', read: (query, name) => query.ids(name) };
/** Exact text. */
export const text: Filter<string | undefined> = { kind: 'text', read: (query, name) => query.get(name) };
export const boolean: Filter<boolean | undefined> = { kind: 'boolean', read: (query, name) => query.boolean(name) };
/** One or several of a closed list. */
export const choices = <T extends string>(...allowed: readonly T[]): Filter<T[]> => ({
  kind: 'text',
  read: (query, name) => query.choices(name, allowed),
});
/** `<name>_after` and `<name>_before`. */
export const times: Filter<ReturnType<Query['timeRange']>> = {
  kind: 'times',
  read: (query, name) => query.timeRange(name),
};

type Filters = Readonly<Record<string, Filter<unknown>>>;
type ValuesOf<F extends Filters> = { readonly [K in keyof F]: F[K] extends Filter<infer T> ? T : never };

/** What a list is asked for. */
export interface Wanted<F extends Filters> extends Page {
  readonly filters: ValuesOf<F>;
  /** Supported keys only. */
  readonly ordering: string[];
}

/** One collection that is listed (API: README.md section 6). */
export interface ListOptions<F extends Filters, Row, Path extends string = string> {
  readonly allow: Permission;
  readonly filters: F;
  /** Filters that the API has and this version cannot apply: refused rather than ignored. */
  readonly unavailable?: readonly string[];
  readonly orderings: readonly string[];
  /** The rows of one page, and how many there are over all pages. */
  readonly fetch: (
    wanted: Wanted<F>,
    caller: Caller,
    parameters: ParametersOf<Path>,
  ) => Promise<{ rows: readonly Row[]; total: number }>;
  readonly toJson: (row: Row, urls: ApiUrls, caller: Caller) => object;
  /** What the OpenAPI document says beyond filters and orderings. */
  readonly doc?: Omit<RouteDoc, 'answer' | 'query'> & { readonly item?: RouteDoc['answer'] };
}

const FILTER_SCHEMAS = {
  ids: { type: 'string', pattern: '^\\d+(,\\d+)*$', description: 'Ids; several separated by commas mean any of them.' },
  text: { type: 'string' },
  boolean: { type: 'string', enum: ['true', 'false'] },
  times: { type: 'string', format: 'date-time' },
} as const;

/** The query parameters that every list takes. */
export const PAGING: readonly QueryParameter[] = [
  { name: 'page', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'page_size', schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: 20 } },
];

function documentQuery(filters: Filters, orderings: readonly string[]): QueryParameter[] {
  const described = Object.entries(filters).flatMap(([name, { kind }]) =>
    (kind === 'times' ? [`${name}_after`, `${name}_before`] : [name]).map((parameter) => ({
      name: parameter,
      schema: FILTER_SCHEMAS[kind],
    })),
  );
  const ordering = {
    name: 'ordering',
    schema: { type: 'string' },
    description: `Keys separated by commas, '-' in front: descending. Keys: ${orderings.join(', ')}.`,
  };
  return [...PAGING, ...(orderings.length > 0 ? [ordering] : []), ...described, ...FIELDS_PARAMETERS];
}

/** JSON Schema of a list. */
export function listSchema(item: RouteDoc['answer'] = { type: 'object' }) {
  return {
    type: 'object',
    properties: { pagination: { $ref: '#/components/schemas/Pagination' }, results: { type: 'array', items: item } },
    required: ['pagination', 'results'],
  };
}

/** Makes the row of a list: reads page, filters and ordering, refuses all that is wrong at once, and answers a page. */
export function listRoute<F extends Filters, Row, const Path extends string>(
  path: Path,
  options: ListOptions<F, Row, Path>,
): Route {
  const { allow, filters, unavailable = [], orderings, fetch, toJson, doc: { item, ...doc } = {} } = options;
  const readFilters = (query: Query): ValuesOf<F> => {
    for (const name of unavailable) if (query.has(name)) query.refuse(name, 'Filtering by this is not available.');
    const values = Object.entries(filters).map(([name, filter]) => [name, filter.read(query, name)]);
    query.check();
    return Object.fromEntries(values) as ValuesOf<F>;
  };
  return route('GET', path, {
    allow,
    doc: { ...doc, query: documentQuery(filters, orderings), answer: listSchema(item) },
    call: async ({ query, parameters }, caller) => {
      const wanted = { filters: readFilters(query), ordering: query.ordering(orderings), ...readPage(query) };
      return { wanted, caller, ...(await fetch(wanted, caller, parameters)) };
    },
    reply: ({ wanted, caller, rows, total }, request) =>
      replyList(
        request,
        wanted,
        total,
        rows.map((row) => toJson(row, request.urls, caller)),
      ),
  });
}

/** The page that is asked for, cut out of a list that is whole in memory. */
export function cutPage<Row>(all: readonly Row[], { page, pageSize }: Page): { rows: readonly Row[]; total: number } {
  return { rows: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}

/** Nothing that could match. */
export const NO_ROWS = { rows: [], total: 0 } as const;
