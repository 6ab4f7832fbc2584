import { PDFDocument } from 'pdf-lib';
import { UnreadableDocument } from '../unreadable-document';

/**
 * A PDF with an e-invoice in it, as `readEmbeddedInvoice` finds it.
 *
 * @throws UnreadableDocument when the PDF is protected or damaged
 */
export async function embedInvoice(bytes: Uint8Array, xml: Uint8Array, fileName: string): Promise<Buffer> {
  try {
    const pdf = await PDFDocument.load(bytes, { updateMetadata: false });
    await pdf.attach(xml, fileName, { mimeType: 'text/xml' });
    return Buffer.from(await pdf.save());
  } catch (error) {
    throw new UnreadableDocument('corrupt', 'The PDF is protected or damaged.', { cause: error });
  }
}
