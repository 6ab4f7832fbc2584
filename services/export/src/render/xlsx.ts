import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { stream, type Worksheet } from 'exceljs';
import type { Cell } from '../export/rows';
import { isExactInSpreadsheet, toSpreadsheetDate } from './numbers';
import { dropIllegal } from './xml-text';

/** Rows a sheet can have, the header included. */
export const MAX_SHEET_ROWS = 1_048_576;
/** Columns a sheet can have. */
export const MAX_SHEET_COLUMNS = 16_384;

/** One object for all cells: exceljs finds the style of an object that it has seen again at once. */
const DATE_STYLE = { numFmt: 'yyyy-mm-dd' };

/**
 * The XLSX file: one sheet `export`, a header row of strings, then typed cells: numbers, dates, strings; never formulas
 * (API: export.md section 5). Rows are taken only as fast as the file is read.
 */
export async function* renderXlsx(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<Buffer> {
  const output = new PassThrough();
  const reader = new AbortController();
  void writeWorkbook(output, header, rows, reader.signal).catch((error) => output.destroy(error));
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    reader.abort();
  }
}

async function writeWorkbook(
  output: PassThrough,
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
  signal: AbortSignal,
): Promise<void> {
  // Strings stand in their cells: a table of all strings would be held to the end.
  const workbook = new stream.xlsx.WorkbookWriter({ stream: output, useStyles: true, useSharedStrings: false });
  workbook.creator = 'Intake';
  workbook.lastModifiedBy = 'Intake';
  const sheet = workbook.addWorksheet('export');
  const input = findInput(sheet);
  const addRow = async (cells: readonly Cell[]): Promise<void> => {
    const row = sheet.addRow(cells.map(toValue));
    if (row.number > MAX_SHEET_ROWS) throw new Error(`a sheet has no more than ${MAX_SHEET_ROWS} rows`);
    row.eachCell((cell) => {
      if (cell.value instanceof Date) cell.style = DATE_STYLE;
    });
    row.commit();
    if (input._writableState.needDrain) await once(input, 'drain', { signal });
    signal.throwIfAborted();
  };
  await addRow(header.map((value) => ({ value, type: 'string' })));
  for await (const row of rows) await addRow(row);
  await workbook.commit();
}

/** A stream as exceljs has it: of an older make, which tells only in its state whether it is full. */
type SheetInput = Writable & { readonly _writableState: { readonly needDrain: boolean } };

/**
 * The stream between a sheet and its compressor, which no type of exceljs shows. Rows pile up in it, because exceljs does not
 * look whether it is full; waiting for the output alone is too late.
 */
function findInput(sheet: Worksheet): SheetInput {
  const [input] = (sheet as unknown as { stream: { pipes: SheetInput[] } }).stream.pipes;
  if (!input?._writableState) throw new Error('exceljs has changed: it is not known when a sheet is full');
  return input;
}

/** What exceljs makes a cell of the right type from; empty cells are left out. */
function toValue({ value, type }: Cell): string | number | Date | undefined {
  if (value === '') return undefined;
  if (type === 'number' && isExactInSpreadsheet(value)) return Number(value);
  return (type === 'date' && toSpreadsheetDate(value)) || dropIllegal(value);
}
