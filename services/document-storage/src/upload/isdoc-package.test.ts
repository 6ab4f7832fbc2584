import { findPackage } from './isdoc-package';

const file = (fileName: string, text = '') => ({ fileName, bytes: Buffer.from(text) });
const invoice = (fileName: string) => file(fileName, '<Invoice xmlns="http://isdoc.cz/namespace/2013"></Invoice>');
const manifest = file('manifest.xml', '<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"/>');

describe('an ISDOC package', () => {
  it('is an archive with a list of contents and one e-invoice', () => {
    expect(findPackage([manifest, invoice('a.isdoc')])).toMatchObject({ picture: null });
    expect(findPackage([invoice('a.isdoc')])).toBeNull();
    expect(findPackage([manifest, invoice('a.isdoc'), invoice('b.isdoc')])).toBeNull();
    expect(findPackage([manifest, file('a.isdoc', '<html/>')])).toBeNull();
  });

  it('is shown by the PDF of the same name, or by the only one', () => {
    const [own, other] = [file('A.pdf'), file('order.pdf')];
    expect(findPackage([manifest, other, invoice('a.isdoc'), own])?.picture).toBe(own);
    expect(findPackage([manifest, other, invoice('a.isdoc')])?.picture).toBe(other);
    expect(findPackage([manifest, other, file('terms.pdf'), invoice('a.isdoc')])?.picture).toBeNull();
  });
});
