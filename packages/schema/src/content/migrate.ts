import { normalizeValue } from '../formats/normalize-value';
import { fitGrid, namesIn } from '../grid/grid-part';
import type { Datapoint, Multivalue, SchemaContent, SchemaNode, Tuple } from '../schema-content';
import { schemaIndex } from '../schema-index';
import { buildNodes } from './build-nodes';
import type { ContentNode, DatapointContent } from './content-node';
import { groupByParent } from './content-tree';
import { firstValues, sourcesOf } from './first-value';
import { newNode } from './new-node';
import type { Sources } from './sources';

/** How content is brought to another schema. */
export interface MigrationOptions {
  /** The schema that the content was made with: tells what was changed for this annotation alone. */
  readonly from: SchemaContent;
  /** The engine's result and other first values for new fields, where there are any. */
  readonly sources?: Sources | null;
  /** Gives the next unused node id. */
  readonly allocateId: () => number;
}

/** A row as the engine's result gives it: its cells in the order of the columns, and what was read for them. */
interface FreshRow {
  readonly cells: readonly ContentNode[];
  readonly read: ReadonlyMap<string, string>;
}

/**
 * The content of an annotation in the shape of another schema (API: schemas.md section 7). A value survives where its
 * datapoint keeps its id, wherever that is now, and so does its node; what is new gets its first value. All nodes are
 * answered, parents first.
 */
export function migrateContent(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  options: MigrationOptions,
): ContentNode[] {
  return new Migration(schema, nodes, options).run();
}

class Migration {
  private readonly result: ContentNode[] = [];
  private readonly children: ReadonlyMap<number | null, ContentNode[]>;
  private readonly byId: ReadonlyMap<number, ContentNode>;
  /** Old nodes by schema id, in the order of the tree. */
  private readonly old = new Map<string, ContentNode[]>();
  private readonly oldSchema;
  private readonly fresh: ReadonlyMap<string, ContentNode[]>;
  private readonly freshChildren: ReadonlyMap<number | null, ContentNode[]>;
  private readonly used = new Set<number>();

  constructor(
    private readonly schema: SchemaContent,
    nodes: readonly ContentNode[],
    private readonly options: MigrationOptions,
  ) {
    this.children = groupByParent(nodes);
    this.byId = new Map(nodes.map((node) => [node.id, node]));
    this.oldSchema = schemaIndex(options.from);
    const visit = (node: ContentNode) => {
      const known = this.old.get(node.schemaId);
      if (known) known.push(node);
      else this.old.set(node.schemaId, [node]);
      (this.children.get(node.id) ?? []).forEach(visit);
    };
    (this.children.get(null) ?? []).forEach(visit);

    let provisional = 0;
    const fresh = buildNodes(schema, options.sources ?? null, () => --provisional);
    this.freshChildren = groupByParent(fresh);
    const bySchemaId = new Map<string, ContentNode[]>();
    for (const node of fresh) bySchemaId.set(node.schemaId, [...(bySchemaId.get(node.schemaId) ?? []), node]);
    this.fresh = bySchemaId;
  }

  run(): ContentNode[] {
    this.schema.forEach((section, at) => {
      const node = this.place(section, null, at);
      section.children.forEach((child, index) => {
        if (child.category === 'datapoint') this.placeField(child, node, index);
        else if (child.children.category === 'datapoint') this.placeList(child, child.children, node, index);
        else this.placeTable(child, child.children, node, index);
      });
    });
    return this.fitGrids();
  }

  /** The grid of a table names its columns and rows as they are now. */
  private fitGrids(): ContentNode[] {
    const children = groupByParent(this.result);
    const { nodes } = schemaIndex(this.schema);
    return this.result.map((node) => {
      if (!node.grid) return node;
      const table = nodes.get(node.schemaId) as Multivalue & { children: Tuple };
      const rows = new Set((children.get(node.id) ?? []).map(({ id }) => id));
      return { ...node, grid: fitGrid(node.grid, { ...namesIn(table), hasRow: (id) => rows.has(id) }) };
    });
  }

  private placeField(datapoint: Datapoint, parent: ContentNode, index: number): void {
    const before = this.datapointsOf(datapoint.id)[0];
    if (before) this.keep(before, datapoint, parent, index);
    else this.addFresh(this.fresh.get(datapoint.id)?.[0], datapoint, parent, index);
  }

