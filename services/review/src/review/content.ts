import type { Content, ContentNode, Message, Operation, SchemaNode } from '../api/types';

/** What the schema says of each of its ids. */
export type SchemaIndex = ReadonlyMap<string, SchemaNode>;

export function indexSchema(content: readonly SchemaNode[]): SchemaIndex {
  const index = new Map<string, SchemaNode>();
  const add = (node: SchemaNode) => {
    index.set(node.id, node);
    for (const child of childrenOf(node)) add(child);
  };
  content.forEach(add);
  return index;
}

/** The children of a node of a schema: a list, or the one child of a multivalue. */
export function childrenOf({ children }: SchemaNode): readonly SchemaNode[] {
  if (children === undefined) return [];
  return Array.isArray(children) ? children : [children as SchemaNode];
}

/** A value that is shown: where it stands in the document, and what the schema says of it. */
export interface Field {
  readonly id: number;
  readonly node: ContentNode;
  readonly schema: SchemaNode;
  /** The table or list that it belongs to. */
  readonly multivalue?: ContentNode;
  /** Its row in there, from 0. */
  readonly row?: number;
}

/** Every shown value in the order in which a person goes through them: fields and lists of a section, then its tables. */
export function fieldsOf(tree: readonly ContentNode[], index: SchemaIndex): Field[] {
  const plain: Field[] = [];
  const inTables: Field[] = [];
  const add = (to: Field[], node: ContentNode, multivalue?: ContentNode, row?: number) => {
    const schema = index.get(node.schema_id);
    if (schema && schema.type !== 'button' && !isHidden(node, schema))
      to.push({ id: node.id, node, schema, multivalue, row });
  };
  for (const section of tree) {
    for (const node of section.children ?? []) {
      if (node.category === 'datapoint') add(plain, node);
      if (node.category !== 'multivalue' || isHidden(node, index.get(node.schema_id))) continue;
      node.children?.forEach((child, row) => {
        if (child.category === 'datapoint') add(plain, child, node, row);
        else if (!isHidden(child, index.get(child.schema_id)))
          for (const cell of child.children ?? []) add(inTables, cell, node, row);
      });
    }
  }
  return [...plain, ...inTables];
}

export function isHidden(node: ContentNode, schema: SchemaNode | undefined): boolean {
  return node.hidden ?? schema?.hidden ?? false;
}

/** Tables of a tree that are shown: multivalues of rows with cells. */
export function tablesOf(tree: readonly ContentNode[], index: SchemaIndex): ContentNode[] {
  return tree
    .flatMap(({ children }) => children ?? [])
    .filter((node) => {
      const schema = index.get(node.schema_id);
      return schema !== undefined && !isHidden(node, schema) && childrenOf(schema)[0]?.category === 'tuple';
    });
}

/** Rows of a table, or values of a list, that are shown, with their places among all of them. */
export function rowsOf({ children = [] }: ContentNode, index: SchemaIndex) {
  return children.flatMap((row, at) => (isHidden(row, index.get(row.schema_id)) ? [] : [{ row, at }]));
}

/** Rows of which one has moved to the place of the next one that is shown. */
export function movedRows(
  rows: readonly ContentNode[],
  at: number,
  by: 1 | -1,
  index: SchemaIndex,
): { readonly rows: ContentNode[]; readonly to: number } {
  const shown = rows.map((row, i) => (isHidden(row, index.get(row.schema_id)) ? -1 : i)).filter((i) => i >= 0);
  const to = shown[shown.indexOf(at) + by];
  const moved = [...rows];
  if (to === undefined || !shown.includes(at)) return { rows: moved, to: at };
  moved.splice(to, 0, ...moved.splice(at, 1));
  return { rows: moved, to };
}

/** A table as it is now. */
export function findTable(tree: readonly ContentNode[], { id }: ContentNode): ContentNode | undefined {
  return tree.flatMap(({ children }) => children ?? []).find((one) => one.id === id);
}

/**
 * Messages that stand at no value: those of the whole document, and with their names those of lists and of values that are not
 * shown, which keep a document from being confirmed all the same.
 */
export function generalMessages(
  messages: readonly Message[],
  tree: readonly ContentNode[],
  fields: readonly Field[],
  index: SchemaIndex,
): Message[] {
  const said = messages.filter(({ type }) => type !== 'aggregation');
  if (said.length === 0) return said;
  const elsewhere = new Set([...fields, ...tablesOf(tree, index)].map(({ id }) => String(id)));
  const nodes = new Map(flatten(tree).map((node) => [String(node.id), node]));
  return said.flatMap((message) => {
    if (elsewhere.has(message.id)) return [];
    const node = nodes.get(message.id);
    const label = node && index.get(node.schema_id)?.label;
    return [label ? { ...message, content: `${label}: ${message.content}` } : message];
  });
}

