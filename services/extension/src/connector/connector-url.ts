/**
 * Where a connector is called: the path below its service URL, whose own query string comes first, then its parameters, then those of the
 * call. API: hooks-and-connectors.md section 7.
 */
export function connectorUrl(
  { serviceUrl, params }: { readonly serviceUrl: string; readonly params?: string | undefined },
  path: 'validate' | 'save',
  query: readonly string[],
): string {
  const [address = '', ...rest] = (serviceUrl.split('#')[0] ?? '').split('?');
  const own = rest.join('?');
  // A query string has no fragment: what stands behind `#` would be lost, with all that follows.
  const given = (params ?? '').replace(/^\?/, '').replaceAll('#', '%23');
  const search = [own, given, ...query].filter((part) => part !== '').join('&');
  return `${address.replace(/\/+$/, '')}/${path}${search === '' ? '' : `?${search}`}`;
}
