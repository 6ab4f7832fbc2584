import { decodeCharset, unwrapSigned } from '@intake/untrusted';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { UnreadableDocument } from '../unreadable-document';

/** An element of an XML document; names are without prefix. */
export interface XmlElement {
  name: string;
  /** Names as written, prefix included. */
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

/** Far beyond any invoice; what is larger is not parsed. */
const MAX_BYTES = 20_000_000;
const MAX_DEPTH = 100;
/** An invoice of ten thousand lines has fewer. */
const MAX_ELEMENTS = 300_000;
/** Characters of a text that is taken as a value; more than any datapoint has. */
const MAX_TEXT = 4000;

const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: '#cdata',
});

/**
 * Parses XML, also in a signed file (`.p7m`). There are no document types and no entities but the five of XML itself and characters by number.
 *
 * @throws UnreadableDocument `corrupt`
 */
export function parseXml(bytes: Uint8Array): XmlElement {
  if (bytes.length > MAX_BYTES) throw new UnreadableDocument('corrupt', 'The XML file is too large to be read.');
  const text = decode(unwrapSigned(bytes));
  if (/<!DOCTYPE/i.test(text)) {
    throw new UnreadableDocument('corrupt', 'The XML file has a document type (DOCTYPE), which is not allowed.');
  }
  if (countTags(text) > 2 * MAX_ELEMENTS)
    throw new UnreadableDocument('corrupt', 'The XML file has too many elements to be read.');
  if (XMLValidator.validate(text) !== true) throw new UnreadableDocument('corrupt', 'The XML file is not well-formed.');
  const [root] = parse(text).flatMap((node) => toElement(node, 1) ?? []);
  if (!root) throw new UnreadableDocument('corrupt', 'The XML file has no content.');
  return root;
}

/** Opening and closing tags, comments too. */
function countTags(text: string): number {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) count += 1;
  return count;
}

type RawNode = Record<string, unknown>;

function parse(text: string): RawNode[] {
  try {
    return PARSER.parse(text) as RawNode[];
  } catch (error) {
    if (/nested tags/i.test(String(error))) throw tooDeep(error);
    throw new UnreadableDocument('corrupt', 'The XML file cannot be read.', { cause: error });
  }
}

function tooDeep(cause?: unknown): UnreadableDocument {
  return new UnreadableDocument('corrupt', 'The XML file is nested too deeply.', { cause });
}

function toElement(node: RawNode, depth: number): XmlElement | undefined {
  if (depth > MAX_DEPTH) throw tooDeep();
  const name = Object.keys(node).find((key) => key !== ':@');
  if (name === undefined || name.startsWith('#')) return undefined;
  const inside = node[name] as RawNode[];
  const attributes = Object.entries((node[':@'] ?? {}) as Record<string, string>);
  return {
    name: name.replace(/^.*:/, ''),
    attributes: Object.fromEntries(attributes.map(([key, value]) => [key, resolveEntities(String(value))])),
    children: inside.flatMap((child) => toElement(child, depth + 1) ?? []),
    text: inside.map(textOf).join('').trim(),
  };
}

function textOf(node: RawNode): string {
  if (node['#text'] !== undefined) return resolveEntities(String(node['#text']));
  const raw = node['#cdata'] as RawNode[] | undefined;
  return raw ? raw.map((part) => String(part['#text'] ?? '')).join('') : '';
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function resolveEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()]!;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : code > 0 ? ' ' : whole;
  });
}

function decode(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
  const isNarrow = start.startsWith('\xef\xbb\xbf') || /^utf-?16/i.test(declared ?? '');
  const encoding = wideEncodingOf(start) ?? (isNarrow ? 'utf-8' : (declared ?? 'utf-8'));
  try {
    return decodeCharset(bytes, encoding);
  } catch (error) {
    throw new UnreadableDocument('corrupt', `The XML file is in an encoding that is not known: ${encoding}.`, {
      cause: error,
    });
  }
}

/** UTF-16 by its mark, or by its first characters (XML 1.0, appendix F); a declaration that can be read is in none. */
function wideEncodingOf(start: string): string | undefined {
  if (/^(?:\xff\xfe|<\0)/.test(start)) return 'utf-16le';
  return /^(?:\xfe\xff|\0<)/.test(start) ? 'utf-16be' : undefined;
}

/**
 * All elements at a path below an element.
 *
 * @param path names divided by `/`; alternatives by `|`
 */
export function findAll(element: XmlElement | undefined, path: string): XmlElement[] {
  let found = element ? [element] : [];
  for (const step of path.split('/')) {
    const names = step.split('|');
    found = found.flatMap((one) => one.children.filter((child) => names.includes(child.name)));
  }
  return found;
}

/** The first element at a path. */
export const find = (element: XmlElement | undefined, path: string): XmlElement | undefined =>
  findAll(element, path)[0];

/** The first text at any of the paths; undefined when there is none. */
export function textAt(element: XmlElement | undefined, ...paths: string[]): string | undefined {
  for (const path of paths) {
    const text = findAll(element, path)
      .map((one) => one.text)
      .find((one) => one !== '');
    if (text) return text.slice(0, MAX_TEXT).replace(/\s+/g, ' ');
  }
  return undefined;
}
