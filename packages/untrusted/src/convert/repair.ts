import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConversionError } from './conversion-error';
import { runProgram } from './run-program';

/** Exit code of qpdf when it has written a file, with warnings. */
const WITH_WARNINGS = 3;

/**
 * Writes a damaged PDF anew with qpdf, which finds the objects again when the table of them is broken or missing.
 *
 * @param folder empty, and removed by the caller afterwards
 * @param program `qpdf`, by name or path
 * @throws ConversionError
 */
export async function repairPdf(bytes: Uint8Array, folder: string, program: string): Promise<Buffer> {
  const [damaged, repaired] = [path.join(folder, 'damaged.pdf'), path.join(folder, 'repaired.pdf')];
  let problem = '';
  for (const attempt of [bytes, withTrailer(bytes)]) {
    if (!attempt) break;
    await writeFile(damaged, attempt);
    const end = await runProgram(program, ['--no-warn', damaged, repaired], folder);
    if (!end) {
      throw new ConversionError(
        'needs_program',
        `The PDF is damaged, and the program that repairs such files is not installed: ${program}. Install it and import the document again.`,
      );
    }
    if (end.code === 0 || end.code === WITH_WARNINGS) return readFile(repaired);
    problem = end.output;
  }
  throw new ConversionError('corrupt', 'The PDF is damaged and cannot be repaired.', { cause: problem });
}

/**
 * A PDF whose end was cut off, behind its last object, with a trailer that names its catalog: qpdf finds everything but that. Undefined:
 * it has no catalog, or an object was cut off, and with it a part of the document.
 */
export function withTrailer(bytes: Uint8Array): Buffer | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (text.lastIndexOf(' obj') > text.lastIndexOf('endobj')) return undefined;
  for (let at = text.lastIndexOf('/Catalog'); at > 0; at = text.lastIndexOf('/Catalog', at - 1)) {
    const isType = /\/Type\s{0,9}$/.test(text.slice(Math.max(0, at - 20), at));
    const start = text.lastIndexOf(' obj', at);
    const [, object] = /(\d{1,10} \d{1,5})$/.exec(text.slice(Math.max(0, start - 20), Math.max(0, start))) ?? [];
    if (isType && object) return Buffer.concat([bytes, Buffer.from(`\ntrailer\n<< /Root ${object} R >>\n%%EOF\n`)]);
  }
  return undefined;
}