  private placeList(list: Multivalue, item: Datapoint, parent: ContentNode, index: number): void {
    const node = this.place(list, parent, index);
    const items = this.datapointsOf(item.id);
    if (items.length > 0 || this.oldNode(list)) {
      // A field that holds nothing makes no item.
      const filled = items.filter((one) => this.isItem(one) || one.content?.value);
      for (const [at, one] of filled.entries()) this.keep(one, item, node, at);
    } else {
      const made = this.fresh.get(list.id)?.[0];
      const found = made ? (this.freshChildren.get(made.id) ?? []) : [];
      for (const [at, one] of found.entries()) this.addFresh(one, item, node, at);
    }
  }

  private placeTable(table: Multivalue, tuple: Tuple, parent: ContentNode, index: number): void {
    const before = this.oldNode(table);
    const node = this.place(table, parent, index);
    const columns = tuple.children.map((column) => ({ column, cells: this.datapointsOf(column.id) }));
    const known = columns.some(({ cells }) => cells.length > 0);
    if (!before && !known) {
      const made = this.fresh.get(table.id)?.[0];
      for (const [at, row] of (made ? (this.freshChildren.get(made.id) ?? []) : []).entries()) {
        const rowNode = this.push({ ...row, id: this.options.allocateId(), parentId: node.id, index: at });
        const cells = this.freshChildren.get(row.id) ?? [];
        for (const [i, column] of tuple.children.entries()) this.addFresh(cells[i], column, rowNode, i);
      }
      return;
    }
    const rows = this.oldRows(
      before,
      columns.flatMap(({ cells }) => cells),
    );
    const hasNewColumn = columns.some(({ cells }) => cells.length === 0);
    const unmatched = hasNewColumn ? this.freshRows(table) : [];
    const loose = columns.some(({ cells }) => cells.some((cell) => !this.rowOf(cell) && cell.content?.value));
    for (let at = 0; at < Math.max(rows.length, loose ? 1 : 0); at++) {
      const row = rows[at];
      const made = row && this.takeSameRow(row, unmatched);
      const rowNode = row
        ? this.keepNode(row, tuple, node, at)
        : this.push(newNode(tuple, this.options.allocateId(), node.id, at));
      for (const [i, { column, cells }] of columns.entries()) {
        const own = row && cells.find((cell) => cell.parentId === row.id);
        const cell = own ?? (at === 0 ? cells.find((one) => !this.rowOf(one)) : undefined);
        if (cell) this.keep(cell, column, rowNode, i);
        else if (made) this.addFresh(made[i], column, rowNode, i);
        else this.addDefault(column, rowNode, i);
      }
    }
  }

  /** The rows that the engine read for a table. */
  private freshRows(table: Multivalue): FreshRow[] {
    const made = this.fresh.get(table.id)?.[0];
    const rows = made ? (this.freshChildren.get(made.id) ?? []) : [];
    return rows.map(({ id }) => {
      const cells = this.freshChildren.get(id) ?? [];
      return { cells, read: readIn(cells) };
    });
  }

  /** The cells of the engine's row that a row was made of, which is taken out of those that are left. */
  private takeSameRow(row: ContentNode, left: FreshRow[]): readonly ContentNode[] | undefined {
    const read = readIn(this.children.get(row.id) ?? []);
    const at = left.findIndex((one) => isSameRow(read, one.read));
    return at < 0 ? undefined : left.splice(at, 1)[0]?.cells;
  }

  /** Rows of the table itself; where it is a new one, the rows that its columns stood in. */
  private oldRows(table: ContentNode | undefined, cells: readonly ContentNode[]): ContentNode[] {
    const own = table ? (this.children.get(table.id) ?? []).filter(({ category }) => category === 'tuple') : [];
    if (own.length > 0) return own;
    return [...new Set(cells.map((cell) => this.rowOf(cell)))].filter((row) => row !== undefined);
  }

  private rowOf(cell: ContentNode): ContentNode | undefined {
    const parent = cell.parentId === null ? undefined : this.byId.get(cell.parentId);
    return parent?.category === 'tuple' ? parent : undefined;
  }

  private isItem(node: ContentNode): boolean {
    return node.parentId !== null && this.byId.get(node.parentId)?.category === 'multivalue';
  }

  private datapointsOf(schemaId: string): ContentNode[] {
    return (this.old.get(schemaId) ?? []).filter(({ category }) => category === 'datapoint');
  }

  private oldNode({ id, category }: SchemaNode): ContentNode | undefined {
    return this.old.get(id)?.find((node) => node.category === category);
  }

  /** A node without a value: the one that was there, or a new one. */
  private place(schemaNode: SchemaNode, parent: ContentNode | null, index: number): ContentNode {
    const before = this.oldNode(schemaNode);
    return before
      ? this.keepNode(before, schemaNode, parent, index)
      : this.push(newNode(schemaNode, this.options.allocateId(), parent?.id ?? null, index));
  }

