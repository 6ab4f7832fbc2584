import { ArrowDownIcon, ArrowUpIcon, CaretDownIcon, CopyIcon, TrashIcon } from '@radix-ui/react-icons';
import { type ClipboardEvent, Fragment, useRef } from 'react';
import type { ContentNode, Message, SchemaNode } from '../api/types';
import { texts } from '../texts';
import { FieldButton } from './buttons';
import { columnsOf, isHidden, linesOf, needsPerson, rowsOf } from './content';
import { FieldInput } from './field-input';
import type { FieldProps } from './field-panel';
import { useRowWindow } from './use-row-window';

/** Characters that a column shows when the schema says nothing. API: schemas.md section 2. */
const WIDTHS: Readonly<Record<string, number>> = { number: 8, string: 20, date: 10, enum: 20 };

export interface GridProps extends FieldProps {
  readonly table: ContentNode;
  readonly onMoveRow: (multivalue: ContentNode, row: number, by: 1 | -1) => void;
  readonly onDuplicateRow: (multivalue: ContentNode, row: number) => void;
  /** What was read as one column is another one. */
  readonly onExchange: (multivalue: ContentNode, columns: readonly [string, string]) => void;
  readonly onPaste: (
    multivalue: ContentNode,
    lines: readonly (readonly string[])[],
    from: { readonly row: number; readonly column: string },
  ) => void;
}

/** The rows of a table, to be edited. */
export function Grid({ table, ...props }: GridProps) {
  const { index, messages, activeId, isReadOnly, onExchange, onPaste } = props;
  const columns = columnsOf(table, index);
  const buttons = columnsOf(table, index, 'buttons');
  const rows = rowsOf(table, index);
  const own = messages.filter(({ id }) => id === String(table.id));
  // Of a column without values there is nothing to sum.
  const sums = own.filter(({ type, schema_id }) => type === 'aggregation' && hasValues(rows, schema_id));
  const scroller = useRef<HTMLDivElement>(null);
  const active =
    activeId === null ? -1 : rows.findIndex(({ row: { children } }) => children?.some(({ id }) => id === activeId));
  const drawn = useRowWindow(scroller, rows.length, active < 0 ? undefined : active);

  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain');
    const place = rows[active];
    const cell = place?.row.children?.find(({ id }) => id === activeId);
    if (isReadOnly || !place || !cell || !/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    onPaste(table, linesOf(text), { row: place.at, column: cell.schema_id });
  };
  return (
    <div className="grid-box" ref={scroller} onPaste={paste}>
      {own
        .filter(({ type }) => type !== 'aggregation')
        .map(({ type, content }) => (
          <p key={content} className={`note ${type}`}>
            {content}
          </p>
        ))}
      <table className="grid" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="row-number">
              #
            </th>
            {columns.map((column) => (
              <Heading
                key={column.id}
                column={column}
                others={columns.filter((other) => other !== column)}
                onExchange={isReadOnly || rows.length === 0 ? undefined : (to) => onExchange(table, [column.id, to])}
              />
            ))}
            {buttons.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
            <th scope="col" className="row-tools">
              <span className="hidden">{texts.review.more}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {drawn.map((one, i) => {
            if ('gap' in one) {
              // biome-ignore lint/suspicious/noArrayIndexKey: gaps have nothing of their own
              return <tr key={`gap ${i}`} className="row-gap" aria-hidden style={{ height: one.gap }} />;
            }
            const shown = rows[one.row];
            const number = one.row + 1;
            return (
              shown && (
                <Row
                  key={shown.row.id}
                  {...props}
                  {...shown}
                  number={number}
                  isLast={number === rows.length}
                  table={table}
                  columns={columns}
                  buttons={buttons}
                />
              )
            );
          })}
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
              <td colSpan={buttons.length + 1} />
            </tr>
          </tfoot>
        )}
      </table>
      {rows.length === 0 && <p className="muted no-rows">{texts.review.noRows}</p>}
    </div>
  );
}

function hasValues(rows: readonly { readonly row: ContentNode }[], column: string | undefined): boolean {
  return rows.some(({ row: { children } }) =>
    children?.some((cell) => cell.schema_id === column && cell.content?.value),
  );
}

function sumOf(column: string, sums: readonly Message[]) {
  const sum = sums.find(({ schema_id }) => schema_id === column);
  return sum && <strong>{sum.content}</strong>;
}

