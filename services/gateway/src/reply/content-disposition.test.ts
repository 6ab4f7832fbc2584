import { fileNameOf } from '../upload/file-name';
import { attachment } from './content-disposition';

it('gives both forms of the name', () => {
  expect(attachment('Rechnung é 1.pdf')).toBe(
    `attachment; filename="Rechnung e 1.pdf"; filename*=utf-8''Rechnung%20%C3%A9%201.pdf`,
  );
});

it.each([
  'a"; x="b.pdf',
  'a\r\nSet-Cookie: x=1.pdf',
  "it's (1)*.pdf",
  '50%.pdf',
  '😀.pdf',
  '\u202egpj.exe',
  '',
  '\\..\\a.pdf',
])('lets nothing out of the header: %j', (name) => {
  const header = attachment(name);
  expect(header).toMatch(/^attachment; filename="[^"\r\n]*"; filename\*=utf-8''[A-Za-z0-9%!#$&+.^_`|~-]+$/);
  expect(fileNameOf(header)).toBeTruthy();
});

it('comes back as it was', () => {
  for (const name of ['a b.pdf', 'Zlúčenina č. 5.pdf', "it's (1).pdf", '请求.pdf']) {
    expect(fileNameOf(attachment(name))).toBe(name);
  }
});
