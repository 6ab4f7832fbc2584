import { crc32, deflateRawSync } from 'node:zlib';
import { unpackArchive } from './unpack';

interface Member {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** What the directory says instead of the truth. */
  readonly claimedSize?: number;
  readonly mode?: number;
  readonly encrypted?: boolean;
  readonly stored?: boolean;
  /** Whether it is said that the name is in UTF-8. */
  readonly utf8?: boolean;
}

/** A zip archive, well formed except where a member says otherwise. */
function zip(members: readonly Member[], claimedCount = members.length): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content = 'x', claimedSize, mode = 0o100644, encrypted, stored, utf8 = true } of members) {
    const bytes = Buffer.from(content as Buffer);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const fileName = Buffer.from(name as Buffer);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((utf8 ? 0x800 : 0) | (encrypted ? 1 : 0), 2);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    bodies.push(Buffer.from('PK\u0003\u0004', 'latin1'), fields, fileName, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((mode << 16) | 0) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u001e\u0003', 'latin1'), fields, rest, fileName);
    at += 30 + fileName.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(claimedCount, 8);
  end.writeUInt16LE(claimedCount, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

const names = async (members: readonly Member[]) =>
  (await unpackArchive(zip(members))).files.map(({ fileName }) => fileName);
const named = (...paths: string[]) => paths.map((name) => ({ name }));
const MB = 1024 * 1024;

it.each(['\r\n', '\0'.repeat(70_000)])('is opened whatever was added behind it (%#)', async (trailer) => {
  const { files } = await unpackArchive(Buffer.concat([zip(named('a.pdf')), Buffer.from(trailer)]));
  expect(files.map(({ fileName }) => fileName)).toEqual(['a.pdf']);
});

it('gives the files of the root, in the order of the directory', async () => {
  const { files, skipped } = await unpackArchive(
    zip([
      { name: 'b.pdf', content: 'second' },
      { name: 'ä.pdf', content: 'first', stored: true },
    ]),
  );
  expect(files.map(({ fileName, bytes }) => [fileName, bytes.toString()])).toEqual([
    ['b.pdf', 'second'],
    ['ä.pdf', 'first'],
  ]);
  expect(skipped).toEqual([]);
});

it.each<[string, string[], string[]]>([
  ['the only folder, when the root holds nothing else', ['in/a.pdf', 'in/b.pdf', 'in/deep/c.pdf'], ['a.pdf', 'b.pdf']],
  ['the root only, when it holds files', ['a.pdf', 'in/b.pdf'], ['a.pdf']],
  ['none of several folders', ['in/a.pdf', 'out/b.pdf'], []],
  ['folders written with backslashes', ['in\\a.pdf', 'in\\b.pdf'], ['a.pdf', 'b.pdf']],
  ['nothing that was not put there', ['in/', 'in/a.pdf', '__MACOSX/in/._a.pdf', '.DS_Store', 'in/.x', './b'], ['b']],
])('reads %s', async (_, paths, files) => {
  expect(await names(named(...paths))).toEqual(files);
});

it.each([
  [['a.pdf', 'in/b.pdf'], [['in/b.pdf', expect.stringContaining('nothing beside it')]]],
  [['in/a.pdf', 'in/deep/c.pdf'], [['in/deep/c.pdf', expect.stringContaining('only one is opened')]]],
])('says of %j what is not read, and why', async (paths, told) => {
  const { skipped } = await unpackArchive(zip(named(...paths)));
  expect(skipped.map(({ path, why }) => [path, why])).toEqual(told);
});

it('reads names in UTF-8 that are not said to be, and those in the code page of DOS', async () => {
  const bytes = Buffer.from([0x81, ...Buffer.from('ber.pdf')]);
  expect(
    await names([
      { name: 'žluť.pdf', utf8: false },
      { name: bytes, utf8: false },
    ]),
  ).toEqual(['žluť.pdf', 'über.pdf']);
});

it('skips and names what would lead out of the archive', async () => {
  const evil = ['/etc/passwd', '../a.pdf', 'x/../../a.pdf', 'C:\\a.pdf', 'c:a.pdf', '\\\\host\\a.pdf', 'a\0.pdf'];
  const { files, skipped } = await unpackArchive(
    zip([...named('good.pdf', ...evil), { name: 'link.pdf', content: '/etc/passwd', mode: 0o120777 }]),
  );
  expect(files.map(({ fileName }) => fileName)).toEqual(['good.pdf']);
  expect(skipped.map(({ path }) => path)).toEqual([...evil, 'link.pdf']);
});

it('opens 99 files and refuses 100, not counting directories and dot files', async () => {
  const many = Array.from({ length: 99 }, (_, i) => `${i}.pdf`);
  expect(await names(named(...many, 'd/', '.hidden', '__MACOSX/x'))).toHaveLength(99);
  await expect(unpackArchive(zip(named(...many, 'd/one.pdf')))).rejects.toMatchObject({
    reason: 'failed_to_extract',
    message: expect.stringContaining('100 files'),
  });
});

it('opens 40 MB and refuses a byte more, whatever the directory says', async () => {
  const half = { content: Buffer.alloc(20 * MB) };
  expect(
    await names([
      { name: 'a', ...half },
      { name: 'b', ...half },
    ]),
  ).toHaveLength(2);
  const more = [
    { name: 'a', ...half },
    { name: 'b', ...half },
    { name: 'c', content: 'x' },
  ];
  const tooLarge = { reason: 'failed_to_extract', message: expect.stringContaining('40 MB') };
  await expect(unpackArchive(zip(more))).rejects.toMatchObject(tooLarge);
  const bomb = zip([{ name: 'bomb.pdf', content: Buffer.alloc(300 * MB), claimedSize: 10 }]);
  const started = Date.now();
  await expect(unpackArchive(bomb)).rejects.toMatchObject(tooLarge);
  expect(Date.now() - started).toBeLessThan(5000);
});

it('says that a password is in the way', async () => {
  await expect(unpackArchive(zip([{ name: 'a.pdf', encrypted: true }]))).rejects.toMatchObject({
    reason: 'password_protected_archive',
  });
});

it('leaves archives in archives closed', async () => {
  expect(await names([{ name: 'inner.zip', content: zip(named('a.pdf')) }])).toEqual(['inner.zip']);
});

it.each<[string, () => Buffer]>([
  ['half of one', () => zip(named('a.pdf', 'b.pdf')).subarray(0, 60)],
  ['nothing', () => Buffer.alloc(0)],
  ['text', () => Buffer.from('PK\u0003\u0004 but not for long')],
  ['a directory of more than there is', () => zip(named('a.pdf'), 7)],
  ['a file that is shorter than it should be', () => zip([{ name: 'a.pdf', content: 'abc', claimedSize: 4 }])],
  [
    'a file that was changed',
    () => {
      const bytes = zip([{ name: 'a.pdf', content: 'unchanged', stored: true }]);
      bytes.write('UN', bytes.indexOf('unchanged'));
      return bytes;
    },
  ],
])('says of %s that it is damaged', async (_, build) => {
  await expect(unpackArchive(build())).rejects.toMatchObject({
    name: 'ArchiveError',
    reason: 'failed_to_extract',
    message: 'The archive is damaged and cannot be opened.',
  });
});
