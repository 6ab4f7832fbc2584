import { Query } from '../request/query';
import { readDialect, readExportPage, readFormat } from './exports';

const problemsOf = (query: Query) => {
  try {
    query.check();
  } catch (error) {
    return (error as { fields?: unknown }).fields;
  }
  return {};
};

it.each([
  ['', undefined, 'json'],
  ['', '*/*', 'json'],
  ['', 'text/csv', 'csv'],
  ['', 'text/html, application/xml;q=0.9, */*;q=0.8', 'xml'],
  ['', 'text/xml', 'xml'],
  ['', 'application/json, text/csv', 'json'],
  ['', 'text/csv;q=0.5, application/xml', 'xml'],
  ['', 'application/json;q=0, TEXT/CSV', 'csv'],
  ['', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['', 'image/png', 'json'],
  ['format=csv', 'application/xml', 'csv'],
  ['format=', 'text/csv', 'csv'],
])('with the query %j and Accept %j the format is %s', (text, accept, format) => {
  expect(readFormat(new Query(text), accept)).toBe(format);
});

it('refuses an unknown format', () => {
  const query = new Query('format=pdf');
  readFormat(query, undefined);
  expect(problemsOf(query)).toEqual({ format: ['"pdf" is not a valid choice.'] });
});

it.each([
  ['', 'json', { page: 1, pageSize: 20 }],
  ['', 'csv', { page: 0, pageSize: 0 }],
  ['page=&page_size=', 'xml', { page: 0, pageSize: 0 }],
  ['page=2', 'csv', { page: 2, pageSize: 20 }],
  ['page_size=5000', 'csv', { page: 1, pageSize: 1000 }],
  ['page_size=5000', 'xlsx', { page: 1, pageSize: 100 }],
] as const)('with the query %j a %s export has the page %j', (text, format, page) => {
  expect(readExportPage(new Query(text), format)).toEqual(page);
});

it('reads the dialect of CSV', () => {
  expect(readDialect(new Query('delimiter=%09&quoting=quote_none&escape_char=%5C&formula_guard=True'))).toEqual({
    delimiter: '\t',
    quoteChar: '"',
    quoting: 'quote_none',
    escapeChar: '\\',
    formulaGuard: true,
  });
});

it('refuses a dialect that cannot be written', () => {
  const query = new Query('delimiter=ab&quote_char=xy&quoting=quote_none&formula_guard=odd');
  readDialect(query);
  expect(problemsOf(query)).toEqual({
    delimiter: ['Exactly one character is required.'],
    quote_char: ['Exactly one character is required.'],
    escape_char: ['This field is required with quote_none.'],
    formula_guard: ['Must be a valid boolean.'],
  });
});
