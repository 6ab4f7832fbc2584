import type { Collection } from './api-urls';

/**
 * The id in a reference that a client sent. Only the end of the URL's path counts, `/v1/<collection>/<id>` with or
 * without a trailing slash: scheme, host and what stands before are ignored (API: README.md section 2). Hooks may be named by
 * their older path, `webhooks`.
 *
 * @returns null for anything else, also for values that are no text
 */
export function idFromUrl(collection: Collection, url: unknown): number | null {
  if (typeof url !== 'string') return null;
  const path = url.split(/[?#]/, 1)[0]!;
  const [, named, digits] =
    /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+)?(?:\/[^/\s]+)*\/v1\/([a-z_]+)\/(\d+)\/?$/.exec(path) ?? [];
  if ((named === 'webhooks' ? 'hooks' : named) !== collection) return null;
  const id = Number(digits);
  return id > 0 && Number.isSafeInteger(id) ? id : null;
}

/** {@link idFromUrl} of each entry of a list. */
export function idsFromUrls(collection: Collection, urls: readonly unknown[]): (number | null)[] {
  return urls.map((url) => idFromUrl(collection, url));
}
