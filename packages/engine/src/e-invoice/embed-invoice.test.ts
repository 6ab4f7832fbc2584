import { PDFDocument } from 'pdf-lib';
import { readEmbeddedInvoice } from './attachments';
import { embedInvoice } from './embed-invoice';

const ISDOC = '<Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.1"><ID>FV-7</ID></Invoice>';

test('an e-invoice that was put into a PDF is found there', async () => {
  const blank = await PDFDocument.create();
  blank.addPage();
  const pdf = await blank.save();
  expect(await readEmbeddedInvoice(pdf)).toBeUndefined();
  const joined = await embedInvoice(pdf, Buffer.from(ISDOC), 'faktura.isdoc');
  expect(await readEmbeddedInvoice(joined)).toMatchObject({ syntax: 'ISDOC', fields: { document_id: 'FV-7' } });
});

test('a PDF that cannot be opened is refused', async () => {
  await expect(embedInvoice(Buffer.from('%PDF-1.4 x'), Buffer.from(ISDOC), 'a.isdoc')).rejects.toMatchObject({
    name: 'UnreadableDocument',
  });
});
