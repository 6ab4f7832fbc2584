import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { texts } from '../texts';
import { Dialog } from './dialog';
import { showToast } from './toast';

/** A dialog that saves what its fields hold, says why it could not, and is gone when it could. */
export function FormDialog({
  title,
  submit,
  reads,
  tools,
  wide,
  children,
  onSave,
  onClose,
}: {
  readonly title: string;
  /** What the button that saves says. */
  readonly submit: string;
  /** What is read again after it. */
  readonly reads: readonly string[];
  /** More buttons, on the left. */
  readonly tools?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
  readonly onSave: (form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [problem, setProblem] = useState('');
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    try {
      await onSave(new FormData(event.currentTarget));
      await Promise.all(reads.map((key) => client.invalidateQueries({ queryKey: [key] })));
      showToast(texts.saved);
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form className="form" onSubmit={save}>
        {children}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="row end">
          {tools}
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className="primary">
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What a field of a form holds. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();
