/** What the QR code of a separator page says, unless the queue says otherwise. */
export const SEPARATOR_TEXT = 'INTAKE-SEPARATOR';

/**
 * The pages between separator pages, as runs of page numbers; the separators themselves belong to no run. Empty when there is
 * no separator, or nothing but separators.
 */
export function runsBetween(pageCount: number, separators: ReadonlySet<number>): number[][] {
  if (separators.size === 0) return [];
  const runs: number[][] = [];
  let run: number[] = [];
  for (let number = 1; number <= pageCount + 1; number++) {
    if (number <= pageCount && !separators.has(number)) {
      run.push(number);
      continue;
    }
    if (run.length > 0) runs.push(run);
    run = [];
  }
  return runs;
}
