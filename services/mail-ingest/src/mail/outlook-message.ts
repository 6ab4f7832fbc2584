import { isUtf8 } from 'node:buffer';
import { decodeCharset } from '@intake/untrusted';

/** Source of all numbers: [MS-CFB], and [MS-OXMSG] for the names. */
const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const LISTED_IN_HEADER = 109;
/** Values from here on are no sectors, but say that there is none. */
const NO_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const ENTRY_BYTES = 128;
const STORAGE = 1;
const STREAM = 2;
const SMALL_SECTOR = 64;
/** Streams that are shorter lie in small sectors. */
const SMALL_STREAM = 4096;

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** An attachment of a message that Outlook has stored. */
export interface StoredFile {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Messages lie in messages, deeper than they are opened. */
export class MessagesTooDeep extends Error {
  override readonly name = 'MessagesTooDeep';
}

/** What leads nowhere or in circles. */
class Damaged extends Error {}

/**
 * The attachments of a message that Outlook has stored (`.msg`), those of messages in it too. Null for what is none, or is damaged.
 *
 * @param deepest so many messages may lie in each other
 * @throws MessagesTooDeep
 */
export function readOutlookMessage(bytes: Buffer, deepest: number): StoredFile[] | null {
  try {
    return readMessage(openStorage(bytes), 0, deepest);
  } catch (error) {
    if (error instanceof Damaged || (error as Error).name === 'RangeError') return null;
    throw error;
  }
}

interface Storage {
  /** What lies directly in an entry; the root is 0. */
  list(index: number): { readonly index: number; readonly entry: Entry }[];
  read(entry: Entry): Buffer;
}

function readMessage(storage: Storage, index: number, deepest: number): StoredFile[] | null {
  if (deepest < 1) throw new MessagesTooDeep();
  const parts = storage.list(index);
  if (!parts.some(({ entry }) => entry.name === '__properties_version1.0')) return null;
  const attachments = parts.filter(
    ({ entry }) => entry.type === STORAGE && entry.name.startsWith('__attach_version1.0_'),
  );
  return attachments.flatMap((one) => readAttachment(storage, one.index, deepest));
}

function readAttachment(storage: Storage, index: number, deepest: number): StoredFile[] {
  const parts = new Map(storage.list(index).map((one) => [one.entry.name, one]));
  const textOf = (id: string): string => {
    const wide = parts.get(`__substg1.0_${id}001F`);
    const ansi = parts.get(`__substg1.0_${id}001E`);
    return wide ? wideText(storage.read(wide.entry)) : ansi ? ansiText(storage.read(ansi.entry)) : '';
  };
  const message = parts.get('__substg1.0_3701000D');
  if (message?.entry.type === STORAGE) return readMessage(storage, message.index, deepest - 1) ?? [];
  const data = parts.get('__substg1.0_37010102');
  if (data?.entry.type !== STREAM) return [];
  const filename = textOf('3707') || textOf('3704');
  return [{ filename, contentType: textOf('370E').toLowerCase(), content: storage.read(data.entry) }];
}

/** A file that holds files (Compound File Binary). Each entry is listed once, and no more is read than the file has. */
function openStorage(file: Buffer): Storage {
  if (file.length < HEADER_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) throw new Damaged();
  const sectorBytes = file.readUInt16LE(30) === 12 ? 4096 : 512;
  const sectors = Math.ceil(file.length / sectorBytes);
  const sector = (number: number): Buffer => {
    const at = (number + 1) * sectorBytes;
    if (at >= file.length) throw new Damaged();
    return file.subarray(at, at + sectorBytes);
  };
  const perSector = sectorBytes / 4;

  const tables: number[] = [];
  const addTables = (list: Buffer, count: number) => {
    for (let i = 0; i < count && list.readUInt32LE(i * 4) < NO_SECTOR; i += 1) tables.push(list.readUInt32LE(i * 4));
  };
  addTables(file.subarray(76), LISTED_IN_HEADER);
  let more = file.readUInt32LE(68);
  for (let i = 0; more < NO_SECTOR; i += 1) {
    if (i > sectors) throw new Damaged();
    const list = sector(more);
    addTables(list, perSector - 1);
    more = list.readUInt32LE(sectorBytes - 4);
  }
  const following = (number: number): number => {
    const table = tables[Math.floor(number / perSector)];
    if (table === undefined) throw new Damaged();
    return sector(table).readUInt32LE((number % perSector) * 4);
  };
  /** The sectors of a chain, at most so many bytes of them. */
  const chain = (start: number, bytes = file.length): Buffer => {
    const found: Buffer[] = [];
    for (let at = start; at < NO_SECTOR && found.length * sectorBytes < bytes; at = following(at))
      found.push(sector(at));
    return Buffer.concat(found);
  };

  const directory = chain(file.readUInt32LE(48));
  const entryAt = (index: number): Entry => {
    const raw = directory.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    return {
      name: raw.toString('utf16le', 0, Math.max(0, Math.min(raw.readUInt16LE(64), 64) - 2)),
      type: raw[66] ?? 0,
      left: raw.readUInt32LE(68),
      right: raw.readUInt32LE(72),
      child: raw.readUInt32LE(76),
      start: raw.readUInt32LE(116),
      size: raw.readUInt32LE(120),
    };
  };
  const root = entryAt(0);
  const smallData = chain(root.start, root.size);
  const smallTable = chain(file.readUInt32LE(60));
  const readSmall = ({ start, size }: Entry): Buffer => {
    const found: Buffer[] = [];
    for (let at = start; at < NO_SECTOR && found.length * SMALL_SECTOR < size; at = smallTable.readUInt32LE(at * 4))
      found.push(smallData.subarray(at * SMALL_SECTOR, (at + 1) * SMALL_SECTOR));
    return Buffer.concat(found);
  };

  const listed = new Set<number>();
  let left = file.length;
  return {
    list(index) {
      const found: { index: number; entry: Entry }[] = [];
      for (const waiting = [entryAt(index).child]; waiting.length > 0; ) {
        const next = waiting.pop() ?? NO_ENTRY;
        if (next === NO_ENTRY) continue;
        if (listed.has(next)) throw new Damaged();
        listed.add(next);
        const entry = entryAt(next);
        found.push({ index: next, entry });
        waiting.push(entry.right, entry.left);
      }
      return found.sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
    },
    read(entry) {
      left -= entry.size;
      if (left < 0) throw new Damaged();
      const bytes = entry.size < SMALL_STREAM ? readSmall(entry) : chain(entry.start, entry.size);
      if (bytes.length < entry.size) throw new Damaged();
      return bytes.subarray(0, entry.size);
    },
  };
}

/** A text in the code page of the sender's system: of Western Europe, or UTF-8. Ends at its first zero. */
function ansiText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  return decodeCharset(own, isUtf8(own) ? 'utf-8' : 'windows-1252');
}

/** A text in UTF-16, which ends at its first zero. */
function wideText(bytes: Buffer): string {
  return bytes.toString('utf16le').split('\0', 1)[0] ?? '';
}
