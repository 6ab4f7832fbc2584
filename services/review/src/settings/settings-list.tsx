import { PlusIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';

/** A table of what there is, with a button above it that adds one more. */
export function SettingsList({
  add,
  onAdd,
  columns,
  none,
  children,
}: {
  /** What the button says. */
  readonly add: string;
  readonly onAdd: () => void;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  /** Said instead of a table without rows. */
  readonly none?: string | false;
  /** The rows. */
  readonly children: ReactNode;
}) {
  return (
    <>
      <div className="row end">
        <button type="button" className="primary" onClick={onAdd}>
          <PlusIcon aria-hidden /> {add}
        </button>
      </div>
      {none ? (
        <p className="muted empty">{none}</p>
      ) : (
        <div className="table-box gap">
          <table>
            <thead>
              <tr>
                {columns.map(({ label, isNumber }) => (
                  <th key={label} scope="col" className={isNumber ? 'number' : undefined}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </>
  );
}
