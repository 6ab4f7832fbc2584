import { type Pdfium, withPdf } from '../text/pdfium';
import { UnreadableDocument } from '../unreadable-document';
import type { EInvoice } from './e-invoice';
import { readEInvoice } from './read-e-invoice';

const MAX_ATTACHMENTS = 50;
const MAX_BYTES = 20_000_000;

/**
 * The e-invoice that is embedded in a PDF (ZUGFeRD, Factur-X, ISDOC in PDF and the like), under whatever name.
 *
 * @throws UnreadableDocument for a PDF that cannot be opened
 */
export async function readEmbeddedInvoice(bytes: Uint8Array): Promise<EInvoice | undefined> {
  const attached = await withPdf(bytes, async (pdfium, document) => {
    const count = Math.min(pdfium._FPDFDoc_GetAttachmentCount(document), MAX_ATTACHMENTS);
    return Array.from({ length: Math.max(0, count) }, (_, index) => readAttachment(pdfium, document, index));
  });
  for (const content of attached) {
    // Anything may be attached to a PDF; what is no invoice is left alone.
    const start = content?.subarray(0, 200).toString('latin1').replace(/\0/g, '') ?? '';
    if (!content || !/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(start)) continue;
    try {
      const invoice = readEInvoice(content);
      if (invoice) return invoice;
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
    }
  }
  return undefined;
}

function readAttachment(pdfium: Pdfium, document: number, index: number): Buffer | undefined {
  const attachment = pdfium._FPDFDoc_GetAttachment(document, index);
  if (!attachment) return undefined;
  const size = pdfium.wasmExports.malloc(4);
  try {
    if (!pdfium._FPDFAttachment_GetFile(attachment, 0, 0, size)) return undefined;
    const length = new DataView(pdfium.HEAPU8.buffer).getUint32(size, true);
    if (length === 0 || length > MAX_BYTES) return undefined;
    const memory = pdfium.wasmExports.malloc(length);
    if (!memory) return undefined;
    try {
      if (!pdfium._FPDFAttachment_GetFile(attachment, memory, length, size)) return undefined;
      return Buffer.from(pdfium.HEAPU8.subarray(memory, memory + length));
    } finally {
      pdfium.wasmExports.free(memory);
    }
  } finally {
    pdfium.wasmExports.free(size);
  }
}
