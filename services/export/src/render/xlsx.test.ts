import { Workbook } from 'exceljs';
import type { Cell } from '../export/rows';
import { collect, each } from '../testing/golden';
import { renderXlsx } from './xlsx';

const read = async (header: string[], rows: Cell[][]) => {
  const workbook = new Workbook();
  // biome-ignore lint/suspicious/noExplicitAny: exceljs was typed against an older Buffer
  await workbook.xlsx.load(Buffer.concat(await collect(renderXlsx(header, each(rows)))) as any);
  return workbook;
};
const cell = (value: string, type: Cell['type'] = 'string'): Cell => ({ value, type });

describe('renderXlsx', () => {
  it('has one sheet named export with a header row of strings', async () => {
    const workbook = await read(['Invoice number', '12', '=A1'], []);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(['export']);
    expect(workbook.getWorksheet('export')?.getRow(1).values).toEqual([undefined, 'Invoice number', '12', '=A1']);
    expect(workbook.getWorksheet('export')?.rowCount).toBe(1);
  });

  it('types the cells: numbers, dates, strings', async () => {
    const row = [
      cell('900.00', 'number'),
      cell('2017-06-01', 'date'),
      cell('0042'),
      cell('a', 'enum'),
      cell('-0.5', 'number'),
    ];
    const sheet = (await read(['a', 'b', 'c', 'd', 'e'], [row])).getWorksheet('export');
    expect(sheet?.getRow(2).values).toEqual([undefined, 900, new Date('2017-06-01'), '0042', 'a', -0.5]);
    expect(sheet?.getCell('B2').numFmt).toMatch(/^yyyy\\?-mm\\?-dd$/);
    expect(sheet?.getCell('A2').numFmt).toBeFalsy();
  });

  it('keeps as strings what does not parse, and what a number would not hold exactly', async () => {
    const values = [
      cell('n/a', 'number'),
      cell('12345678901234567890', 'number'),
      cell('1e5', 'number'),
      cell('tomorrow', 'date'),
      cell('2023-02-29', 'date'),
      cell('1899-12-31', 'date'),
    ];
    const sheet = (await read(['a', 'b', 'c', 'd', 'e', 'f'], [values])).getWorksheet('export');
    expect(sheet?.getRow(2).values).toEqual([undefined, ...values.map(({ value }) => value)]);
  });

  it('never writes a formula and keeps blanks, lines and markup', async () => {
    const values = ['=1+1', '  two\nlines ', '<b>&"', 'a\u0000b', '+1', 'Žluťoučký 🧾'];
    const sheet = (await read(values.map(String), [values.map((value) => cell(value))])).getWorksheet('export');
    expect(sheet?.getRow(2).values).toEqual([undefined, '=1+1', '  two\nlines ', '<b>&"', 'ab', '+1', 'Žluťoučký 🧾']);
    sheet?.eachRow((row) => row.eachCell((one) => expect(one.formula).toBeUndefined()));
  });

  it('leaves empty cells out and names columns beyond Z', async () => {
    const header = Array.from({ length: 705 }, (_, i) => `c${i}`);
    const row = header.map((_, i) => cell(i === 28 || i === 704 ? 'here' : ''));
    const sheet = (await read(header, [row])).getWorksheet('export');
    expect(sheet?.getCell('AC2').value).toBe('here');
    expect(sheet?.getCell('AAC2').value).toBe('here');
    expect(sheet?.getCell('A2').value).toBeNull();
  });

  it('is made no faster than it is read', async () => {
    let made = 0;
    async function* endless() {
      for (;;) {
        made += 1;
        yield Array.from({ length: 20 }, () => cell(`${Math.random()} ${made}`));
      }
    }
    const chunks = renderXlsx(['a'], endless());
    const letOthersRun = async () => {
      for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let i = 0; i < 10; i++) await chunks.next();
    await letOthersRun();
    expect(made).toBeLessThan(10_000);
    await chunks.return(undefined);
    await letOthersRun();
    const ended = made;
    await letOthersRun();
    expect(made).toBe(ended);
  });

  it('fails when its rows fail', async () => {
    async function* failing(): AsyncGenerator<Cell[]> {
      yield [cell('a')];
      throw new Error('no more');
    }
    await expect(collect(renderXlsx(['a'], failing()))).rejects.toThrow('no more');
  });
});
