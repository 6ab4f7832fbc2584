import type { PageLayout } from '../../layout/page-layout';
import { type Column, linesBelow } from '../../layout/tables';
import type { TableRow } from '../../recognition';
import type { Key } from '../key-phrases';
import type { DecimalMark } from '../numbers';
import { settleByContent } from './column-content';
import type { Meaning } from './column-meanings';
import { readRows } from './rows';
import { upToTotals } from './sums';
import { findHead, type Head, isSameTable } from './table-head';

export interface LineItems {
  rows: TableRow[];
  /** Lines that the table covers, as `page:line`. */
  lines: Set<string>;
}

/** Finds the head of a page's table; its columns mean what they say. */
export type FindHead = (page: PageLayout, keys: Key[]) => Head | undefined;

/**
 * The table of line items: a head whose cells say what the columns are, and the rows under it up to the totals; on
 * following pages the head may be repeated or not.
 *
 * @param priced false for the tables of delivery notes, which have no prices
 */
export function findLineItems(pages: PageLayout[], keys: Key[], mark: DecimalMark, priced = true): LineItems {
  return readLineItems(pages, keys, mark, (page, pageKeys) => {
    const head = findHead(page, pageKeys, priced);
    if (!head) return undefined;
    const body = upToTotals(linesBelow(page, head.bottom), pageKeys);
    return { ...head, columns: settleByContent(head.columns, body, mark) };
  });
}

/** The rows under the heads that are found on the pages. */
export function readLineItems(pages: PageLayout[], keys: Key[], mark: DecimalMark, findHeadOn: FindHead): LineItems {
  const rows: TableRow[] = [];
  const lines = new Set<string>();
  let columns: Column<Meaning>[] | undefined;
  let open = false;
  const keysOf = (page: PageLayout) => keys.filter((key) => key.page === page.number);
  for (const [at, page] of pages.entries()) {
    const pageKeys = keysOf(page);
    const head = findHeadOn(page, pageKeys);
    if (head) {
      columns = head.columns;
      for (const line of head.lines) lines.add(`${page.number}:${line.number}`);
    } else if (!columns || !open) continue;
    const body = head ? linesBelow(page, head.bottom) : page.lines;
    const read = readRows(page, body, columns!, pageKeys, mark, head !== undefined, rows.length > 0);
    for (const number of read.lines) lines.add(`${page.number}:${number}`);
    rows.push(...read.rows);
    open = !read.ended;
    // Sums at the foot of a page are carried forward; under the same head the table goes on.
    const next = pages[at + 1];
    const again = read.ended && next ? findHeadOn(next, keysOf(next)) : undefined;
    if (again && isSameTable(columns!, again.columns)) continue;
    if (!open) columns = undefined;
    if (read.ended && rows.length > 0) break;
  }
  return { rows, lines };
}
