import { ansiText, type PackedFiles, PackedTooDeep, wideText } from './packed-files';

const SIGNATURE = 0x223e9f78;
/** Attributes. Source: [MS-OXTNEF] 2.1.3.4. */
const BODY = 0x0002800c;
const MESSAGE_PROPERTIES = 0x00069003;
const ATTACHMENT_BEGINS = 0x00069002;
const ATTACHMENT_DATA = 0x0006800f;
const ATTACHMENT_TITLE = 0x00018010;
const ATTACHMENT_PROPERTIES = 0x00069005;
/** Properties. Source: [MS-OXPROPS]. */
const PLAIN_BODY = 0x1000;
const HTML_BODY = 0x1013;
const LONG_FILE_NAME = 0x3707;
const MIME_TAG = 0x370e;
const OBJECT = 0x3701;
/** Types of properties. Source: [MS-OXCDATA] 2.11.1. */
const STRING8 = 0x1e;
const UNICODE = 0x1f;
const WITH_LENGTH = [0x0d, STRING8, UNICODE, 0x102];
const MULTIPLE = 0x1000;
const LENGTHS: Readonly<Record<number, number>> = {
  ...{ 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4 },
  ...{ 20: 8, 64: 8, 72: 16 },
};
const FIRST_NAMED = 0x8000;
const GUID_BYTES = 16;

interface Property {
  readonly type: number;
  readonly bytes: Buffer;
}

interface Attachment {
  name: string;
  data: Buffer | null;
  properties: ReadonlyMap<number, Property>;
}

/**
 * Opens `winmail.dat`: the attachments of a message as Outlook packs them, those of messages among them too. Null for what is none,
 * or is damaged.
 *
 * @param deepest so many messages may lie in each other
 * @throws PackedTooDeep
 */
export function readTnef(bytes: Buffer, deepest: number): PackedFiles | null {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return null;
  if (deepest < 1) throw new PackedTooDeep();
  try {
    return readAttributes(bytes, deepest);
  } catch (error) {
    // A length that leads out of the file.
    if ((error as Error).name === 'RangeError') return null;
    throw error;
  }
}

function readAttributes(bytes: Buffer, deepest: number): PackedFiles {
  const attachments: Attachment[] = [];
  let plain = '';
  let properties: ReadonlyMap<number, Property> = new Map();
  for (let at = 6; at + 9 <= bytes.length; ) {
    const id = bytes.readUInt32LE(at + 1);
    const length = bytes.readUInt32LE(at + 5);
    const value = slice(bytes, at + 9, length);
    at += 9 + length + 2;
    const attachment = attachments.at(-1);
    if (id === BODY) plain = ansiText(value);
    else if (id === MESSAGE_PROPERTIES) properties = readProperties(value);
    else if (id === ATTACHMENT_BEGINS) attachments.push({ name: '', data: null, properties: new Map() });
    else if (id === ATTACHMENT_TITLE && attachment) attachment.name = ansiText(value);
    else if (id === ATTACHMENT_DATA && attachment) attachment.data = value;
    else if (id === ATTACHMENT_PROPERTIES && attachment) attachment.properties = readProperties(value);
  }
  const html = properties.get(HTML_BODY);
  return {
    text: textOf(properties.get(PLAIN_BODY)) || plain,
    html: html ? (html.type === UNICODE ? wideText(html.bytes) : ansiText(html.bytes)) : '',
    files: attachments.flatMap((one) => filesOf(one, deepest)),
  };
}

function filesOf({ name, data, properties }: Attachment, deepest: number): PackedFiles['files'] {
  const object = properties.get(OBJECT)?.bytes.subarray(GUID_BYTES);
  const message = object && readTnef(object, deepest - 1);
  if (message) return message.files;
  const contentType = textOf(properties.get(MIME_TAG)).toLowerCase();
  return data ? [{ filename: textOf(properties.get(LONG_FILE_NAME)) || name, contentType, content: data }] : [];
}

function textOf(property: Property | undefined): string {
  if (property?.type === UNICODE) return wideText(property.bytes);
  return property?.type === STRING8 ? ansiText(property.bytes) : '';
}

/** Properties by their id; of several values the last. Source: [MS-OXTNEF] 2.1.3.4. */
function readProperties(bytes: Buffer): Map<number, Property> {
  const found = new Map<number, Property>();
  const count = bytes.readUInt32LE(0);
  let at = 4;
  const next = (): number => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const take = (length: number): Buffer => {
    const value = slice(bytes, at, length);
    at += length + ((4 - (length % 4)) % 4);
    return value;
  };
  for (let i = 0; i < count && at < bytes.length; i += 1) {
    const tag = next();
    const id = tag >>> 16;
    if (id >= FIRST_NAMED) {
      take(GUID_BYTES);
      const isNumber = next() === 0;
      take(isNumber ? 4 : next());
    }
    const type = tag & 0xffff & ~MULTIPLE;
    const hasLength = WITH_LENGTH.includes(type);
    const fixed = LENGTHS[type];
    // Nobody knows where the next one begins.
    if (!hasLength && fixed === undefined) break;
    const values = hasLength || tag & MULTIPLE ? next() : 1;
    for (let one = 0; one < values; one += 1) {
      found.set(id, { type, bytes: take(hasLength ? next() : (fixed ?? 0)) });
    }
  }
  return found;
}

/** Throws RangeError when so many bytes are not there. */
function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.length) throw new RangeError('The file ends too early.');
  return bytes.subarray(at, at + length);
}
