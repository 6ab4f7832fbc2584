import { buffer } from 'node:stream/consumers';
import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, documentStorage, extension, mailIngest, queue } from '@intake/contracts';
import { type EngineJobs, engineWorker } from '@intake/engine';
import { createIndexes, isMongoUnavailable, transaction } from '@intake/mongo';
import { connectRpc, createReader, isNeighbourAway, serveRpc, systemCaller } from '@intake/rpc';
import { createReceivingFirst, type Environment, runAsProcess, runService } from '@intake/service';
import {
  type ArchiveJobs,
  archiveWorker,
  ChildPool,
  type ConvertJobs,
  convertWorker,
  type OfficeAhead,
} from '@intake/untrusted';
import { readSettings } from './config';
import { createConsumers } from './consumers';
import { createAddAttachments } from './document/add-attachments';
import { createCutDocument } from './document/cut-document';
import { createCutPages } from './document/cut-pages';
import { createDocumentStore } from './document/document.store';
import { createMeasureDocument } from './document/measure-document';
import { createOwnDocuments } from './document/own-documents';
import { createPurge } from './document/purge';
import { createSplitDocument } from './document/split-document';
import { createSweepUnclaimed } from './document/unclaimed-documents';
import { createDownloadStore } from './download/download.store';
import { createDownloads } from './download/downloads';
import { createCheckStorage } from './file/check-storage';
import { createFiles } from './file/file';
import { createFileStore } from './file/file.store';
import { createObjectStore } from './object-store/object-store';
import { createPageStore } from './page/page.store';
import { createPageBarcodes, createPageImages } from './page/page-image';
import { createPageTextStore } from './page/page-text.store';
import { createDocumentRelationStore } from './relation/document-relation.store';
import { createDocumentRelations } from './relation/document-relations';
import { createRenditions } from './rendition/rendition';
import { createRpc } from './rpc';
import { startSweeps } from './sweeps';
import { createTaskStore } from './task/task.store';
import { createCreateUpload } from './upload/create-upload';
import { createImportUpload } from './upload/import-upload';
import { createJoinPackage } from './upload/isdoc-package';
import { createJoinPictures } from './upload/join-pictures';
import { createJudgeMailed } from './upload/judge-mailed';
import { createOpenPortfolio } from './upload/open-portfolio';
import { beginsLikeEInvoice, isReadableType, XML_START } from './upload/readable';
import { createSubmissionStore } from './upload/submission.store';
import { createUnpackArchives } from './upload/unpack-archives';
import { createUploadStore } from './upload/upload.store';

/** Longest conversion, in milliseconds. */
const CONVERSION_MS = 45_000;
/** How long LibreOffice waits for a document before it is let go, in milliseconds. */
const OFFICE_IDLE_MS = 300_000;
/** Longest opening of an archive, in milliseconds. */
const UNPACKING_MS = 30_000;
/** No longer than this waits a document for its turn to be read, in milliseconds. */
const LONGEST_TURN_MS = 2000;

