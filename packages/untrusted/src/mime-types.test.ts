import { detectMimeType } from './index';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** The local header of a stored ZIP member. */
function member(name: string, content = ''): Buffer {
  const header = Buffer.alloc(30);
  header.write('PK\u0003\u0004', 'latin1');
  header.writeUInt32LE(content.length, 18);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name + content)]);
}

const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

test.each<[string, Buffer, string, string]>([
  ['PDF', bytes('%PDF-1.7\n'), 'a.txt', 'application/pdf'],
  ['PDF behind garbage', bytes('\0'.repeat(1000), '%PDF-1.4'), 'a', 'application/pdf'],
  ['PNG', bytes([0x89], 'PNG\r\n', [0x1a], '\n'), 'a.jpg', 'image/png'],
  ['JPEG', bytes([0xff, 0xd8, 0xff, 0xe0]), 'a', 'image/jpeg'],
  ['TIFF, Intel', bytes('II*\0'), 'a', 'image/tiff'],
  ['TIFF, Motorola', bytes('MM\0*'), 'a', 'image/tiff'],
  ['GIF', bytes('GIF89a'), 'a', 'image/gif'],
  ['WebP', bytes('RIFF....WEBPVP8 '), 'a', 'image/webp'],
  ['AppleDouble', bytes([0, 5, 0x16, 7, 0, 2, 0, 0], 'Mac OS X'), 'a.pdf', 'application/applefile'],
  ['HEIC', bytes([0, 0, 0, 24], 'ftypheic'), 'a', 'image/heic'],
  ['ZIP', member('a/b.txt'), 'a', 'application/zip'],
  ['empty ZIP', bytes('PK\u0005\u0006'), 'a.zip', 'application/zip'],
  [
    'DOCX',
    Buffer.concat([member('[Content_Types].xml', 'x'), member('word/document.xml')]),
    'a.zip',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  [
    'XLSX',
    Buffer.concat([member('xl/workbook.xml')]),
    'a',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  [
    'XLSX by its name, members out of sight',
    member('[Content_Types].xml'),
    'a.xlsx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  ['a ZIP with a PDF in it', member('a.pdf', '%PDF-1.7\n'), 'a.zip', 'application/zip'],
  ['a ZIP with a DOCX in it', member('a.docx', member('word/document.xml').toString('latin1')), 'a', 'application/zip'],
  ['a ZIP named .docx', member('evil.exe'), 'a.docx', 'application/zip'],
  [
    'ODT',
    member('mimetype', 'application/vnd.oasis.opendocument.text'),
    'a',
    'application/vnd.oasis.opendocument.text',
  ],
  ['old Word', bytes(OLE, '....', [...Buffer.from('WordDocument', 'utf16le')]), 'a', 'application/msword'],
  ['old Excel by name', bytes(OLE), 'a.XLS', 'application/vnd.ms-excel'],
  ['OLE', bytes(OLE), 'a', 'application/x-ole-storage'],
  ['Excel with a password', bytes(OLE), 'a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['XML', bytes('\u00ef\u00bb\u00bf<?xml version="1.0"?><Invoice/>'), 'a', 'text/xml'],
  ['XML in UTF-16', Buffer.from('\ufeff<?xml version="1.0"?><a/>', 'utf16le'), 'a', 'text/xml'],
  ['XML in UTF-16 without a mark', Buffer.from('<?xml version="1.0"?><ä/>', 'utf16le'), 'a.pdf', 'text/xml'],
  ['XML in UTF-16, big end first', Buffer.from('\ufeff<?xml?><ä/>', 'utf16le').swap16(), 'a', 'text/xml'],
  ['XML in UTF-16, big end first, without a mark', Buffer.from('<ab/>', 'utf16le').swap16(), 'a', 'text/xml'],
  ['winmail.dat', bytes([0x78, 0x9f, 0x3e, 0x22, 1, 0]), 'a.pdf', 'application/ms-tnef'],
  ['XML without declaration', bytes('<Invoice xmlns="x">'), 'a.xml', 'text/xml'],
  ['HTML', bytes('<!DOCTYPE html><p>'), 'a', 'text/html'],
  ['HTML named .xls', bytes('<html xmlns:x="urn:x"><table>'), 'orders.XLS', 'application/vnd.ms-excel'],
  ['a table of HTML named .xls', bytes('\r\n<table border=1>'), 'orders.xls', 'application/vnd.ms-excel'],
  ['XML named .xls', bytes('<?xml version="1.0"?><a/>'), 'a.xls', 'text/xml'],
  [
    'a workbook in XML named .xls',
    bytes('<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'),
    'a.xls',
    'application/vnd.ms-excel',
  ],
  ['HTML named .doc', bytes('<html xmlns:w="urn:x"><p>'), 'letter.doc', 'application/msword'],
  ['RTF', bytes('{\\rtf1 x}'), 'letter.docx', 'application/rtf'],
  ['RTF named .doc', bytes('{\\rtf1 x}'), 'letter.DOC', 'application/msword'],
  ['JSON', bytes('{"a": [1]}'), 'a', 'application/json'],
  ['text', bytes('Invoice 1'), 'a', 'text/plain'],
  ['text named .pdf', bytes('This is not a PDF.'), 'invoice.pdf', 'application/pdf'],
  ['text named .png', bytes('This is no picture.'), 'logo.PNG', 'image/png'],
  ['XML named .pdf', bytes('<?xml version="1.0"?><a/>'), 'invoice.pdf', 'text/xml'],
  ['CSV', bytes('a;b\n1;2\n'), 'a.csv', 'text/csv'],
  ['text in an 8-bit code', bytes('Rechnung über fünf Stück, prüfen'), 'a.txt', 'text/plain'],
])('%s', (_what, content, name, expected) => {
  expect(detectMimeType(content, name, 'application/octet-stream')).toBe(expected);
});

test('what the content does not tell, the extension does, and after it what was declared', () => {
  const binary = bytes([0, 1, 2, 3, 0x80, 0xff]);
  expect(detectMimeType(binary, 'a.tiff', 'image/x-other')).toBe('image/tiff');
  expect(detectMimeType(binary, 'a.step', 'Model/STEP; charset=x')).toBe('model/step');
  expect(detectMimeType(binary, 'a', 'application/octet-stream')).toBe('application/octet-stream');
  expect(detectMimeType(binary, 'a', 'not a type')).toBe('application/octet-stream');
  // What a part of a form is that does not say what it is.
  expect(detectMimeType(binary, 'a.jp2', 'text/plain')).toBe('application/octet-stream');
  expect(detectMimeType(bytes('no PDF'), 'a', 'application/pdf')).toBe('application/pdf');
  expect(detectMimeType(bytes('words'), 'a', 'application/x-www-form-urlencoded')).toBe('text/plain');
  expect(detectMimeType(Buffer.alloc(0), 'a.pdf')).toBe('application/pdf');
});

test('a header of a ZIP member that lies about its length does no harm', () => {
  const lying = member('x');
  lying.writeUInt16LE(0xffff, 26);
  expect(detectMimeType(lying, 'a')).toBe('application/zip');
});
