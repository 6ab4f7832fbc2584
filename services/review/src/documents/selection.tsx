import { useEffect, useRef, useState } from 'react';
import type { Annotation, Document } from '../api/types';
import type { Action } from './bulk';
import { BulkDialog } from './bulk-dialog';
import { SelectionBar } from './selection-bar';

interface SelectionProps {
  readonly chosen: readonly Annotation[];
  readonly documentOf: (annotation: Annotation) => Document | undefined;
  readonly nameOf: (annotation: Annotation) => string;
  /** There is a queue to move to. */
  readonly hasOtherQueues: boolean;
  /** Where they are had as a spreadsheet. */
  readonly spreadsheet: string;
  /** These are selected from now on. */
  readonly onSelect: (ids: readonly number[]) => void;
  /** What had the focus is gone. */
  readonly onFocusLost: () => void;
}

/** What is done to the documents that are selected. */
export default function Selection({
  chosen,
  documentOf,
  nameOf,
  hasOtherQueues,
  spreadsheet,
  onSelect,
  onFocusLost,
}: SelectionProps) {
  const [action, setAction] = useState<{
    readonly name: Action;
    readonly annotations: readonly Annotation[];
  } | null>(null);
  const latest = useRef(onFocusLost);
  latest.current = onFocusLost;
  const wasAsked = useRef(false);
  useEffect(() => {
    if (!action && wasAsked.current && document.activeElement === document.body) latest.current();
    wasAsked.current = action !== null;
  }, [action]);
  return (
    <>
      {chosen.length > 0 && (
        <SelectionBar
          chosen={chosen}
          documents={chosen.flatMap((row) => (row.status === 'purged' ? [] : (documentOf(row) ?? [])))}
          hasOtherQueues={hasOtherQueues}
          spreadsheet={spreadsheet}
          onAction={(name) => setAction({ name, annotations: chosen })}
          onClear={() => {
            onSelect([]);
            onFocusLost();
          }}
        />
      )}
      {action && (
        <BulkDialog
          action={action.name}
          annotations={action.annotations}
          nameOf={nameOf}
          onDone={onSelect}
          onClose={() => setAction(null)}
        />
      )}
    </>
  );
}
