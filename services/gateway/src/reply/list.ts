import { readFields } from '../request/fields';
import { type Page, paginate } from '../request/pagination';
import { Answer, type ApiRequest } from '../route';

/** Further lists beside the results: key -> related objects. */
export type Sideloads = Readonly<Record<string, readonly object[]>>;

/** The answer of a list: pagination, results, sideloads (API: README.md section 6). Throws INVALID_PAGE. */
export function replyList(
  { query, url }: Pick<ApiRequest, 'query' | 'url'>,
  page: Page,
  total: number,
  results: readonly object[],
  sideloads: Sideloads = {},
  cursorOf?: (page: number) => string,
): object {
  const pick = readFields(query);
  return {
    pagination: paginate(query, page, total, url, cursorOf),
    results: pick ? results.map(pick) : results,
    ...sideloads,
  };
}

/** The answer of a single object. */
export function replyOne({ query }: Pick<ApiRequest, 'query'>, object: object): object {
  return readFields(query)?.(object) ?? object;
}

/** The answer of a creation. */
export function created(object: object): Answer {
  return new Answer(201, {}, object);
}
