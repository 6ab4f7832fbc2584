import { inflateSync } from 'node:zlib';
import { ArchiveError, safeFileName, TOO_MANY_FILES, type UnpackedArchive } from '@intake/untrusted';
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFString,
} from 'pdf-lib';

/** What the files of a portfolio may have together, as those of an archive (API: limits.md). */
const MAX_BYTES = 40 * 1024 * 1024;
/** Of the tree of names, which may be damaged. */
const MOST_NODES = 1000;

/**
 * The files of a PDF portfolio (ISO 32000-1, 12.3.5), those in its folders too. Null for another PDF, whatever is attached to it, and
 * for one that is protected or damaged.
 *
 * @throws ArchiveError
 */
export async function openPortfolio(bytes: Uint8Array): Promise<UnpackedArchive | null> {
  try {
    const pdf = await PDFDocument.load(bytes, { updateMetadata: false });
    return dictAt(pdf.catalog, 'Collection') ? readFiles(pdf) : null;
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    return null;
  }
}

function readFiles(pdf: PDFDocument): UnpackedArchive {
  const files: { fileName: string; bytes: Buffer }[] = [];
  const skipped: { path: string; why: string }[] = [];
  let left = MAX_BYTES;
  for (const { name, stream } of listFiles(pdf)) {
    if (files.length + skipped.length + 1 >= TOO_MANY_FILES) throw tooMany();
    const content = stream && decode(stream, left);
    if (content) files.push({ fileName: safeFileName(name), bytes: content });
    else skipped.push({ path: name, why: 'it is damaged' });
    left -= content?.length ?? 0;
  }
  return { files, skipped };
}

function* listFiles(pdf: PDFDocument): Generator<{ name: string; stream: PDFRawStream | null }> {
  const names = dictAt(pdf.catalog, 'Names');
  const seen = new Set<PDFDict>();
  const waiting = [names && dictAt(names, 'EmbeddedFiles')];
  for (let node = waiting.shift(); waiting.length > 0 || node; node = waiting.shift()) {
    if (!node || seen.has(node)) continue;
    seen.add(node);
    if (seen.size > MOST_NODES) throw tooMany();
    for (const kid of itemsOf(node, 'Kids')) if (kid instanceof PDFDict) waiting.push(kid);
    for (const file of itemsOf(node, 'Names')) {
      if (!(file instanceof PDFDict)) continue;
      const embedded = dictAt(file, 'EF');
      const stream = embedded?.lookup(PDFName.of('F')) ?? embedded?.lookup(PDFName.of('UF'));
      const name = textOf(file.lookup(PDFName.of('UF'))) || textOf(file.lookup(PDFName.of('F')));
      yield { name, stream: stream instanceof PDFRawStream ? stream : null };
    }
  }
}

function dictAt(dict: PDFDict, key: string): PDFDict | undefined {
  const found = dict.lookup(PDFName.of(key));
  return found instanceof PDFDict ? found : undefined;
}

function itemsOf(dict: PDFDict, key: string): (PDFObject | undefined)[] {
  const list = dict.lookup(PDFName.of(key));
  return list instanceof PDFArray ? Array.from({ length: list.size() }, (_, i) => list.lookup(i)) : [];
}

function textOf(value: PDFObject | undefined): string {
  return value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : '';
}

/** The bytes of a file, at most so many; null for what is damaged, or packed as files are not. */
function decode({ dict, contents }: PDFRawStream, limit: number): Buffer | null {
  const filters = [dict.lookup(PDFName.of('Filter'))].flatMap((one) =>
    one instanceof PDFArray ? itemsOf(dict, 'Filter') : (one ?? []),
  );
  const isPacked = filters.length === 1 && filters[0] === PDFName.of('FlateDecode');
  if (filters.length > 0 && !isPacked) return null;
  try {
    // Of a limit of nothing, zlib would make no limit.
    const content = isPacked ? inflateSync(contents, { maxOutputLength: Math.max(limit, 1) }) : Buffer.from(contents);
    if (content.length > limit) throw tooLarge();
    return content;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    if (error instanceof ArchiveError) throw error;
    return null;
  }
}

function tooMany(): ArchiveError {
  return new ArchiveError(
    'failed_to_extract',
    `The PDF portfolio holds ${TOO_MANY_FILES} files or more; only those with fewer files are opened. Send it in smaller parts.`,
  );
}

function tooLarge(): ArchiveError {
  return new ArchiveError(
    'failed_to_extract',
    `The files of the PDF portfolio have more than ${MAX_BYTES / 1024 / 1024} MB together; it was not opened. Send it in smaller parts.`,
  );
}
