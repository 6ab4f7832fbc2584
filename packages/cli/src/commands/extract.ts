import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type EngineJobs, engineWorker, type Recognition, type TableRow } from '@intake/engine';
import { ChildPool, detectMimeType, SNIFF_BYTES } from '@intake/untrusted';
import type { FileCommand } from '../command';
import { CommandError } from '../errors';

/** Time that a file may take, in milliseconds, and memory, in bytes. */
const LIMITS = { timeoutMs: 120_000, memoryBytes: 1_500_000_000 };

/** Reads documents with the engine, without any server. */
export const extract: FileCommand = {
  name: 'extract',
  about: 'print the fields of the files that follow as JSON, one line each; needs no server',
  optional: { locale: 'decides dates such as 03/04/2024, for example en_US', tesseract: 'the OCR program' },
  async *run(files, { locale, tesseract }, env) {
    const pool = new ChildPool<EngineJobs>({
      worker: engineWorker,
      size: 1,
      env: { PATH: env.PATH ?? '/usr/local/bin:/usr/bin:/bin' },
      ...LIMITS,
    });
    try {
      for (const file of files) {
        const bytes = await readFile(file).catch((error: Error) => {
          throw new CommandError(`${file}: ${error.message}`);
        });
        const mimeType = detectMimeType(bytes.subarray(0, SNIFF_BYTES), path.basename(file));
        const options = { mimeType, ...(locale && { locale }), ...(tesseract && { ocr: { tesseract } }) };
        const recognition = await pool.run('recognize', { bytes, options }).catch((error: Error) => {
          throw new CommandError(`${file}: ${error.message}`);
        });
        yield { file, mimeType, ...toJson(recognition) };
      }
    } finally {
      await pool.close();
    }
  },
};

/** The best value of each field, and the rows of the tables. */
function toJson({ fields, tables, language, pageCount, eInvoice }: Recognition) {
  const toRow = ({ type, cells, page, position }: TableRow) => ({ type, page, position, cells });
  return {
    language,
    pages: pageCount,
    ...(eInvoice && { einvoice: eInvoice }),
    fields: Object.fromEntries(Object.entries(fields).map(([name, [best]]) => [name, best])),
    tables: Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, (rows ?? []).map(toRow)])),
  };
}
