/**
 * `node test/torture/make-files.mjs DIR`: writes files that are meant to break what reads them, always the same ones. For
 * `npm run torture -- DIR`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { bomb, onePage, stream, writePdf, writeZip } from './raw-files.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(root, 'services/mail-ingest/package.json'));
const sharp = require('sharp');
const invoice = readFileSync(path.join(root, 'test/samples/invoice-en.pdf'));
const MB = 1024 * 1024;

/** The same bytes in every run. */
function random(size, seed = 1) {
  const bytes = Buffer.alloc(size);
  let state = seed;
  for (let i = 0; i < size; i += 1) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

/** Some bytes turned over. */
function damaged(bytes, count, seed) {
  const copy = Buffer.from(bytes);
  const at = random(count * 4, seed);
  for (let i = 0; i < count; i += 1) copy[at.readUInt32LE(i * 4) % copy.length] ^= 1 << (i % 8);
  return copy;
}

const pages = (count, kids) =>
  writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    stream('', 'BT /F1 12 Tf 72 700 Td (The same page again) Tj ET'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]);

function manyPages(count) {
  const kids = Array.from({ length: count }, (_, i) => `${i + 5} 0 R`).join(' ');
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    stream('', 'BT /F1 12 Tf 72 700 Td (Page) Tj ET'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Array.from(
      { length: count },
      () =>
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    ),
  ]);
}

/** A page tree in which each node holds only the next. */
function deepTree(depth) {
  const nodes = Array.from({ length: depth }, (_, i) => `<< /Type /Pages /Kids [${i + 3} 0 R] /Count 1 >>`);
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    ...nodes,
    `<< /Type /Page /Parent ${depth + 1} 0 R /MediaBox [0 0 595 842] >>`,
  ]);
}

/** Forms that draw the next one ten times each. */
function laughingForms(levels) {
  const form = (i) =>
    stream(
      `/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X ${i + 7} 0 R >> >>`,
      i === levels - 1 ? '0 0 10 10 re f' : '/X Do '.repeat(10),
    );
  return onePage({
    resources: '/XObject << /X 6 0 R >>',
    content: '/X Do',
    more: Array.from({ length: levels }, (_, i) => form(i)),
  });
}

const image = (entries, bytes) =>
  onePage({
    resources: '/XObject << /I 6 0 R >>',
    content: 'q 595 0 0 842 0 0 cm /I Do Q',
    more: [stream(`/Type /XObject /Subtype /Image ${entries}`, bytes)],
  });

