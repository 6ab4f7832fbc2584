import { fileNameOf, lastPart } from './file-name';

it.each([
  ['attachment; filename="invoice.pdf"', 'invoice.pdf'],
  ['attachment; filename=invoice.pdf', 'invoice.pdf'],
  ['attachment; filename=my invoice.pdf; size=12', 'my invoice.pdf'],
  ['attachment; filename= x.pdf ', 'x.pdf'],
  ['attachment;FILENAME = "a \\"b\\".pdf"', 'a "b".pdf'],
  ["attachment; filename*=utf-8''%C4%8D%20x.pdf", 'č x.pdf'],
  ['attachment; filename="old.pdf"; filename*=UTF-8\'en\'new%E2%82%AC.pdf', 'new€.pdf'],
  ["attachment; filename*=iso-8859-1''%E9.pdf", 'é.pdf'],
  [`attachment; filename="${Buffer.from('é€.pdf').toString('latin1')}"`, 'é€.pdf'],
  ['attachment; filename="\u00e9.pdf"', 'é.pdf'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\temp\\\\x.pdf"', 'x.pdf'],
  ['attachment; filename="=?utf-8?B?xI0geC5wZGY=?="', 'č x.pdf'],
  ['attachment; filename="=?ISO-8859-1?Q?=E9_x?= =?UTF-8?q?=C4=8D.pdf?="', 'é xč.pdf'],
  ['attachment; filename="=?windows-1252?Q?x_=80_=96.pdf?="', 'x € –.pdf'],
  ['attachment; filename="=?utf-8?Q?..=2Fa=2Fx.pdf?="', 'x.pdf'],
  ['attachment; filename="=?none?Q?x.pdf?="', '=?none?Q?x.pdf?='],
  ['attachment; filename=""', undefined],
  ['attachment', undefined],
  ['inline; name="filename=x"', undefined],
  [undefined, undefined],
])('reads the name in %j', (header, name) => {
  expect(fileNameOf(header)).toBe(name);
});

it.each([
  ['a/b/c.pdf', 'c.pdf'],
  ['a\u0000\r\nb.pdf', 'ab.pdf'],
  ['..', undefined],
  ['a/', undefined],
])('cuts %j down', (path, name) => {
  expect(lastPart(path)).toBe(name);
});
