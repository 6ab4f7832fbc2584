import { Refusal } from '@intake/rpc';
import type { Query } from './query';

const DEFAULT_PAGE_SIZE = 20;
/** Largest page of an ordinary list. API: limits.md. */
export const MAX_PAGE_SIZE = 100;

/** Which part of a list is wanted. */
export interface Page {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** The `pagination` object of a list. */
export interface Pagination {
  readonly total: number;
  readonly total_pages: number;
  readonly next: string | null;
  readonly previous: string | null;
}

/** Reads `page` and `page_size` (API: README.md section 6). Throws INVALID_PAGE for a page that can never be. */
export function readPage(query: Query, maximum = MAX_PAGE_SIZE): Page {
  const page = query.get('page') ?? '1';
  if (!/^\d{1,9}$/.test(page) || Number(page) < 1) throw new Refusal('INVALID_PAGE');
  return { page: Number(page), pageSize: readPageSize(query, maximum, DEFAULT_PAGE_SIZE) };
}

/** Reads `page_size`: what is larger is the maximum, what is no number or not above zero is `usual`. */
export function readPageSize(query: Query, maximum: number, usual: number): number {
  const size = query.get('page_size') ?? '';
  return /^\d+$/.test(size) && Number(size) > 0 ? Math.min(Number(size), maximum) : usual;
}

/**
 * The `pagination` object; next and previous keep every parameter of the request.
 *
 * @param url the request's own URL without query
 * @param cursorOf pages are named by cursors (`search_after`) instead of numbers
 * @throws INVALID_PAGE when the page is beyond the last
 */
export function paginate(
  query: Query,
  { page, pageSize }: Page,
  total: number,
  url: string,
  cursorOf?: (page: number) => string,
): Pagination {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (page > pages) throw new Refusal('INVALID_PAGE');
  const at = (number: number) => {
    const cursor = cursorOf && { page: undefined, search_after: cursorOf(number) };
    return `${url}?${query.with(cursor ?? { page: String(number) })}`;
  };
  return {
    total,
    total_pages: pages,
    next: page < pages ? at(page + 1) : null,
    previous: page > 1 ? at(page - 1) : null,
  };
}
