import type { FieldErrors } from '../checking/field-errors';
import { decimalOf } from '../formats/decimal';
import { type NormalizedValue, normalizeValue } from '../formats/normalize-value';
import type { Datapoint, SchemaNode } from '../schema-content';
import type { ContentNode, DatapointContent } from './content-node';
import type { GivenAttributes, GivenContent } from './given-attributes';
import { isEditableFormula } from './new-node';
import { findPageProblem, type WriteContext } from './write-context';

/** How one kind of write differs from another. */
export interface WriteRules {
  /** Validation sources of a datapoint when the write names none; null: they stay (API: annotation-content.md section 3). */
  defaultSources: (written: { contentGiven: boolean; valueChanged: boolean }) => string[] | null;
  /** A `normalized_value` beside `value`: `ignore` it, or leave the datapoint alone when the two do not `match`. */
  normalizedValue: 'ignore' | 'match';
  source: WriteContext['source'];
  pageCount?: WriteContext['pageCount'];
}

type WriteResult = { node: ContentNode; errors?: undefined } | { errors: FieldErrors };

/** A node with the given attributes set; those that its category does not have are ignored. */
export function writeNode(
  node: ContentNode,
  schemaNode: SchemaNode,
  given: GivenAttributes,
  rules: WriteRules,
): WriteResult {
  switch (schemaNode.category) {
    case 'section':
      return { node };
    case 'tuple':
      return { node: { ...node, ...pick(given, ['hidden']) } };
    case 'multivalue': {
      const times = ['timeSpent', 'timeSpentOverall', 'timeSpentGrid', 'timeSpentGridOverall'] as const;
      return { node: { ...node, ...pick(given, ['hidden', ...times]) } };
    }
    case 'datapoint':
      return writeDatapoint(node, schemaNode, given, rules);
  }
}

function writeDatapoint(
  node: ContentNode,
  datapoint: Datapoint,
  given: GivenAttributes,
  rules: WriteRules,
): WriteResult {
  const plain = pick(given, ['hidden', 'timeSpent', 'timeSpentOverall']);
  if (!node.content) return { node: { ...node, ...plain } };
  const withOptions = datapoint.type === 'enum' ? writeOptions(node, given.options) : node;
  const value = givenValue(withOptions, datapoint, given.content ?? {}, rules.normalizedValue);
  if (value === 'leave') return { node };
  if (value.errors) return { errors: { content: value.errors } };
  const wrongPage = checkPage(node.content, given.content ?? {}, rules.pageCount);
  if (wrongPage) return { errors: { content: wrongPage } };

  const written = { ...node.content, ...value.written, ...pick(given.content ?? {}, ['page', 'position']) };
  const content = rules.source === 'hook' ? withConnectorText(written, given.content ?? {}) : written;
  const valueChanged = content.value !== node.content.value || content.normalizedValue !== node.content.normalizedValue;
  const defaultSources = rules.defaultSources({ contentGiven: given.content !== undefined, valueChanged });
  const stops = isEditableFormula(datapoint)
    ? (given.noRecalculation ?? ((valueChanged && rules.source === 'user') || undefined))
    : undefined;
  return {
    node: {
      ...withOptions,
      ...plain,
      content,
      validationSources: given.validationSources ?? defaultSources ?? node.validationSources,
      ...(stops === undefined ? {} : { noRecalculation: stops }),
    },
  };
}

/** What was there before may be sent back. */
function checkPage(before: DatapointContent, { page }: GivenContent, pageCount?: number): FieldErrors | null {
  const problem = !page || page === before.page ? null : findPageProblem(page, pageCount);
  return problem === null ? null : { page: [problem] };
}

/** What an extension gave stays visible when a person changes it later (API: annotation-content.md section 2). */
function withConnectorText(content: DatapointContent, given: GivenContent): DatapointContent {
  if (given.value === undefined && given.normalizedValue === undefined) return content;
  return { ...content, connectorText: content.value, connectorPosition: given.position ?? null };
}

function writeOptions(node: ContentNode, options: GivenAttributes['options']): ContentNode {
  if (options === undefined) return node;
  const { options: _before, ...others } = node;
  return options === null ? others : { ...others, options };
}

/** The value to be written: parsed and formatted, or nothing when none was given or it is the one that is there. */
function givenValue(
  node: ContentNode,
  datapoint: Datapoint,
  { value, normalizedValue }: GivenContent,
  rule: WriteRules['normalizedValue'],
): { written: Partial<NormalizedValue>; errors?: undefined } | { errors: FieldErrors } | 'leave' {
  const attribute = value !== undefined ? 'value' : 'normalized_value';
  const raw = value !== undefined ? value : normalizedValue;
  if (raw === undefined) return { written: {} };
  const result = normalizeValue(datapoint, raw, { options: node.options, canonical: attribute === 'normalized_value' });
  if (result.error !== undefined) return { errors: { [attribute]: [result.error] } };
  if (
    rule === 'match' &&
    value !== undefined &&
    normalizedValue !== undefined &&
    !isSameValue(result, normalizedValue)
  ) {
    return 'leave';
  }
  // What is there may have been read by other rules (ISO, two-digit years): sending it back must not change it.
  return raw === node.content?.value && value !== undefined ? { written: {} } : { written: result };
}

function isSameValue({ normalizedValue }: NormalizedValue, given: unknown): boolean {
  if (given === null || given === '') return normalizedValue === null;
  if (normalizedValue === null) return false;
  if (String(given) === normalizedValue) return true;
  const numbers = [normalizedValue, String(given)];
  return numbers.every((text) => /^-?\d+(\.\d+)?$/.test(text)) && decimalOf(numbers[0]!).equals(decimalOf(numbers[1]!));
}

/** Those of the attributes that are given. */
function pick<T extends object, K extends keyof T>(given: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (given[key] !== undefined) picked[key] = given[key];
  return picked;
}
