import { type ContentNode, engineNameOf, type SchemaContent, schemaIndex } from '@intake/schema';

/** Validation of values by what people confirmed before. API: workspaces-queues.md section 3, `autopilot`. */
export interface Autopilot {
  /** Names, as in `rir_field_names`, of the fields that tell which annotations are like this one. */
  readonly searchedNames: readonly string[];
  /** So many of these fields agree. */
  readonly fewestMatching: number;
  /** Names of the fields that are validated. */
  readonly validatedNames: readonly string[];
  /** So many annotations have the same value. */
  readonly fewestRepeated: number;
}

/** A value that an annotation is found by: id of its field and text. */
export interface KnownValue {
  readonly id: string;
  readonly text: string;
}

/** What the settings of a queue say; null: the autopilot is off. What they do not say is one, or none. */
export function readAutopilot(settings: object | undefined): Autopilot | null {
  const { autopilot } = (settings ?? {}) as {
    autopilot?: {
      enabled?: boolean;
      search_history?: { rir_field_names?: string[] | null; matching_fields_threshold?: number | null } | null;
      automate_fields?: { rir_field_names?: string[] | null; field_repeated_min?: number | null } | null;
    } | null;
  };
  if (!autopilot?.enabled) return null;
  const { search_history: search, automate_fields: fields } = autopilot;
  return {
    searchedNames: (search?.rir_field_names ?? []).map(engineNameOf),
    fewestMatching: Math.max(search?.matching_fields_threshold ?? 1, 1),
    validatedNames: (fields?.rir_field_names ?? []).map(engineNameOf),
    fewestRepeated: Math.max(fields?.field_repeated_min ?? 1, 1),
  };
}

/** The values that annotations like this one are looked for by. */
export function searchedValues(
  { searchedNames }: Autopilot,
  schema: SchemaContent,
  nodes: readonly ContentNode[],
): KnownValue[] {
  return namedFields(schema, nodes, searchedNames).map(toValue);
}

/**
 * The content with the validation source `history` at the values that enough annotations like this one have.
 *
 * @param past values of annotations that people confirmed
 */
export function validateByHistory(
  autopilot: Autopilot,
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  past: readonly (readonly KnownValue[])[],
): ContentNode[] {
  const searched = searchedValues(autopilot, schema, nodes);
  const has = (values: readonly KnownValue[], { id, text }: KnownValue) =>
    values.some((one) => one.id === id && one.text === text);
  const alike = past.filter(
    (values) => searched.filter((value) => has(values, value)).length >= autopilot.fewestMatching,
  );
  const known = new Set(
    namedFields(schema, nodes, autopilot.validatedNames)
      .filter((node) => alike.filter((values) => has(values, toValue(node))).length >= autopilot.fewestRepeated)
      .map(({ id }) => id),
  );
  return nodes.map((node) =>
    known.has(node.id) ? { ...node, validationSources: [...node.validationSources, 'history'] } : node,
  );
}

/** Fields outside tables that have a value and one of these names. */
function namedFields(schema: SchemaContent, nodes: readonly ContentNode[], names: readonly string[]): ContentNode[] {
  const { datapoints } = schemaIndex(schema);
  const sections = new Set(nodes.filter(({ category }) => category === 'section').map(({ id }) => id));
  return nodes.filter(({ schemaId, parentId, content }) => {
    if (!content?.value || parentId === null || !sections.has(parentId)) return false;
    return (datapoints.get(schemaId)?.rir_field_names ?? []).some((name) => names.includes(engineNameOf(name)));
  });
}

function toValue({ schemaId, content }: ContentNode): KnownValue {
  return { id: schemaId, text: content?.value ?? '' };
}
