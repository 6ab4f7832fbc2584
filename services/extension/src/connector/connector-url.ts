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
  const search = [own, params?.replace(/^\?/, '') ?? '', ...query].filter((part) => part !== '').join('&');
  return `${address.replace(/\/+$/, '')}/${path}${search === '' ? '' : `?${search}`}`;
}
