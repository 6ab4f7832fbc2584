import { conversionOf } from '@intake/untrusted';

const PICTURES = ['image/png', 'image/jpeg', 'image/tiff', 'image/webp', 'image/gif'];
/** So many bytes of an XML tell what it is. */
export const XML_START = 8192;

/** Whether files of a type are pictures that are read as they are; a file may hold several. */
export function isPictureType(mimeType: string): boolean {
  return PICTURES.includes(mimeType);
}

/** Whether a type can be read whatever the content is; null: that depends on how the content begins. */
export function isReadableType(mimeType: string): boolean | null {
  if (mimeType === 'application/pdf' || isPictureType(mimeType) || conversionOf(mimeType) !== null) return true;
  return mimeType === 'text/xml' || mimeType === 'application/xml' ? null : false;
}

/** Whether an XML begins like an electronic invoice that the engine knows. API: documents-and-uploads.md section 6. */
export function beginsLikeEInvoice(start: Uint8Array): boolean {
  const text = Buffer.from(start).toString('latin1').replaceAll('\0', '');
  if (/<(?:[\w-]+:)?(?:CrossIndustryInvoice|CrossIndustryDocument|FatturaElettronica(?:Semplificata)?)[\s>]/.test(text))
    return true;
  return (
    /<(?:[\w-]+:)?(?:Invoice|CreditNote|DebitNote)[\s>]/.test(text) &&
    /urn:oasis:names:specification:ubl:schema:xsd:|http:\/\/isdoc\.cz\/namespace/.test(text)
  );
}
