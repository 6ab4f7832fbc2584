import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { detectMimeType } from '@intake/untrusted';
import type { RecognizedPage } from '../recognition';
import { readWords } from '../recognize';
import type { Row, Wanted } from './compare';

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

/** Bytes that the engine reads: Office documents are converted with LibreOffice (`soffice`). */
export function readFile(folder: string, file: string): { bytes: Buffer; mimeType: string } {
  const location = path.join(folder, file);
  const bytes = readFileSync(location);
  const mimeType = detectMimeType(bytes.subarray(0, 65_536), file);
  if (!/officedocument|opendocument|msword|ms-excel/.test(mimeType)) return { bytes, mimeType };
  return { bytes: convertOffice(location), mimeType: 'application/pdf' };
}

function convertOffice(file: string): Buffer {
  const work = mkdtempSync(path.join(tmpdir(), 'intake-eval-'));
  try {
    const profile = `-env:UserInstallation=file://${work}/profile`;
    // A sheet that is wider than a page would be cut into several otherwise.
    const sheet = 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}';
    const target = /\.(xlsx?|ods)$/i.test(file) ? sheet : 'pdf';
    execFileSync('soffice', ['--headless', profile, '--convert-to', target, '--outdir', work, file], {
      stdio: 'ignore',
    });
    return readFileSync(path.join(work, readdirSync(work).find((name) => name.endsWith('.pdf'))!));
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
      const { bytes, mimeType } = readFile(files, truth.file);
      const { pages } = await readWords(bytes, { mimeType, ocr: { timeoutMs: 300_000, budgetMs: 1_000_000 } });
      writeFileSync(cached, JSON.stringify(pages));
      onProgress(truth.file);
    }
    documents.push({ truth, pages: JSON.parse(readFileSync(cached, 'utf8')) });
  }
  return documents;
}
