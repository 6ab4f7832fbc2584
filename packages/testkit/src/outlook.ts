/** A file in a message that Outlook stores, or a message in it. */
export interface StoredContent {
  readonly filename: string;
  readonly content: Buffer | OutlookContent;
}

/** A message to be stored. */
export interface OutlookContent {
  readonly text?: string;
  readonly files: readonly StoredContent[];
}

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const wide = (text: string) => Buffer.from(text, 'utf16le');
const padded = (bytes: Buffer, to: number, fill = 0) =>
  Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to, fill)]);

interface Node {
  readonly name: string;
  readonly content: Buffer | readonly Node[];
}

/** A message as Outlook stores it, `.msg`. Source: [MS-OXMSG], [MS-CFB]. */
export function buildOutlookMessage(content: OutlookContent): Buffer {
  return buildStorage(messageNodes(content));
}

function messageNodes({ text = '', files }: OutlookContent): Node[] {
  return [
    { name: '__properties_version1.0', content: Buffer.alloc(32) },
    { name: '__substg1.0_1000001F', content: wide(text) },
    ...files.map((file, i) => ({
      name: `__attach_version1.0_#${i.toString(16).toUpperCase().padStart(8, '0')}`,
      content: [
        { name: '__substg1.0_3707001F', content: wide(file.filename) },
        Buffer.isBuffer(file.content)
          ? { name: '__substg1.0_37010102', content: file.content }
          : { name: '__substg1.0_3701000D', content: messageNodes(file.content) },
      ],
    })),
  ];
}

const NONE = 0xffffffff;
const END = 0xfffffffe;
const SECTOR = 512;

function buildStorage(nodes: readonly Node[]): Buffer {
  const sectors: Buffer[] = [];
  const next: number[] = [];
  const add = (bytes: Buffer): number => {
    if (bytes.length === 0) return END;
    const first = sectors.length;
    const all = padded(bytes, SECTOR);
    for (let at = 0; at < all.length; at += SECTOR) {
      sectors.push(all.subarray(at, at + SECTOR));
      next.push(at + SECTOR < all.length ? sectors.length : END);
    }
    return first;
  };
  const small: Buffer[] = [];
  const smallNext: number[] = [];
  const addSmall = (bytes: Buffer): number => {
    if (bytes.length === 0) return END;
    const first = small.length;
    const all = padded(bytes, 64);
    for (let at = 0; at < all.length; at += 64) {
      small.push(all.subarray(at, at + 64));
      smallNext.push(at + 64 < all.length ? small.length : END);
    }
    return first;
  };
  const entries: Buffer[] = [];
  /** Siblings hang on each other to the right. */
  const addEntries = (siblings: readonly Node[], at = 0): number => {
    const node = siblings[at];
    if (!node) return NONE;
    const index = entries.push(Buffer.alloc(0)) - 1;
    const isFile = Buffer.isBuffer(node.content);
    const bytes = isFile ? (node.content as Buffer) : Buffer.alloc(0);
    const start = isFile ? (bytes.length < 4096 ? addSmall(bytes) : add(bytes)) : 0;
    const child = isFile ? NONE : addEntries(node.content as readonly Node[]);
    entries[index] = entryOf(node.name, isFile ? 2 : 1, addEntries(siblings, at + 1), child, start, bytes.length);
    return index;
  };
  entries.push(Buffer.alloc(0));
  const child = addEntries(nodes);
  const data = Buffer.concat(small);
  entries[0] = entryOf('Root Entry', 5, NONE, child, add(data), data.length);
  const directory = add(padded(Buffer.concat(entries), SECTOR));
  const smallTable = add(padded(Buffer.concat(smallNext.map(u32)), SECTOR, 0xff));
  const count = Math.ceil(sectors.length / (SECTOR / 4 - 1));
  const firstTable = sectors.length;
  next.push(...Array(count).fill(0xfffffffd));
  add(padded(Buffer.concat(next.map(u32)), SECTOR, 0xff));
  if (count > 109) throw new Error('too large for a table of the header');
  const header = Buffer.alloc(SECTOR, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.fill(0, 8, 76);
  const numbers = { 24: 0x3e, 26: 3, 28: 0xfffe, 30: 9, 32: 6 };
  for (const [at, value] of Object.entries(numbers)) header.writeUInt16LE(value, Number(at));
  header.writeUInt32LE(count, 44);
  header.writeUInt32LE(directory, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(smallTable, 60);
  header.writeUInt32LE(smallTable === END ? 0 : Math.ceil(smallNext.length / 128), 64);
  header.writeUInt32LE(END, 68);
  for (let i = 0; i < count; i += 1) header.writeUInt32LE(firstTable + i, 76 + 4 * i);
  return Buffer.concat([header, ...sectors]);
}

function entryOf(name: string, type: number, right: number, child: number, start: number, size: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 'utf16le');
  entry.writeUInt16LE(2 * name.length + 2, 64);
  entry[66] = type;
  entry[67] = 1;
  entry.writeUInt32LE(NONE, 68);
  entry.writeUInt32LE(right, 72);
  entry.writeUInt32LE(child, 76);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(size, 120);
  return entry;
}
