import { textFormOf } from './convert/text-form';
import { findSignedData } from './signed';

/** How many bytes of a file {@link detectMimeType} wants to see: enough for the directory entries of Office files. */
export const SNIFF_BYTES = 64 * 1024;

const EXTENSIONS: Record<string, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  bmp: 'image/bmp',
  zip: 'application/zip',
  xml: 'text/xml',
  isdoc: 'text/xml',
  isdocx: 'application/zip',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  rtf: 'application/rtf',
  eml: 'message/rfc822',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  msg: 'application/vnd.ms-outlook',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
};

/** Extensions that may refine a type which was only recognised in general. */
const ZIP_EXTENSIONS = new Set(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp']);
const OLE_EXTENSIONS = new Set(['doc', 'xls', 'ppt', 'msg']);
const KNOWN_TYPES = new Set(Object.values(EXTENSIONS));

/**
 * MIME type of a file: by its content first, then by the extension, then as declared
 * (API: documents-and-uploads.md section 2). Markup and JSON are told by their content whatever the name, but for what Office opens
 * under the name of an Excel or a Word file; other readable text
 * is what its name says: words in a file named `.pdf` are a malformed PDF.
 *
 * @param firstBytes the start of the file, at best {@link SNIFF_BYTES} of it
 * @param declared the Content-Type that came with the file; `application/octet-stream` says nothing, and binary data is no text
 * @returns `application/octet-stream` when nothing tells
 */
export function detectMimeType(firstBytes: Uint8Array, fileName: string, declared?: string): string {
  const bytes = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  const extension = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const claimed = declared?.split(';')[0]?.trim().toLowerCase();
  return (
    detectSigned(bytes) ??
    detectBinary(bytes, extension) ??
    detectText(bytes, extension, claimed) ??
    EXTENSIONS[extension] ??
    (claimed && /^(?!text\/)[\w.+-]+\/[\w.+-]+$/.test(claimed) ? claimed : 'application/octet-stream')
  );
}

/** A signed XML file (`.p7m`, also in base64) is read as the XML in it; other signed files are left alone. */
function detectSigned(bytes: Buffer): string | undefined {
  const signed = findSignedData(bytes);
  return signed && /<\?xml|<[\w.:]*FatturaElettronica/.test(signed.toString('latin1', 0, 4096))
    ? EXTENSIONS.xml
    : undefined;
}

function detectBinary(bytes: Buffer, extension: string): string | undefined {
  const starts = (...magic: number[]) => magic.every((byte, index) => bytes[index] === byte);
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (ascii(0, 5) === '%PDF-') return 'application/pdf';
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x49, 0x49, 0x2a, 0) || starts(0x4d, 0x4d, 0, 0x2a)) return 'image/tiff';
  if (starts(0x49, 0x49, 0x2b, 0) || starts(0x4d, 0x4d, 0, 0x2b)) return 'image/tiff';
  if (ascii(0, 6) === 'GIF87a' || ascii(0, 6) === 'GIF89a') return 'image/gif';
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return 'image/webp';
  if (ascii(4, 8) === 'ftyp') return detectIsoMedia(ascii(8, 12));
  if (ascii(0, 2) === 'BM' && bytes.length > 26 && bytes.readUInt32LE(6) === 0) return 'image/bmp';
  // What Outlook packs attachments into (winmail.dat).
  if (starts(0x78, 0x9f, 0x3e, 0x22)) return 'application/ms-tnef';
  // What Macs keep beside a file, under the same name.
  if (starts(0, 5, 0x16, 7) || starts(0, 5, 0x16, 0)) return 'application/applefile';
  // Programs write RTF under the name of a Word file, because Word opens it.
  if (ascii(0, 5) === '{\\rtf') return EXTENSIONS[extension === 'doc' ? 'doc' : 'rtf'];
  if (starts(0x50, 0x4b, 3, 4) || starts(0x50, 0x4b, 5, 6) || starts(0x50, 0x4b, 7, 8)) {
    return detectZip(bytes, extension);
  }
  if (starts(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return detectOle(bytes, extension);
  // Readers accept a PDF header anywhere in the first 1024 bytes.
  if (ascii(0, 1024 + 5).includes('%PDF-')) return 'application/pdf';
  return undefined;
}

function detectIsoMedia(brand: string): string | undefined {
  if (['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'].includes(brand)) return 'image/heic';
  if (['mif1', 'msf1'].includes(brand)) return 'image/heif';
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return undefined;
}

/** Office files are archives: the names of the first members tell which. */
function detectZip(bytes: Buffer, extension: string): string {
  const names: string[] = [];
  let at = 0;
  while (at >= 0 && at + 30 <= bytes.length && names.length < 200) {
    const length = bytes.readUInt16LE(at + 26);
    const name = bytes.toString('latin1', at + 30, at + 30 + length);
    names.push(name);
    if (name === 'mimetype') {
      const declared = bytes.toString('latin1', at + 30 + length + bytes.readUInt16LE(at + 28)).slice(0, 80);
      const type = /^application\/vnd\.oasis\.opendocument\.[a-z]+/.exec(declared)?.[0];
      if (type) return type;
    }
    at = bytes.indexOf('PK\u0003\u0004', at + 30 + length + skippableBytes(bytes, at), 'latin1');
  }
  if (names.some((name) => name.startsWith('word/'))) return EXTENSIONS.docx!;
  if (names.some((name) => name.startsWith('xl/'))) return EXTENSIONS.xlsx!;
  if (names.some((name) => name.startsWith('ppt/'))) return EXTENSIONS.pptx!;
  const isOffice = names.includes('[Content_Types].xml') && ZIP_EXTENSIONS.has(extension);
  return isOffice ? EXTENSIONS[extension]! : EXTENSIONS.zip!;
}

/** Length of a member's content where its header tells: what is in it, other archives too, is not looked at. */
function skippableBytes(bytes: Buffer, header: number): number {
  const SIZE_FOLLOWS = 8;
  const isTold = (bytes.readUInt16LE(header + 6) & SIZE_FOLLOWS) === 0;
  return isTold ? bytes.readUInt16LE(header + 28) + bytes.readUInt32LE(header + 18) : 0;
}

function detectOle(bytes: Buffer, extension: string): string {
  const holds = (stream: string) => bytes.includes(Buffer.from(stream, 'utf16le'));
  if (holds('WordDocument')) return EXTENSIONS.doc!;
  if (holds('Workbook')) return EXTENSIONS.xls!;
  if (holds('PowerPoint Document')) return EXTENSIONS.ppt!;
  if (holds('__properties_version1.0')) return EXTENSIONS.msg!;
  // What Office protects by a password lies whole in such a file; only its name tells what it is.
  return OLE_EXTENSIONS.has(extension) || ZIP_EXTENSIONS.has(extension)
    ? EXTENSIONS[extension]!
    : 'application/x-ole-storage';
}

function detectText(bytes: Buffer, extension: string, declared: string | undefined): string | undefined {
  const text = decodeText(bytes);
  if (text === undefined) return undefined;
  const start = startOf(text);
  // What web shops and banks give out as an Excel file is often a table of HTML.
  const family = extension === 'xls' ? 'calc' : extension === 'doc' ? 'writer' : undefined;
  if (family && textFormOf(start, family)) return EXTENSIONS[extension];
  if (/^<(!doctype html|html[\s>])/i.test(start)) return 'text/html';
  if (/^<(\?xml|!--|!DOCTYPE|[A-Za-z_][\w.:-]*[\s/>])/.test(start)) return 'text/xml';
  if (/^[[{]/.test(start) && (extension === 'json' || isJson(text))) return 'application/json';
  if (EXTENSIONS[extension]) return EXTENSIONS[extension];
  return declared?.startsWith('text/') || KNOWN_TYPES.has(declared ?? '') ? declared : 'text/plain';
}

/** The start of a readable text, by which its kind is told; undefined for binary data. */
export function readableStart(bytes: Uint8Array): string | undefined {
  const text = decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SNIFF_BYTES)));
  return text === undefined ? undefined : startOf(text);
}

const startOf = (text: string) => text.slice(0, 1024).trimStart();

/** The text of bytes that are printable text in UTF-8, UTF-16 or an 8-bit code; undefined for binary ones. */
function decodeText(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const wide = decodeWide(bytes);
  if (wide !== undefined) return wide;
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells binary data.
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)) return undefined;
  // A few undecodable bytes are an 8-bit code page or a character cut off at the end; many are binary data.
  const undecodable = text.match(/\ufffd/g)?.length ?? 0;
  return undecodable > 1 + text.length / 10 ? undefined : text;
}

/** UTF-16 by its mark, or because it begins with a tag (XML 1.0, appendix F); undefined for what is none. */
function decodeWide(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 4);
  if (start.startsWith('\xff\xfe')) return bytes.toString('utf16le', 2);
  if (/^<\0[\w?!]\0/.test(start)) return bytes.toString('utf16le');
  if (!start.startsWith('\xfe\xff') && !/^\0<\0[\w?!]/.test(start)) return undefined;
  const even = bytes.subarray(start.startsWith('\xfe\xff') ? 2 : 0, bytes.length - (bytes.length % 2));
  return Buffer.from(even).swap16().toString('utf16le');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
