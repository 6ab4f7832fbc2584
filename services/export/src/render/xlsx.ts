import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Cell } from '../export/rows';
import { gatherText } from './chunks';
import { isExactInSpreadsheet, toDateSerial } from './numbers';
import { escapeText } from './xml-text';

/** Rows a sheet can have, the header included. */
export const MAX_SHEET_ROWS = 1_048_576;
/** Columns a sheet can have. */
export const MAX_SHEET_COLUMNS = 16_384;

const NAMESPACE = 'http://schemas.openxmlformats.org';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts of the file beside the sheet. Cell style 1 shows a date as `yyyy-mm-dd`. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${NAMESPACE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${NAMESPACE}/package/2006/relationships"><Relationship Id="rId1" Type="${NAMESPACE}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${NAMESPACE}/spreadsheetml/2006/main" xmlns:r="${NAMESPACE}/officeDocument/2006/relationships"><sheets><sheet name="export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${NAMESPACE}/package/2006/relationships"><Relationship Id="rId1" Type="${NAMESPACE}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${NAMESPACE}/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${NAMESPACE}/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};

/**
 * The XLSX file: one sheet `export`, a header row of strings, then typed cells: numbers, dates, strings; never formulas
 * (API: export.md section 5).
 *
 * The sheet is written by hand into a zip stream, so that it is made only as fast as it is read: the streaming writer of
 * exceljs does not wait for its reader. The tests read the files back with exceljs.
 */
export async function* renderXlsx(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const sheet = Readable.from(gatherText(renderSheet(header, rows)), { objectMode: false });
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  sheet.on('error', fail);
  zip.on('error', fail);
  for (const [name, content] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(DECLARATION + content), name);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    sheet.destroy();
  }
}

async function* renderSheet(header: readonly string[], rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<string> {
  const names = header.map((_, index) => columnName(index));
  let number = 0;
  const renderRow = (cells: readonly Cell[]): string => {
    number += 1;
    if (number > MAX_SHEET_ROWS) throw new Error(`a sheet has no more than ${MAX_SHEET_ROWS} rows`);
    return `<row r="${number}">${cells.map((cell, i) => renderCell(`${names[i]}${number}`, cell)).join('')}</row>`;
  };
  yield `${DECLARATION}<worksheet xmlns="${NAMESPACE}/spreadsheetml/2006/main"><sheetData>`;
  yield renderRow(header.map((value) => ({ value, type: 'string' })));
  for await (const row of rows) yield renderRow(row);
  yield '</sheetData></worksheet>';
}

function renderCell(reference: string, { value, type }: Cell): string {
  if (value === '') return '';
  if (type === 'number' && isExactInSpreadsheet(value)) return `<c r="${reference}"><v>${Number(value)}</v></c>`;
  const serial = type === 'date' ? toDateSerial(value) : null;
  if (serial !== null) return `<c r="${reference}" s="1"><v>${serial}</v></c>`;
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeText(value)}</t></is></c>`;
}

/** `A`, `B`, ... `Z`, `AA`, ... */
function columnName(index: number): string {
  const before = Math.floor(index / 26);
  return `${before > 0 ? columnName(before - 1) : ''}${String.fromCharCode(65 + (index % 26))}`;
}
