import { type NormalizedValue, normalizeValue } from '../formats/normalize-value';
import type { Datapoint } from '../schema-content';
import { type DatapointContent, emptyContent } from './content-node';
import type { SourceCandidate, Sources } from './sources';

/** Prefixes of sources that are not the engine (API: schemas.md section 3). */
const VALUE_PREFIXES = ['upload:', 'email_header:', 'email_body:', 'email:', 'edit:', 'emails_import:'];
const ENGINE_PREFIX = 'rir:';

const WITHOUT_SPACES = new Set([
  'account_num',
  'customer_id',
  'document_id',
  'order_id',
  'recipient_dic',
  'sender_dic',
]);
const DIGITS_ONLY = new Set(['var_sym', 'recipient_ic', 'sender_ic']);

/** What a field gets at import, and where that came from. */
export interface FirstValue {
  content: DatapointContent;
  origin: 'engine' | 'value' | 'default';
  /** The engine's name of the value; null when it came from elsewhere. */
  engineName: string | null;
}

/** A source of first values, as a schema names it. */
export type SourceName = { kind: 'engine'; name: string } | { kind: 'value'; name: string };

/** Finds the engine's candidates of a name: those of the document, or those of one row. */
export type FindCandidates = (engineName: string) => readonly SourceCandidate[];

/** Sources of a field in order; those of the engine only where prediction is not switched off. */
export function sourcesOf(datapoint: Datapoint, predicted: boolean): SourceName[] {
  return (datapoint.rir_field_names ?? [])
    .map(parseSourceName)
    .filter((source) => source.kind === 'value' || (predicted && !datapoint.disable_prediction));
}

/** The engine's name in an entry of `rir_field_names`; the prefix `rir:` is optional. */
export function engineNameOf(fieldName: string): string {
  return fieldName.startsWith(ENGINE_PREFIX) ? fieldName.slice(ENGINE_PREFIX.length) : fieldName;
}

/**
 * All values of the first source that has any, best first; the default value where none has; empty when there is no
 * default either (API: schemas.md section 3).
 */
export function firstValues(
  datapoint: Datapoint,
  order: readonly SourceName[],
  values: Sources['values'],
  findCandidates: FindCandidates,
): FirstValue[] {
  for (const source of order) {
    const found =
      source.kind === 'value'
        ? valuesGiven(datapoint, values, source.name)
        : valuesRead(datapoint, source.name, findCandidates(source.name));
    if (found.length > 0) return found;
  }
  const content = contentOf(normalizeFirst(datapoint, datapoint.default_value ?? '', false));
  return content.value === '' ? [] : [{ content, origin: 'default', engineName: null }];
}

function valuesGiven(datapoint: Datapoint, values: Sources['values'], name: string): FirstValue[] {
  const given = Object.hasOwn(values, name) ? values[name]! : '';
  if (given === '') return [];
  return [{ content: contentOf(normalizeFirst(datapoint, given, false)), origin: 'value', engineName: null }];
}

function valuesRead(datapoint: Datapoint, engineName: string, candidates: readonly SourceCandidate[]): FirstValue[] {
  return candidates
    .map((candidate) => contentOfCandidate(datapoint, engineName, candidate))
    .filter((content) => content.value !== '')
    .map((content) => ({ content, origin: 'engine', engineName }));
}

function parseSourceName(fieldName: string): SourceName {
  return VALUE_PREFIXES.some((prefix) => fieldName.startsWith(prefix))
    ? { kind: 'value', name: fieldName }
    : { kind: 'engine', name: engineNameOf(fieldName) };
}

function contentOf(value: NormalizedValue): DatapointContent {
  return { ...emptyContent(), ...value };
}

function contentOfCandidate(datapoint: Datapoint, engineName: string, candidate: SourceCandidate): DatapointContent {
  const value = normalizeFirst(datapoint, tidyText(engineName, candidate.value), true);
  const position = candidate.position && [...candidate.position];
  return {
    ...contentOf(value),
    page: candidate.page,
    position,
    rirText: value.value,
    rirRawText: candidate.rawText,
    rirPage: candidate.page,
    rirPosition: position && [...position],
    rirConfidence: candidate.confidence,
  };
}

/** White space and characters that a kind of value does not have are left out; line breaks stay. */
function tidyText(engineName: string, text: string): string {
  if (WITHOUT_SPACES.has(engineName)) return text.replace(/\s+/g, '');
  if (DIGITS_ONLY.has(engineName)) return text.replace(/\D+/g, '');
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .join('\n')
    .trim();
}

function normalizeFirst(datapoint: Datapoint, text: string, canonical: boolean): NormalizedValue {
  const result = normalizeValue(datapoint, text, { tooLong: 'cut', canonical });
  if (result.error !== undefined) throw new Error(`${datapoint.id}: ${result.error}`);
  return result;
}
