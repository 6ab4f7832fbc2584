import type { ExportDatapoint, ExportNode } from '@intake/schema';
import type { Column } from './columns';
import { readMeta } from './meta-columns';
import type { ExportRecord } from './record';

/** A cell of a CSV or XLSX file. */
export interface Cell {
  readonly value: string;
  /** Type of the field; meta columns and missing values are strings. */
  readonly type: ExportDatapoint['type'];
}

const EMPTY: Cell = { value: '', type: 'string' };

type Item = ReadonlyMap<string, Cell>;

/**
 * The rows of one annotation: as many as the longest selected multivalue has items, at least one; what is not in a
 * multivalue repeats on each (API: export.md section 4.3).
 */
export function* toRows(record: ExportRecord, columns: readonly Column[]): Generator<Cell[]> {
  const { fields, lists } = readContent(record.content);
  const selected = new Set(columns.map(({ name }) => name));
  const listOf = new Map<string, readonly Item[]>();
  let count = 1;
  for (const items of lists) {
    const ids = new Set(items.flatMap((item) => [...item.keys()]));
    for (const id of ids) listOf.set(id, items);
    if ([...ids].some((id) => selected.has(id))) count = Math.max(count, items.length);
  }
  for (let i = 0; i < count; i++) {
    yield columns.map(({ name }) => {
      const meta = readMeta(name, record);
      if (meta !== undefined) return { value: meta, type: 'string' };
      const items = listOf.get(name);
      return (items ? items[i]?.get(name) : fields.get(name)) ?? EMPTY;
    });
  }
}

/** Datapoints outside of multivalues by id, and the items of each multivalue. */
function readContent(content: readonly ExportNode[]): { fields: Item; lists: Item[][] } {
  const fields = new Map<string, Cell>();
  const lists: Item[][] = [];
  const visit = (node: ExportNode): void => {
    if (node.category === 'multivalue') lists.push(node.children.map((item) => new Map(toCells(item))));
    else if (node.category === 'datapoint') fields.set(node.schema_id, node);
    else node.children.forEach(visit);
  };
  content.forEach(visit);
  return { fields, lists };
}

function toCells(item: ExportNode): [string, Cell][] {
  return item.category === 'datapoint' ? [[item.schema_id, item]] : item.children.flatMap(toCells);
}
