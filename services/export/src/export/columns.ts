import { type FieldErrors, Refusal } from '@intake/rpc';
import { childrenOf, type Datapoint, type SchemaContent, type SchemaNode } from '@intake/schema';
import { isMetaColumn } from './meta-columns';

/** A column of a CSV or XLSX file. */
export interface Column {
  /** Schema id of a datapoint, or name of a meta column. */
  readonly name: string;
  /** What the header row shows: the field's label, or the meta name itself. */
  readonly label: string;
}

/** The columns a client asked for: schema ids of any category and meta names. */
export interface ColumnRequest {
  /** Empty: every exportable field. */
  readonly columns: readonly string[];
  readonly prependColumns: readonly string[];
  readonly appendColumns: readonly string[];
}

/** Whether all names can be resolved with these schemas, so that no other has to be looked at. */
export function areColumnsKnown(request: ColumnRequest, schemas: readonly SchemaContent[]): boolean {
  const fields = readFields(schemas);
  const names = [...request.prependColumns, ...request.columns, ...request.appendColumns];
  return request.columns.length > 0 && names.every((name) => expand(name, fields) !== null);
}

/**
 * The columns of a file (API: export.md section 4.2).
 *
 * @param schemas the schemas concerned: current ones of the queues first, then those that only the result has, newest first
 * @throws Refusal INVALID naming every parameter with a name that no schema knows
 */
export function chooseColumns(request: ColumnRequest, schemas: readonly SchemaContent[]): Column[] {
  const fields = readFields(schemas);
  const errors: FieldErrors = {};
  const resolve = (parameter: string, names: readonly string[]): Column[] =>
    names.flatMap((name) => {
      const found = expand(name, fields);
      if (!found) {
        const messages = errors[parameter] as string[] | undefined;
        errors[parameter] = [...(messages ?? []), `Unknown column "${name}".`];
      }
      return found ?? [];
    });

  const before = resolve('prepend_columns', request.prependColumns);
  const chosen = request.columns.length > 0 ? resolve('columns', request.columns) : [...fields.datapoints.values()];
  const after = resolve('append_columns', request.appendColumns);
  if (Object.keys(errors).length > 0) throw new Refusal('INVALID', { fields: errors });
  return [...before, ...chosen, ...after];
}

interface Fields {
  /** Exportable datapoints by id, labelled by the first schema that has them. */
  readonly datapoints: ReadonlyMap<string, Column>;
  /** Ids of the exportable datapoints in a section, multivalue or tuple, by the first schema that has it. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

function expand(name: string, { datapoints, groups }: Fields): Column[] | null {
  if (isMetaColumn(name)) return [{ name, label: name }];
  const column = datapoints.get(name);
  if (column) return [column];
  const group = groups.get(name);
  return group ? group.map((id) => datapoints.get(id)!) : null;
}

function readFields(schemas: readonly SchemaContent[]): Fields {
  const datapoints = new Map<string, Column>();
  const groups = new Map<string, readonly string[]>();
  const visit = (node: SchemaNode): string[] => {
    if (node.category === 'datapoint') {
      if (!isExportable(node)) return [];
      if (!datapoints.has(node.id)) datapoints.set(node.id, { name: node.id, label: node.label });
      return [node.id];
    }
    const ids = childrenOf(node).flatMap(visit);
    if (!groups.has(node.id)) groups.set(node.id, ids);
    return ids;
  };
  for (const content of schemas) content.forEach(visit);
  return { datapoints, groups };
}

/** API: export.md section 2: neither buttons nor what says `can_export: false`. */
function isExportable({ type, can_export }: Datapoint): boolean {
  return type !== 'button' && can_export !== false;
}
