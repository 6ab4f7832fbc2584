import type { ReactNode } from 'react';

/** A button that shows an icon alone: its name is read to those who do not see, and told to those who wait above it. */
export function ToolButton({
  label,
  keys,
  disabled,
  onClick,
  children,
}: {
  readonly label: string;
  /** What does the same on the keyboard. */
  readonly keys?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="icon"
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
