import { isUtf8 } from 'node:buffer';
import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { safeFileName } from '../file-names';
import { ArchiveError } from './archive-error';
import { chooseEntries, isFile, type ListedEntry, type SkippedEntry, TOO_MANY_FILES } from './entries';

/** The files of an archive that are taken, in the order of its directory. */
export interface UnpackedArchive {
  readonly files: readonly { readonly fileName: string; readonly bytes: Buffer }[];
  readonly skipped: readonly SkippedEntry[];
}

/** What the files of an archive may have together (API: limits.md). */
const MAX_BYTES = 40 * 1024 * 1024;
/** Entries that are looked at, directories and all. */
const MOST_ENTRIES = 10_000;
/** Of the record at the end of an archive, which ends in the length of the comment behind it. */
const END_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;
const UTF8_NAME = 0x800;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;

const TOO_MANY = `The archive holds ${TOO_MANY_FILES} files or more; only archives with fewer files are opened. Send it in smaller parts.`;
const TOO_LARGE = `The files of the archive have more than ${MAX_BYTES / 1024 / 1024} MB together; the archive was not opened. Send it in smaller parts.`;
const DAMAGED = 'The archive is damaged and cannot be opened.';
const PROTECTED = 'The archive is protected by a password; send its files without one.';

type FileEntry = ListedEntry & { readonly entry: Entry };

/**
 * Opens a zip archive: fewer than 100 files, at most 40 MB of them, which are counted while they are inflated. Archives in it
 * are files like others.
 *
 * @throws ArchiveError
 */
export async function unpackArchive(bytes: Uint8Array): Promise<UnpackedArchive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const options = { decodeStrings: false };
  const zip = await fromBufferPromise(buffer, options)
    .catch(() => fromBufferPromise(withoutTrailer(buffer), options))
    .catch(refuse);
  const { taken, skipped } = chooseEntries(await listFiles(zip));
  if (taken.some(({ entry }) => entry.isEncrypted())) throw new ArchiveError('password_protected_archive', PROTECTED);
  // What the directory says is not to be trusted, but need not be disproved.
  if (sum(taken.map(({ entry }) => entry.uncompressedSize)) > MAX_BYTES) throw tooLarge();
  let left = MAX_BYTES;
  const files: { fileName: string; bytes: Buffer }[] = [];
  for (const { path, entry } of taken) {
    const content = await readEntry(zip, buffer, entry, left);
    left -= content.length;
    files.push({ fileName: safeFileName(path), bytes: content });
  }
  return { files, skipped };
}

/** The archive up to its own end: behind it may be what a mail server or a transfer in blocks has added. */
function withoutTrailer(archive: Buffer): Buffer {
  const end = archive.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  const isWhole = end >= 0 && end + END_BYTES <= archive.length;
  return isWhole ? archive.subarray(0, end + END_BYTES + archive.readUInt16LE(end + END_BYTES - 2)) : archive;
}

/** The files that the directory lists. Stops at the first that is too many. */
async function listFiles(zip: ZipFile): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  let count = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      count += 1;
      const path = nameOf(entry);
      if (isFile(path)) files.push({ path, entry, isSymbolicLink: isSymbolicLink(entry) });
      if (files.length >= TOO_MANY_FILES || count > MOST_ENTRIES) throw new ArchiveError('failed_to_extract', TOO_MANY);
    }
  } catch (error) {
    refuse(error);
  }
  return files;
}

/** macOS and many others write UTF-8 without saying so; what is none is in the code page of DOS. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_NAME : generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
}

/** The bytes of an entry, at most `limit` of them. */
async function readEntry(zip: ZipFile, archive: Buffer, entry: Entry, limit: number): Promise<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    throw new ArchiveError(
      'failed_to_extract',
      'The archive is packed in a way that cannot be read; send it as a plain zip.',
    );
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true }).catch(refuse);
  const packed = archive.subarray(fileDataStart, fileDataStart + compressedSize);
  if (compressionMethod === STORED && packed.length > limit) throw tooLarge();
  const content = compressionMethod === STORED ? Buffer.from(packed) : inflate(packed, limit);
  if (content.length !== uncompressedSize || crc32(content) !== entry.crc32) refuse('a file differs from its checksum');
  return content;
}

function inflate(packed: Buffer, limit: number): Buffer {
  try {
    // Of a limit of nothing, zlib would make no limit.
    return inflateRawSync(packed, { maxOutputLength: Math.max(limit, 1) });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    return refuse(error);
  }
}

/** The kind of a file stands in the upper half of what systems like Unix write about it. */
function isSymbolicLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
}

function tooLarge(): ArchiveError {
  return new ArchiveError('failed_to_extract', TOO_LARGE);
}

function refuse(error: unknown): never {
  if (error instanceof ArchiveError) throw error;
  if (error instanceof Error && /encrypt/i.test(error.message)) {
    throw new ArchiveError('password_protected_archive', PROTECTED, { cause: error });
  }
  throw new ArchiveError('failed_to_extract', DAMAGED, { cause: error });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
