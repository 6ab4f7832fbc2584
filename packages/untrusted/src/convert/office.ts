import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readableStart } from '../mime-types';
import { ConversionError } from './conversion-error';
import { createProfile } from './office-profile';
import { runProgram } from './run-program';
import { documentOfText, type Family, textFormOf } from './text-form';
import type { WaitingOffice } from './waiting-office';

const EXCEL = 'application/vnd.ms-excel';
const WORD = 'application/msword';

/** Office types that can be turned into pages: type -> name of the file for LibreOffice, and which part of it reads it. */
const TYPES: Readonly<Record<string, readonly [fileName: string, family: Family]>> = {
  [WORD]: ['document.doc', 'writer'],
  'application/rtf': ['document.rtf', 'writer'],
  'text/rtf': ['document.rtf', 'writer'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['document.docx', 'writer'],
  'application/vnd.oasis.opendocument.text': ['document.odt', 'writer'],
  [EXCEL]: ['document.xls', 'calc'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['document.xlsx', 'calc'],
  'application/vnd.oasis.opendocument.spreadsheet': ['document.ods', 'calc'],
};

const TO_PDF: Readonly<Record<Family, string>> = { writer: 'pdf:writer_pdf_Export', calc: 'pdf:calc_pdf_Export' };
/** A sheet becomes one page, however wide it is: cut into several, its tables could not be read. */
const ONE_PAGE = `${TO_PDF.calc}:{"SinglePageSheets":{"type":"boolean","value":"true"}}`;

/** Whether documents of a type are read through the pages that LibreOffice makes of them. */
export function isOfficeType(mimeType: string): boolean {
  return Object.hasOwn(TYPES, mimeType);
}

/** Whether a type is that of a spreadsheet, which is converted in two steps. */
export function isSheetType(mimeType: string): boolean {
  return isOfficeType(mimeType) && TYPES[mimeType]?.[1] === 'calc';
}

/**
 * Turns an office document into a PDF with LibreOffice, in a profile of its own.
 *
 * @param folder empty but for what `waiting` has there, and removed by the caller afterwards
 * @param program `soffice`, by name or path
 * @param waiting is given the document when it is ready; when it is not, or makes nothing of it, LibreOffice is started
 * @throws ConversionError
 */
export async function convertOffice(
  bytes: Uint8Array,
  mimeType: string,
  folder: string,
  program: string,
  waiting?: WaitingOffice,
): Promise<Buffer> {
  const type = TYPES[mimeType];
  if (!type) throw new ConversionError('unsupported', `Documents of the type ${mimeType} cannot be read.`);
  const [fileName, family] = type;
  const form = STREAMS[mimeType] && textFormOf(readableStart(bytes) ?? '', family);
  if (!form && isOnlyNamed(bytes, mimeType)) throw new ConversionError('corrupt', DAMAGED);
  const out = path.join(folder, 'out');
  const convert = async (input: string, filter: string, made: string): Promise<Buffer> => {
    const task = ['--convert-to', filter, '--outdir', out, input];
    const read = () => readFile(path.join(out, made)).catch(() => null);
    const handedOver = (await waiting?.handOver(task)) ? await read() : null;
    if (handedOver?.length) return handedOver;
    const cause = await convertAlone(task, folder, program);
    const result = await read();
    if (!result?.length) throw new ConversionError('corrupt', DAMAGED, { cause });
    return result;
  };

  const toPdf = async (flatDocument: string): Promise<Buffer> => {
    const isSheet = family === 'calc';
    const isLong = isSheet && isLongSheet(flatDocument);
    const flat = path.join(folder, isSheet ? 'document.fods' : 'document.fodt');
    await writeFile(flat, isLong ? fitToWidth(flatDocument) : flatDocument);
    return convert(flat, isSheet && !isLong ? ONE_PAGE : TO_PDF[family], 'document.pdf');
  };
  const ofText = form && documentOfText(bytes, form, family);
  if (ofText) return toPdf(ofText);
  const sent = path.join(folder, fileName);
  await writeFile(sent, bytes);
  if (family === 'writer') return convert(sent, TO_PDF.writer, 'document.pdf');
  const sheets = await convert(sent, 'fods', 'document.fods');
  return toPdf(widenColumns(withoutHiddenSheets(sheets.toString('utf8'))));
}

/** Converts in a process that is started for it. Answers with what that wrote, for the log. */
async function convertAlone(task: readonly string[], folder: string, program: string): Promise<string> {
  const { options } = await createProfile(path.join(folder, 'profile'));
  const end = await runProgram(program, [...options, '--nodefault', ...task], folder);
  if (!end) throw new ConversionError('needs_program', missingText(program));
  return end.output;
}

/**
 * A number that is wider than its column would be drawn as `###`, and a text would be cut off. Takes and gives a flat
 * OpenDocument spreadsheet, as LibreOffice writes it.
 */
export function widenColumns(sheets: string): string {
  return sheets.replace(
    /style:column-width="(\d+(?:\.\d+)?)([a-z]{2})"/g,
    (_, width: string, unit: string) => `style:column-width="${(Number(width) * WIDENED).toFixed(4)}${unit}"`,
  );
}

const WIDENED = 1.7;

/** Whether a sheet has more rows than a person could read on one page; beyond some thousand LibreOffice would cut them off. */
export function isLongSheet(sheets: string): boolean {
  return sheets.split('<table:table ').some((sheet) => sheet.split('<table:table-row').length - 1 > MAX_ROWS_OF_PAGE);
}

const MAX_ROWS_OF_PAGE = 150;

/** Pages as wide as the sheet, as many as it needs, of all of it. Takes and gives a flat OpenDocument spreadsheet. */
export function fitToWidth(sheets: string): string {
  return sheets
    .replace(/ style:scale-to(?:-pages|-X|-Y)?="[^"]*"/g, '')
    .replaceAll(
      '<style:page-layout-properties',
      '<style:page-layout-properties style:scale-to-X="1" style:scale-to-Y="0"',
    )
    .replace(/ table:print-ranges="[^"]*"/g, '');
}

/**
 * Hidden sheets would be printed as the others are. What is computed from them stays as it was computed. Takes and gives a flat
 * OpenDocument spreadsheet, as LibreOffice writes it.
 */
export function withoutHiddenSheets(sheets: string): string {
  const style =
    /<style:style style:name="([^"]+)" style:family="table"[^>]*>\s*<style:table-properties table:display="false"/g;
  const hidden = new Set([...sheets.matchAll(style)].map(([, name]) => name!));
  if (hidden.size === 0) return sheets;
  let kept = '';
  let [depth, from] = [0, 0];
  let isHidden = false;
  // Charts have tables of their own, within those of the sheets.
  for (const { 0: tag, index } of sheets.matchAll(/<table:table(?=[ >])[^>]*[^>/]>|<\/table:table>/g)) {
    const isStart = !tag.startsWith('</');
    if (!isStart) depth -= 1;
    if (depth === 0 && isStart) isHidden = hidden.has(/ table:style-name="([^"]+)"/.exec(tag)?.[1] ?? '');
    if (depth === 0 && isHidden && isStart) kept += sheets.slice(from, index);
    if (depth === 0 && isHidden && !isStart) from = index + tag.length;
    if (isStart) depth += 1;
  }
  return (kept + sheets.slice(from)).replace(/ table:formula="[^"]*"/g, '');
}

