import type { Caller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { replyList } from './reply/list';
import { FIELDS_PARAMETERS } from './request/fields';
import {
  documentFilters,
  documentOrdering,
  documentPaging,
  type Filters,
  readFilters,
  type ValuesOf,
} from './request/filters';
import { type Page, readPage } from './request/pagination';
import type { Permission } from './roles';
import { type ParametersOf, type Route, type RouteDoc, route } from './route';

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
  const documented = [
    ...documentPaging(),
    ...documentOrdering(orderings),
    ...documentFilters(filters),
    ...FIELDS_PARAMETERS,
  ];
  return route('GET', path, {
    allow,
    shared: () => true,
    doc: { ...doc, query: documented, answer: listSchema(item) },
    call: async ({ query, parameters }, caller) => {
      for (const name of unavailable) if (query.has(name)) query.refuse(name, 'Filtering by this is not available.');
      const ordering = query.ordering((key) => orderings.includes(key));
      const wanted = { filters: readFilters(filters, query), ordering, ...readPage(query) };
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
