import type { Datapoint } from '../schema-content';
import type { FirstValue, SourceName } from './first-value';
import type { Sources } from './sources';

/**
 * Validation sources of a field at import, but for `checks`, which needs the other fields (API: annotation-content.md
 * section 3).
 *
 * @param order the field's sources, without those that are switched off
 * @param sources null when nothing was extracted: then nothing is `not_found`
 */
export function firstValidationSources(
  datapoint: Datapoint,
  order: readonly SourceName[],
  first: FirstValue | undefined,
  sources: Sources | null,
): string[] {
  if (first && isConfident(datapoint, first, sources)) return ['score'];
  const nothingFound = first === undefined || first.origin === 'default';
  if (nothingFound && sources && order.some((source) => source.kind === 'engine')) return ['not_found'];
  if (!first && order.length === 0 && datapoint.constraints?.required === false) return ['non_required'];
  return [];
}

/** Whether the engine's confidence reaches the threshold of the field, or of the queue where the field has none. */
export function isConfident(datapoint: Datapoint, { content, origin }: FirstValue, sources: Sources | null): boolean {
  if (origin !== 'engine' || content.rirConfidence === null || !sources) return false;
  return content.rirConfidence >= (datapoint.score_threshold ?? sources.defaultScoreThreshold);
}
