import { degrees, PDFDocument } from 'pdf-lib';
import { UnreadableDocument } from '../unreadable-document';

/** A part that shares much with the others repeats it; this much may come out in all, in bytes, beside four times the file. */
const SPARE_BYTES = 40 * 1024 * 1024;

/**
 * Cuts a PDF: one new PDF for each run of page numbers (the first page is 1).
 *
 * @param turns by how much each page of each run is turned clockwise, in degrees; not at all when it is missing
 * @throws UnreadableDocument when it is protected, damaged, or the parts become too large
 */
export async function cutPdf(
  bytes: Uint8Array,
  runs: readonly (readonly number[])[],
  turns: readonly (readonly number[])[] = [],
): Promise<Buffer[]> {
  try {
    return await cut(bytes, runs, turns);
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    if (/encrypted/i.test(String(error)))
      throw new UnreadableDocument('encrypted', 'The PDF is protected and cannot be cut.', { cause: error });
    throw new UnreadableDocument('corrupt', 'The PDF is damaged and cannot be cut.', { cause: error });
  }
}

async function cut(
  bytes: Uint8Array,
  runs: readonly (readonly number[])[],
  turns: readonly (readonly number[])[],
): Promise<Buffer[]> {
  const source = await PDFDocument.load(bytes, { updateMetadata: false });
  const parts: Buffer[] = [];
  let left = 4 * bytes.length + SPARE_BYTES;
  for (const [i, run] of runs.entries()) {
    const part = await PDFDocument.create({ updateMetadata: false });
    const indexes = run.map((number) => number - 1);
    for (const [at, page] of (await part.copyPages(source, indexes)).entries()) {
      const turn = turns[i]?.[at] ?? 0;
      if (turn !== 0) page.setRotation(degrees((page.getRotation().angle + turn) % 360));
      part.addPage(page);
    }
    const saved = Buffer.from(await part.save({ addDefaultPage: false }));
    left -= saved.length;
    if (left < 0) throw new UnreadableDocument('unsupported', 'The parts of the PDF are too large.');
    parts.push(saved);
  }
  return parts;
}
