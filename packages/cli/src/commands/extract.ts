import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type EngineJobs, engineWorker, memoryWith, type Recognition, type TableRow } from '@intake/engine';
import type { Environment } from '@intake/service';
import {
  ChildPool,
  type ConvertJobs,
  conversionOf,
  convertWorker,
  detectMimeType,
  SNIFF_BYTES,
} from '@intake/untrusted';
import { UsageError } from '../arguments';
import type { FileCommand } from '../command';
import { CommandError } from '../errors';

/** Time that a file may take, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** Memory that reading or converting a file may take, in bytes. */
const MEMORY_BYTES = 1_500_000_000;
const PDF = 'application/pdf';
const LOCALE = /^(auto|[a-z]{2,3}[-_][a-z]{2})$/i;

/** Reads documents with the engine, without any server. */
export const extract: FileCommand = {
  name: 'extract',
  about: 'print the fields of the files that follow as JSON, one line each; needs no server',
  optional: { locale: 'decides dates such as 03/04/2024, for example en_US', 'tesseract-library': 'the OCR library' },
  async *run(files, { locale, 'tesseract-library': tesseract }, env) {
    if (locale !== undefined && !LOCALE.test(locale)) throw new UsageError('--locale must be auto, or such as en_US.');
    const reader = createReader(env);
    const failures: string[] = [];
    try {
      for (const file of files) {
        try {
          const bytes = await readFile(file);
          const mimeType = detectMimeType(bytes.subarray(0, SNIFF_BYTES), path.basename(file));
          const options = {
            mimeType,
            ...(locale && { locale }),
            ocr: { ...(tesseract && { tesseract }), ...ppocrOf(env) },
          };
          yield { file, mimeType, ...toJson(await reader.read(bytes, options)) };
        } catch (error) {
          failures.push(`${file}: ${(error as Error).message}`);
        }
      }
    } finally {
      await reader.close();
    }
    if (failures.length > 0) throw new CommandError(failures.join('\n'));
  },
};

function ppocrOf({ INTAKE_PPOCR_PYTHON: ppocr }: Environment) {
  return ppocr ? { ppocr } : {};
}

/** Reads files as the services do: office files and HEIF pictures are converted first, damaged PDFs repaired. */
function createReader(env: Environment) {
  const environment = { env: { PATH: env.PATH ?? '/usr/local/bin:/usr/bin:/bin' } };
  const engine = new ChildPool<EngineJobs>({
    ...{ worker: engineWorker, size: 1, ...environment },
    ...{ timeoutMs: TIMEOUT_MS, memoryBytes: memoryWith(env.INTAKE_PPOCR_PYTHON, MEMORY_BYTES) },
  });
  const converter = new ChildPool<ConvertJobs>({
    ...{ worker: convertWorker, size: 1, ...environment },
    ...{ timeoutMs: TIMEOUT_MS, memoryBytes: MEMORY_BYTES, jobsPerChild: 1, folders: 'intake-extract-' },
  });
  const prepare = async (bytes: Buffer, mimeType: string) => {
    const conversion = conversionOf(mimeType);
    if (conversion === 'convertOffice') {
      const pdf = await converter.run(conversion, { bytes, mimeType, program: 'soffice' });
      return { bytes: pdf, mimeType: PDF };
    }
    if (conversion === null) return { bytes, mimeType };
    const pictures = await converter.run(conversion, { bytes, program: 'heif-convert' });
    return { bytes: await engine.run('joinPictures', { pictures }), mimeType: PDF };
  };

  return {
    async read(sent: Buffer, wanted: EngineJobs['recognize']['input']['options']): Promise<Recognition> {
      const { bytes, mimeType } = await prepare(sent, wanted.mimeType);
      const options = { ...wanted, mimeType };
      return engine.run('recognize', { bytes, options }).catch(async (error: Error & { reason?: string }) => {
        if (error.name !== 'UnreadableDocument' || error.reason !== 'corrupt' || mimeType !== PDF) throw error;
        const repaired = await converter.run('repairPdf', { bytes, program: 'qpdf' });
        return engine.run('recognize', { bytes: repaired, options });
      });
    },
    async close(): Promise<void> {
      await Promise.all([engine.close(), converter.close()]);
    },
  };
}

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
