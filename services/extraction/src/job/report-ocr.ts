import type { Logger } from '@intake/service';
import type { Counter } from 'prom-client';

/** More reasons than PP-OCR has; the log would say little with more. */
const MOST_REASONS = 20;

/** Counts documents on which PP-OCR failed, and says each reason once in the log: it would be the same for every page. */
export function createOcrReporter(log: Pick<Logger, 'warn'>, failed: Pick<Counter, 'inc'>): (problem: string) => void {
  const known = new Set<string>();
  return (problem) => {
    failed.inc();
    if (known.has(problem) || known.size >= MOST_REASONS) return;
    known.add(problem);
    log.warn({ problem }, 'PP-OCR failed: pages that are read badly stay as they were read');
  };
}
