import { type RefObject, useEffect, useState } from 'react';

/** Rows of a table up to which all are drawn. */
const FEW = 60;
/** Rows that are drawn above and below of what is seen. */
const MARGIN = 8;
/** Height of a row in pixels until one was measured. */
const ROW_HEIGHT = 33;

/** A row that is drawn, or the height of those that are not. */
export type RowOrGap = { readonly row: number } | { readonly gap: number };

/** Which rows of a long table are drawn: those that are seen, and the one that has the focus. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, focused: number | undefined) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const [rowHeight, setRowHeight] = useState(ROW_HEIGHT);
  const isLong = count > FEW;

  useEffect(() => {
    const box = scroller.current;
    if (!box || !isLong) return;
    const look = () => {
      setTop(box.scrollTop);
      setHeight(box.clientHeight);
      const row = box.querySelector<HTMLElement>('tbody tr[data-row]');
      if (row) setRowHeight(row.getBoundingClientRect().height || ROW_HEIGHT);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [scroller, isLong]);

  // A row that gets the focus from elsewhere is brought into view.
  useEffect(() => {
    const box = scroller.current;
    if (!box || !isLong || focused === undefined) return;
    const head = box.querySelector('thead')?.clientHeight ?? 0;
    const at = focused * rowHeight;
    if (at < box.scrollTop) box.scrollTop = at;
    else if (at + rowHeight > box.scrollTop + box.clientHeight - head) {
      box.scrollTop = at + rowHeight - box.clientHeight + head;
    }
  }, [scroller, isLong, focused, rowHeight]);

  const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const last = Math.min(count - 1, Math.ceil((top + height) / rowHeight) + MARGIN);
  return isLong
    ? rowsAndGaps(count, { first, last, focused }, rowHeight)
    : rowsAndGaps(count, { first: 0, last: count - 1 }, 0);
}

/** What is drawn of `count` rows, from top to bottom. */
export function rowsAndGaps(
  count: number,
  { first, last, focused }: { readonly first: number; readonly last: number; readonly focused?: number },
  rowHeight: number,
): RowOrGap[] {
  const drawn = new Set<number>();
  for (let row = first; row <= last; row++) drawn.add(row);
  if (focused !== undefined && focused < count) drawn.add(focused);
  const result: RowOrGap[] = [];
  let next = 0;
  for (const row of [...drawn].sort((a, b) => a - b)) {
    if (row > next) result.push({ gap: (row - next) * rowHeight });
    result.push({ row });
    next = row + 1;
  }
  if (next < count) result.push({ gap: (count - next) * rowHeight });
  return result;
}
