import type { Datapoint, Multivalue, SchemaContent, SchemaNode, Tuple } from '../schema-content';
import type { ContentNode } from './content-node';
import { firstValidationSources, isConfident } from './first-validation';
import {
  engineNameOf,
  type FindCandidates,
  type FirstValue,
  firstValues,
  type SourceName,
  sourcesOf,
} from './first-value';
import { newNode } from './new-node';
import type { SourceRow, Sources } from './sources';
import { type EngineValue, findAgreeingNodes } from './totals-check';

/** The engine's table of a multivalue that names none. */
const DEFAULT_TABLE = 'line_items';
const DEFAULT_ROW_TYPES = ['data'];

/**
 * Makes the content of a new annotation: every node of the schema, with first values and validation sources
 * (API: schemas.md section 3, annotation-content.md section 3). Parents stand before their children.
 *
 * @param schema what `checkSchemaContent` accepted
 * @param sources null when nothing was extracted (yet): values are empty or the default ones
 * @param allocateId gives the next unused id; called once per node, in the order of the result
 */
export function buildNodes(schema: SchemaContent, sources: Sources | null, allocateId: () => number): ContentNode[] {
  const builder = new TreeBuilder(sources, allocateId);
  schema.forEach((section, index) => {
    const node = builder.add(section, null, index);
    const predicted = !section.disable_prediction;
    section.children.forEach((child, at) => {
      if (child.category === 'datapoint') builder.addField(child, node, at, predicted);
      else builder.addMultivalue(child, node, at, predicted && !child.disable_prediction);
    });
  });
  return builder.finish();
}

class TreeBuilder {
  private readonly nodes: ContentNode[] = [];
  private readonly engineValues: EngineValue[] = [];
  private readonly rowCounts = new Map<number, number>();

  constructor(
    private readonly sources: Sources | null,
    private readonly allocateId: () => number,
  ) {}

  add(schemaNode: SchemaNode, parent: ContentNode | null, index: number): ContentNode {
    const node = newNode(schemaNode, this.allocateId(), parent?.id ?? null, index);
    this.nodes.push(node);
    return node;
  }

  addField(datapoint: Datapoint, parent: ContentNode, index: number, predicted: boolean): void {
    const order = sourcesOf(datapoint, predicted);
    this.addDatapoint(datapoint, parent, index, order, this.findValues(datapoint, order, this.documentCandidates)[0]);
  }

  addMultivalue(multivalue: Multivalue, parent: ContentNode, index: number, predicted: boolean): void {
    const node = this.add(multivalue, parent, index);
    const limit = multivalue.max_occurrences ?? Number.POSITIVE_INFINITY;
    const item = multivalue.children;
    if (item.category === 'datapoint') this.addItems(item, node, limit, predicted);
    else if (predicted && !item.disable_prediction) {
      const rows = this.rowsOf(multivalue, item).slice(0, limit);
      this.rowCounts.set(node.id, rows.length);
      for (const [at, row] of rows.entries()) this.addRow(item, node, at, row);
    }
  }

  /** The nodes, with `checks` added where amounts agree. */
  finish(): ContentNode[] {
    for (const node of findAgreeingNodes(this.engineValues, this.rowCounts)) node.validationSources.push('checks');
    return this.nodes;
  }

  private readonly documentCandidates: FindCandidates = (name) => {
    const fields = this.sources?.fields;
    return fields && Object.hasOwn(fields, name) ? fields[name]! : [];
  };

  private findValues(datapoint: Datapoint, order: readonly SourceName[], candidates: FindCandidates): FirstValue[] {
    return datapoint.type === 'button' ? [] : firstValues(datapoint, order, this.sources?.values ?? {}, candidates);
  }

  private addDatapoint(
    datapoint: Datapoint,
    parent: ContentNode,
    index: number,
    order: readonly SourceName[],
    first: FirstValue | undefined,
    table: ContentNode | null = null,
  ): void {
    const node = this.add(datapoint, parent, index);
    if (datapoint.type === 'button') return;
    if (first) node.content = first.content;
    if (first?.engineName) this.engineValues.push({ node, engineName: first.engineName, tableId: table?.id ?? null });
    node.validationSources = firstValidationSources(datapoint, order, first, this.sources);
  }

  /**
   * Other candidates of a value are mostly mistakes, not further values: beside the best only those count that the
   * engine is sure of.
   */
  private addItems(datapoint: Datapoint, parent: ContentNode, limit: number, predicted: boolean): void {
    const order = sourcesOf(datapoint, predicted);
    const seen = new Set<string>();
    this.findValues(datapoint, order, this.documentCandidates)
      .filter((found, at) => {
        const isNew = !seen.has(found.content.value);
        seen.add(found.content.value);
        return at === 0 || (isNew && isConfident(datapoint, found, this.sources));
      })
      .slice(0, limit)
      .forEach((found, at) => {
        this.addDatapoint(datapoint, parent, at, order, found);
      });
  }

  private addRow(tuple: Tuple, table: ContentNode, index: number, row: SourceRow): void {
    const node = this.add(tuple, table, index);
    const cellCandidates: FindCandidates = (name) => (Object.hasOwn(row.cells, name) ? [row.cells[name]!] : []);
    tuple.children.forEach((datapoint, at) => {
      const order = sourcesOf(datapoint, true);
      const [first] = this.findValues(datapoint, order, cellCandidates);
      this.addDatapoint(datapoint, node, at, order, first, table);
    });
  }

  /** Rows of the engine's table that are to be extracted and that have something for a cell of the tuple. */
  private rowsOf(multivalue: Multivalue, tuple: Tuple): SourceRow[] {
    const tables: Record<string, readonly SourceRow[] | undefined> = this.sources?.tables ?? {};
    const name = tableName(multivalue, tuple, tables);
    const rows = (name !== undefined && Object.hasOwn(tables, name) && tables[name]) || [];
    const rowTypes = multivalue.grid?.row_types_to_extract ?? DEFAULT_ROW_TYPES;
    const columns = tuple.children.flatMap((datapoint) => sourcesOf(datapoint, true).map((source) => source.name));
    return rows.filter(
      (row) => rowTypes.includes(row.type) && columns.some((column) => Object.hasOwn(row.cells, column)),
    );
  }
}

function tableName(multivalue: Multivalue, tuple: Tuple, tables: object): string | undefined {
  if (multivalue.rir_field_names) return multivalue.rir_field_names.map(engineNameOf)[0];
  const ofTuple = (tuple.rir_field_names ?? []).map(engineNameOf).find((name) => Object.hasOwn(tables, name));
  return ofTuple ?? DEFAULT_TABLE;
}
