import { Refusal } from '@intake/rpc';

/** The four formats of an export. */
export const FORMATS = ['json', 'csv', 'xml', 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** Which part of the matching annotations a file holds, as the gateway decided; `page` 0: all of them. */
export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

/** `pagination` of a list (API: README.md section 6). */
export interface Pagination {
  readonly total: number;
  readonly total_pages: number;
  readonly next: string | null;
  readonly previous: string | null;
}

/**
 * Where a page stands among all. `requestUrl` is the absolute URL of the request; it is kept but for its `page`.
 *
 * @throws Refusal INVALID_PAGE for a page that does not exist
 */
export function paginate(total: number, { page, pageSize }: Page, requestUrl: string): Pagination {
  const totalPages = page === 0 ? 1 : Math.max(1, Math.ceil(total / pageSize));
  if (page < 0 || page > totalPages) throw new Refusal('INVALID_PAGE');
  return {
    total,
    total_pages: totalPages,
    next: page > 0 && page < totalPages ? withPage(requestUrl, page + 1) : null,
    previous: page > 1 ? withPage(requestUrl, page - 1) : null,
  };
}

/** The URL with another page; the other parameters keep their text and order. */
function withPage(url: string, page: number): string {
  const [path, query = ''] = url.split('?', 2);
  const others = query.split('&').filter((parameter) => parameter !== '' && !/^page(=|$)/.test(parameter));
  return `${path}?${[...others, `page=${page}`].join('&')}`;
}
