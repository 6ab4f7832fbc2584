import { type PageCode, runsBetween, SEPARATOR_TEXT } from '@intake/engine';
import { type Caller, Refusal } from '@intake/rpc';
import { requireClaim } from './claim';
import type { Job } from './job';
import type { JobTools } from './run-job';

/** Longest look for separator pages: 500 scanned pages. */
const LOOK_MS = 240_000;
const CUT_MS = 180_000;
const PDF = 'application/pdf';
const TIFF = 'image/tiff';

/**
 * Cuts a PDF or TIFF that carries separator pages of its queue: its parts become documents of their own, and its annotation ends in
 * `split`. Answers whether it did. A document that cannot be looked at or cut is left as it is.
 */
export async function splitAtSeparators(
  tools: JobTools,
  caller: Caller,
  job: Job,
  { bytes, pageCount, codes, settings }: LookedAt,
  signal: AbortSignal,
): Promise<boolean> {
  const runs = findRuns(pageCount, codes, settings);
  if (runs.length === 0) return false;
  await requireClaim(tools.store, job);
  const { documents, annotations, pool } = tools;
  const { annotationId, documentId, queueId, rirPollId } = job;
  try {
    const request = { documentId, runs: runs.map((numbers) => ({ numbers })) };
    await documents.splitDocument(request, caller, { timeoutMs: CUT_MS });
  } catch (error) {
    if (!(error instanceof Refusal && error.reason === 'INVALID')) throw error;
    tools.runtime.log.info({ err: error, annotation: annotationId }, 'a document with separator pages cannot be cut');
    return false;
  }
  const sizes = await pool.run('readPages', { bytes, mimeType: job.mimeType }, { signal });
  const pages = sizes.map(({ number, width, height }) => ({
    number,
    width,
    height,
    rotationDeg: 0,
    source: '',
    wordsJson: '',
  }));
  await requireClaim(tools.store, job);
  const { pageIds } = await documents.putPages({ annotationId, documentId, queueId, pages }, caller);
  await annotations.splitAtImport({ annotationId, rirPollId, pageIds }, caller);
  return true;
}

/** A file before it is read. */
export interface LookedAt {
  readonly bytes: Buffer;
  /** 0: not sent as a PDF or TIFF, or one that cannot be opened. */
  readonly pageCount: number;
  readonly codes: readonly PageCode[];
  /** Of the queue; undefined when nothing of the file depends on them. */
  readonly settings: QueueSettings | undefined;
}

type QueueSettings = Readonly<Record<string, unknown>>;

/**
 * Looks for codes on the pages of a PDF or TIFF. Of another file, whose PDF this is, only what its queue says of files that hold several documents
 * counts.
 */
export async function lookAt(
  { pool }: JobTools,
  { mimeType }: Job,
  file: { readonly bytes: Buffer; readonly mimeType: string },
  settings: QueueSettings | undefined,
  signal: AbortSignal,
): Promise<LookedAt> {
  const { bytes } = file;
  if (![PDF, TIFF].includes(file.mimeType)) return { bytes, pageCount: 0, codes: [], settings: undefined };
  if (mimeType !== file.mimeType) return { bytes, pageCount: 0, codes: [], settings };
  const { pageCount, codes } = await pool
    .run('findPageCodes', { bytes, mimeType }, { signal, timeoutMs: LOOK_MS })
    .catch((error) => {
      // What is wrong with the document is said when it is read.
      if ((error as Error).name !== 'UnreadableDocument') throw error;
      return { pageCount: 0, codes: [] };
    });
  return { bytes, pageCount, codes, settings: pageCount < 2 ? undefined : settings };
}

/** Whether people want to be told that a file seems to hold several documents (`suggested_edit` of its queue's settings). */
export function wantsProposals({ settings }: LookedAt): boolean {
  return settings?.suggested_edit === 'suggest';
}

/** The runs of pages between the separator pages; empty when there are none. */
function findRuns(pageCount: number, codes: readonly PageCode[], settings: QueueSettings | undefined): number[][] {
  const ours = separatorTexts(settings);
  const separators = codes.filter(({ text }) => ours.includes(text.trim())).map(({ pageNumber }) => pageNumber);
  return runsBetween(pageCount, new Set(separators));
}

/** What separator pages of a queue say: `separator_qr_codes` of its settings, else the one text of ours. An empty list: there are none. */
export function separatorTexts(settings: QueueSettings | undefined): readonly string[] {
  const own = settings?.separator_qr_codes;
  return Array.isArray(own) ? own.filter((text) => typeof text === 'string') : [SEPARATOR_TEXT];
}