/** Starts the service. */
export const start = (env: Environment) =>
  runService('document-storage', env, async (runtime) => {
    const { rpc, objectStore, drawers, converters, officeAhead, programs, path, unclaimedMs } = readSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const { database } = backbone;
    const fileStore = createFileStore(database);
    const documents = createDocumentStore(database, fileStore);
    const uploads = createUploadStore(database);
    const tasks = createTaskStore(backbone);
    const submissions = createSubmissionStore(database);
    const pages = createPageStore(database, backbone.ids);
    const pageTexts = createPageTextStore(database);
    const relations = createDocumentRelationStore(database);
    const downloadStore = createDownloadStore(database);
    await createIndexes(database);

    const objects = createObjectStore(objectStore);
    runtime.addReadiness('object store', objects.check);
    await objects.check().catch((error) => runtime.log.warn({ err: error }, 'the object store is away'));
    const engine = new ChildPool<EngineJobs>({ worker: engineWorker, size: drawers });
    runtime.onStop('page drawers', () => engine.close());

    const conversions = {
      ...{ worker: convertWorker, size: converters, timeoutMs: CONVERSION_MS, env: { PATH: path } },
      // Documents share neither a process nor a folder.
      ...{ jobsPerChild: 1, folders: 'intake-convert-' },
    };
    const prepared: OfficeAhead = { program: programs.office };
    const converter = new ChildPool<ConvertJobs>({
      ...conversions,
      ahead: { count: officeAhead, input: prepared, idleMs: OFFICE_IDLE_MS },
    });
    runtime.onStop('converters', () => converter.close());
    const repairer = new ChildPool<ConvertJobs>(conversions);
    runtime.onStop('repairers', () => repairer.close());

    const unpacker = new ChildPool<ArchiveJobs>({ worker: archiveWorker, size: 1, timeoutMs: UNPACKING_MS });
    runtime.onStop('unpacker', () => unpacker.close());

    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc);
    const hooks = connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc);
    const mail = connectRpc(runtime, mailIngest.MailIngestServiceService, rpc.addressOf('mail-ingest'), rpc);
    const readQueue = createReader(async (ids, caller) => (await queues.getQueues({ ids }, caller)).queues);
    const files = createFiles(fileStore, objects, runtime.log);
    const importUpload = createImportUpload({
      backbone,
      documents,
      uploads,
      tasks,
      unpackArchives: createUnpackArchives({
        ...{ backbone, files, fileStore, objects, documents, uploads, unpacker },
        openPortfolio: createOpenPortfolio(engine),
        joinPackage: createJoinPackage(engine),
        findAcceptedTypes: async ({ organizationId, queueId }) =>
          (await readQueue(queueId, systemCaller('document-storage', organizationId)))?.acceptedMimeTypes ?? [],
        judgeMailed: createJudgeMailed(mail),
      }),
      callHooks: async ({ id, organizationId, queueId, metadata, emailId }, list) => {
        const files = list.map((file) => ({ ...file, values: { ...file.values }, messages: [], failure: '' }));
        const request = { uploadId: id, queueId, files, metadata, emailId: emailId ?? undefined };
        const answer = await hooks.callUploadHooks(request, systemCaller('document-storage', organizationId));
        return answer.pending ? null : answer.files;
      },
      isReadable: async ({ mimeType, s3Name, size }) => {
        const known = isReadableType(mimeType);
        if (known !== null) return known;
        const start = await objects.read(s3Name, { offset: 0, length: Math.min(XML_START, size) });
        return start !== null && beginsLikeEInvoice(await buffer(start));
      },
    });
    const receivingFirst = createReceivingFirst();
    const joinPictures = createJoinPictures({
      ...{ files, objects, engine },
      convertHeif: (bytes) => repairer.run('convertHeif', { bytes, program: programs.heif }),
    });
    const createUpload = createCreateUpload({
      backbone,
      files,
      fileStore,
      documents,
      uploads,
      tasks,
      submissions,
      joinPictures,
      findQueue: async (caller, id) => (await readQueue(id, caller)) ?? null,
      isTurnOf: receivingFirst.isTurnOf,
    });
    const addAttachments = createAddAttachments({ backbone, files, fileStore, documents, submissions });
    const prepareRendition = createRenditions({
      ...{ documents, files, objects, programs, converter, repairer, engine },
      log: runtime.log,
    });
    const cutPages = createCutPages({ objects, engine });
    const splitDocument = createSplitDocument({
      ...{ backbone, files, fileStore, documents, submissions, importUpload, cutPages },
    });
    const cutDocument = createCutDocument({ backbone, files, fileStore, documents, pages, cutPages });
    const drawPage = createPageImages({ pages, documents, objects, engine, log: runtime.log });
    const findBarcodes = createPageBarcodes({ objects, engine, drawPage });

    const ownDocuments = createOwnDocuments({
      ...{ backbone, documents, files, fileStore, objects, pages, pageTexts, relations },
    });
    const relating = createDocumentRelations({ ids: backbone.ids, relations, documents });
    const downloads = createDownloads({ backbone, downloads: downloadStore, documents, tasks, objects });

    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: documentStorage.DocumentStorageServiceService,
      proto: 'intake/document_storage/v1/document_storage.proto',
      handlers: createRpc({
        checkStorage: createCheckStorage({ fileStore, objects, documents }),
        ...{ files, fileStore, objects, documents, uploads, tasks, pages, pageTexts },
        createUpload: (...of) => receivingFirst.receive(() => createUpload(...of)),
        // The reader has asked, and its patience has an end.
        turnToRead: () => receivingFirst.turnToGoOn(LONGEST_TURN_MS),
        ...{ addAttachments, nextTaskId: () => backbone.ids.next('task') },
        inTransaction: (task) => transaction(database, task),
        measureDocument: createMeasureDocument({ objects, engine }),
        ...{ importUpload, drawPage, findBarcodes, prepareRendition, splitDocument, cutDocument },
        ...{ ownDocuments, relations, relating, downloads },
      }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers(
        importUpload,
        createPurge({ documents, pages, pageTexts, fileStore, objects, relations }),
      ),
      isAway: isNeighbourAway,
    });
    const annotations = connectRpc(runtime, annotation.AnnotationServiceService, rpc.addressOf('annotation'), rpc);
    const sweepUnclaimed = createSweepUnclaimed({ documents, ownDocuments, annotations });
    startSweeps(runtime, backbone, {
      files,
      importUpload,
      sweepUnclaimed,
      unclaimedMs,
      intervalMs: receivingFirst.intervalMs,
    });
  });

if (require.main === module) void runAsProcess(start);
