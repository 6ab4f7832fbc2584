/** Where a message of a formula comes from, with the API's names (API: annotation-content.md section 6). */
export interface FormulaDetail {
  hook_id: null;
  hook_name: null;
  request_id: null;
  timestamp: null;
  /** False: the formula says it itself. */
  is_exception: boolean;
  /** From 1; null when it is not known. */
  traceback_line_number: number | null;
  /** Node of the formula. */
  source_id: number;
  source_schema_id: string;
}

/** A message about content (API: annotation-content.md section 6). */
export interface ContentMessage {
  /** Id of the node as text. */
  id: string;
  type: 'error' | 'warning' | 'info' | 'aggregation';
  content: string;
  /** Of messages that formulas give. */
  detail?: FormulaDetail;
  /** The next three only in messages of type `aggregation`. */
  aggregationType?: 'sum';
  schemaId?: string;
  label?: string;
}
