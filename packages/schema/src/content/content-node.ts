import type { EnumOption, NodeCategory } from '../schema-content';

/** `[left, top, right, bottom]` in pixels of the page image (API: pages.md). */
export type Box = number[];

/**
 * What a datapoint holds (API: annotation-content.md section 2). Everything but `value` is null when unknown; the
 * `rir*` and `ocr*` attributes are never changed by a write of the API, `connector*` by those of extensions only.
 */
export interface DatapointContent {
  /** Text in the format of the field; empty is `''`. At most {@link MAX_VALUE_LENGTH} characters. */
  value: string;
  /** ISO date, plain decimal with a point, or the string itself; null when empty or not readable as the type. */
  normalizedValue: string | null;
  /** The first page is 1. */
  page: number | null;
  position: Box | null;
  rirText: string | null;
  rirRawText: string | null;
  rirPage: number | null;
  rirPosition: Box | null;
  /** 0..1. */
  rirConfidence: number | null;
  connectorText: string | null;
  connectorPosition: Box | null;
  ocrText: string | null;
  ocrRawText: string | null;
  ocrPosition: Box | null;
}

/**
 * A node of an annotation's content as it is stored: the tree is flat, a node knows its parent and its place among the
 * parent's children. Attributes that a category does not have keep their initial value (`content` is null for all but
 * datapoints, and for buttons).
 */
export interface ContentNode {
  /** Unique over the installation, stable. */
  id: number;
  /** Null for sections. */
  parentId: number | null;
  /** Order among the children of the parent, from 0; removals leave gaps. */
  index: number;
  category: NodeCategory;
  /** Id of the schema's node; all items of a multivalue share one. */
  schemaId: string;
  content: DatapointContent | null;
  /** Of datapoints; not empty means validated (API: annotation-content.md section 3). */
  validationSources: string[];
  hidden: boolean;
  /** Seconds. */
  timeSpent: number;
  timeSpentOverall: number;
  /** Seconds, of multivalues. */
  timeSpentGrid?: number;
  timeSpentGridOverall?: number;
  /** Options of an enum that were changed for this annotation; absent: those of the schema. */
  options?: EnumOption[];
  /** Of a formula datapoint that people may edit. */
  noRecalculation?: boolean;
  /** Of multivalues of tuples (API: annotation-content.md section 5). */
  grid?: Record<string, unknown> | null;
}

/** Longest value of a datapoint in characters (API: limits.md). */
export const MAX_VALUE_LENGTH = 1500;

/** Content of a datapoint that holds nothing. */
export function emptyContent(): DatapointContent {
  return {
    value: '',
    normalizedValue: null,
    page: null,
    position: null,
    rirText: null,
    rirRawText: null,
    rirPage: null,
    rirPosition: null,
    rirConfidence: null,
    connectorText: null,
    connectorPosition: null,
    ocrText: null,
    ocrRawText: null,
    ocrPosition: null,
  };
}
