import type { ComponentProps } from 'react';

/** A labelled menu, of which one is chosen. `options`: what each stands for, and what it says. */
export function Choice({
  label,
  options,
  ...select
}: ComponentProps<'select'> & {
  readonly label: string;
  readonly options: readonly (readonly [value: string | number, text: string])[];
}) {
  return (
    <label>
      {label}
      <select {...select}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
