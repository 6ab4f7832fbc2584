import { readCii } from './cii';
import type { EInvoice } from './e-invoice';
import { readFatturaPa, readSimplified } from './fattura-pa';
import { readIsdoc } from './isdoc';
import { readUbl } from './ubl';
import { find, parseXml, type XmlElement } from './xml';

/**
 * Reads an invoice in XML.
 *
 * @returns undefined for XML that is no invoice in a syntax known here
 * @throws UnreadableDocument `corrupt` for what is not well-formed
 */
export function readEInvoice(bytes: Uint8Array): EInvoice | undefined {
  const sent = parseXml(bytes);
  // PEPPOL's networks put an invoice into an envelope (SBDH).
  const inside = sent.name === 'StandardBusinessDocument' ? find(sent, 'Invoice|CreditNote') : undefined;
  const root = inside ?? sent;
  const namespaces = Object.entries({ ...sent.attributes, ...root.attributes })
    .filter(([name]) => /^xmlns(?::|$)/.test(name))
    .map(([, uri]) => uri);
  return readerOf(root, namespaces)?.(root);
}

function readerOf(root: XmlElement, namespaces: string[]): ((root: XmlElement) => EInvoice) | undefined {
  const isIn = (pattern: RegExp) => namespaces.some((uri) => pattern.test(uri));
  if (root.name === 'CrossIndustryInvoice' || root.name === 'CrossIndustryDocument') return readCii;
  if (root.name === 'FatturaElettronica' && root.children.length > 0) return readFatturaPa;
  if (root.name === 'FatturaElettronicaSemplificata' && root.children.length > 0) return readSimplified;
  if (root.name === 'Invoice' && isIn(/^http:\/\/isdoc\.cz\/namespace/)) return readIsdoc;
  const isUbl = isIn(/^urn:oasis:names:specification:ubl:schema:xsd:/);
  if (isUbl && ['Invoice', 'CreditNote', 'DebitNote'].includes(root.name)) return readUbl;
  return undefined;
}