const pdfs = {
  'pdf-truncated-10.pdf': () => invoice.subarray(0, 1900),
  'pdf-truncated-50.pdf': () => invoice.subarray(0, 9500),
  'pdf-truncated-95.pdf': () => invoice.subarray(0, 18_000),
  'pdf-head-only.pdf': () => Buffer.from('%PDF-1.7\n'),
  'pdf-no-xref.pdf': () => writePdf(['<< /Type /Catalog >>'], { xref: false }),
  'pdf-garbage-before.pdf': () => Buffer.concat([random(900), invoice]),
  'pdf-garbage-far-before.pdf': () => Buffer.concat([random(MB), invoice]),
  'pdf-garbage-behind.pdf': () => Buffer.concat([invoice, random(MB)]),
  'pdf-bits-10.pdf': () => damaged(invoice, 10, 3),
  'pdf-bits-300.pdf': () => damaged(invoice, 300, 5),
  'pdf-bits-5000.pdf': () => damaged(invoice, 5000, 7),
  'pdf-zeros-in-the-middle.pdf': () => {
    const copy = Buffer.from(invoice);
    copy.fill(0, 6000, 12_000);
    return copy;
  },
  'pdf-twice.pdf': () => Buffer.concat([invoice, invoice]),
  'pdf-line-ends-changed.pdf': () => Buffer.from(invoice.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'pdf-as-utf8.pdf': () => Buffer.from(invoice.toString('latin1'), 'utf8'),
  'pdf-version-9.pdf': () => Buffer.from(invoice.toString('latin1').replace(/%PDF-1\.\d/, '%PDF-9.9'), 'latin1'),
  'pdf-needs-password.pdf': () => qpdf('--encrypt', 'secret', 'owner', '256', '--'),
  'pdf-needs-password-rc4.pdf': () => qpdf('--allow-weak-crypto', '--encrypt', 'secret', 'owner', '40', '--'),
  'pdf-owner-password.pdf': () => qpdf('--encrypt', '', 'owner', '256', '--print=none', '--extract=n', '--'),
  'pdf-encryption-unknown.pdf': () =>
    writePdf(
      ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>', '<< /Filter /Nobody /V 9 >>'],
      {
        trailer: '/Encrypt 3 0 R /ID [<00> <00>]',
      },
    ),
  'pdf-no-pages.pdf': () => writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']),
  'pdf-no-root.pdf': () => writePdf(['<< >>'], { root: 99 }),
  'pdf-count-1000000000.pdf': () => pages(1_000_000_000, '3 0 R'),
  'pdf-count-negative.pdf': () => pages(-5, '3 0 R'),
  'pdf-same-page-100000.pdf': () => pages(100_000, '3 0 R '.repeat(100_000)),
  'pdf-pages-501.pdf': () => manyPages(501),
  'pdf-pages-20000.pdf': () => manyPages(20_000),
  'pdf-tree-loop.pdf': () => pages(2, '2 0 R 3 0 R'),
  'pdf-tree-deep-10000.pdf': () => deepTree(10_000),
  'pdf-kids-is-a-number.pdf': () =>
    writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids 7 /Count 1 >>']),
  'pdf-page-enormous.pdf': () => onePage({ box: '[0 0 1000000000 1000000000]' }),
  'pdf-page-14400.pdf': () => onePage({ box: '[0 0 14400 14400]' }),
  'pdf-page-strip.pdf': () => onePage({ box: '[0 0 2 14400]' }),
  'pdf-page-empty-box.pdf': () => onePage({ box: '[0 0 0 0]' }),
  'pdf-page-tiny.pdf': () => onePage({ box: '[0 0 0.001 0.001]' }),
  'pdf-page-negative.pdf': () => onePage({ box: '[595 842 0 0]' }),
  'pdf-page-box-words.pdf': () => onePage({ box: '[/a (b) null <<>>]' }),
  'pdf-page-no-box.pdf': () => onePage({ box: '' }),
  'pdf-page-rotate-odd.pdf': () => onePage({ page: '/Rotate 37' }),
  'pdf-user-unit-1e9.pdf': () => onePage({ page: '/UserUnit 1000000000' }),
  'pdf-content-bomb.pdf': () => onePage({ content: stream('/Filter /FlateDecode', bomb(1000 * MB, { fill: 32 })) }),
  'pdf-content-bomb-twice.pdf': () =>
    onePage({ content: stream('/Filter [/FlateDecode /FlateDecode]', bomb(1000 * MB, { times: 2, fill: 32 })) }),
  'pdf-content-filters-1000.pdf': () =>
    onePage({ content: stream(`/Filter [${'/ASCIIHexDecode '.repeat(1000)}]`, '42 54'.repeat(1000)) }),
  'pdf-content-5-million-operators.pdf': () =>
    onePage({
      content: stream('/Filter /FlateDecode', deflateSync(Buffer.from('0 0 m 9 9 l S '.repeat(5_000_000 / 4)))),
    }),
  'pdf-content-open-q.pdf': () => onePage({ content: 'q '.repeat(500_000) }),
  'pdf-words-300000.pdf': () =>
    onePage({
      content: stream(
        '/Filter /FlateDecode',
        deflateSync(
          Buffer.from(
            Array.from({ length: 300_000 }, (_, i) => `BT /F1 2 Tf ${i % 590} ${i % 840} Td (w${i}) Tj ET`).join('\n'),
          ),
        ),
      ),
    }),
  'pdf-one-word-of-a-million.pdf': () => onePage({ content: `BT /F1 1 Tf (${'x'.repeat(1_000_000)}) Tj ET` }),
  'pdf-form-draws-itself.pdf': () =>
    onePage({
      resources: '/XObject << /X 6 0 R >>',
      content: '/X Do',
      more: [
        stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>', '/X Do /X Do'),
      ],
    }),
  'pdf-forms-billion.pdf': () => laughingForms(10),
  'pdf-type3-font-loop.pdf': () =>
    onePage({
      resources: '/Font << /T 6 0 R >>',
      content: 'BT /T 10 Tf 9 9 Td (aaaa) Tj ET',
      more: [
        '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a 7 0 R >> /Resources << /Font << /T 6 0 R >> >> >>',
        stream('', '9 0 d0 BT /T 10 Tf (aaaa) Tj ET'),
      ],
    }),
  'pdf-pattern-loop.pdf': () =>
    onePage({
      resources: '/Pattern << /P 6 0 R >>',
      content: '/Pattern cs /P scn 0 0 500 500 re f',
      more: [
        stream(
          '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.0001 /YStep 0.0001 /Resources << /Pattern << /P 6 0 R >> >>',
          '/Pattern cs /P scn 0 0 1 1 re f',
        ),
      ],
    }),
  'pdf-image-60000.pdf': () =>
    image(
      '/Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /FlateDecode',
      bomb((60000 / 8) * 60000),
    ),
  'pdf-image-says-2-billion.pdf': () =>
    image('/Width 2147483647 /Height 2147483647 /BitsPerComponent 8 /ColorSpace /DeviceRGB', 'abc'),
  'pdf-image-jpx-garbage.pdf': () =>
    image(
      '/Width 900 /Height 900 /Filter /JPXDecode',
      Buffer.concat([Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1'), random(5000)]),
    ),
  'pdf-image-jbig2-garbage.pdf': () =>
    image('/Width 900 /Height 900 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode', random(5000)),
  'pdf-image-fax-garbage.pdf': () =>
    image(
      '/Width 900 /Height 900 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 999999999 >>',
      random(5000),
    ),
  'pdf-images-5000.pdf': () =>
    onePage({
      resources: '/XObject << /I 6 0 R >>',
      content: 'q 595 0 0 842 0 0 cm /I Do Q '.repeat(5000),
      more: [
        stream(
          '/Type /XObject /Subtype /Image /Width 2000 /Height 2000 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode',
          bomb(4_000_000, { fill: 200 }),
        ),
      ],
    }),
  'pdf-arrays-deep-200000.pdf': () => onePage({ page: `/X ${'['.repeat(200_000)}${']'.repeat(200_000)}` }),
  'pdf-dictionaries-deep-200000.pdf': () => onePage({ page: `/X ${'<</A '.repeat(200_000)}0${'>>'.repeat(200_000)}` }),
  'pdf-string-20-mb.pdf': () => onePage({ page: `/X (${'('.repeat(10 * MB)}${')'.repeat(10 * MB)})` }),
  'pdf-xref-loop.pdf': () => {
    const text = onePage().toString('latin1');
    const at = text.lastIndexOf('\nxref') + 1;
    return Buffer.from(text.replace('/Root 1 0 R', `/Root 1 0 R /Prev ${at}`), 'latin1');
  },
  'pdf-object-numbers-huge.pdf': () =>
    Buffer.from(onePage().toString('latin1').replaceAll('5 0 R', '999999999 0 R'), 'latin1'),
  'pdf-size-huge.pdf': () =>
    Buffer.from(
      onePage()
        .toString('latin1')
        .replace(/\/Size \d+/, '/Size 2147483647'),
      'latin1',
    ),
  'pdf-object-stream-bomb.pdf': () =>
    onePage({
      more: [stream('/Type /ObjStm /N 100000000 /First 1000 /Filter /FlateDecode', bomb(800 * MB))],
      page: '/X 7 0 R',
    }),
  'pdf-launch-and-script.pdf': () =>
    onePage({ catalog: '/OpenAction << /S /JavaScript /JS (while(1){}) /Next << /S /Launch /F (cmd.exe) >> >>' }),
  'pdf-links-outside.pdf': () =>
    image(
      '/Width 9 /Height 9 /BitsPerComponent 8 /ColorSpace /DeviceGray /F << /FS /URL /F (http://169.254.169.254/) >>',
      'x',
    ),
  'pdf-annotations-100000.pdf': () =>
    onePage({
      page: `/Annots [${'<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (file:///etc/passwd) >> >> '.repeat(100_000)}]`,
    }),
  'pdf-outline-loop.pdf': () =>
    onePage({
      catalog: '/Outlines 6 0 R',
      more: ['<< /First 7 0 R /Last 7 0 R >>', '<< /Title (a) /Next 7 0 R /First 6 0 R >>'],
    }),
  'pdf-embedded-xml-bomb.pdf': () =>
    onePage({
      catalog: '/Names << /EmbeddedFiles << /Names [(factur-x.xml) 6 0 R] >> >> /AF [6 0 R]',
      more: [
        '<< /Type /Filespec /F (factur-x.xml) /UF (factur-x.xml) /AFRelationship /Data /EF << /F 7 0 R >> >>',
        stream('/Type /EmbeddedFile /Filter /FlateDecode', deflateSync(Buffer.from(laughs()))),
      ],
    }),
  'pdf-embedded-zeros-1-gb.pdf': () =>
    onePage({
      catalog: '/Names << /EmbeddedFiles << /Names [(factur-x.xml) 6 0 R] >> >>',
      more: [
        '<< /Type /Filespec /F (factur-x.xml) /EF << /F 7 0 R >> >>',
        stream('/Type /EmbeddedFile /Filter /FlateDecode', bomb(1000 * MB)),
      ],
    }),
};

function qpdf(...options) {
  const file = path.join(root, 'test/samples/invoice-en.pdf');
  return execFileSync('qpdf', [...options, file, '-'], { maxBuffer: 100 * MB });
}

const chunk = (type, bytes) => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(named));
  return Buffer.concat([head, named, tail]);
};

function png(width, height, { depth = 8, type = 0, data, more = [] } = {}) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width >>> 0, 0);
  head.writeUInt32BE(height >>> 0, 4);
  head[8] = depth;
  head[9] = type;
  const row = Math.ceil((width * depth) / 8) + 1;
  const body = data ?? bomb(Math.min(row * height, 1000 * MB));
  const magic = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([magic, chunk('IHDR', head), ...more, chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))]);
}

