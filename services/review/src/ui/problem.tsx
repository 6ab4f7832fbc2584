import type { ReactNode } from 'react';
import { texts } from '../texts';

/** Something that did not work, said where it happened. */
export function Problem({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  return (
    <div className="notice error" role="alert">
      <span>{error.message}</span>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts.retry}
        </button>
      )}
    </div>
  );
}

export function Notice({ children, kind = 'info' }: { readonly children: ReactNode; readonly kind?: string }) {
  return (
    <div className={`notice ${kind}`} role="status">
      {children}
    </div>
  );
}

/** Nothing to show yet. */
export function Loading() {
  return (
    <p className="waiting" role="status">
      {texts.loading}
    </p>
  );
}
