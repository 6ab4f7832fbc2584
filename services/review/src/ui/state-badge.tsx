import { texts } from '../texts';

/** The state of an annotation, by word and colour. */
export function StateBadge({ status }: { readonly status: string }) {
  return <span className={`state state-${status}`}>{texts.states[status] ?? status}</span>;
}
