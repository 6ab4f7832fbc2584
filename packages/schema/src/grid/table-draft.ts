import type { Box, ContentNode } from '../content/content-node';
import type { Draft } from '../content/draft';
import { takeText } from '../content/select-text';
import type { WriteContext } from '../content/write-context';
import type { Datapoint, Multivalue, Tuple } from '../schema-content';
import { boxOf, DATA, type GridNames, type GridPart, type GridRow, namesIn } from './grid-part';

/** The text inside a rectangle of a page, and the box it was taken from. */
export type ReadCell = (page: number, rectangle: Box) => { readonly text: string; readonly box: Box };

/** What edits of a table by its grid are made with. */
export interface GridContext extends Pick<WriteContext, 'allocateId' | 'pageCount'> {
  readonly readCell: ReadCell;
  /** Of the queue: how its documents write dates. */
  readonly locale?: string;
}

/** A table while its grid, and its rows by it, are changed. */
export class TableDraft {
  readonly parts: GridPart[];
  readonly names: GridNames;
  private readonly tuple: Tuple;
  private readonly extracted: readonly string[];
  private readonly rows: Map<number, ContentNode>;

  constructor(
    private readonly draft: Draft,
    private readonly node: ContentNode,
    schema: Multivalue & { children: Tuple },
    private readonly context: GridContext,
  ) {
    this.tuple = schema.children;
    this.extracted = schema.grid?.row_types_to_extract ?? DATA;
    this.rows = new Map(draft.childrenOf(node.id).map((row) => [row.id, row]));
    const grid = node.grid as { parts?: GridPart[] } | null | undefined;
    this.parts = structuredClone(grid?.parts ?? []);
    this.names = {
      ...namesIn(schema),
      hasRow: (id) => this.rows.has(id),
      pageCount: context.pageCount,
    };
  }

  /** Whether rows of this type become rows of the table. */
  extracts({ type }: GridRow): boolean {
    return type !== null && this.extracted.includes(type);
  }

  /** Reads the cells of all rows of a part; rows that the table does not have yet are made. */
  fillPart(part: GridPart): void {
    for (const row of part.rows) this.fillRow(part, row);
  }

  fillRow(part: GridPart, row: GridRow): void {
    if (!this.extracts(row)) return;
    row.tuple_id ??= this.makeRow();
    for (const { schema_id: id } of part.columns) if (id !== null) this.fillCell(part, row, id);
  }

  fillColumn(part: GridPart, schemaId: string): void {
    for (const row of part.rows) if (this.extracts(row) && row.tuple_id !== null) this.fillCell(part, row, schemaId);
  }

  emptyColumn(part: GridPart, schemaId: string): void {
    for (const { tuple_id: id } of part.rows) {
      const cell = id === null ? undefined : this.cellOf(id, schemaId);
      if (cell) this.write(cell, { text: '', page: null, position: null });
    }
  }

  removeRow(tupleId: number): void {
    const row = this.rows.get(tupleId);
    if (!row) return;
    this.draft.remove(row);
    this.rows.delete(tupleId);
    for (const part of this.parts) {
      for (const one of part.rows) if (one.tuple_id === tupleId) one.tuple_id = null;
    }
  }

  /** Removes the rows of the table that a part stood for, except some. */
  removeRowsOf(part: GridPart, kept: readonly GridRow[] = []): void {
    const ids = new Set(kept.map(({ tuple_id: id }) => id));
    for (const { tuple_id: id } of [...part.rows]) if (id !== null && !ids.has(id)) this.removeRow(id);
  }

  removeAllRows(): void {
    for (const id of [...this.rows.keys()]) this.removeRow(id);
  }

  /** Writes the grid, and puts the rows in its order; those that it does not have come last. */
  finish(): void {
    this.draft.replace({ ...this.node, grid: this.parts.length > 0 ? { parts: this.parts } : null });
    const inGrid = this.parts.flatMap(({ rows }) => rows.flatMap(({ tuple_id: id }) => (id === null ? [] : [id])));
    const ids = [...new Set([...inGrid, ...this.rows.keys()])].filter((id) => this.rows.has(id));
    for (const [index, id] of ids.entries()) {
      const row = this.rows.get(id)!;
      if (row.index !== index) this.draft.replace({ ...row, index });
    }
  }

  private makeRow(): number {
    const row = this.draft.append(this.tuple, this.node, this.context.allocateId());
    for (const datapoint of this.tuple.children) this.draft.append(datapoint, row, this.context.allocateId());
    this.rows.set(row.id, row);
    return row.id;
  }

  private fillCell(part: GridPart, row: GridRow, schemaId: string): void {
    const column = part.columns.find(({ schema_id: id }) => id === schemaId);
    const cell = row.tuple_id === null ? undefined : this.cellOf(row.tuple_id, schemaId);
    if (!column || !cell) return;
    const { text, box } = this.context.readCell(part.page, boxOf(part, column, row));
    const value = text.replaceAll('\n', ' ').trim();
    this.write(
      cell,
      value === '' ? { text: '', page: null, position: null } : { text: value, page: part.page, position: box },
    );
  }

  private write(cell: ContentNode, taken: { text: string; page: number | null; position: Box | null }): void {
    const { locale } = this.context;
    const written = takeText(
      cell,
      this.draft.schemaOf(cell) as Datapoint,
      { ...taken, locale },
      {
        defaultSources: ({ valueChanged }) => (valueChanged ? [] : null),
        normalizedValue: 'ignore',
        source: 'document',
      },
    );
    if (!written.errors) this.draft.replace(written.node);
  }

  private cellOf(rowId: number, schemaId: string): ContentNode | undefined {
    return this.draft.presentChildrenOf(rowId).find((cell) => cell.schemaId === schemaId && cell.content !== null);
  }
}
