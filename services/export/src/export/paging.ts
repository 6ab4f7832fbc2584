import { Refusal } from '@intake/rpc';

/** The four formats of an export. */
export const FORMATS = ['json', 'csv', 'xml', 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** Which part of the matching annotations a file holds; `page` 0: all of them. */
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

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE: Readonly<Record<Format, number>> = { json: 100, csv: 1000, xml: 100, xlsx: 100 };

/** The page that was asked for: without page and page size JSON is paged, the files hold everything (API: export.md section 1.2). */
export function choosePage(format: Format, asked: Page): Page {
  if (format !== 'json' && asked.page === 0 && asked.pageSize === 0) return { page: 0, pageSize: 0 };
  const pageSize = asked.pageSize > 0 ? asked.pageSize : DEFAULT_PAGE_SIZE;
  return { page: asked.page || 1, pageSize: Math.min(pageSize, MAX_PAGE_SIZE[format]) };
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

/** The absolute URL of a request, from the API's base (it ends in `/api`) and the request's path, which may begin at the host's root, at `/v1`, or be a URL already. */
export function absoluteUrl(baseUrl: string, requestUrl: string): string {
  if (/^https?:\/\//.test(requestUrl)) return requestUrl;
  const base = baseUrl.replace(/\/+$/, '');
  const { origin, pathname } = new URL(base);
  return requestUrl.startsWith(`${pathname}/`) ? `${origin}${requestUrl}` : `${base}${requestUrl}`;
}