  private keepNode(
    before: ContentNode,
    schemaNode: SchemaNode,
    parent: ContentNode | null,
    index: number,
  ): ContentNode {
    const empty = newNode(schemaNode, before.id, parent?.id ?? null, index);
    const { grid } = before;
    return this.push({
      ...empty,
      id: this.claim(before.id),
      timeSpent: before.timeSpent,
      timeSpentOverall: before.timeSpentOverall,
      hidden: this.hiddenOf(before, empty),
      ...(before.timeSpentGrid !== undefined && empty.timeSpentGrid !== undefined
        ? { timeSpentGrid: before.timeSpentGrid, timeSpentGridOverall: before.timeSpentGridOverall ?? 0 }
        : {}),
      ...(grid !== undefined && empty.grid !== undefined ? { grid } : {}),
    });
  }

  private keep(before: ContentNode, datapoint: Datapoint, parent: ContentNode, index: number): void {
    const empty = newNode(datapoint, before.id, parent.id, index);
    const holds = empty.content !== null && before.content !== null;
    this.push({
      ...empty,
      id: this.claim(before.id),
      hidden: this.hiddenOf(before, empty),
      timeSpent: before.timeSpent,
      timeSpentOverall: before.timeSpentOverall,
      ...(holds && {
        content: convert(datapoint, before.content as DatapointContent, before.options),
        validationSources: [...before.validationSources],
      }),
      ...(datapoint.type === 'enum' && before.options && { options: before.options }),
      ...(before.noRecalculation !== undefined &&
        datapoint.ui_configuration?.type === 'formula' && { noRecalculation: before.noRecalculation }),
    });
  }

  private addFresh(made: ContentNode | undefined, datapoint: Datapoint, parent: ContentNode, index: number): void {
    const node = newNode(datapoint, this.options.allocateId(), parent.id, index);
    this.push(made ? { ...made, id: node.id, parentId: parent.id, index } : node);
  }

  private addDefault(datapoint: Datapoint, parent: ContentNode, index: number): void {
    const node = newNode(datapoint, this.options.allocateId(), parent.id, index);
    const first = node.content
      ? firstValues(datapoint, sourcesOf(datapoint, false), this.options.sources?.values ?? {}, () => [])[0]
      : undefined;
    this.push(first ? { ...node, content: first.content } : node);
  }

  /** What was shown or hidden for this annotation alone stays so; otherwise the new schema decides. */
  private hiddenOf(before: ContentNode, empty: ContentNode): boolean {
    const old = this.oldSchema.nodes.get(before.schemaId);
    const wasChanged = old !== undefined && before.hidden !== (old.hidden === true && old.category !== 'section');
    return wasChanged ? before.hidden : empty.hidden;
  }

  /** A node that goes to two places keeps its id at the first. */
  private claim(id: number): number {
    if (this.used.has(id)) return this.options.allocateId();
    this.used.add(id);
    return id;
  }

  private push(node: ContentNode): ContentNode {
    this.result.push(node);
    return node;
  }
}

/** Whether the engine read the same in every column that it filled in both rows. */
function isSameRow(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  let isKnown = false;
  for (const [column, text] of one) {
    const found = other.get(column);
    if (found === undefined) continue;
    if (found !== text) return false;
    isKnown = true;
  }
  return isKnown;
}

/** What the engine read and where, as texts by column. No write changes it. */
function readIn(cells: readonly ContentNode[]): Map<string, string> {
  return new Map(
    cells.flatMap(({ schemaId, content }): [string, string][] => {
      const text = content?.rirRawText ?? content?.rirText ?? null;
      return text === null ? [] : [[schemaId, JSON.stringify([text, content?.rirPage, content?.rirPosition])]];
    }),
  );
}

/** Written anew in the format of the field; read anew where the type is another one. */
function convert(datapoint: Datapoint, content: DatapointContent, options: ContentNode['options']): DatapointContent {
  const readable = content.normalizedValue !== null && (datapoint.type === 'number' || datapoint.type === 'date');
  const tries = readable
    ? ([
        [content.normalizedValue, true],
        [content.value, false],
      ] as const)
    : ([[content.value, false]] as const);
  for (const [text, canonical] of tries) {
    const result = normalizeValue(datapoint, text, { tooLong: 'cut', canonical, options });
    if (result.error === undefined && result.normalizedValue !== null) return { ...content, ...result };
  }
  return { ...content, normalizedValue: null };
}
