/** Writers of PDF and zip that check nothing, so that what they write may be as wrong as wanted. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A stream object: dictionary entries and bytes. */
export const stream = (entries, bytes) => ({ entries, bytes: Buffer.from(bytes) });

/**
 * A PDF of these objects, numbered from 1.
 *
 * @param objects text of each, or a `stream`
 * @param options `root`: number of the catalog; `trailer`: further entries; `xref`: false leaves the table out
 */
export function writePdf(objects, { root = 1, trailer = '', xref = true, head = '%PDF-1.7\n' } = {}) {
  const parts = [Buffer.from(head)];
  const offsets = [];
  let size = parts[0].length;
  const push = (part) => {
    const bytes = Buffer.isBuffer(part) ? part : Buffer.from(part, 'latin1');
    parts.push(bytes);
    size += bytes.length;
  };
  objects.forEach((object, i) => {
    offsets.push(size);
    if (typeof object === 'string') {
      push(`${i + 1} 0 obj\n${object}\nendobj\n`);
      return;
    }
    push(`${i + 1} 0 obj\n<< /Length ${object.bytes.length} ${object.entries} >>\nstream\n`);
    push(object.bytes);
    push('\nendstream\nendobj\n');
  });
  const at = size;
  if (xref) {
    push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
    push(offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join(''));
  }
  push(`trailer\n<< /Size ${objects.length + 1} /Root ${root} 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`);
  return Buffer.concat(parts);
}

/**
 * A PDF of one page.
 *
 * @param options `box`: its MediaBox; `resources`, `page`: entries; `content`: a `stream` or drawing operators; `more`: objects from 6 on
 */
export function onePage({ box = '[0 0 595 842]', resources = '', page = '', content, more = [], catalog = '' } = {}) {
  const drawn = content ?? 'BT /F1 12 Tf 72 700 Td (Invoice number 4711, total 119.00 EUR) Tj ET';
  return writePdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${box ? `/MediaBox ${box}` : ''} /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> ${page} >>`,
    typeof drawn === 'string' ? stream('', drawn) : drawn,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...more,
  ]);
}

/** `size` zero bytes (or others), deflated as often as said. */
export function bomb(size, { times = 1, fill = 0 } = {}) {
  let bytes = deflateSync(Buffer.alloc(size, fill), { level: 9 });
  for (let i = 1; i < times; i += 1) bytes = deflateSync(bytes, { level: 9 });
  return bytes;
}

/**
 * A zip of these members: `{name, bytes, ...lies}`.
 *
 * @param members `method` (8), `flags`, `mode` (of the file system), `size`, `crc` and `packed` replace what is true; `offset`: where
 *   the directory says the member begins
 */
export function writeZip(members, { comment = '', count, prefix = '' } = {}) {
  const parts = [Buffer.from(prefix, 'latin1')];
  const directory = [];
  let at = parts[0].length;
  for (const member of members) {
    const { bytes = Buffer.alloc(0), method = 8, flags = 0x800, mode = 0o100644 } = member;
    const name = Buffer.isBuffer(member.name) ? member.name : Buffer.from(member.name);
    const packed = member.packed ?? (method === 8 ? deflateRawSync(bytes, { level: 9 }) : bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(flags, 2);
    head.writeUInt16LE(method, 4);
    head.writeUInt32LE((member.crc ?? crc32(bytes)) >>> 0, 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE((member.size ?? bytes.length) >>> 0, 18);
    head.writeUInt16LE(name.length, 22);
    const begin = member.offset ?? at;
    if (member.offset === undefined) {
      parts.push(Buffer.from('PK\x03\x04', 'latin1'), head, name, packed);
      at += 4 + 26 + name.length + packed.length;
    }
    const entry = Buffer.alloc(42);
    entry.writeUInt16LE(0x031e, 0);
    head.copy(entry, 2, 0, 26);
    entry.writeUInt32LE((mode << 16) >>> 0, 34);
    entry.writeUInt32LE(begin >>> 0, 38);
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), entry, name);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE((count ?? members.length) & 0xffff, 4);
  end.writeUInt16LE((count ?? members.length) & 0xffff, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), end, Buffer.from(comment, 'latin1')]);
}
