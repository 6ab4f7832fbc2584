import { detectMimeType, unwrapSigned } from '@intake/untrusted';
import { readEInvoice } from './read-e-invoice';

const SIGNED = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
const DATA = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01];

/** Tag, length and content (X.690). */
function der(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** The same without a length, as signers that do not know it beforehand write it. */
const open = (tag: number, ...parts: Buffer[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.from([0, 0])]);

const sign = (content: Buffer) =>
  der(
    0x30,
    der(0x06, SIGNED),
    der(
      0xa0,
      der(0x30, der(0x02, [1]), der(0x31), der(0x30, der(0x06, DATA), der(0xa0, der(0x04, content))), der(0x31)),
    ),
  );

const signInParts = (content: Buffer) =>
  open(
    0x30,
    der(0x06, SIGNED),
    open(
      0xa0,
      open(
        0x30,
        der(0x02, [1]),
        der(0x31),
        open(
          0x30,
          der(0x06, DATA),
          open(0xa0, open(0x24, der(0x04, content.subarray(0, 50)), der(0x04, content.subarray(50)))),
        ),
        der(0x31),
      ),
    ),
  );

const xml = Buffer.from(
  '<?xml version="1.0"?><p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"><FatturaElettronicaHeader/><FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>2024-05-06</Data><Numero>12/A</Numero></DatiGeneraliDocumento></DatiGenerali></FatturaElettronicaBody></p:FatturaElettronica>',
);

test.each<[string, Buffer]>([
  ['with lengths', sign(xml)],
  ['in parts, without lengths', signInParts(xml)],
  ['signed twice', sign(signInParts(xml))],
  ['in base64', Buffer.from(sign(xml).toString('base64').replace(/.{64}/g, '$&\n'))],
])('a signed FatturaPA %s', (_what, bytes) => {
  expect(detectMimeType(bytes, 'IT01234567890_1.xml.p7m')).toBe('text/xml');
  expect(readEInvoice(bytes)).toMatchObject({ syntax: 'FatturaPA', fields: { document_id: '12/A' } });
});

test('what is not signed, or cut off, stays as it is', () => {
  expect(Buffer.from(unwrapSigned(xml)).equals(xml)).toBe(true);
  const cut = sign(xml).subarray(0, 120);
  expect(Buffer.from(unwrapSigned(cut)).equals(cut)).toBe(true);
});

test('another signed file is no XML', () => {
  const bytes = sign(Buffer.from('Hello.'));
  expect(detectMimeType(bytes, 'a.p7m', 'application/pkcs7-mime')).toBe('application/pkcs7-mime');
});