/** A TIFF of these directories: lists of `[tag, type, count, value]`, and where each says the next one is. */
function tiff(directories, { nextOf = (i, at) => at[i + 1] ?? 0, data = Buffer.alloc(64) } = {}) {
  const dataAt = 8;
  let size = dataAt + data.length;
  const at = directories.map((tags) => {
    const here = size;
    size += 2 + tags.length * 12 + 4;
    return here;
  });
  const out = Buffer.alloc(size);
  out.write('II*\0', 'latin1');
  out.writeUInt32LE(at[0] ?? 0, 4);
  data.copy(out, dataAt);
  directories.forEach((tags, i) => {
    let here = at[i];
    out.writeUInt16LE(tags.length, here);
    here += 2;
    for (const [tag, type, count, value] of tags) {
      out.writeUInt16LE(tag, here);
      out.writeUInt16LE(type, here + 2);
      out.writeUInt32LE(count, here + 4);
      out.writeUInt32LE(value >>> 0, here + 8);
      here += 12;
    }
    out.writeUInt32LE(nextOf(i, at), here);
  });
  return out;
}

const bilevel = (width, height, strip = 8) => [
  [256, 4, 1, width],
  [257, 4, 1, height],
  [258, 3, 1, 1],
  [259, 3, 1, 1],
  [262, 3, 1, 0],
  [273, 4, 1, strip],
  [277, 3, 1, 1],
  [278, 4, 1, height],
  [279, 4, 1, Math.ceil(width / 8) * height],
];

