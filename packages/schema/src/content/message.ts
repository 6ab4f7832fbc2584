/** A message about content (API: annotation-content.md section 6). */
export interface ContentMessage {
  /** Id of the node as text. */
  id: string;
  type: 'error' | 'warning' | 'info' | 'aggregation';
  content: string;
  /** The next three only in messages of type `aggregation`. */
  aggregationType?: 'sum';
  schemaId?: string;
  label?: string;
}
