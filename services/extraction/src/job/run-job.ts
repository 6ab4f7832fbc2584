import { annotation, type documentStorage, type queue } from '@intake/contracts';
import {
  type EngineJobs,
  type OcrOptions,
  type PageSize,
  type Recognition,
  type RecognizedPage,
  UnreadableDocument,
} from '@intake/engine';
import { isMongoUnavailable } from '@intake/mongo';
import { type Caller, type Client, isNeighbourAway, systemCaller } from '@intake/rpc';
import type { Runtime } from '@intake/service';
import { type ChildPool, conversionOf, JobError, PoolClosed } from '@intake/untrusted';
import type { LessonStore } from '../memory/lesson.store';
import { remember } from '../memory/memory';
import { ClaimLost, requireClaim } from './claim';
import { type Extent, readExtent } from './extent';
import { type Job, MAX_FAILURES, RETRY_DELAYS_MS } from './job';
import { type JobStore, LEASE_MS } from './job.store';
import { lookAt, splitAtSeparators, wantsProposals } from './split';
import { toContract } from './to-contract';
import { turn } from './turn';

/** The parts of a job: fetching the document, reading it, handing its pages and its fields over. */
export type Stage = 'fetch' | 'read' | 'pages' | 'fields';

/** What jobs are done with. */
export interface JobTools {
  readonly runtime: Runtime;
  readonly store: JobStore;
  readonly lessons: LessonStore;
  readonly pool: ChildPool<EngineJobs>;
  readonly documents: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly annotations: Client<typeof annotation.AnnotationServiceService>;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly ocr: OcrOptions;
  /** Told how long the engine took, in seconds. */
  readonly observe: (seconds: number, outcome: 'read' | 'failed') => void;
  /** Told how long each part of a job took, in seconds. */
  readonly observeStage: (seconds: number, stage: Stage) => void;
  /** Told why PP-OCR failed on a page. */
  readonly reportOcr: (problem: string) => void;
}

/** Wait before a job is tried again because something it needs is away, in milliseconds. */
const AWAY_DELAY_MS = 2000;
/** Longest transfer of a document, in milliseconds. */
const TRANSFER_MS = 60_000;
/** Longest conversion, with the wait for others before it, in milliseconds. */
const CONVERSION_MS = 180_000;
/** Pause between attempts to give a job back while the database is away, in milliseconds. */
const SETTLE_PAUSE_MS = 500;

/** What became of a claimed job: it is at its end, here or at another worker; or it is to be claimed again. */
export type Outcome = 'ended' | 'given back';

/**
 * Does one claimed job to its end: result or failure handed over, or the job given back. Never throws.
 *
 * @param onRead called when the document has been read and only its result is left to be handed over
 */
