import { ChevronDownIcon, ChevronUpIcon, PlusIcon, TableIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import type { ContentNode } from '../api/types';
import { texts } from '../texts';
import { type Field, rowsOf } from './content';
import { Grid, type GridProps } from './grid';

interface DockProps extends Omit<GridProps, 'table'> {
  readonly tables: readonly ContentNode[];
  readonly openId: number | null;
  readonly onOpen: (id: number | null) => void;
  readonly needed: readonly Field[];
  /** Whether the lines of the open table are shown on the page. */
  readonly showsGrid: boolean;
  readonly onGrid: () => void;
}

/** The tables of a document below it: one is open, or none. */
export function TableDock({ tables, openId, onOpen, needed, showsGrid, onGrid, ...props }: DockProps) {
  const open = tables.find(({ id }) => id === openId);
  const needs = useMemo(() => Map.groupBy(needed, ({ multivalue }) => multivalue?.id), [needed]);
  if (tables.length === 0) return null;
  return (
    <section className={open ? 'dock open' : 'dock'} aria-label={texts.review.tables}>
      <div className="dock-bar">
        {tables.map((table) => (
          <button
            type="button"
            key={table.id}
            className="dock-tab"
            aria-expanded={table.id === openId}
            onClick={() => onOpen(table.id === openId ? null : table.id)}
          >
            {props.index.get(table.schema_id)?.label}
            <span className="n">{rowsOf(table, props.index).length}</span>
            {needs.has(table.id) && <span className="n needs">{needs.get(table.id)?.length}</span>}
          </button>
        ))}
        <span className="spacer" />
        {open && (
          <button
            type="button"
            className="toggle"
            aria-pressed={showsGrid}
            title={`${texts.review.grid.hint} (Alt G)`}
            onClick={onGrid}
          >
            <TableIcon /> {texts.review.grid.toggle}
          </button>
        )}
        {open && !props.isReadOnly && (
          <button type="button" onClick={() => props.onAddRow(open)}>
            <PlusIcon /> {texts.review.addRow}
          </button>
        )}
        <button
          type="button"
          className="icon"
          aria-label={open ? texts.review.closeTable : texts.review.openTable}
          onClick={() => onOpen(open ? null : (tables[0]?.id ?? null))}
        >
          {open ? <ChevronDownIcon /> : <ChevronUpIcon />}
        </button>
      </div>
      {open && <Grid key={open.id} table={open} {...props} />}
    </section>
  );
}