const plain = (width, height) => sharp({ create: { width, height, channels: 3, background: '#ddd' } });

const images = {
  'png-30000.png': () => png(30_000, 30_000, { depth: 1 }),
  'png-says-2-billion.png': () => png(0x7fffffff, 0x7fffffff, { data: bomb(100) }),
  'png-says-60000-holds-nothing.png': () => png(60_000, 60_000, { data: bomb(10) }),
  'png-0x0.png': () => png(0, 0, { data: bomb(1) }),
  'png-1x1.png': () => plain(1, 1).png().toBuffer(),
  'png-1x30000.png': () => plain(1, 30_000).png().toBuffer(),
  'png-30000x1.png': () => plain(30_000, 1).png().toBuffer(),
  'png-white.png': () => plain(1240, 1754).png().toBuffer(),
  'png-truncated.png': async () => (await noise().png().toBuffer()).subarray(0, 40_000),
  'png-bits.png': async () => damaged(await noise().png().toBuffer(), 500, 11),
  'png-text-bomb.png': () =>
    png(300, 300, { more: [chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), bomb(1000 * MB)]))] }),
  'png-chunks-200000.png': () => png(300, 300, { more: Array(200_000).fill(chunk('tEXt', Buffer.from('a\0b'))) }),
  'png-16-bit.png': () => png(800, 800, { depth: 16 }),
  'jpeg-truncated.jpg': async () => (await noise().jpeg().toBuffer()).subarray(0, 20_000),
  'jpeg-head-only.jpg': () => Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  'jpeg-bits.jpg': async () => damaged(await noise().jpeg().toBuffer(), 300, 13),
  'jpeg-says-65500.jpg': async () => {
    const bytes = await plain(100, 100).jpeg().toBuffer();
    const at = bytes.indexOf(Buffer.from('ffc0', 'hex'));
    bytes.writeUInt16BE(65_500, at + 5);
    bytes.writeUInt16BE(65_500, at + 7);
    return bytes;
  },
  'jpeg-0x0.jpg': async () => {
    const bytes = await plain(100, 100).jpeg().toBuffer();
    bytes.fill(0, bytes.indexOf(Buffer.from('ffc0', 'hex')) + 5, bytes.indexOf(Buffer.from('ffc0', 'hex')) + 9);
    return bytes;
  },
  'jpeg-scans-10000.jpg': async () => {
    const bytes = await plain(2000, 2000).jpeg({ progressive: true }).toBuffer();
    const at = bytes.lastIndexOf(Buffer.from('ffda', 'hex'));
    const scan = bytes.subarray(at, bytes.length - 2);
    return Buffer.concat([bytes.subarray(0, at), ...Array(10_000).fill(scan), bytes.subarray(bytes.length - 2)]);
  },
  'jpeg-cmyk.jpg': () => plain(800, 800).toColourspace('cmyk').jpeg().toBuffer(),
  'gif-truncated.gif': async () => (await plain(800, 800).gif().toBuffer()).subarray(0, 60),
  'gif-65535.gif': () =>
    Buffer.from('47494638396 1ffffffff800000ffffff000000 2c00000000ffffffff0002024401003b'.replaceAll(' ', ''), 'hex'),
  'webp-truncated.webp': async () => (await noise().webp().toBuffer()).subarray(0, 5000),
  'tiff-pages-3000.tiff': () => tiff(Array(3000).fill(bilevel(16, 16))),
  'tiff-loop.tiff': () =>
    tiff([bilevel(600, 600), bilevel(600, 600)], { nextOf: (i, at) => at[1 - i], data: Buffer.alloc(75 * 600) }),
  'tiff-says-2-billion.tiff': () => tiff([bilevel(0x7fffffff, 0x7fffffff)]),
  'tiff-100000.tiff': () => tiff([bilevel(100_000, 100_000)]),
  'tiff-0x0.tiff': () => tiff([bilevel(0, 0)]),
  'tiff-strip-outside.tiff': () => tiff([bilevel(800, 800, 0xfffffff0)]),
  'tiff-no-directory.tiff': () => tiff([]),
  'tiff-truncated.tiff': async () => (await noise().tiff().toBuffer()).subarray(0, 3000),
  'tiff-bits.tiff': async () => damaged(await noise().tiff({ compression: 'lzw' }).toBuffer(), 400, 17),
  'heic-garbage.heic': () => Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), random(5000)]),
  'bmp-garbage.bmp': () => Buffer.concat([Buffer.from('BM'), random(5000)]),
  'svg-laughs.svg': () =>
    Buffer.from(
      laughs('svg').replace(
        '</svg>',
        '<image href="file:///etc/passwd"/><image href="http://169.254.169.254/"/></svg>',
      ),
    ),
};

