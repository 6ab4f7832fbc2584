/** How much of a document is read. */
export interface Extent {
  /** Pages whose words are read, from the first one. */
  readonly maxPages: number;
  /** Whether tables are looked for. */
  readonly tables: boolean;
}

const DEFAULT_PAGES = 32;
/** Of a document (API: limits.md). */
const MOST_PAGES = 500;
const NO = ['false', 'f', '0', 'no', 'n', 'off'];

/**
 * Reads `rir_params` of a queue, such as `effective_page_count=2&tables=false` (API: workspaces-queues.md section 2). What is
 * unknown or wrong counts for nothing.
 */
export function readExtent(rirParams: string | null | undefined): Extent {
  const params = new URLSearchParams(rirParams ?? '');
  const count = params.get('effective_page_count') ?? '';
  const pages = /^\d{1,9}$/.test(count) ? Number(count) : 0;
  return {
    maxPages: pages === 0 ? DEFAULT_PAGES : Math.min(pages, MOST_PAGES),
    tables: !NO.includes((params.get('tables') ?? '').toLowerCase()),
  };
}
