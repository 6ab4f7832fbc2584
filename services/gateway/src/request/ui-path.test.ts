import { readUiPath, uiRootOf } from './ui-path';

const urls = { root: 'https://docs.example.com/api/v1' };

it('begins where the API does', () => {
  expect(uiRootOf(urls)).toBe('https://docs.example.com');
  expect(uiRootOf({ root: 'http://host:8080/intake/api/v1' })).toBe('http://host:8080/intake');
});

it.each([
  ['/', '/'],
  ['/queues/7?status=to_review&x=%2F', '/queues/7?status=to_review&x=%2F'],
  ['/a b#authToken=stolen', '/a%20b'],
  ['/https://evil.example', '/https://evil.example'],
  ['/@evil.example', '/@evil.example'],
])('goes to %s', (wished, path) => {
  expect(readUiPath(wished, urls)).toBe(path);
  expect(new URL(`${uiRootOf(urls)}${path}`).host).toBe('docs.example.com');
});

it('stays on the host whatever the dots say', () => {
  const path = readUiPath('/..//evil.example', urls);
  expect(new URL(`${uiRootOf(urls)}${path}#authToken=x`).host).toBe('docs.example.com');
});

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  'javascript:alert(1)',
  'queues',
  '',
  ' /queues',
  `/${'x'.repeat(2000)}`,
])('does not go to %j', (wished) => expect(readUiPath(wished, urls)).toBeNull());
