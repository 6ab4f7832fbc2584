import { safeFileName } from './index';

test.each([
  ['invoice.pdf', 'invoice.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\účet č. 5.pdf', 'účet č. 5.pdf'],
  ['a\u0000b\r\nc.pdf', 'abc.pdf'],
  ['factura\u202efdp.exe', 'facturafdp.exe'],
  ['.htaccess', 'htaccess'],
  ['what?<is>:this|.pdf', 'what__is__this_.pdf'],
  ['  trailing. . ', 'trailing'],
  ['..', 'document'],
  ['', 'document'],
])('%j becomes %j', (name, expected) => {
  expect(safeFileName(name)).toBe(expected);
});

test('a long name keeps its extension and whole characters', () => {
  const name = safeFileName(`${'ř'.repeat(300)}.pdf`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toMatch(/^ř+\.pdf$/);
});