const noise = () => sharp(random(900 * 900 * 3, 23), { raw: { width: 900, height: 900, channels: 3 } });

/** A billion laughs. */
function laughs(name = 'invoice', levels = 10) {
  const entities = Array.from(
    { length: levels },
    (_, i) => `<!ENTITY l${i} "${i === 0 ? 'ha' : `&l${i - 1};`.repeat(10)}">`,
  ).join('');
  return `<?xml version="1.0"?><!DOCTYPE ${name} [${entities}]><${name}>&l${levels - 1};</${name}>`;
}

const UBL = 'xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"';
const ubl = (body) => Buffer.from(`<?xml version="1.0"?><Invoice ${UBL}>${body}</Invoice>`);
const xmls = {
  'xml-laughs.xml': () => Buffer.from(laughs()),
  'xml-laughs-invoice.xml': () => Buffer.from(laughs('Invoice').replace('<Invoice>', `<Invoice ${UBL}>`)),
  'xml-quadratic.xml': () =>
    Buffer.from(`<!DOCTYPE a [<!ENTITY x "${'x'.repeat(50_000)}">]><Invoice ${UBL}>${'&x;'.repeat(50_000)}</Invoice>`),
  'xml-outside.xml': () =>
    Buffer.from(
      `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://169.254.169.254/"> %y;]><Invoice ${UBL}>&x;</Invoice>`,
    ),
  'xml-deep-300000.xml': () => ubl(`${'<a>'.repeat(300_000)}${'</a>'.repeat(300_000)}`),
  'xml-attributes-300000.xml': () => ubl(`<a ${Array.from({ length: 300_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
  'xml-elements-2-million.xml': () => ubl('<a/>'.repeat(2_000_000)),
  'xml-not-closed.xml': () => Buffer.from(`<Invoice ${UBL}><ID>5`),
  'xml-utf16-odd.xml': () =>
    Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from(ubl('<ID>5</ID>').toString(), 'utf16le'), Buffer.from([7])]),
  'xml-numeric-entities.xml': () => ubl(`<ID>${'&#x41;'.repeat(2_000_000)}</ID>`),
};

const member = (name, bytes = invoice, lies = {}) => ({ name, bytes, ...lies });
const small = onePage();
const zips = {
  'zip-empty.zip': () => writeZip([]),
  'zip-files-99.zip': () =>
    writeZip(Array.from({ length: 99 }, (_, i) => member(`${i}.txt`, Buffer.from(`text ${i}`)))),
  'zip-files-100.zip': () => writeZip(Array.from({ length: 100 }, (_, i) => member(`${i}.pdf`, small))),
  'zip-bomb-4-gb.zip': () => {
    const packed = writeZip([member('0.pdf', Buffer.alloc(1000 * MB))]);
    return packed;
  },
  'zip-bomb-overlap.zip': () => {
    const bytes = Buffer.alloc(30 * MB);
    return writeZip([
      member('a.pdf', bytes),
      ...Array.from({ length: 90 }, (_, i) => member(`b${i}.pdf`, bytes, { offset: 0 })),
    ]);
  },
  'zip-size-lies-small.zip': () => writeZip([member('a.pdf', Buffer.alloc(100 * MB), { size: 10 })]),
  'zip-size-lies-large.zip': () => writeZip([member('a.pdf', small, { size: 0xfffffff0 })]),
  'zip-crc-wrong.zip': () => writeZip([member('a.pdf', invoice, { crc: 1 })]),
  'zip-packed-garbage.zip': () => writeZip([member('a.pdf', invoice, { packed: random(2000) })]),
  'zip-method-unknown.zip': () => writeZip([member('a.pdf', invoice, { method: 99 })]),
  'zip-encrypted-flag.zip': () => writeZip([member('a.pdf', invoice, { flags: 1 })]),
  'zip-truncated.zip': () => writeZip([member('a.pdf'), member('b.pdf')]).subarray(0, 3000),
  'zip-count-lies.zip': () => writeZip([member('a.pdf', small)], { count: 60_000 }),
  'zip-offset-outside.zip': () => writeZip([member('a.pdf', small), member('b.pdf', small, { offset: 0xfffffff0 })]),
  'zip-comment-65535.zip': () => writeZip([member('a.pdf', small)], { comment: 'PK\x05\x06'.repeat(16_000) }),
  'zip-behind-program.zip': () => writeZip([member('a.pdf', small)], { prefix: `MZ${'\0'.repeat(1000)}` }),
  'zip-traversal.zip': () =>
    writeZip(
      ['../../../tmp/x.pdf', '/etc/x.pdf', 'C:\\x.pdf', '..\\..\\x.pdf', 'a\0b.pdf', 'good.pdf'].map((name) =>
        member(name, small),
      ),
    ),
  'zip-symlink.zip': () =>
    writeZip([member('link.pdf', Buffer.from('/etc/passwd'), { mode: 0o120777 }), member('good.pdf', small)]),
  'zip-same-names.zip': () => writeZip([member('a.pdf', small), member('a.pdf', small), member('A.PDF', small)]),
  'zip-name-60000.zip': () => writeZip([member(`${'n'.repeat(60_000)}.pdf`, small)]),
  'zip-names-not-utf8.zip': () =>
    writeZip([member(Buffer.from('ff fe fa e4 2e 70 64 66'.replaceAll(' ', ''), 'hex'), small)]),
  'zip-in-zip-20.zip': () => {
    let zip = writeZip([member('a.pdf', small)]);
    for (let i = 0; i < 20; i += 1) zip = writeZip([member('inner.zip', zip)]);
    return zip;
  },
  'zip-folders-5000.zip': () =>
    writeZip([
      ...Array.from({ length: 5000 }, (_, i) => member(`d${i}/`, Buffer.alloc(0), { mode: 0o40755 })),
      member('a.pdf', small),
    ]),
  'zip-folders-deep.zip': () => writeZip([member(`${'d/'.repeat(20_000)}a.pdf`, small)]),
};

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = (parts) =>
  Buffer.from(
    `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts}</Types>`,
  );
const relations = (...list) =>
  Buffer.from(
    `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}">${list
      .map(
        ([type, target, mode], i) =>
          `<Relationship Id="r${i}" Type="${OFFICE}/${type}" Target="${target}"${mode ? ' TargetMode="External"' : ''}/>`,
      )
      .join('')}</Relationships>`,
  );
const wordText = (body, head = '') =>
  Buffer.from(
    `<?xml version="1.0"?>${head}<w:document xmlns:w="${WORD}" xmlns:r="${OFFICE}"><w:body>${body}</w:body></w:document>`,
  );
const paragraph = (text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const MAIN = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const docx = (text, more = [], main = MAIN, links = []) =>
  writeZip([
    member('[Content_Types].xml', types(`<Override PartName="/word/document.xml" ContentType="${main}"/>`)),
    member('_rels/.rels', relations(['officeDocument', 'word/document.xml'])),
    member('word/document.xml', text),
    member('word/_rels/document.xml.rels', relations(...links)),
    ...more,
  ]);
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const xlsx = (rows, more = [], inBook = '') =>
  writeZip([
    member(
      '[Content_Types].xml',
      types(
        `<Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/>`,
      ),
    ),
    member('_rels/.rels', relations(['officeDocument', 'xl/workbook.xml'])),
    member(
      'xl/workbook.xml',
      Buffer.from(
        `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets>${inBook}</workbook>`,
      ),
    ),
    member('xl/_rels/workbook.xml.rels', relations(['worksheet', 'worksheets/sheet1.xml'])),
    member(
      'xl/worksheets/sheet1.xml',
      Buffer.from(`<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData></worksheet>`),
    ),
    ...more,
  ]);
const cell = (i, text) => `<row r="${i}"><c r="A${i}" t="inlineStr"><is><t>${text}</t></is></c></row>`;
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const good = () => docx(wordText(paragraph('Invoice number 4711, total 119.00 EUR')));

const office = {
  'docx-plain.docx': good,
  'docx-macros.docx': () =>
    docx(wordText(paragraph('Invoice 1')), [member('word/vbaProject.bin', Buffer.concat([OLE, random(9000)]))]),
  'docm-macros.docm': () =>
    docx(
      wordText(paragraph('Invoice 2')),
      [member('word/vbaProject.bin', Buffer.concat([OLE, random(9000)]))],
      'application/vnd.ms-word.document.macroEnabled.main+xml',
    ),
  'docx-links-outside.docx': () =>
    docx(
      wordText(
        `${paragraph('Invoice 3')}<w:p><w:fldSimple w:instr="INCLUDETEXT &quot;file:///etc/passwd&quot;"/><w:fldSimple w:instr="DDEAUTO cmd /c calc"/></w:p>`,
      ),
      [],
      MAIN,
      [
        ['attachedTemplate', 'http://169.254.169.254/t.dotm', true],
        ['image', 'http://169.254.169.254/i.png', true],
        ['subDocument', 'file:///etc/passwd', true],
      ],
    ),
  'docx-xml-outside.docx': () =>
    docx(wordText(paragraph('&x;'), '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
  'docx-laughs.docx': () => {
    const entities = laughs().match(/<!DOCTYPE.*\]>/)?.[0] ?? '';
    return docx(wordText(paragraph('&l9;'), entities));
  },
  'docx-deep-100000.docx': () =>
    docx(wordText('<w:tbl><w:tr><w:tc>'.repeat(33_000) + '</w:tc></w:tr></w:tbl>'.repeat(33_000))),
  'docx-paragraphs-300000.docx': () => docx(wordText(paragraph('again').repeat(300_000))),
  'docx-part-bomb-1-gb.docx': () => docx(Buffer.alloc(1000 * MB, 32)),
  'docx-truncated.docx': () => good().subarray(0, 900),
  'docx-bits.docx': () => damaged(good(), 40, 19),
  'docx-no-document.docx': () => writeZip([member('[Content_Types].xml', types(''))]),
  'docx-empty-document.docx': () => docx(Buffer.alloc(0)),
  'docx-is-garbage.docx': () => random(20_000),
  'docx-is-text.docx': () => Buffer.from('This is a text only.'),
  'docx-password.docx': () =>
    Buffer.concat([OLE, Buffer.alloc(504), Buffer.from('EncryptedPackage', 'utf16le'), random(8000)]),
  'doc-garbage.doc': () => Buffer.concat([OLE, random(60_000)]),
  'doc-truncated.doc': () => OLE,
  'xls-garbage.xls': () => Buffer.concat([OLE, random(60_000, 9)]),
  'xlsx-rows-300000.xlsx': () => xlsx(Array.from({ length: 300_000 }, (_, i) => cell(i + 1, `value ${i}`)).join('')),
  'xlsx-cell-far-away.xlsx': () =>
    xlsx('<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row>'),
  'xlsx-formulas.xlsx': () =>
    xlsx(
      `<row r="1"><c r="A1"><f>WEBSERVICE("http://169.254.169.254/")</f></c><c r="B1"><f>DDE("cmd";"/c calc";"x")</f></c><c r="C1"><f>${'('.repeat(5000)}1${')'.repeat(5000)}</f></c></row>`,
    ),
  'xlsx-names-laugh.xlsx': () =>
    xlsx(
      cell(1, 'x'),
      [],
      `<definedNames>${Array.from({ length: 50 }, (_, i) => `<definedName name="n${i}">${i ? `n${i - 1}+`.repeat(10) + 1 : 1}</definedName>`).join('')}</definedNames>`,
    ),
  'xlsx-links-outside.xlsx': () =>
    xlsx(cell(1, 'Invoice 5'), [
      member(
        'xl/externalLinks/_rels/externalLink1.xml.rels',
        relations(['externalLinkPath', 'file:///etc/passwd', true]),
      ),
    ]),
  'xlsx-sheet-missing.xlsx': () =>
    writeZip([member('[Content_Types].xml', types('')), member('xl/workbook.xml', Buffer.from('<workbook'))]),
  'xlsx-truncated.xlsx': () => xlsx(cell(1, 'x')).subarray(0, 700),
  'rtf-groups-200000.rtf': () => Buffer.from(`{\\rtf1 ${'{'.repeat(200_000)}Invoice${'}'.repeat(200_000)}}`),
  'rtf-picture-huge.rtf': () =>
    Buffer.from(`{\\rtf1 Invoice {\\pict\\pngblip\\picw999999999\\pich999999999 ${'00'.repeat(5000)}}}`),
  'odt-garbage.odt': () =>
    writeZip([
      member('mimetype', Buffer.from('application/vnd.oasis.opendocument.text'), { method: 0 }),
      member('content.xml', random(9000)),
    ]),
};

const others = {
  'empty.pdf': () => Buffer.alloc(0),
  'empty.zip': () => Buffer.alloc(0),
  'one-byte.pdf': () => Buffer.from('x'),
  'zeros-1-mb.pdf': () => Buffer.alloc(MB),
  'random-1-mb.pdf': () => random(MB),
  'random-1-mb.bin': () => random(MB, 29),
  'png-named.pdf': () => noise().png().toBuffer(),
  'pdf-named.png': () => invoice,
  'pdf-named.docx': () => invoice,
  'zip-named.pdf': () => writeZip([member('a.pdf', small)]),
  'program-named.pdf': () => Buffer.concat([Buffer.from('MZ'), random(9000)]),
  'html-named.pdf': () => Buffer.from('<html><script>alert(1)</script></html>'),
  'text.txt': () => Buffer.from('Invoice 4711'),
  'script.js': () => Buffer.from('while (true) {}'),
  'mail.eml': () => Buffer.from('From: a@b.c\r\n\r\nInvoice'),
  'both-pdf-and-zip.pdf': () => Buffer.concat([invoice, writeZip([member('a.pdf', small)])]),
  'both-zip-and-pdf.zip': () =>
    writeZip([member('a.pdf', small)], { comment: small.toString('latin1').slice(0, 60_000) }),
  'both-jpeg-and-pdf.jpg': async () => Buffer.concat([await plain(300, 300).jpeg().toBuffer(), invoice]),
  'both-gif-and-pdf.pdf': () => Buffer.concat([Buffer.from('GIF89a%PDF-1.4\n'), invoice]),
  'no-extension': () => invoice,
  '.pdf': () => invoice,
  'CON.pdf': () => invoice,
  'name with  blanks .pdf ': () => invoice,
  'na"me\'with;quotes\\and=signs&%00%2e%2e%2f.pdf': () => invoice,
  'line\nbreak\ttab.pdf': () => invoice,
  '\u202efdp.exe.pdf': () => invoice,
  'Rechnung-Größe-発票-счёт-فاتورة-🧾.pdf': () => invoice,
  'e\u0301\u0301\u0301\u0301\u0301zalgo\u200b\ufeff.pdf': () => invoice,
  [`${'🧾'.repeat(61)}.pdf`]: () => invoice,
  [`${'n'.repeat(240)}.pdf`]: () => invoice,
};

async function main() {
  const folder = process.argv[2];
  if (!folder) throw new Error('Usage: node test/torture/make-files.mjs DIR');
  mkdirSync(folder, { recursive: true });
  const all = { ...pdfs, ...images, ...xmls, ...zips, ...office, ...others };
  for (const [name, make] of Object.entries(all)) writeFileSync(path.join(folder, name), await make());
  console.log(`${Object.keys(all).length} files`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
