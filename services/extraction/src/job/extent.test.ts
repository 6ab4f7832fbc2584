import { readExtent } from './extent';

it.each([
  [undefined, 32, true],
  ['', 32, true],
  ['effective_page_count=2&tables=false', 2, false],
  ['tables=False', 32, false],
  ['tables=true', 32, true],
  ['effective_page_count=9000', 500, true],
  ['effective_page_count=0', 32, true],
  ['effective_page_count=many&other=1', 32, true],
] as const)('reads %j as %d pages, tables: %s', (text, maxPages, tables) => {
  expect(readExtent(text)).toEqual({ maxPages, tables });
});
