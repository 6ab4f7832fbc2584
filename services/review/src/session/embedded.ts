/** How a review in a page of others ends; each has an address of its own. */
export type Ending = 'confirm' | 'reject' | 'postpone' | 'delete' | 'cancel';

/** One document that is reviewed in a page of others, with a token for it alone. API: annotations.md section 5, `start_embedded`. */
export interface Embedded {
  readonly annotationId: number;
  readonly token: string;
  readonly ends: Readonly<Partial<Record<Ending, string>>>;
}

const PLACE = /^\/embedded\/document\/(\d+)\/?$/;

/**
 * Reads where this page is. The token leaves the address, so that it is not copied with it, and is kept for this window until it is
 * closed.
 */
export function readEmbedded(
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
  kept: Pick<Storage, 'getItem' | 'setItem'>,
): Embedded | null {
  const id = PLACE.exec(pathname)?.[1];
  if (id === undefined) return null;
  const key = `intake.embedded.${id}`;
  if (new URLSearchParams(hash.slice(1)).has('authToken')) kept.setItem(key, hash.slice(1));
  const given = new URLSearchParams(kept.getItem(key) ?? '');
  const returns = pageOf(given.get('return_url'));
  return {
    annotationId: Number(id),
    token: given.get('authToken') ?? '',
    ends: {
      confirm: returns,
      reject: pageOf(given.get('delete_url')) ?? returns,
      delete: pageOf(given.get('delete_url')) ?? returns,
      postpone: pageOf(given.get('postpone_url')) ?? returns,
      cancel: pageOf(given.get('cancel_url')) ?? returns,
    },
  };
}

/** An address to go to; nothing that would run. */
function pageOf(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}

/** Of this window. */
export const embedded = typeof window === 'undefined' ? null : readEmbedded(window.location, window.sessionStorage);
if (embedded) window.history.replaceState(null, '', window.location.pathname);