export async function runJob(tools: JobTools, job: Job, onRead: () => void): Promise<Outcome> {
  const { runtime, store, annotations } = tools;
  const caller = systemCaller('extraction', job.organizationId);
  let stageBegan = process.hrtime.bigint();
  const endStage = (stage: Stage) => {
    const now = process.hrtime.bigint();
    tools.observeStage(Number(now - stageBegan) / 1e9, stage);
    stageBegan = now;
  };
  const lost = new AbortController();
  const renewal = setInterval(() => {
    store.renew(job).then(
      (kept) => kept || lost.abort(new ClaimLost()),
      (error) => runtime.log.warn({ err: error, job: job.id }, 'claim could not be renewed'),
    );
  }, LEASE_MS / 3);
  try {
    const [readable, queueOfJob] = await Promise.all([
      fetchReadable(tools, caller, job),
      tools.queues.getQueues({ ids: [job.queueId] }, caller).then(({ queues }) => queues[0]),
    ]);
    endStage('fetch');
    const looked = await lookAt(tools, job, readable, queueOfJob?.settings, lost.signal);
    if (await splitAtSeparators(tools, caller, job, looked, lost.signal)) {
      await store.finish(job);
      return 'ended';
    }
    const rotationDeg = job.rotationDeg ?? 0;
    const extent = readExtent(queueOfJob?.rirParams);
    const wanted = { ...job, ...extent, proposeSplit: wantsProposals(looked) };
    const { recognition: recognized, file } = await readFile(tools, caller, wanted, readable, lost.signal);
    const pages = await listPages(tools, file, recognized, lost.signal);
    endStage('read');
    onRead();
    const remembered = await remember(tools.lessons, job.organizationId, recognized);
    const recognition = turn(extent.tables ? remembered : { ...remembered, tables: {} }, rotationDeg);
    await requireClaim(store, job);
    const { pageIds } = await tools.documents.putPages(
      {
        annotationId: job.annotationId,
        documentId: job.documentId,
        queueId: job.queueId,
        pages: pages.map(({ number, width, height }, index) => ({
          ...{ number, width, height, rotationDeg },
          ...textOf(recognition.pages[index]),
        })),
      },
      caller,
    );
    endStage('pages');
    await annotations.finishExtraction(
      annotation.FinishExtractionRequest.fromPartial({
        ...target(job),
        ...{ pageIds, result: toContract(recognition) },
        proposedDocuments: (recognition.documents ?? []).map((numbers) => ({
          pageIds: numbers.map((number) => pageIds[number - 1] as number),
        })),
      }),
      caller,
    );
    endStage('fields');
    await store.finish(job);
    return 'ended';
  } catch (error) {
    return await whileMongoIsAway(() => settleFailure(tools, caller, job, error as Error)).catch((problem) => {
      runtime.log.warn({ err: problem, job: job.id }, 'job will come again when its claim ends');
      return 'given back';
    });
  } finally {
    clearInterval(renewal);
  }
}

/** Reads a document with the engine, in a child process. */
export async function read(
  tools: JobTools,
  caller: Caller,
  document: { readonly documentId: number; readonly mimeType: string; readonly locale: string },
): Promise<Recognition> {
  return (await readFile(tools, caller, document, await fetchReadable(tools, caller, document))).recognition;
}

/** Reads a file with the engine; a damaged PDF is repaired first. @returns the file that was read, too */
async function readFile(
  tools: JobTools,
  caller: Caller,
  document: Wanted,
  file: File,
  signal?: AbortSignal,
): Promise<{ recognition: Recognition; file: File }> {
  try {
    return { recognition: await recognize(tools, file, document, signal), file };
  } catch (error) {
    const isDamagedPdf = (error as { reason?: unknown }).reason === 'corrupt' && file.mimeType === 'application/pdf';
    if ((error as Error).name !== 'UnreadableDocument' || !isDamagedPdf) throw error;
    await prepareRendition(tools, caller, document.documentId);
    const repaired = await fetchFile(tools, caller, document.documentId);
    return { recognition: await recognize(tools, repaired, document, signal), file: repaired };
  }
}

/** All pages of a file, also those beyond what was read. */
async function listPages(
  { pool }: JobTools,
  file: File,
  { pages, pageCount }: Recognition,
  signal: AbortSignal,
): Promise<readonly Pick<PageSize, 'number' | 'width' | 'height'>[]> {
  if (pages.length >= pageCount) return pages;
  const all = await pool.run('readPages', { ...file }, { signal });
  return [...pages, ...all.slice(pages.length)];
}

/** The words of a page as they are stored; a page that was not read has none. */
function textOf(page: RecognizedPage | undefined): { source: string; wordsJson: string } {
  if (!page) return { source: '', wordsJson: '' };
  const words = page.words.map(({ text, position, line }) => [text, ...position, line]);
  return { source: page.source, wordsJson: JSON.stringify(words) };
}

/** What is to be read, and how. */
interface Wanted extends Partial<Pick<Extent, 'maxPages'>> {
  readonly documentId: number;
  readonly locale: string;
  /** Whether to look for several documents in the file. */
  readonly proposeSplit?: boolean;
}

