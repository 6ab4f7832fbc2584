import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { queries } from '../api/queries';
import type { Box, ContentNode, GridPart } from '../api/types';
import { findTable, type SchemaIndex } from './content';
import { GridOverlay, type Sheet } from './grid-overlay';
import type { ReviewSession } from './review-session';
import {
  changeBetween,
  type GridEdit,
  type PlacedPart,
  partFromWords,
  partsOf,
  type RowTypes,
  rowTypesOf,
} from './table-grid';

/** Edits are shown at once, and wait here until the service has them. */
interface Pending {
  readonly table: number;
  readonly page: number;
  /** Which of the parts of its page. */
  readonly at: number;
  readonly edit: GridEdit;
}

interface TableGridState {
  readonly parts: readonly PlacedPart[];
  readonly types: RowTypes;
  /** Whether a frame that is drawn on a page becomes a part. */
  readonly takesFrame: (page: number) => boolean;
  readonly draw: (page: number, frame: Box) => Promise<void>;
  readonly edit: (page: number, at: number, edit: GridEdit) => void;
}

const onPage = (parts: readonly PlacedPart[], page: number) => parts.filter(({ part }) => part.page === page);

/** The grid of the table that is open; undefined: it is not shown. */
export function useTableGrid({
  annotationId,
  session,
  index,
  table,
}: {
  readonly annotationId: number;
  readonly session: ReviewSession;
  readonly index: SchemaIndex;
  readonly table: ContentNode | undefined;
}): TableGridState | undefined {
  const client = useQueryClient();
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const placed = useMemo(() => (table ? partsOf(table, index) : []), [table, index]);
  const schema = table && index.get(table.schema_id);
  if (!table || !schema) return undefined;
  const types = rowTypesOf(schema);
  const waiting = pending.filter((one) => one.table === table.id);
  const pages = [...new Set([...placed.map(({ part }) => part.page), ...waiting.map(({ page }) => page)])];
  const parts = pages.flatMap((page) => {
    const own = onPage(placed, page);
    return (own.length > 0 ? own : [{ part: emptyPart(page) }]).map(
      (one, at): PlacedPart => ({
        ...one,
        part: waiting.filter((w) => w.page === page && w.at === at).reduce((part, { edit }) => edit(part), one.part),
      }),
    );
  });

  const edit = (page: number, at: number, change: GridEdit) => {
    const one: Pending = { table: table.id, page, at, edit: change };
    setPending((before) => [...before, one]);
    const asked = session.changeGrid(table.id, (tree) => {
      const now = findTable(tree, table) ?? table;
      const found = onPage(partsOf(now, index), page)[at];
      const before = found?.part ?? emptyPart(page);
      const isNew = found?.index === undefined;
      return {
        index: found?.index ?? now.grid?.parts.length ?? 0,
        isNew,
        ...changeBetween(before, change(before), types),
      };
    });
    void asked.finally(() => setPending((before) => before.filter((other) => other !== one)));
  };
  return {
    parts,
    types,
    edit,
    takesFrame: (page) => onPage(parts, page).length === 0,
    draw: async (page, frame) => {
      const words = await client.ensureQueryData(queries.words(annotationId, page));
      edit(page, 0, () => partFromWords(page, frame, words, types));
    },
  };
}

/** The grid of a table on a page. */
export function TableGrid({
  parts,
  types,
  edit,
  sheet,
  table,
  index,
  isReadOnly,
}: TableGridState & {
  readonly sheet: Sheet;
  readonly table: ContentNode;
  readonly index: SchemaIndex;
  readonly isReadOnly: boolean;
}) {
  return onPage(parts, sheet.page).map(({ part }, at) => (
    <GridOverlay
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a page are what their place is
      key={at}
      sheet={sheet}
      part={part}
      table={table}
      index={index}
      types={types}
      isReadOnly={isReadOnly}
      isFirst={at === 0 && parts[0]?.part.page === sheet.page}
      onEdit={(change) => edit(sheet.page, at, change)}
    />
  ));
}

function emptyPart(page: number): GridPart {
  return { page, columns: [], rows: [], width: 1, height: 1 };
}
