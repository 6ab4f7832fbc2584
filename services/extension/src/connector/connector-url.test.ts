import { connectorUrl } from './connector-url';

const BASE = 'https://erp.example.com/intake';

it.each([
  [{ serviceUrl: BASE }, [], `${BASE}/validate`],
  [{ serviceUrl: `${BASE}//` }, [], `${BASE}/validate`],
  [{ serviceUrl: BASE, params: '?strict=true' }, ['initial=true'], `${BASE}/validate?strict=true&initial=true`],
  [{ serviceUrl: `${BASE}/?key=a?b&c=1` }, [], `${BASE}/validate?key=a?b&c=1`],
  [{ serviceUrl: `${BASE}?key=1#top`, params: 'strict=true' }, [], `${BASE}/validate?key=1&strict=true`],
  [{ serviceUrl: `${BASE}?` }, [], `${BASE}/validate`],
  [{ serviceUrl: BASE, params: 'ledger=#1' }, ['initial=true'], `${BASE}/validate?ledger=%231&initial=true`],
])('a connector %p is called at its own path', (connector, query, url) => {
  expect(connectorUrl(connector, 'validate', query)).toBe(url);
});