interface File {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** What is to be read: the document itself, or the pages that were made of an office file or a HEIF picture. */
async function fetchReadable(
  tools: JobTools,
  caller: Caller,
  { documentId, mimeType }: { readonly documentId: number; readonly mimeType: string },
): Promise<File> {
  if (conversionOf(mimeType) !== null) await prepareRendition(tools, caller, documentId);
  return fetchFile(tools, caller, documentId);
}

/** The document's bytes, or the PDF that was made of them. */
async function fetchFile(tools: JobTools, caller: Caller, documentId: number): Promise<File> {
  const chunks: Uint8Array[] = [];
  let mimeType = '';
  const request = { documentId, offset: 0, length: 0, rendition: true };
  for await (const { header, chunk } of tools.documents.getFile(request, caller, { timeoutMs: TRANSFER_MS })) {
    if (header) mimeType = header.mimeType;
    if (chunk) chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), mimeType };
}

/** Has a PDF made of an office file or a damaged PDF. Throws UnreadableDocument when that is not possible. */
async function prepareRendition(tools: JobTools, caller: Caller, documentId: number): Promise<void> {
  const { problem } = await tools.documents.prepareRendition({ id: documentId }, caller, { timeoutMs: CONVERSION_MS });
  if (problem) throw new UnreadableDocument('corrupt', problem);
}

async function recognize(
  tools: JobTools,
  file: File,
  { locale, maxPages, proposeSplit = false }: Wanted,
  signal?: AbortSignal,
): Promise<Recognition> {
  const started = process.hrtime.bigint();
  const seconds = () => Number(process.hrtime.bigint() - started) / 1e9;
  try {
    const recognition = await tools.pool.run(
      'recognize',
      { bytes: file.bytes, options: { mimeType: file.mimeType, locale, maxPages, proposeSplit, ocr: tools.ocr } },
      { signal },
    );
    tools.observe(seconds(), 'read');
    if (recognition.ocrProblem) tools.reportOcr(recognition.ocrProblem);
    return recognition;
  } catch (error) {
    tools.observe(seconds(), 'failed');
    throw error;
  }
}

async function settleFailure(tools: JobTools, caller: Caller, job: Job, error: Error): Promise<Outcome> {
  const { runtime, store, annotations } = tools;
  if (error instanceof ClaimLost) {
    runtime.log.info({ job: job.id }, 'another worker has taken the job over');
    return 'ended';
  }
  const giveBack = async (delayMs: number, failed: boolean): Promise<Outcome> => {
    await store.release(job, delayMs, failed);
    return 'given back';
  };
  const isUnreadable = error.name === 'UnreadableDocument';
  if (!isUnreadable) runtime.log.warn({ err: error, job: job.id, failures: job.failures }, 'extraction failed');
  if (isNeighbourAway(error) || isMongoUnavailable(error)) return giveBack(AWAY_DELAY_MS, false);
  if (error instanceof PoolClosed) return giveBack(0, false);
  const failures = job.failures + 1;
  // What the document did to its process, it would do again.
  const isFinal = isUnreadable || ['JobTimeout', 'JobOutOfMemory'].includes(error.name);
  if (!isFinal && failures < MAX_FAILURES) return giveBack(RETRY_DELAYS_MS[failures - 1] ?? 0, true);
  const message = isUnreadable ? error.message : explain(error);
  await requireClaim(store, job);
  await annotations.failExtraction({ ...target(job), message }, caller);
  await store.finish(job);
  return 'ended';
}

/** Tries again while the database is away, for as long as the claim may last: what is given back in time need not expire. */
async function whileMongoIsAway<T>(task: () => Promise<T>): Promise<T> {
  const end = Date.now() + LEASE_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!isMongoUnavailable(error) || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_PAUSE_MS));
    }
  }
}

/** What a person is told when reading a document failed for no reason that the document itself tells. */
function explain(error: Error): string {
  if (error instanceof JobError && error.name === 'JobTimeout')
    return 'Reading the document took too long and was stopped. Send it in smaller parts.';
  if (error instanceof JobError && error.name === 'JobOutOfMemory')
    return 'Reading the document needed too much memory and was stopped. Send it in smaller parts.';
  return 'The document could not be read because of an error of the service. It can be imported again by setting its status to importing.';
}

function target({ annotationId, rirPollId }: Job): { annotationId: number; rirPollId: string } {
  return { annotationId, rirPollId };
}
