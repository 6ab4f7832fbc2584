import { UnreadableDocument } from '../unreadable-document';
import type { EInvoice } from './e-invoice';
import { type PrintedInvoice, printEInvoice } from './print';
import { readEInvoice } from './read-e-invoice';

/** Whether a file of this type is read as an electronic invoice. */
export const isXml = (mimeType: string): boolean => mimeType === 'text/xml' || mimeType === 'application/xml';

/**
 * Reads an invoice that is XML alone and prints pages for its review.
 *
 * @throws UnreadableDocument `empty`, `corrupt`, `unsupported`
 */
export async function printXml(bytes: Uint8Array): Promise<{ invoice: EInvoice; printed: PrintedInvoice }> {
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  const invoice = readEInvoice(bytes);
  if (!invoice) {
    throw new UnreadableDocument(
      'unsupported',
      'The XML file is no electronic invoice that can be read; these can: ZUGFeRD, Factur-X, XRechnung, UBL and PEPPOL, ISDOC, FatturaPA.',
    );
  }
  return { invoice, printed: await printEInvoice(invoice) };
}