/** Columns of a table that are shown: those of values, or of buttons. */
export function columnsOf(table: ContentNode, index: SchemaIndex, kind: 'values' | 'buttons' = 'values'): SchemaNode[] {
  const schema = index.get(table.schema_id);
  const tuple = schema && childrenOf(schema)[0];
  const isWanted = ({ type }: SchemaNode) => (type === 'button') === (kind === 'buttons');
  const rows = rowsOf(table, index);
  const isShown = (column: SchemaNode) =>
    rows.length === 0
      ? !column.hidden
      : rows.some(({ row: { children } }) =>
          children?.some((cell) => cell.schema_id === column.id && !isHidden(cell, column)),
        );
  return tuple ? childrenOf(tuple).filter((column) => isWanted(column) && isShown(column)) : [];
}

/** Whether a person has to look at a value: nothing confirms it, or there is an error. */
export function needsPerson({ id, node }: Field, messages: readonly Message[]): boolean {
  return (
    (node.validation_sources ?? []).length === 0 ||
    messages.some((message) => message.type === 'error' && message.id === String(id))
  );
}

/** Fields that need a person, drafts counted as looked at. */
export function needing(fields: readonly Field[], messages: readonly Message[], drafts: ReadonlyMap<number, string>) {
  const wrong = new Set(messages.filter(({ type }) => type === 'error').map(({ id }) => id));
  return fields.filter(
    ({ id, node }) => !drafts.has(id) && ((node.validation_sources ?? []).length === 0 || wrong.has(String(id))),
  );
}

/** The next field after one that fulfils a condition, from the top again at the end; undefined when there is none. */
export function nextField(
  fields: readonly Field[],
  after: number | null,
  condition: (field: Field) => boolean,
  step: 1 | -1 = 1,
): Field | undefined {
  const start = fields.findIndex(({ id }) => id === after);
  const count = fields.length;
  for (let i = 1; i <= count; i++) {
    const field = fields[((((start < 0 && step < 0 ? 0 : start) + i * step) % count) + count) % count];
    if (field && field.id !== after && condition(field)) return field;
  }
  return undefined;
}

/** Whether a value may be typed: not what is computed or closed by the schema. */
export function isEditable({ ui_configuration: ui }: SchemaNode): boolean {
  if (ui?.edit === 'disabled') return false;
  return ui?.type !== 'formula' || ui.edit === 'enabled' || ui.edit === 'enabled_without_warning';
}

/** A tree in which nodes have taken the place of those with their ids. */
export function mergeNodes(tree: readonly ContentNode[], nodes: readonly ContentNode[]): ContentNode[] {
  const changed = new Map(nodes.map((node) => [node.id, node]));
  if (changed.size === 0) return [...tree];
  const merge = (node: ContentNode): ContentNode => {
    const found = changed.get(node.id);
    if (found) return found;
    return node.children ? { ...node, children: node.children.map(merge) } : node;
  };
  return tree.map(merge);
}

/** Nodes of a tree that another one of the same annotation has otherwise; a table whose rows are others, as a whole. */
export function changedNodes(from: readonly ContentNode[], to: readonly ContentNode[]): ContentNode[] {
  const before = new Map(from.map((node) => [node.id, node]));
  return to.flatMap((node) => {
    const old = before.get(node.id);
    const [children, oldChildren] = [node.children, old?.children];
    const hasSameRows =
      children && oldChildren?.length === children.length && children.every(({ id }, i) => id === oldChildren[i]?.id);
    if (hasSameRows) return changedNodes(oldChildren, children);
    return old && !children && isSame(old, node) ? [] : [node];
  });
}

export function flatten(tree: readonly ContentNode[]): ContentNode[] {
  return tree.flatMap((node) => [node, ...flatten(node.children ?? [])]);
}

/** What of a value an undo brings back. */
function cellOf({ content, validation_sources: sources = [] }: ContentNode) {
  const { value = '', position = null, page = null } = (content ?? {}) as Partial<Content>;
  return { content: { value, position, page }, validation_sources: sources };
}

const isSame = (a: ContentNode, b: ContentNode) => JSON.stringify(cellOf(a)) === JSON.stringify(cellOf(b));

/**
 * The operations that bring the values of one tree to those of another one of the same annotation: an undo. Rows have no order of
 * their own in the API, so that values move from row to row, and rows come and go at the end.
 */
export function operationsBetween(
  from: readonly ContentNode[],
  to: readonly ContentNode[],
  index: SchemaIndex,
): Operation[] {
  const wanted = new Map(flatten(to).map((node) => [node.id, node]));
  const operations: Operation[] = [];
  for (const node of from.flatMap(({ children }) => children ?? [])) {
    const goal = wanted.get(node.id);
    if (!goal) continue;
    if (node.category === 'datapoint') operations.push(...replace(node, goal, index));
    else operations.push(...rowOperations(node, goal.children ?? [], index));
  }
  return operations;
}

