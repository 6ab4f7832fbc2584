import Papa from 'papaparse';
import type { Cell } from '../export/rows';
import { collect, each } from '../testing/golden';
import { renderCsv } from './csv';
import { type CsvDialect, readDialect } from './csv-dialect';

const DEFAULT = readDialect(undefined);
const toCells = (values: readonly (string | Cell)[]): Cell[] =>
  values.map((value) => (typeof value === 'string' ? { value, type: 'string' } : value));
const render = async (header: string[], rows: (string | Cell)[][], dialect: Partial<CsvDialect> = {}) =>
  (await collect(renderCsv(header, each(rows.map(toCells)), { ...DEFAULT, ...dialect }))).join('');
const number = (value: string): Cell => ({ value, type: 'number' });

describe('renderCsv', () => {
  it('writes the example of export.md section 4.1', async () => {
    expect(
      await render(
        ['meta_file_name', 'Invoice number', 'Invoice Date', 'Sender Name', 'Total amount'],
        [['template_invoice.pdf', '12345', '2017-06-01', 'Peter, Paul and Merry', '900.00']],
      ),
    ).toBe(
      'meta_file_name,Invoice number,Invoice Date,Sender Name,Total amount\r\n' +
        'template_invoice.pdf,12345,2017-06-01,"Peter, Paul and Merry",900.00\r\n',
    );
  });

  it('quotes what needs it, and blanks at an end', async () => {
    expect(await render(['a'], [['a b'], ["it's"], ['tab\there'], ['1.50'], [' blanks ']])).toBe(
      'a\r\na b\r\nit\'s\r\ntab\there\r\n1.50\r\n" blanks "\r\n',
    );
    expect(await render(['a,b'], [['say "hi"'], ['two\nlines'], ['cr\r']])).toBe(
      '"a,b"\r\n"say ""hi"""\r\n"two\nlines"\r\n"cr\r"\r\n',
    );
  });

  it('uses another delimiter and quote character', async () => {
    expect(await render(['a', 'b'], [["x;'y", 'p,"q"']], { delimiter: ';', quoteChar: "'" })).toBe(
      "a;b\r\n'x;''y';'p,\"q\"'\r\n",
    );
    expect(await render(['a', 'b'], [['$&', 'x']], { quoting: 'quote_all', quoteChar: '$' })).toBe(
      '$a$,$b$\r\n$$$&$,$x$\r\n',
    );
  });

  it('quotes everything, the header too', async () => {
    expect(await render(['a'], [['1'], ['']], { quoting: 'quote_all' })).toBe('"a"\r\n"1"\r\n""\r\n');
  });

  it('quotes all but numbers of number fields', async () => {
    expect(
      await render(
        ['a', 'b'],
        [
          [number('1.50'), '1.50'],
          [number('n/a'), number('')],
        ],
        { quoting: 'quote_non_numeric' },
      ),
    ).toBe('"a","b"\r\n1.50,"1.50"\r\n"n/a",""\r\n');
  });

  it('escapes instead of quoting', async () => {
    expect(await render(['a', 'b'], [['x,y"z\\', 'l\r\nm']], { quoting: 'quote_none', escapeChar: '\\' })).toBe(
      'a,b\r\nx\\,y\\"z\\\\,l\\\r\\\nm\r\n',
    );
  });

  it('does not write an empty line for a row of one empty cell', async () => {
    expect(await render(['a'], [['']])).toBe('a\r\n""\r\n');
    expect(await render(['a', 'b'], [['', '']])).toBe('a,b\r\n,\r\n');
  });

  it('leaves formulas alone unless it guards against them', async () => {
    const rows = ['=1+1', '+420 123', '-5.00', '@x', '\tx', '\rx', '\0x', 'a=b', '-', '+1'].map((value) => [
      value,
      'z',
    ]);
    const plain = Papa.parse<string[]>(await render(['a', 'b'], rows), { newline: '\r\n', skipEmptyLines: true }).data;
    expect(plain.slice(1)).toEqual(rows);
    const text = await render(['a', 'b'], rows, { formulaGuard: true });
    const guarded = Papa.parse<string[]>(text, { newline: '\r\n', skipEmptyLines: true }).data;
    expect(guarded.slice(1).map(([first]) => first)).toEqual([
      "'=1+1",
      "'+420 123",
      '-5.00',
      "'@x",
      "'\tx",
      "'\rx",
      "'\0x",
      'a=b',
      "'-",
      '+1',
    ]);
  });

  it.each([
    {},
    { quoting: 'quote_all' },
    { quoting: 'quote_non_numeric' },
    { delimiter: '\t', quoteChar: "'" },
    { delimiter: '|' },
  ] as Partial<CsvDialect>[])('is read back by papaparse with %j', async (dialect) => {
    const rows = [
      ['plain', 'with, comma', 'with "quote"', "with 'quote'"],
      ['two\r\nlines', ' blank ', '', '\ttab|bar'],
      ['Žluťoučký', '🧾', '=SUM(A1)', '"'],
    ];
    const text = await render(['a', 'b', 'c', 'd'], rows, dialect);
    const { delimiter = ',', quoteChar = '"' } = dialect;
    expect(Papa.parse(text.trimEnd(), { delimiter, quoteChar, newline: '\r\n' }).data).toEqual([
      ['a', 'b', 'c', 'd'],
      ...rows,
    ]);
  });
});
