import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import type { ContentNode, GridPart } from '../api/types';
import { texts } from '../texts';
import type { SchemaIndex } from './content';
import type { Point } from './geometry';
import {
  type Axis,
  edgesOf,
  type GridEdit,
  meaningsOf,
  moveLine,
  type RowTypes,
  removeLine,
  setMeaning,
  setRowType,
  split,
} from './table-grid';

/** The page that something is drawn on. */
export interface Sheet {
  readonly page: number;
  /** Of the page image, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly pointOf: (event: PointerEvent) => Point;
}

interface OverlayProps {
  readonly sheet: Sheet;
  readonly part: GridPart;
  readonly table: ContentNode;
  readonly index: SchemaIndex;
  readonly types: RowTypes;
  readonly isReadOnly: boolean;
  /** It is brought into view when it appears. */
  readonly isFirst: boolean;
  readonly onEdit: (edit: GridEdit) => void;
}

/** Pixels of the page image that an arrow key moves a line, and with Shift. */
const [STEP, BIG_STEP] = [2, 12];

/** The lines of a table over its page: they are moved, columns get a meaning, rows a type. */
export function GridOverlay({ sheet, part: stored, table, index, types, isReadOnly, isFirst, onEdit }: OverlayProps) {
  const whole = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it appears
  useEffect(() => {
    if (isFirst) whole.current?.scrollIntoView({ block: 'start' });
  }, []);
  const [moving, setMoving] = useState<{ axis: Axis; line: number; to: number } | null>(null);
  const part = moving ? moveLine(moving.axis, moving.line, moving.to)(stored) : stored;
  const edges = { columns: edgesOf(part, 'columns'), rows: edgesOf(part, 'rows') };
  const size = { columns: sheet.width, rows: sheet.height };
  const percent = (pixels: number, axis: Axis) => `${(pixels / size[axis]) * 100}%`;
  const at = (axis: Axis, line: number) => edges[axis][line] ?? 0;
  const x = (line: number) => percent(at('columns', line), 'columns');
  const y = (line: number) => percent(at('rows', line), 'rows');
  const span = (axis: Axis, line: number) => percent(at(axis, line + 1) - at(axis, line), axis);
  const [left, width] = [x(0), percent(part.width, 'columns')];
  const [top, height] = [y(0), percent(part.height, 'rows')];

  const commit = () => {
    if (moving && at(moving.axis, moving.line) !== edgesOf(stored, moving.axis)[moving.line]) {
      onEdit(moveLine(moving.axis, moving.line, moving.to));
    }
    setMoving(null);
  };
  const onKey = (event: KeyboardEvent, axis: Axis, line: number) => {
    const [less, more] = axis === 'columns' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === less || event.key === more) {
      const by = (event.shiftKey ? BIG_STEP : STEP) * (event.key === less ? -1 : 1);
      setMoving({ axis, line, to: at(axis, line) + by });
    } else if (event.key === 'Enter' && moving) commit();
    else if (event.key === 'Escape' && moving) setMoving(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const line = (axis: Axis, number: number) => (
    <div
      key={`${axis} ${number}`}
      className={`grid-line ${axis}`}
      style={axis === 'columns' ? { left: x(number), top, height } : { top: y(number), left, width }}
      role="slider"
      tabIndex={0}
      aria-orientation={axis === 'columns' ? 'horizontal' : 'vertical'}
      aria-label={texts.review.grid.line[axis](number + 1)}
      aria-valuemin={0}
      aria-valuemax={size[axis]}
      aria-valuenow={Math.round(at(axis, number))}
      onKeyDown={(event) => onKey(event, axis, number)}
      onBlur={commit}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        setMoving({ axis, line: number, to: at(axis, number) });
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const point = sheet.pointOf(event);
        setMoving({ axis, line: number, to: axis === 'columns' ? point.x * sheet.width : point.y * sheet.height });
      }}
      onPointerUp={commit}
      onPointerCancel={() => setMoving(null)}
    />
  );
  const lines = (axis: Axis) => (isReadOnly ? [] : edges[axis].map((_, number) => line(axis, number)));
  return (
    <div className="grid-overlay">
      <div ref={whole} className="grid-whole" style={{ left, width, top, height }} />
      {part.rows.map(({ type }, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a grid are what their place is
          key={i}
          className={`grid-band ${type === null ? 'out' : types.read.includes(type) ? 'read' : 'other'}`}
          style={{ left, width, top: y(i), height: span('rows', i) }}
        />
      ))}
      {part.columns.map(({ schema_id: id }, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: columns of a grid are what their place is
          key={i}
          className={id === null ? 'grid-band column out' : 'grid-band column'}
          style={{ left: x(i), width: span('columns', i), top, height }}
        />
      ))}
      {lines('columns')}
      {lines('rows')}
      {part.columns.map(({ schema_id: id }, i) => (
        <Menu
          // biome-ignore lint/suspicious/noArrayIndexKey: columns of a grid are what their place is
          key={i}
          className="grid-menu column"
          style={{ left: x(i), width: span('columns', i), top }}
          label={texts.review.grid.column(i + 1)}
          value={id}
          choices={meaningsOf(table, id, index).map((column) => [column.id, column.label])}
          isDisabled={isReadOnly}
          onChoose={(to) => onEdit(setMeaning(i, to))}
          onSplit={() => onEdit(split('columns', i))}
          onRemove={part.columns.length > 1 ? () => onEdit(removeLine('columns', i)) : undefined}
        />
      ))}
      {part.rows.map(({ type }, i) => (
        <Menu
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a grid are what their place is
          key={i}
          className="grid-menu row"
          // In the margin, however narrow that is: values stay to be seen.
          style={{
            top: y(i),
            height: span('rows', i),
            left: `max(24px, ${left})`,
            width: `clamp(24px, ${left}, 62px)`,
          }}
          label={texts.review.grid.row(i + 1)}
          value={type}
          choices={types.all.map((one) => [one, texts.review.grid.types[one] ?? one])}
          isDisabled={isReadOnly}
          onChoose={(to) => onEdit(setRowType(i, to))}
          onSplit={() => onEdit(split('rows', i))}
          onRemove={part.rows.length > 1 ? () => onEdit(removeLine('rows', i)) : undefined}
        />
      ))}
    </div>
  );
}

interface MenuProps {
  readonly className: string;
  readonly style: React.CSSProperties;
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly isDisabled: boolean;
  readonly onChoose: (value: string | null) => void;
  readonly onSplit: () => void;
  readonly onRemove: (() => void) | undefined;
}

/** What a column or row is, and what else may be done with it. */
function Menu({ className, style, label, value, choices, isDisabled, onChoose, onSplit, onRemove }: MenuProps) {
  const choose = (chosen: string) => {
    if (chosen === ':split') onSplit();
    else if (chosen === ':remove') onRemove?.();
    else onChoose(chosen === ':out' ? null : chosen);
  };
  return (
    <div className={value === null ? `${className} out` : className} style={style}>
      <select
        aria-label={label}
        title={label}
        value={value ?? ':out'}
        disabled={isDisabled}
        onPointerDown={(event) => event.stopPropagation()}
        onChange={(event) => choose(event.target.value)}
      >
        {choices.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value=":out">{texts.review.grid.out}</option>
        <hr />
        <option value=":split">{texts.review.grid.split}</option>
        {onRemove && <option value=":remove">{texts.review.grid.remove}</option>}
      </select>
    </div>
  );
}