/** The operations that give a multivalue other rows, given by the rows whose values they take. */
export function rowOperations(multivalue: ContentNode, rows: readonly ContentNode[], index: SchemaIndex): Operation[] {
  const present = multivalue.children ?? [];
  const goals = new Set(rows.map(({ id }) => id));
  // Rows that nobody wants any more go as themselves: the others stay what they are.
  const gone = rows.length < present.length ? present.filter(({ id }) => !goals.has(id)) : [];
  const surplus = gone.slice(0, present.length - rows.length);
  const kept = present.filter((row) => !surplus.includes(row));
  return [
    ...surplus.map(({ id }) => ({ op: 'remove', id }) as const),
    ...kept.slice(rows.length).map(({ id }) => ({ op: 'remove', id }) as const),
    ...kept.slice(0, rows.length).flatMap((row, i) => replace(row, rows[i] as ContentNode, index)),
    ...rows.slice(kept.length).map((row) => ({
      op: 'add' as const,
      id: multivalue.id,
      value: (row.category === 'tuple' ? (row.children ?? []) : [row])
        .filter((cell) => isStored(cell, index))
        .map((cell) => ({ schema_id: cell.schema_id, ...cellOf(cell) })),
    })),
  ];
}

/** The operations that exchange the values of two columns: what was read as the one is the other. */
export function columnOperations(multivalue: ContentNode, [a, b]: readonly [string, string], index: SchemaIndex) {
  const moved = (multivalue.children ?? []).flatMap(({ children = [] }) => {
    const [one, other] = [a, b].map((id) => children.find(({ schema_id }) => schema_id === id));
    return one && other ? [...replace(one, other, index), ...replace(other, one, index)] : [];
  });
  return moved.map((operation) =>
    operation.op === 'replace' && operation.value.content?.value !== ''
      ? { ...operation, value: { ...operation.value, validation_sources: ['human'] } }
      : operation,
  );
}

/** Lines and cells of a text that was copied from a table. Spreadsheets put cells in quotes that have lines or quotes in them. */
export function linesOf(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.replace(/\r?\n$/, '').matchAll(CELL)) {
    lines.at(-1)?.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"').replaceAll('\r', ''));
    if (end === '') break;
    if (end !== '\t') lines.push([]);
  }
  return lines;
}
/** A cell, and what stands behind it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/g;

/** The operations that write lines into a table from a row and a column on; lines that do not fit become rows. */
export function pasteOperations(
  multivalue: ContentNode,
  lines: readonly (readonly string[])[],
  from: { readonly row: number; readonly column: string },
  index: SchemaIndex,
): Operation[] {
  const all = columnsOf(multivalue, index);
  const columns = all.slice(
    Math.max(
      0,
      all.findIndex(({ id }) => id === from.column),
    ),
  );
  const rows = rowsOf(multivalue, index).filter(({ at }) => at >= from.row);
  return lines.flatMap((line, i): Operation[] => {
    const cells = columns.slice(0, line.length).filter(isEditable);
    const cellIn = (column: SchemaNode) => ({
      content: { value: line[columns.indexOf(column)] ?? '' },
      validation_sources: ['human'],
    });
    const row = rows[i]?.row;
    if (!row) {
      const value = cells.map((column) => ({ schema_id: column.id, ...cellIn(column) }));
      return value.length > 0 ? [{ op: 'add', id: multivalue.id, value }] : [];
    }
    return cells.flatMap((column) => {
      const node = row.children?.find(({ schema_id }) => schema_id === column.id);
      return node ? [{ op: 'replace', id: node.id, value: cellIn(column) }] : [];
    });
  });
}

/** The operations that write the value of a cell into those of its column in all rows below that are shown. */
export function fillOperations(multivalue: ContentNode, cellId: number, index: SchemaIndex): Operation[] {
  const rows = rowsOf(multivalue, index).map(({ row }) => row.children ?? []);
  const at = rows.findIndex((cells) => cells.some(({ id }) => id === cellId));
  const cell = rows[at]?.find(({ id }) => id === cellId);
  const column = columnsOf(multivalue, index).find(({ id }) => id === cell?.schema_id);
  if (!cell || !column || !isEditable(column)) return [];
  const value = cell.content?.value ?? '';
  return rows.slice(at + 1).flatMap((cells) => {
    const below = cells.find(({ schema_id }) => schema_id === column.id);
    if (!below || below.content?.value === value) return [];
    return [{ op: 'replace', id: below.id, value: { content: { value }, validation_sources: ['human'] } }];
  });
}

/** Values of a cell or row that are not those of another one. */
function replace(node: ContentNode, goal: ContentNode, index: SchemaIndex): Operation[] {
  if (node.category === 'datapoint') {
    return !isStored(node, index) || isSame(node, goal) ? [] : [{ op: 'replace', id: node.id, value: cellOf(goal) }];
  }
  const bySchema = new Map((goal.children ?? []).map((cell) => [cell.schema_id, cell]));
  return (node.children ?? []).flatMap((cell) => {
    const other = bySchema.get(cell.schema_id);
    return other ? replace(cell, other, index) : [];
  });
}

/** Buttons hold nothing, and what is computed is computed again. */
function isStored(node: ContentNode, index: SchemaIndex): boolean {
  return index.get(node.schema_id)?.type !== 'button' && !isComputed(node, index);
}

export function isComputed({ schema_id }: ContentNode, index: SchemaIndex): boolean {
  return index.get(schema_id)?.ui_configuration?.type === 'formula';
}
