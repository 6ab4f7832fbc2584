import type { FocusEvent } from 'react';
import type { ContentNode, SchemaNode } from '../api/types';
import { isEditable } from './content';

/** Of a long text so much is shown at once. */
const MOST_LINES = 5;

/** Where the value of a datapoint is typed or chosen. */
export function FieldInput({
  node,
  schema,
  draft,
  label,
  describedBy,
  isInvalid,
  isReadOnly,
  isCell = false,
  onType,
  onFocus,
}: {
  readonly node: ContentNode;
  readonly schema: SchemaNode;
  readonly draft: string | undefined;
  readonly label: string;
  readonly describedBy?: string;
  readonly isInvalid: boolean;
  readonly isReadOnly: boolean;
  /** Of a table: as high as its row, whatever is in it. */
  readonly isCell?: boolean;
  readonly onType: (value: string) => void;
  readonly onFocus: () => void;
}) {
  const value = draft ?? node.content?.value ?? '';
  const closed = isReadOnly || !isEditable(schema);
  const common = {
    'data-field': node.id,
    dir: 'auto',
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid || undefined,
    onFocus: (event: FocusEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => {
      onFocus();
      if (!closed && !(event.currentTarget instanceof HTMLSelectElement)) event.currentTarget.select();
    },
  };
  if (schema.type === 'enum') {
    const options = node.options ?? schema.options ?? [];
    const isKnown = value === '' || options.some((option) => option.value === value);
    return (
      <select {...common} value={value} disabled={closed} onChange={(event) => onType(event.target.value)}>
        <option value="" />
        {!isKnown && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  // As high as its text, so that all of it is seen; cells are as high as their row.
  if (schema.type === 'string' && (!isCell || value.includes('\n'))) {
    return (
      <textarea
        {...common}
        value={value}
        readOnly={closed}
        rows={isCell ? 1 : Math.min(MOST_LINES, Math.max(value.split('\n').length, Math.ceil(value.length / 18)))}
        maxLength={1500}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onType(event.target.value)}
      />
    );
  }
  return (
    <input
      {...common}
      value={value}
      readOnly={closed}
      inputMode={schema.type === 'number' ? 'decimal' : undefined}
      placeholder={schema.type === 'date' ? (schema.format ?? 'YYYY-MM-DD') : undefined}
      maxLength={1500}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onType(event.target.value)}
    />
  );
}
