/** One possible value as the engine gives it: ISO date, plain decimal, code or text. */
export interface SourceCandidate {
  value: string;
  rawText: string | null;
  page: number | null;
  /** `[left, top, right, bottom]` in pixels of the page image. */
  position: readonly number[] | null;
  /** 0..1. */
  confidence: number | null;
}

/** A row of a table that the engine found; `cells` has only the columns that were found. */
export interface SourceRow {
  /** `data`, `header` or another type of the schema's grid. */
  type: string;
  cells: Record<string, SourceCandidate>;
  page: number | null;
  position: readonly number[] | null;
}

/** Everything that first values of a new annotation can come from (API: schemas.md section 3). */
export interface Sources {
  /** Extracted identifier -> candidates, best first. */
  fields: Record<string, readonly SourceCandidate[]>;
  /** Rows by name of the table. */
  tables: { line_items?: readonly SourceRow[]; tax_details?: readonly SourceRow[] };
  /** Values by their full name: `upload:project`, `email_header:from`, `email_body:text_plain`, `edit:..`, ... */
  values: Record<string, string>;
  /** The queue's `default_score_threshold`, 0..1. */
  defaultScoreThreshold: number;
}
