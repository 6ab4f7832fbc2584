import type { annotation as contract } from '@intake/contracts';
import {
  type ContentNode,
  type Datapoint,
  normalizeValue,
  type SchemaContent,
  schemaIndex,
  sourcesOf,
} from '@intake/schema';

/** Values of the fields outside tables that the engine fills, by the engine's name; of several fields with one name, the first. */
export function confirmedValues(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
): Record<string, contract.ConfirmedValue> {
  const { datapoints } = schemaIndex(schema);
  const sections = new Set(nodes.filter(({ category }) => category === 'section').map(({ id }) => id));
  const values = new Map<string, contract.ConfirmedValue>();
  for (const { content, parentId, schemaId } of nodes) {
    const field = datapoints.get(schemaId);
    if (!field || !content || parentId === null || !sections.has(parentId)) continue;
    const name = sourcesOf(field, true).find(({ kind }) => kind === 'engine')?.name;
    if (name === undefined || values.has(name)) continue;
    const { value, normalizedValue, page, position, rirText, rirPage, rirPosition } = content;
    const read = rirText === null || rirText === '' ? undefined : normalize(field, rirText);
    values.set(name, {
      value: normalizedValue ?? value,
      page: page ?? 0,
      position: position ?? [],
      read: read === undefined ? undefined : { value: read, page: rirPage ?? 0, position: rirPosition ?? [] },
    });
  }
  return Object.fromEntries(values);
}

function normalize(field: Datapoint, text: string): string {
  const result = normalizeValue(field, text, { tooLong: 'cut', canonical: false });
  return result.error === undefined ? (result.normalizedValue ?? result.value) : text;
}
