import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { conversionOf, convertOffice, detectMimeType } from '@intake/untrusted';
import type { RecognizedPage } from '../recognition';
import { readWords } from '../recognize';
import type { Row, Wanted } from './compare';

/** As the extraction service finds it. */
const PPOCR = process.env.INTAKE_PPOCR_PYTHON;

/** What stands on a document. The format is described in docs/extraction.md. */
export interface Truth {
  file: string;
  /** Who published the document: documents of one source are alike. */
  source: string;
  /** Layout; documents of one template come out of one program. */
  template?: string;
  kind: string;
  language: string;
  fields: Record<string, Wanted>;
  /** Fields that are not on the document. What is in neither list is not judged. */
  absent?: string[];
  tables?: Record<string, Row[]>;
}

/** A document as the stages behind the text stage get it. */
export interface CorpusDocument {
  truth: Truth;
  pages: RecognizedPage[];
}

/** Bytes that the engine reads: Office documents are converted with LibreOffice (`soffice`), as document-storage does. */
export async function readFile(folder: string, file: string): Promise<{ bytes: Buffer; mimeType: string }> {
  const bytes = readFileSync(path.join(folder, file));
  const mimeType = detectMimeType(bytes.subarray(0, 65_536), file);
  if (conversionOf(mimeType) !== 'convertOffice') return { bytes, mimeType };
  const work = mkdtempSync(path.join(tmpdir(), 'intake-eval-'));
  try {
    return { bytes: await convertOffice(bytes, mimeType, work, 'soffice'), mimeType: 'application/pdf' };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Reads a corpus: `DIR/files/*` with `DIR/truth/<file>.json`.
 *
 * @param cache folder in which the words of the pages are kept, because OCR takes most of the time; delete it when the
 *   text stage has changed
 */
export async function loadCorpus(
  folder: string,
  cache: string,
  onProgress: (file: string) => void = () => {},
): Promise<CorpusDocument[]> {
  mkdirSync(cache, { recursive: true });
  const documents: CorpusDocument[] = [];
  for (const name of readdirSync(path.join(folder, 'truth')).sort()) {
    if (!name.endsWith('.json')) continue;
    const truth: Truth = JSON.parse(readFileSync(path.join(folder, 'truth', name), 'utf8'));
    const files = path.join(folder, 'files');
    const hash = createHash('sha256')
      .update(readFileSync(path.join(files, truth.file)))
      .digest('hex');
    const cached = path.join(cache, `${hash}.json`);
    if (!existsSync(cached)) {
      const { bytes, mimeType } = await readFile(files, truth.file);
      const ocr = { timeoutMs: 300_000, budgetMs: 1_000_000, ...(PPOCR && { ppocr: PPOCR }) };
      const { pages } = await readWords(bytes, { mimeType, ocr });
      writeFileSync(cached, JSON.stringify(pages));
      onProgress(truth.file);
    }
    documents.push({ truth, pages: JSON.parse(readFileSync(cached, 'utf8')) });
  }
  return documents;
}
