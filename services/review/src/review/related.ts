import { idOf } from '../api/client';
import type { Relation } from '../api/types';

/** Ids of the annotations that belong to one, by what they are to it. */
export interface Related {
  readonly duplicates: readonly number[];
  /** What it was cut from. */
  readonly originals: readonly number[];
  /** What was cut from it. */
  readonly parts: readonly number[];
}

export function relatedOf(relations: readonly Relation[], annotationId: number): Related {
  const others = (list: readonly (string | null)[]) => [
    ...new Set(list.flatMap((url) => (url === null ? [] : [idOf(url)])).filter((id) => id !== annotationId)),
  ];
  const edits = relations.filter(({ type }) => type === 'edit');
  const isOriginal = ({ parent }: Relation) => parent !== null && idOf(parent) === annotationId;
  const originals = others(edits.filter((one) => !isOriginal(one)).map(({ parent }) => parent));
  const parts = others(edits.filter(isOriginal).flatMap(({ annotations }) => annotations));
  const same = others(relations.filter(({ type }) => type === 'duplicate').flatMap(({ annotations }) => annotations));
  // The first part says what its original said: that is no news.
  return { duplicates: same.filter((id) => !originals.includes(id) && !parts.includes(id)), originals, parts };
}
