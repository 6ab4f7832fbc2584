import { ArrowDownIcon, ArrowUpIcon, ChevronDownIcon, ChevronUpIcon, PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import type { ContentNode, Message, SchemaNode } from '../api/types';
import { texts } from '../texts';
import { columnsOf, needsPerson, type SchemaIndex } from './content';
import { FieldInput } from './field-input';
import type { FieldProps } from './field-panel';

/** Characters that a column shows when the schema says nothing. API: schemas.md section 2. */
const WIDTHS: Readonly<Record<string, number>> = { number: 8, string: 20, date: 10, enum: 20 };

interface DockProps extends FieldProps {
  readonly tables: readonly ContentNode[];
  readonly openId: number | null;
  readonly onOpen: (id: number | null) => void;
  readonly onMoveRow: (multivalue: ContentNode, row: number, by: 1 | -1) => void;
}

/** The tables of a document below it: one is open, or none. */
export function TableDock({ tables, openId, onOpen, ...props }: DockProps) {
  const open = tables.find(({ id }) => id === openId);
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
            <span className="n">{table.children?.length ?? 0}</span>
            {needsOf(table, props) > 0 && <span className="n needs">{needsOf(table, props)}</span>}
          </button>
        ))}
        <span className="spacer" />
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

function needsOf(table: ContentNode, { index, messages, drafts }: FieldProps): number {
  return cellsOf(table, index).filter(
    ({ cell, column }) => !drafts.has(cell.id) && needsPerson({ id: cell.id, node: cell, schema: column }, messages),
  ).length;
}

function cellsOf(table: ContentNode, index: SchemaIndex) {
  const columns = new Map(columnsOf(table, index).map((column) => [column.id, column]));
  return (table.children ?? [])
    .flatMap(({ children }) => children ?? [])
    .flatMap((cell) => {
      const column = columns.get(cell.schema_id);
      return column ? [{ cell, column }] : [];
    });
}

function Grid({ table, ...props }: Omit<DockProps, 'tables' | 'openId' | 'onOpen'> & { readonly table: ContentNode }) {
  const { index, messages, isReadOnly, onRemoveRow, onMoveRow } = props;
  const columns = columnsOf(table, index);
  const rows = table.children ?? [];
  const own = messages.filter(({ id }) => id === String(table.id));
  const sums = own.filter(({ type }) => type === 'aggregation');
  return (
    <div className="grid-box">
      {own
        .filter(({ type }) => type !== 'aggregation')
        .map(({ type, content }) => (
          <p key={content} className={`note ${type}`}>
            {content}
          </p>
        ))}
      <table className="grid">
        <thead>
          <tr>
            <th scope="col" className="row-number">
              #
            </th>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={column.type === 'number' ? 'number' : ''}
                style={{
                  minWidth: `${column.width ?? WIDTHS[column.type ?? 'string']}ch`,
                  width: column.stretch ? '40%' : undefined,
                }}
              >
                {column.label}
              </th>
            ))}
            <th scope="col">
              <span className="hidden">{texts.review.more}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.id}>
              <th scope="row" className="row-number">
                {at + 1}
              </th>
              {columns.map((column) => (
                <Cell key={column.id} {...props} row={row} at={at} column={column} />
              ))}
              <td className="row-tools">
                {!isReadOnly && (
                  <>
                    <button
                      type="button"
                      className="icon"
                      disabled={at === 0}
                      aria-label={`${texts.review.moveUp}: ${texts.review.row(at + 1)}`}
                      onClick={() => onMoveRow(table, at, -1)}
                    >
                      <ArrowUpIcon />
                    </button>
                    <button
                      type="button"
                      className="icon"
                      disabled={at === rows.length - 1}
                      aria-label={`${texts.review.moveDown}: ${texts.review.row(at + 1)}`}
                      onClick={() => onMoveRow(table, at, 1)}
                    >
                      <ArrowDownIcon />
                    </button>
                    <button
                      type="button"
                      className="icon"
                      aria-label={`${texts.review.removeRow}: ${texts.review.row(at + 1)}`}
                      onClick={() => onRemoveRow(table, at)}
                    >
                      <TrashIcon />
                    </button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
        {sums.length > 0 && (
          <tfoot>
            <tr>
              <th scope="row">{'Σ'}</th>
              {columns.map(({ id, type }) => (
                <td key={id} className={type === 'number' ? 'number' : ''}>
                  {sumOf(id, sums)}
                </td>
              ))}
              <td />
            </tr>
          </tfoot>
        )}
      </table>
      {rows.length === 0 && <p className="muted no-rows">{texts.review.noRows}</p>}
    </div>
  );
}

function sumOf(column: string, sums: readonly Message[]) {
  const sum = sums.find(({ schema_id }) => schema_id === column);
  return sum && <strong>{sum.content}</strong>;
}

function Cell({
  row,
  at,
  column,
  messages,
  drafts,
  activeId,
  hoveredId,
  isReadOnly,
  onActivate,
  onHover,
  onType,
}: FieldProps & { readonly row: ContentNode; readonly at: number; readonly column: SchemaNode }) {
  const node = row.children?.find(({ schema_id }) => schema_id === column.id);
  if (!node) return <td />;
  const own = messages.filter(({ id, type }) => id === String(node.id) && type !== 'aggregation');
  const draft = drafts.get(node.id);
  const needs = draft === undefined && needsPerson({ id: node.id, node, schema: column }, own);
  const error = own.find(({ type }) => type === 'error');
  const classes = [
    'cell',
    column.type === 'number' ? 'number' : '',
    needs ? 'needs' : '',
    error ? 'wrong' : '',
    node.id === activeId ? 'active' : '',
    node.id === hoveredId ? 'hovered' : '',
  ];
  return (
    <td
      className={classes.filter(Boolean).join(' ')}
      title={own.map(({ content }) => content).join('; ') || undefined}
      onPointerEnter={() => onHover(node.id)}
      onPointerLeave={() => onHover(null)}
    >
      <FieldInput
        node={node}
        schema={column}
        draft={draft}
        label={`${column.label}, ${texts.review.row(at + 1)}${own.length > 0 ? `: ${own.map(({ content }) => content).join('; ')}` : ''}`}
        isInvalid={error !== undefined}
        isReadOnly={isReadOnly}
        onType={(value) => onType(node.id, value)}
        onFocus={() => onActivate(node.id)}
      />
    </td>
  );
}
