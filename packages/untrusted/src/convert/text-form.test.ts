import { documentOfText, textFormOf } from './text-form';

const MHTML = (body: string, encoding: string) =>
  [
    'Date: Fri, 15 Mar 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="-=_b"\r\n\r\n',
    '---=_b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n',
    `---=_b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n---=_b--\r\n`,
  ].join('');
const WORKBOOK = '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">';

it.each([
  ['calc', 'html', '<table><tr><td>a'],
  ['writer', 'html', '<html xmlns:w="urn:x"><body>'],
  ['writer', 'mhtml', MHTML('<p>a', '8bit')],
  ['writer', undefined, MHTML('<p>a', '8bit').replace('multipart/related', 'multipart/mixed')],
  ['writer', undefined, 'Invoice number:\tINV-1'],
  ['calc', 'tabs', 'Invoice number\tDate\r\nINV-1\t2024-03-15'],
  ['calc', undefined, 'Invoice number;Date'],
  ['calc', 'excelXml', `<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n${WORKBOOK}`],
  ['calc', 'excelXml', WORKBOOK],
  ['calc', undefined, `<?xml version="1.0"?><!DOCTYPE Workbook [<!ENTITY e SYSTEM "file:///etc/passwd">]>${WORKBOOK}`],
  ['calc', undefined, '<?xml version="1.0"?><Workbook xmlns="urn:other">'],
  ['writer', undefined, WORKBOOK],
] as const)('what Office opens is known by its start: %s, %s', (family, form, start) => {
  expect(textFormOf(start, family)).toBe(form);
});

const textsOf = (document: string | null) => [...(document ?? '').matchAll(/<text:p>([^<]*)/g)].map(([, text]) => text);

it('columns divided by tabs are cells, quoted ones with what is in the quotes', () => {
  const text = 'Item\tPrice\r\n"Seal; ""large""\ttwo\nlines"\t=1+1\r\n0042\t"open';
  const sheet = documentOfText(Buffer.from(text), 'tabs', 'calc');
  expect(textsOf(sheet)).toEqual(['Item', 'Price', 'Seal; "large" two', 'lines', '=1+1', '0042', '"open']);
  expect(sheet?.match(/<table:table-row/g)).toHaveLength(3);
  expect(sheet).not.toContain('table:formula');
});

it('HTML that is named as a Word file is its lines and tables, and nothing that could be fetched', () => {
  const html =
    '<html><p>Invoice <b>1</b><table><tr><td>a<td>b<tr><td>c</table><img src="file:///etc/passwd"><p>Total: 7 &amp; more';
  const text = documentOfText(Buffer.from(html), 'html', 'writer');
  expect(textsOf(text)).toEqual(['Invoice 1', 'a', 'b', 'c', 'Total: 7 &amp; more']);
  expect(text?.match(/<table:table-row>/g)).toHaveLength(1);
  expect(text).not.toMatch(/<[^>]*(?:href|src)/);
});

it.each([
  ['quoted-printable', 'M=C3=BCller=\r\n GmbH'],
  ['base64', Buffer.from('<p>Müller GmbH').toString('base64')],
  ['8bit', Buffer.from('<p>Müller GmbH').toString('latin1')],
])('the page of a single file web page is read (%s)', (encoding, body) => {
  const mhtml = Buffer.from(MHTML(body, encoding), 'latin1');
  expect(textsOf(documentOfText(mhtml, 'mhtml', 'writer'))).toEqual(['Müller GmbH']);
});

it('a large text takes little time', () => {
  const begin = Date.now();
  documentOfText(Buffer.from(`a\t${'"a\t"'.repeat(500_000)}`), 'tabs', 'calc');
  documentOfText(Buffer.from(`${MHTML('', '8bit')}${'---=_b\n'.repeat(200_000)}`), 'mhtml', 'writer');
  expect(Date.now() - begin).toBeLessThan(10_000);
});
