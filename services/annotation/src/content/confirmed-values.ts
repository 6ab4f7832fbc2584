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
    const { value, normalizedValue, page, position, rirPage, rirPosition } = content;
    const read = readValue(field, content);
    values.set(name, {
      value: normalizedValue ?? value,
      page: page ?? 0,
      position: position ?? [],
      read: read === undefined ? undefined : { value: read, page: rirPage ?? 0, position: rirPosition ?? [] },
    });
  }
  return Object.fromEntries(values);
}

const COLUMN = 'table_column_';
/** Rows that are told. */
const MOST_ROWS = 200;

/** Rows of the line items, whatever their table is called: columns that the engine fills, by the engine's name. */
export function confirmedRows(schema: SchemaContent, nodes: readonly ContentNode[]): contract.ConfirmedRow[] {
  const { datapoints } = schemaIndex(schema);
  const tuples = nodes.filter(({ category }) => category === 'tuple').sort((a, b) => a.index - b.index);
  const rows = new Map(tuples.map(({ id }) => [id, {} as Record<string, contract.ConfirmedCell>]));
  for (const { content, parentId, schemaId } of nodes) {
    const field = datapoints.get(schemaId);
    const cells = parentId === null ? undefined : rows.get(parentId);
    if (!field || !content || !cells) continue;
    const name = sourcesOf(field, true).find(({ kind }) => kind === 'engine')?.name;
    if (name?.startsWith(COLUMN))
      cells[name] ??= { value: content.normalizedValue ?? content.value, read: readValue(field, content) };
  }
  const filled = [...rows.values()].filter((cells) => Object.keys(cells).length > 0);
  return filled.slice(0, MOST_ROWS).map((cells) => ({ cells }));
}

/** What the engine had read, written as values are. */
const readValue = (field: Datapoint, { rirText }: NonNullable<ContentNode['content']>): string | undefined =>
  rirText === null || rirText === '' ? undefined : normalize(field, rirText);

function normalize(field: Datapoint, text: string): string {
  const result = normalizeValue(field, text, { tooLong: 'cut', canonical: false });
  return result.error === undefined ? (result.normalizedValue ?? result.value) : text;
}