/** The name of a column, and what else its values may be. */
function Heading({
  column,
  others,
  onExchange,
}: {
  readonly column: SchemaNode;
  readonly others: readonly SchemaNode[];
  readonly onExchange: ((to: string) => void) | undefined;
}) {
  return (
    <th
      scope="col"
      className={column.type === 'number' ? 'number' : ''}
      style={{
        minWidth: `${column.width ?? WIDTHS[column.type ?? 'string']}ch`,
        width: column.stretch ? '40%' : undefined,
      }}
    >
      <span className="heading">
        {/* Long names take a few lines, not one for each word. */}
        <span style={{ minWidth: `${Math.min(9, Math.ceil(column.label.length * 0.8))}ch` }}>{column.label}</span>
        {onExchange && others.length > 0 && (
          <span className="meaning" title={texts.review.meaning}>
            <CaretDownIcon aria-hidden />
            <select
              aria-label={texts.review.meaningOf(column.label)}
              value=""
              onChange={(event) => onExchange(event.target.value)}
            >
              <option value="">{texts.review.meaning}</option>
              {others.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </span>
        )}
      </span>
    </th>
  );
}

interface RowProps extends Omit<GridProps, 'onExchange' | 'onPaste'> {
  readonly columns: readonly SchemaNode[];
  readonly buttons: readonly SchemaNode[];
  readonly row: ContentNode;
  /** Its place among all rows, from 0. */
  readonly at: number;
  /** Its place among those that are shown, from 1. */
  readonly number: number;
  readonly isLast: boolean;
}

function Row({ table, columns, buttons, row, at, number, isLast, ...props }: RowProps) {
  const { isReadOnly, onRemoveRow, onMoveRow, onDuplicateRow, onPress } = props;
  return (
    <tr data-row={number} aria-rowindex={number + 1}>
      <th scope="row" className="row-number">
        {number}
      </th>
      {columns.map((column) => (
        <Cell key={column.id} {...props} row={row} number={number} column={column} />
      ))}
      {buttons.map((button) => {
        const node = row.children?.find(({ schema_id }) => schema_id === button.id);
        return (
          <td key={button.id} className="cell-button">
            {node && (
              <FieldButton
                node={node}
                schema={button}
                label={`${button.label}, ${texts.review.row(number)}`}
                isDisabled={isReadOnly}
                onPress={onPress}
              />
            )}
          </td>
        );
      })}
      <td className="row-tools">
        {!isReadOnly && (
          <Fragment>
            <button
              type="button"
              className="icon"
              disabled={number === 1}
              aria-label={`${texts.review.moveUp}: ${texts.review.row(number)}`}
              onClick={() => onMoveRow(table, at, -1)}
            >
              <ArrowUpIcon />
            </button>
            <button
              type="button"
              className="icon"
              disabled={isLast}
              aria-label={`${texts.review.moveDown}: ${texts.review.row(number)}`}
              onClick={() => onMoveRow(table, at, 1)}
            >
              <ArrowDownIcon />
            </button>
            <button
              type="button"
              className="icon"
              aria-label={`${texts.review.duplicateRow}: ${texts.review.row(number)}`}
              onClick={() => onDuplicateRow(table, at)}
            >
              <CopyIcon />
            </button>
            <button
              type="button"
              className="icon"
              aria-label={`${texts.review.removeRow}: ${texts.review.row(number)}`}
              onClick={() => onRemoveRow(table, at)}
            >
              <TrashIcon />
            </button>
          </Fragment>
        )}
      </td>
    </tr>
  );
}

function Cell({
  row,
  number,
  column,
  messages,
  drafts,
  activeId,
  hoveredId,
  isReadOnly,
  onActivate,
  onHover,
  onType,
}: FieldProps & { readonly row: ContentNode; readonly number: number; readonly column: SchemaNode }) {
  const node = row.children?.find(({ schema_id }) => schema_id === column.id);
  if (!node || isHidden(node, column)) return <td />;
  const own = messages.filter(({ id, type }) => id === String(node.id) && type !== 'aggregation');
  const draft = drafts.get(node.id);
  const needs = draft === undefined && needsPerson({ id: node.id, node, schema: column }, own);
  const error = own.find(({ type }) => type === 'error');
  const said = own.map(({ content }) => content).join('; ');
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
      title={said || undefined}
      onPointerEnter={() => onHover(node.id)}
      onPointerLeave={() => onHover(null)}
    >
      <FieldInput
        node={node}
        schema={column}
        draft={draft}
        label={`${column.label}, ${texts.review.row(number)}${said ? `: ${said}` : ''}`}
        isInvalid={error !== undefined}
        isReadOnly={isReadOnly}
        isCell
        onType={(value) => onType(node.id, value)}
        onFocus={() => onActivate(node.id)}
      />
    </td>
  );
}
