import type { ContentNode } from '@intake/schema';
import { wordsOf } from './words';

/** A value that annotations are found and ordered by. */
export interface IndexedField {
  readonly id: string;
  /** As it is shown. */
  readonly text: string;
  /** What it means as a number or a day, where it does. */
  readonly number?: number;
  readonly date?: Date;
}

/** What annotations are found by, of their content. */
export interface ContentIndex {
  readonly contentWords: readonly string[];
  readonly contentFields: readonly IndexedField[];
}

/** What the index looks at. */
export type IndexedNode = Pick<ContentNode, 'category' | 'schemaId'> & {
  readonly content: { readonly value: string; readonly normalizedValue?: string | null } | null;
};

/** So many values of one annotation are found by `field.<id>`. */
const MAX_FIELDS = 1000;
/** Of further values nothing is found. */
export const MAX_INDEXED = 3000;

/** Makes what annotations are found by; empty values are left out. */
export function indexContent(nodes: readonly IndexedNode[]): ContentIndex {
  const filled = nodes.filter((node) => node.category === 'datapoint' && node.content?.value).slice(0, MAX_INDEXED);
  return {
    contentWords: wordsOf(filled.map((node) => node.content?.value ?? '')),
    contentFields: filled.slice(0, MAX_FIELDS).map(toField),
  };
}

/**
 * The index after one value became another, of the fields alone; null where the order of several values of a field, or values that are
 * not indexed, have a say in it.
 */
export function reindexValue(
  fields: readonly IndexedField[],
  before: IndexedNode,
  after: IndexedNode,
): ContentIndex | null {
  if (fields.length >= MAX_FIELDS) return null;
  const own = fields.filter(({ id }) => id === after.schemaId);
  const old = before.content?.value ? own.filter(({ text }) => text === before.content?.value) : [];
  if (old.length !== (before.content?.value ? 1 : 0) || (old.length === 0 && own.length > 0)) return null;
  const changed = after.content?.value ? [toField(after)] : [];
  const contentFields =
    old.length === 0 ? [...fields, ...changed] : fields.flatMap((field) => (field === old[0] ? changed : [field]));
  return { contentWords: wordsOf(contentFields.map(({ text }) => text)), contentFields };
}

function toField({ schemaId, content }: IndexedNode): IndexedField {
  const meaning = content?.normalizedValue ?? '';
  const number = /^-?\d+(\.\d+)?$/.test(meaning) ? Number(meaning) : Number.NaN;
  const date = /^\d{4}-\d{2}-\d{2}$/.test(meaning) ? new Date(`${meaning}T00:00:00Z`) : null;
  return {
    id: schemaId,
    text: content?.value ?? '',
    ...(Number.isFinite(number) && { number }),
    ...(date && !Number.isNaN(date.getTime()) && { date }),
  };
}
