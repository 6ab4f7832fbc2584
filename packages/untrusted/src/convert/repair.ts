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
  await writeFile(damaged, bytes);
  const end = await runProgram(program, ['--no-warn', damaged, repaired], folder);
  if (!end) {
    throw new ConversionError(
      'needs_program',
      `The PDF is damaged, and the program that repairs such files is not installed: ${program}. Install it and import the document again.`,
    );
  }
  if (end.code === 0 || end.code === WITH_WARNINGS) return readFile(repaired);
  throw new ConversionError('corrupt', 'The PDF is damaged and cannot be repaired.', { cause: end.output });
}
