import type { documentStorage } from '@intake/contracts';
import { answers, listOf, taskToJson, uploadToJson } from '@intake/resources';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import { answersObject, answersTask } from '../openapi/named-schema';
import { FILE_BODY, RAW_BODY, TASK, UPLOAD } from '../openapi/objects';
import { replyOne } from '../reply/list';
import { documentFlags } from '../request/filters';
import { readIdempotencyKey } from '../request/idempotency';
import { Answer, type ApiRequest, route } from '../route';
import { receiveFiles } from '../upload/receive-files';
import { storeFile, TRANSFER_MS } from '../upload/store-file';
import type { RouteContext } from './index';
import { idsIn } from './lookups';

/** How long joining pictures may take. */
const JOIN_MS = 60_000;
/** How long the legacy upload waits for the annotations. API: documents-and-uploads.md section 2. */
const AWAIT_MS = 30_000;

const FLAGS = documentFlags('reject_identical', 'join');
const UPLOAD_PARAMETERS = [{ name: 'queue', schema: { type: 'integer', minimum: 1 } }, ...FLAGS];

/** Uploads and their tasks. API: documents-and-uploads.md sections 2 and 3. */
export function uploadRoutes({ services, lookups }: RouteContext) {
  const { storage, auth, annotation } = services;

  /** Takes the files in and makes the upload. The queue is looked at first, so that nothing is sent in vain. */
  const upload = async (request: ApiRequest, queueId: number, fileName: string | undefined, caller: Caller) => {
    const rejectIdentical = request.query.boolean('reject_identical') ?? false;
    const join = request.query.boolean('join') ?? false;
    request.query.check();
    const idempotencyKey = readIdempotencyKey(request);
    const queue = await lookups.queue(queueId, caller);
    if (queue.status !== 'active') throw new Refusal('QUEUE_DELETED');
    const { files, values, metadata } = await receiveFiles(request.http, fileName, (file) =>
      storeFile(storage, file, caller),
    );
    if (rejectIdentical && files.length !== 1) {
      throw invalidField('content', 'Exactly one file is allowed with reject_identical.');
    }
    return storage.createUpload(
      {
        queueId,
        files,
        values,
        metadata,
        rejectIdentical,
        idempotencyKey,
        taskType: 'upload_created',
        join,
        documentIds: [],
        documentValues: [],
      },
      caller,
      ...(join ? [{ timeoutMs: JOIN_MS }] : []),
    );
  };

  const uploadToQueryQueue = (request: ApiRequest, fileName: string | undefined, caller: Caller) => {
    const [queueId, ...more] = request.query.has('queue') ? queueIdsOf(request) : [];
    if (queueId === undefined) throw invalidField('queue', 'This field is required.');
    if (more.length > 0) throw invalidField('queue', 'Exactly one queue is required.');
    return upload(request, queueId, fileName, caller);
  };

  /**
   * `results` is there for one SDK, which takes the task's id from it. `fetch` clients (browsers, Node) do not get it: some
   * follow any annotation that an answer names, and would wait for a task to be reviewed.
   */
  const replyTask = ({ taskId }: documentStorage.CreateUploadResponse, request: ApiRequest) => {
    const url = request.urls.task(taskId);
    const isFetch = request.header('sec-fetch-mode') !== undefined;
    return new Answer(
      202,
      { Location: url },
      isFetch ? { url } : { url, results: [{ annotation: url, document: null }] },
    );
  };

  const uploadAndWait = async (
    request: ApiRequest<{ id: number }>,
    fileName: string | undefined,
    caller: Caller,
  ): Promise<documentStorage.UploadAnnotation[]> => {
    const { uploadId } = await upload(request, request.parameters.id, fileName, caller);
    const { annotations, waitingDocumentIds } = await storage.awaitUpload({ id: uploadId }, caller, {
      timeoutMs: AWAIT_MS,
    });
    if (waitingDocumentIds.length === 0) return annotations;
    const { annotations: opened } = await annotation.openWaiting({ uploadId }, caller);
    return [...annotations, ...opened.map(({ id, documentId }) => ({ annotationId: id, documentId }))];
  };

  const replyAnnotations = (annotations: readonly documentStorage.UploadAnnotation[], { urls }: ApiRequest) => {
    const results = annotations.map(({ annotationId, documentId }) => ({
      annotation: urls.annotation(annotationId),
      document: urls.document(documentId),
    }));
    const first = results[0] ?? { annotation: null, document: null };
    return new Answer(201, {}, { results, ...first });
  };

  /** Beside `results` the first one, for older clients. */
  const ANNOTATIONS = answersObject(
    '',
    { results: listOf(answers.object), annotation: answers.uriOrNull, document: answers.uriOrNull },
    { status: 201 },
  );

  const transfer = { allow: 'upload', basic: true, timeoutMs: TRANSFER_MS } as const;

  return [
    route('POST', '/uploads', {
      ...transfer,
      doc: answersTask('Upload files', { query: UPLOAD_PARAMETERS, takes: FILE_BODY }),
      call: (request, caller) => uploadToQueryQueue(request, undefined, caller),
      reply: replyTask,
    }),
    route('GET', '/uploads/:id', {
      allow: 'readAnnotations',
      doc: UPLOAD.retrieved('Retrieve an upload'),
      call: async ({ parameters }, caller) => {
        const row = await storage.getUpload({ id: parameters.id }, caller);
        const [documents, annotations, organizations] = await Promise.all([
          lookups.documents([...row.documentIds, ...row.additionalDocumentIds], caller),
          lookups.annotations(
            row.annotations.map(({ annotationId }) => annotationId),
            caller,
          ),
          // What came by e-mail has no creator, and clients want one: the organization's first user stands in.
          row.creatorId === undefined
            ? auth.listOrganizations({ ids: [row.organizationId] }, caller).then((answer) => answer.organizations)
            : [],
        ]);
        // What is gone since then is left out.
        const [documentIds, annotationIds] = [new Set(idsIn(documents)), new Set(idsIn(annotations))];
        const left = {
          ...row,
          documentIds: row.documentIds.filter((id) => documentIds.has(id)),
          additionalDocumentIds: row.additionalDocumentIds.filter((id) => documentIds.has(id)),
          annotations: row.annotations.filter(({ annotationId }) => annotationIds.has(annotationId)),
        };
        return { row: left, fallbackCreatorId: organizations[0]?.creatorId };
      },
      reply: ({ row, fallbackCreatorId }, request) =>
        replyOne(request, uploadToJson(row, fallbackCreatorId, request.urls)),
    }),
    route('POST', '/uploads/:filename', {
      ...transfer,
      doc: answersTask('Upload one file', { query: UPLOAD_PARAMETERS, takes: RAW_BODY }),
      call: (request, caller) => uploadToQueryQueue(request, request.parameters.filename, caller),
      reply: replyTask,
    }),
    route('GET', '/tasks/:id', {
      allow: 'readAnnotations',
      doc: TASK.retrieved('Retrieve a task; one that succeeded is answered as 303 unless no_redirect=true', {
        query: documentFlags('no_redirect'),
      }),
      call: async ({ parameters, query }, caller) => {
        const stay = query.boolean('no_redirect') ?? false;
        query.check();
        return { stay, task: await storage.getTask({ id: parameters.id }, caller) };
      },
      reply: ({ task, stay }, request) => {
        const json = taskToJson(task, request.urls);
        if (stay || json.result_url === undefined) return replyOne(request, json);
        return new Answer(303, { Location: json.result_url }, json);
      },
    }),
    route('POST', '/queues/:id/upload', {
      ...transfer,
      doc: { ...ANNOTATIONS, summary: 'Upload files and wait until they are imported', query: FLAGS, takes: FILE_BODY },
      call: (request, caller) => uploadAndWait(request, undefined, caller),
      reply: replyAnnotations,
    }),
    route('POST', '/queues/:id/upload/:filename', {
      ...transfer,
      doc: { ...ANNOTATIONS, summary: 'Upload one file and wait until it is imported', query: FLAGS, takes: RAW_BODY },
      call: (request, caller) => uploadAndWait(request, request.parameters.filename, caller),
      reply: replyAnnotations,
    }),
  ];
}

function queueIdsOf({ query }: ApiRequest): number[] {
  const ids = query.ids('queue');
  query.check();
  return ids;
}
