import type { ApiUrls } from '@intake/urls';

const MAX_LENGTH = 2000;

/** Where the web UI begins: the base of the API without `/api/v1`. */
export function uiRootOf({ root }: Pick<ApiUrls, 'root'>): string {
  return root.replace(/\/api\/v1$/, '');
}

/**
 * Path and query of a place in the web UI, as somebody wishes to go there; null when it leads anywhere else. A fragment is left out:
 * the token of the login takes its place.
 */
export function readUiPath(wished: string, urls: Pick<ApiUrls, 'root'>): string | null {
  if (!wished.startsWith('/') || wished.length > MAX_LENGTH) return null;
  const { origin } = new URL(urls.root);
  if (!URL.canParse(wished, origin)) return null;
  // The browser's own reading: `//host`, `/\host` and `/<tab>/host` are other hosts.
  const url = new URL(wished, origin);
  return url.origin === origin ? url.pathname + url.search : null;
}
