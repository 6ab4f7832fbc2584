import { createStore } from '../session/session-store';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 6000;
const toasts = createStore<readonly Toast[]>([]);
let last = 0;

/** Tells something that does not wait for an answer. */
export function showToast(text: string, isError = false): void {
  last += 1;
  const id = last;
  toasts.set([...toasts.read().filter((toast) => toast.text !== text), { id, text, isError }]);
  setTimeout(() => toasts.set(toasts.read().filter((toast) => toast.id !== id)), SHOWN_MS);
}

/** Where toasts are shown, and read to those who do not see them. */
export function Toasts() {
  const shown = toasts.use();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isError }) => (
        <div key={id} className={isError ? 'toast error' : 'toast'}>
          {text}
        </div>
      ))}
    </div>
  );
}
