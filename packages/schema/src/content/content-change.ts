import type { FieldErrors } from '../checking/field-errors';
import type { ContentNode } from './content-node';

/** What a write did to the content of an annotation. Nodes given to a write are never modified; these are new ones. */
export interface ContentChange {
  /** All nodes after the write. */
  nodes: ContentNode[];
  /** Nodes that were there before and differ now. */
  changed: ContentNode[];
  added: ContentNode[];
  /** Ids of nodes that are gone, with everything below them. */
  removed: number[];
  errors?: undefined;
}

/** A write that was refused: nothing was applied. The errors are the body of the 400 answer. */
export interface ContentErrors {
  errors: FieldErrors;
}

export type ContentResult = ContentChange | ContentErrors;
