import { Cross2Icon, DownloadIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import type { Annotation, Document } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { showToast } from '../ui/toast';
import { ToolButton } from '../ui/tool-button';
import { ACTIONS, type Action } from './bulk';
import { saveOriginals } from './originals';

/** What can be done to the documents that are selected: what the role may, where it fits one of them. */
export function SelectionBar({
  chosen,
  documents,
  hasOtherQueues,
  spreadsheet,
  onAction,
  onClear,
}: {
  readonly chosen: readonly Annotation[];
  readonly documents: readonly Document[];
  /** There is a queue to move to. */
  readonly hasOtherQueues: boolean;
  /** Where they are had as a spreadsheet. */
  readonly spreadsheet: string;
  readonly onAction: (action: Action) => void;
  readonly onClear: () => void;
}) {
  const { rights } = useUser();
  const [isPacking, setPacking] = useState(false);
  const isOffered = (action: Action) => {
    const { from, may, asksQueue } = ACTIONS[action];
    return rights[may] && (!asksQueue || hasOtherQueues) && chosen.some(({ status }) => from.includes(status));
  };
  const pack = async () => {
    setPacking(true);
    await saveOriginals(documents).catch((error: Error) => showToast(error.message, true));
    setPacking(false);
  };
  return (
    <section className="selection" aria-label={texts.bulk.selection}>
      <ToolButton label={texts.bulk.clear} onClick={onClear}>
        <Cross2Icon />
      </ToolButton>
      <strong role="status">{texts.bulk.selected(chosen.length)}</strong>
      <span className="spacer" />
      {(Object.keys(ACTIONS) as Action[]).filter(isOffered).map((action) => (
        <button
          type="button"
          key={action}
          className={action === 'confirm' ? 'primary' : action === 'delete' ? 'danger' : undefined}
          onClick={() => onAction(action)}
        >
          {texts.bulk.actions[action].name}
        </button>
      ))}
      {documents.length > 0 && (
        <button type="button" disabled={isPacking} onClick={() => void pack()}>
          <DownloadIcon aria-hidden /> {texts.bulk.originals}
        </button>
      )}
      {rights.mayExport && (
        <a className="button" href={spreadsheet} download>
          <DownloadIcon aria-hidden /> {texts.documents.export}
        </a>
      )}
    </section>
  );
}
