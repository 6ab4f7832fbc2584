import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, documentStorage, extraction, queue } from '@intake/contracts';
import { type EngineJobs, engineWorker, findPpocrProblem, memoryWith, TESSERACT_LIBRARY } from '@intake/engine';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, isNeighbourAway, Refusal, readRpcSettings, serveRpc } from '@intake/rpc';
import {
  ConfigError,
  type Environment,
  type Logger,
  list,
  milliseconds,
  positive,
  readConfig,
  runAsProcess,
  runService,
  text,
} from '@intake/service';
import { ChildPool } from '@intake/untrusted';
import { Counter, Gauge, Histogram } from 'prom-client';
import { createConsumers } from './consumers';
import { createJobStore } from './job/job.store';
import { createOcrReporter } from './job/report-ocr';
import { read, type Stage } from './job/run-job';
import { toContract } from './job/to-contract';
import { startJobWorkers } from './job/workers';
import { createLessonStore } from './memory/lesson.store';
import { createLessonRpc } from './memory/lesson-rpc';

/** Starts the service: reads documents with the engine. */
export const start = (env: Environment) =>
  runService('extraction', env, async (runtime) => {
    const config = readConfig(env, {
      concurrency: positive(
        'INTAKE_EXTRACTION_CONCURRENCY',
        'documents read at the same time, one child process each',
        availableParallelism(),
      ),
      timeoutMs: milliseconds(
        'INTAKE_EXTRACTION_TIMEOUT_MS',
        'a document that takes longer is stopped, milliseconds',
        55_000,
      ),
      memoryBytes: positive(
        'INTAKE_EXTRACTION_MEMORY_BYTES',
        'a child process that takes more is killed; with PP-OCR it may take 1.25 GB on top',
        1_500_000_000,
      ),
      tesseract: text('INTAKE_TESSERACT_LIBRARY', 'the OCR library, by path or name', TESSERACT_LIBRARY),
      ppocr: text(
        'INTAKE_PPOCR_PYTHON',
        'a Python with the package rapidocr, which reads again what Tesseract reads badly; not used where it is not there',
        '/opt/ppocr/bin/python',
      ),
      languages: list(
        'INTAKE_OCR_LANGUAGES',
        'languages Tesseract tries, as it names them; none: all the engine knows',
        [],
      ),
      path: text('PATH', 'where programs are looked for', '/usr/local/bin:/usr/bin:/bin'),
    });
    const ppocr = existsSync(config.ppocr) ? config.ppocr : undefined;
    if (ppocr) void reportPpocr(ppocr, runtime.log);
    else runtime.log.info('PP-OCR is not installed: pages that are read badly are not read again');
    const pool = new ChildPool<EngineJobs>({
      worker: engineWorker,
      size: config.concurrency,
      timeoutMs: config.timeoutMs,
      memoryBytes: memoryWith(ppocr, config.memoryBytes),
      env: { PATH: config.path },
    });
    runtime.onStop('engine processes', () => pool.close());
    if (config.languages.length > 0) await requireLanguages(pool, config.tesseract, config.languages);
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const store = createJobStore(backbone.database);
    const lessons = createLessonStore(backbone.database);
    await createIndexes(backbone.database);

    const durations = new Histogram({
      name: 'intake_extraction_seconds',
      help: 'Time the engine took for a document, by outcome',
      labelNames: ['outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [runtime.metrics],
    });
    const stages = new Histogram({
      name: 'intake_extraction_stage_seconds',
      help: 'Time of the parts of an extraction: fetch, read, pages, fields',
      labelNames: ['stage'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [runtime.metrics],
    });
    new Gauge({
      name: 'intake_extraction_oldest_job_seconds',
      help: 'Age of the oldest job that is not done',
      registers: [runtime.metrics],
      async collect() {
        this.set(await store.oldestAgeS().catch(() => Number.NaN));
      },
    });
    new Gauge({
      name: 'intake_extraction_jobs',
      help: 'Jobs that are not done',
      registers: [runtime.metrics],
      async collect() {
        this.set(await store.countOpen().catch(() => Number.NaN));
      },
    });
    const failedOpinions = new Counter({
      name: 'intake_extraction_ppocr_failed_total',
      help: 'Documents with a page that PP-OCR was asked to read again, and failed',
      registers: [runtime.metrics],
    });
    const tools = {
      runtime,
      store,
      lessons,
      pool,
      documents: connectRpc(
        runtime,
        documentStorage.DocumentStorageServiceService,
        rpc.addressOf('document-storage'),
        rpc,
      ),
      annotations: connectRpc(runtime, annotation.AnnotationServiceService, rpc.addressOf('annotation'), rpc),
      queues: connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc),
      ocr: {
        tesseract: config.tesseract,
        ...(ppocr && { ppocr }),
        ...(config.languages.length > 0 && { languages: [...config.languages] }),
      },
      observe: (seconds: number, outcome: 'read' | 'failed') => durations.observe({ outcome }, seconds),
      observeStage: (seconds: number, stage: Stage) => stages.observe({ stage }, seconds),
      reportOcr: createOcrReporter(runtime.log, failedOpinions),
    };

    await serveRpc(runtime, {
      stuck: [backbone.stuck, store.stuck],
      definition: extraction.ExtractionServiceService,
      proto: 'intake/extraction/v1/extraction.proto',
      handlers: {
        ...createLessonRpc(lessons),
        async recognize({ documentId, locale = 'en_GB' }, caller) {
          const { documents } = await tools.documents.getDocuments({ ids: [documentId] }, caller);
          if (!documents[0]) throw new Refusal('NOT_FOUND');
          try {
            return toContract(await read(tools, caller, { documentId, mimeType: documents[0].mimeType, locale }));
          } catch (error) {
            if ((error as Error).name === 'UnreadableDocument')
              throw new Refusal('INVALID', { detail: (error as Error).message });
            throw error;
          }
        },
      },
      isUnavailable: isMongoUnavailable,
      ...rpc,
    });
    startConsumer(runtime, { ...backbone, handlers: createConsumers(store, tools, backbone), isAway: isNeighbourAway });
    startJobWorkers(runtime, backbone.bus, store, tools, config.concurrency);
  });

/** Throws ConfigError when Tesseract is there and does not have a language. */
async function requireLanguages(pool: ChildPool<EngineJobs>, tesseract: string, languages: readonly string[]) {
  const unknown = await pool.run('findUnknownLanguages', { tesseract, languages });
  if (unknown.length > 0) throw new ConfigError(`INTAKE_OCR_LANGUAGES: Tesseract does not have ${unknown.join(', ')}`);
}

async function reportPpocr(python: string, log: Logger): Promise<void> {
  const problem = await findPpocrProblem(python);
  if (problem) log.warn({ python, problem }, 'PP-OCR cannot be used: install the Python package rapidocr');
}

if (require.main === module) void runAsProcess(start);