/** Streams that old office files keep their text in. */
const STREAMS: Readonly<Record<string, readonly string[]>> = {
  [WORD]: ['WordDocument'],
  [EXCEL]: ['Workbook', 'Book'],
};
/** What newer ones are in that are protected; LibreOffice opens those that are protected against changes only. */
const ENCRYPTED = 'EncryptedPackage';
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** LibreOffice takes what it cannot read for text, and prints that. */
export function isOnlyNamed(bytes: Uint8Array, mimeType: string): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const startsWith = (magic: string) => file.toString('latin1', 0, magic.length) === magic;
  const streams = STREAMS[mimeType] ?? [ENCRYPTED];
  // Word opens RTF under the name of its own files, and so does LibreOffice.
  if ((mimeType === WORD || mimeType.endsWith('/rtf')) && startsWith('{\\rtf')) return false;
  if (!STREAMS[mimeType] && !mimeType.endsWith('/rtf') && startsWith('PK')) return false;
  // The names as bytes: a search for UTF-16 text may never end in bytes at an odd address.
  return (
    !file.subarray(0, OLE.length).equals(OLE) || !streams.some((name) => file.includes(Buffer.from(name, 'utf16le')))
  );
}

const DAMAGED = 'The office document is damaged or protected by a password, and cannot be read.';

const missingText = (program: string) =>
  `The document is an office file, and the program for reading those is not installed: ${program}. Install it and import the document again.`;
