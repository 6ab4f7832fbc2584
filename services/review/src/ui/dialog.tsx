import { Cross2Icon } from '@radix-ui/react-icons';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts';

/** A dialog of the browser's own: it holds the focus, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  readonly title: string;
  /** Without it the dialog cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed while it is still there, it gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        {onClose && (
          <button type="button" className="icon" aria-label={texts.close} onClick={onClose}>
            <Cross2Icon />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
