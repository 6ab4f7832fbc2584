import { ANNOTATION_STATUSES } from '@intake/bus';
import { annotation as contract } from '@intake/contracts';
import {
  annotationToJson,
  answers,
  boolean,
  durationToJson,
  formatDuration,
  HISTORY_SCHEMA,
  historyToJson,
  inputSchema,
  integer,
  metadata,
  number,
  object,
  readAnnotationMail,
  readShape,
  reference,
  string,
  unknownReference,
  urlOrNull,
} from '@intake/resources';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { listSchema } from '../list-route';
import { answersObject } from '../openapi/named-schema';
import { ANNOTATION, DURATION } from '../openapi/objects';
import { replyList, replyOne } from '../reply/list';
import {
  ANNOTATION_ORDERINGS,
  ANNOTATION_PARAMETERS,
  MAX_SEARCH_LENGTH,
  outsideLeavingQueues,
  readAnnotationFilter,
  readPeople,
} from '../request/annotation-filter';
import { hasJsonBody } from '../request/body';
import { processingDuration, toDuration } from '../request/duration';
import { FIELDS_PARAMETERS } from '../request/fields';
import { documentFlags, documentOrdering, documentPaging } from '../request/filters';
import { readIdempotencyKey } from '../request/idempotency';
import { readPage } from '../request/pagination';
import { makeCursor, readCursor } from '../request/search-cursor';
import { MAIL_ORDERINGS, readOrderValues } from '../request/search-order';
import { readSearchQuery, resolveQuery } from '../request/search-query';
import { may } from '../roles';
import { Answer, type ApiRequest, type QueryParameter, route } from '../route';
import { CSV_PARAMETERS, exportAnnotations, TRANSFER_MS, wantsCsv } from './exports';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';
import { createSideloads, readSideloads, SIDELOAD_PARAMETERS } from './sideloads';

const durationBody = { processing_duration: processingDuration.nullish() };
const actionBody = z.object(durationBody);

const message = z.object({
  id: z.preprocess((value) => (typeof value === 'number' ? String(value) : value), string(50)).default('all'),
  type: z.enum(['error', 'warning', 'info']),
  content: string(4096),
});

const patchBody = z.object({
  status: string(50).optional(),
  queue: reference('queues').optional(),
  metadata: metadata.optional(),
  messages: z.array(message).nullish(),
  time_spent: number.refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.').optional(),
  training_enabled: boolean.optional(),
  rir_poll_id: z.null().optional().catch(undefined),
});
type Patch = z.infer<typeof patchBody>;

const putBody = patchBody.extend({
  document: reference('documents'),
  queue: reference('queues'),
  status: string(50),
  messages: patchBody.shape.messages.transform((messages) => messages ?? null),
  time_spent: patchBody.shape.time_spent.transform((seconds) => seconds ?? 0),
  training_enabled: patchBody.shape.training_enabled.transform((enabled) => enabled ?? true),
});

/** What is made by POST. API: annotations.md section 3. */
const createBody = z.object({
  status: z.string().refine((status) => status === 'created', 'Only "created" is allowed.'),
  document: reference('documents'),
  queue: reference('queues'),
  content_data: z.array(object).nullish(),
  values: z.record(string(100), string(1500)).nullish(),
  metadata: metadata.nullish(),
  training_enabled: boolean.nullish(),
});

/** API: annotations.md section 9. */
const searchBody = z
  .object({
    query: object.nullish(),
    query_string: z.object({ string: string(MAX_SEARCH_LENGTH).min(2) }).nullish(),
  })
  .refine(({ query, query_string }) => query || query_string, 'Either query or query_string is required.');

/** API: limits.md. */
const MAX_SEARCH_PAGE_SIZE = 500;
/** What a search is ordered by beyond the list. */
const SEARCH_ORDERINGS: readonly string[] = [
  ...['original_file_name', 'automated', 'rir_poll_id', 'assignees', 'labels', 'workspace', ...MAIL_ORDERINGS],
  ...['relations__key', 'relations__parent', 'relations__type'],
];

const SEARCH_PARAMETERS: readonly QueryParameter[] = [
  ...documentPaging(MAX_SEARCH_PAGE_SIZE),
  { name: 'search_after', schema: { type: 'string' }, description: 'Where the page before ended: see `next`.' },
  ...documentOrdering([...ANNOTATION_ORDERINGS, ...SEARCH_ORDERINGS, 'field.<id>.string|number|date']),
];
const { item, ...LISTED } = ANNOTATION.listed('List: annotation');

/** An address that the page goes to: no script. */
const pageUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .nullish();
/** API: annotations.md section 5. */
const embeddedBody = z.object({
  return_url: pageUrl,
  cancel_url: pageUrl,
  postpone_url: pageUrl,
  delete_url: pageUrl,
  max_token_lifetime_s: number.nullish(),
});

/** Where the page shows one document; the token stands behind the hash, which is not sent to any server. */
function embeddedUrl(root: string, id: number, key: string, ends: z.infer<typeof embeddedBody>): string {
  const hash = new URLSearchParams({ authToken: key });
  for (const name of ['return_url', 'cancel_url', 'postpone_url', 'delete_url'] as const) {
    if (ends[name]) hash.set(name, ends[name]);
  }
  return `${root.replace(/\/api\/v1$/, '')}/embedded/document/${id}#${hash}`;
}

/** A confirmation may wait for a connector and for hooks, one after the other. API: limits.md. */
const CONFIRM_MS = 180_000;

/** Annotations and their actions. API: annotations.md. */
export function annotationRoutes(context: RouteContext) {
  const { services, lookups } = context;
  const annotations = services.annotation;
  const sideload = createSideloads(context);

  const update = async (id: number, body: Patch, caller: Caller): Promise<contract.Annotation> => {
    // Of an embedded session only the metadata may be changed (API: auth.md section 8).
    if (!may(caller.roles, 'dispose') && Object.keys(body).some((key) => key !== 'metadata')) {
      throw new Refusal('PERMISSION_DENIED');
    }
    return annotations.update(
      {
        id,
        status: body.status,
        metadata: body.metadata,
        timeSpent: body.time_spent,
        trainingEnabled: body.training_enabled,
        queueId: body.queue,
        clearRirPollId: body.rir_poll_id === null,
        messages: body.messages === undefined ? undefined : { messages: (body.messages ?? []).map(toMessage) },
      },
      caller,
    );
  };

  const create = (body: z.infer<typeof createBody>, caller: Caller) =>
    annotations.createAnnotation(
      {
        documentId: body.document,
        queueId: body.queue,
        metadata: body.metadata ?? undefined,
        trainingEnabled: body.training_enabled ?? undefined,
        values: Object.fromEntries(
          Object.entries(body.values ?? {}).map(([id, value]) => [
            id.startsWith('upload:') ? id : `upload:${id}`,
            value,
          ]),
        ),
        contentJson: body.content_data ? JSON.stringify(body.content_data) : '',
      },
      caller,
    );

  const showAll = async (rows: readonly contract.Annotation[], { urls }: ApiRequest, caller: Caller) => {
    const mailOf = await readAnnotationMail(context.services, rows, caller);
    return rows.map((row) => annotationToJson(row, urls, mailOf(row.id)));
  };
  const show = async (row: contract.Annotation, request: ApiRequest, caller: Caller) =>
    replyOne(request, onlyOne(await showAll([row], request, caller)));
  const showById = async (id: number, request: ApiRequest, caller: Caller) =>
    show(await lookups.annotation(id, caller), request, caller);

  /** An action that takes nothing but the annotation and answers nothing. */
  const action = (name: 'cancel' | 'postpone' | 'delete', allow: 'review' | 'dispose') =>
    route('POST', `/annotations/:id/${name}`, {
      allow,
      doc: { summary: `${name[0]?.toUpperCase()}${name.slice(1)} an annotation` },
      body: actionBody,
      call: ({ parameters, body }, caller) =>
        annotations[name]({ id: parameters.id, processingDuration: toDuration(body.processing_duration) }, caller),
      reply: 204,
    });

  return [
    route('GET', '/annotations', {
      allow: 'readAnnotations',
      shared: (request) => !wantsCsv(request),
      doc: {
        ...LISTED,
        answer: listSchema(item),
        media: 'text/csv',
        query: [
          ...documentPaging(),
          ...ANNOTATION_PARAMETERS,
          ...SIDELOAD_PARAMETERS,
          ...FIELDS_PARAMETERS,
          ...CSV_PARAMETERS,
        ],
      },
      call: async (request, caller) => {
        const { query } = request;
        if (wantsCsv(request)) {
          if (!may(caller.roles, 'export')) throw new Refusal('PERMISSION_DENIED');
          return exportAnnotations(context, request, caller);
        }
        const page = readPage(query);
        const wanted = readSideloads(query);
        const filter = await readAnnotationFilter(query, caller, lookups);
        const { annotations: rows, total } = filter
          ? await annotations.listAnnotations({ ...filter, ...page }, caller)
          : { annotations: [], total: 0 };
        return replyList(
          request,
          page,
          total,
          await showAll(rows, request, caller),
          await sideload(rows, wanted, request, caller),
        );
      },
      reply: (answer) => answer,
    }),
    // Without a JSON body the other form of `POST /annotations/export`.
    route('POST', '/annotations', {
      allow: 'export',
      doc: ANNOTATION.one('Create an annotation in the state created', {
        answer: answers.object,
        media: 'text/csv',
        query: CSV_PARAMETERS,
      }),
      timeoutMs: TRANSFER_MS,
      body: z.unknown().meta(inputSchema(createBody)),
      ignoresBody: isExport,
      call: async (request, caller) => {
        if (isExport(request)) return exportAnnotations(context, request, caller);
        if (!may(caller.roles, 'upload')) throw new Refusal('PERMISSION_DENIED');
        return annotationToJson(await create(readShape(createBody, request.body), caller), request.urls);
      },
      reply: (answer) => answer,
    }),
    route('POST', '/annotations/search', {
      allow: 'readAnnotations',
      doc: {
        summary: 'Search annotations',
        answer: listSchema(item),
        query: [...SEARCH_PARAMETERS, ...SIDELOAD_PARAMETERS, ...FIELDS_PARAMETERS],
      },
      body: searchBody,
      call: async (request, caller) => {
        const { query, body } = request;
        const wanted = readSideloads(query);
        const size = readPage(query, wanted.keywords.includes('content') ? undefined : MAX_SEARCH_PAGE_SIZE);
        const ordering = query.ordering(isSearchOrdering);
        query.check();
        const search = { body, ordering };
        const cursor = query.get('search_after');
        const page = { ...size, page: cursor === undefined ? size.page : readCursor(cursor, search) };
        const text = body.query_string?.string ?? '';
        const { conditions, relations, isEmpty } = await resolveQuery(body.query ? readSearchQuery(body.query) : [], {
          allUsers: once(() => lookups.allUsers(caller)),
          allWorkspaces: once(() => lookups.allWorkspaces(caller)),
          findAnnotated: (which) => lookups.findAnnotated(which, caller),
        });
        const filter = contract.ListAnnotationsRequest.fromPartial({
          ...(await readPeople(text, ordering, caller, lookups)),
          ordering,
          orderValues: await readOrderValues(ordering, caller, context),
          conditionsJson: JSON.stringify([...conditions, ...(await outsideLeavingQueues(caller, lookups))]),
          relationParentIds: relations.parentIds,
          relationTypes: relations.types,
          relationKeys: relations.keys,
          ...page,
        });
        const { annotations: rows, total } = isEmpty
          ? { annotations: [], total: 0 }
          : await annotations.listAnnotations(filter, caller);
        return replyList(
          request,
          page,
          total,
          await showAll(rows, request, caller),
          await sideload(rows, wanted, request, caller),
          (number) => makeCursor(search, number),
        );
      },
      reply: (answer) => answer,
    }),
    route('GET', '/annotations/:id', {
      allow: 'readAnnotations',
      doc: ANNOTATION.retrieved('Retrieve an annotation'),
      call: (request, caller) => showById(request.parameters.id, request, caller),
      reply: (answer) => answer,
    }),
    route('PATCH', '/annotations/:id', {
      allow: 'patchAnnotation',
      doc: ANNOTATION.retrieved('Change an annotation'),
      body: patchBody,
      call: async (request, caller) => show(await update(request.parameters.id, request.body, caller), request, caller),
      reply: (answer) => answer,
    }),
    route('PUT', '/annotations/:id', {
      allow: 'dispose',
      doc: ANNOTATION.retrieved('Replace an annotation'),
      body: putBody,
      call: async (request, caller) => {
        const {
          parameters,
          body: { document, ...body },
        } = request;
        if (document !== (await lookups.annotation(parameters.id, caller)).documentId) {
          throw invalidField('document', 'The document of an annotation cannot be changed.');
        }
        return show(await update(parameters.id, body, caller), request, caller);
      },
      reply: (answer) => answer,
    }),

    route('DELETE', '/annotations/:id', {
      allow: 'purge',
      doc: { summary: 'Remove an annotation for good' },
      call: ({ parameters }, caller) => annotations.remove({ id: parameters.id }, caller),
      reply: 204,
    }),

    route('POST', '/annotations/:id/start', {
      allow: 'review',
      doc: answersObject('Start the review', { annotation: answers.uri, session_timeout: answers.string }),
      body: z.object({ statuses: z.array(z.enum(ANNOTATION_STATUSES)).nullish() }),
      call: ({ parameters, body }, caller) =>
        annotations.start({ id: parameters.id, statuses: body.statuses ?? [] }, caller),
      reply: ({ annotation, sessionTimeoutS }, { urls, parameters }) => ({
        annotation: urls.annotation(annotation?.id ?? parameters.id),
        session_timeout: formatDuration(sessionTimeoutS),
      }),
    }),
    ...(['start_embedded', 'create_embedded_url'] as const).map((name) =>
      route('POST', `/annotations/:id/${name}`, {
        allow: 'embed',
        doc: answersObject(
          name === 'start_embedded' ? 'Start the review in a page of others' : 'Show the document in a page of others',
          name === 'start_embedded' ? { url: answers.uri } : { url: answers.uri, status: answers.string },
        ),
        body: embeddedBody,
        call: async ({ parameters: { id }, body }, caller) => {
          const [annotation] = (await annotations.getAnnotations({ ids: [id] }, caller)).annotations;
          if (!annotation) throw new Refusal('NOT_FOUND');
          const maxTokenLifetimeS = body.max_token_lifetime_s ?? undefined;
          const { key } = await services.auth.issueAnnotationToken({ annotationId: id, maxTokenLifetimeS }, caller);
          if (name === 'start_embedded') await annotations.start({ id, statuses: [] }, caller);
          return { key, status: annotation.status };
        },
        reply: ({ key, status }, { parameters: { id }, body, urls }) => {
          const url = embeddedUrl(urls.root, id, key, body);
          return name === 'start_embedded' ? { url } : { url, status };
        },
      }),
    ),
    action('cancel', 'review'),
    action('postpone', 'dispose'),
    action('delete', 'dispose'),
    route('POST', '/annotations/:id/confirm', {
      allow: 'review',
      doc: { summary: 'Confirm: the review is done' },
      body: z.object({ ...durationBody, skip_workflows: boolean.nullish() }),
      timeoutMs: CONFIRM_MS,
      call: (request, caller) => {
        if (request.body.skip_workflows) {
          throw invalidField('skip_workflows', 'Bypassing workflows is not allowed on this queue.');
        }
        const idempotencyKey = readIdempotencyKey(request);
        const processingDuration = toDuration(request.body.processing_duration);
        return annotations.confirm({ id: request.parameters.id, idempotencyKey, processingDuration }, caller, {
          timeoutMs: CONFIRM_MS,
        });
      },
      reply: 204,
    }),
    route('POST', '/annotations/:id/reject', {
      allow: 'reject',
      doc: answersObject('Reject', { status: answers.string, note: answers.uriOrNull }),
      body: z.object({
        ...durationBody,
        note_content: string(4096).nullish(),
        automatically_rejected: boolean.nullish(),
      }),
      call: ({ parameters, body }, caller) =>
        annotations.reject(
          {
            id: parameters.id,
            noteContent: body.note_content ?? '',
            automaticallyRejected: body.automatically_rejected ?? false,
            processingDuration: toDuration(body.processing_duration),
          },
          caller,
        ),
      reply: ({ noteId }, { urls }) => ({
        status: 'rejected',
        note: urlOrNull(urls.note, noteId),
      }),
    }),
    route('POST', '/annotations/:id/approve', {
      allow: 'approve',
      doc: { summary: 'Approve a step of a workflow' },
      body: actionBody,
      // Workflows are out of scope: nothing is ever in one (API: annotations.md section 5).
      call: async ({ parameters }, caller) => {
        const { status } = await lookups.annotation(parameters.id, caller);
        throw new Refusal('CONFLICT_STATUS', { detail: `An annotation in status ${status} cannot be approved.` });
      },
      reply: 204,
    }),
    route('POST', '/annotations/:id/rotate', {
      allow: 'dispose',
      doc: { summary: 'Turn all pages and read them again' },
      body: z.object({ ...durationBody, rotation_deg: number }),
      call: ({ parameters, body }, caller) => {
        if (![0, 90, 180, 270].includes(body.rotation_deg)) {
          throw invalidField('rotation_deg', `"${body.rotation_deg}" is not a valid choice.`);
        }
        const processingDuration = toDuration(body.processing_duration);
        return annotations.rotate({ id: parameters.id, rotationDeg: body.rotation_deg, processingDuration }, caller);
      },
      reply: 204,
    }),
    route('POST', '/annotations/:id/copy', {
      allow: 'dispose',
      doc: answersObject('Copy to a queue', { annotation: answers.uri }, { query: documentFlags('reimport') }),
      body: z.object({ target_queue: reference('queues'), target_status: string(50).nullish() }),
      call: (request, caller) => {
        const { parameters, query, body } = request;
        const reimport = query.boolean('reimport') ?? false;
        query.check();
        return annotations.copy(
          {
            id: parameters.id,
            targetQueueId: body.target_queue,
            targetStatus: body.target_status ?? undefined,
            reimport,
            idempotencyKey: readIdempotencyKey(request),
          },
          caller,
        );
      },
      reply: ({ id }, { urls }) => ({ annotation: urls.annotation(id) }),
    }),
    route('POST', '/annotations/assign', {
      allow: 'dispose',
      doc: { summary: 'Assign users to annotations' },
      body: z.object({
        annotations: z.array(reference('annotations')).min(1),
        assignees: z.array(reference('users')),
        note_content: string(4096).nullish(),
      }),
      call: async ({ body }, caller) => {
        const known = await lookups.users(body.assignees, caller);
        const present = new Set(known.flatMap(({ id, deleted }) => (deleted ? [] : [id])));
        if (!body.assignees.every((id) => present.has(id))) throw unknownReference('assignees');
        const { annotations: found } = await annotations.getAnnotations({ ids: body.annotations }, caller);
        if (found.length !== new Set(body.annotations).size) throw unknownReference('annotations');
        for (const id of body.annotations) {
          await annotations.assign({ id, assigneeIds: body.assignees }, caller);
          if (body.note_content) {
            await annotations.createNote({ annotationId: id, content: body.note_content, metadata: undefined }, caller);
          }
        }
      },
      reply: 204,
    }),
    route('POST', '/annotations/purge_deleted', {
      allow: 'purge',
      doc: { summary: 'Purge deleted annotations', status: 202, answer: answers.object },
      body: z.object({
        annotations: z.array(reference('annotations')).nullish(),
        queue: reference('queues').nullish(),
      }),
      call: ({ body }, caller) =>
        annotations.purgeDeleted({ annotationIds: body.annotations ?? [], queueId: body.queue ?? undefined }, caller),
      reply: () => new Answer(202, {}, {}),
    }),
    route('POST', '/labels/apply', {
      allow: 'writeNotes',
      doc: { summary: 'Add and remove labels of annotations' },
      body: z.object({
        operations: z.object({
          add: z.array(reference('labels')).default([]),
          remove: z.array(reference('labels')).default([]),
        }),
        objects: z.object({ annotations: z.array(reference('annotations')).default([]) }),
      }),
      call: async ({ body: { operations, objects } }, caller) => {
        const { add, remove } = operations;
        const known = new Set((await lookups.labels([...add, ...remove], caller)).map(({ id }) => id));
        const unknown = Object.entries(operations).filter(([, ids]) => !ids.every((id) => known.has(id)));
        if (unknown.length > 0) {
          const errors = unknown.map(([operation]) => [operation, ['Invalid hyperlink - Object does not exist.']]);
          throw new Refusal('INVALID', { fields: { operations: Object.fromEntries(errors) } });
        }
        await annotations.applyLabels({ annotationIds: objects.annotations, add, remove }, caller);
      },
      reply: 204,
    }),
    route('GET', '/annotations/:id/processing_duration', {
      allow: 'readAnnotations',
      doc: DURATION.one('How long the review took'),
      call: ({ parameters }, caller) => annotations.getProcessingDuration({ annotationId: parameters.id }, caller),
      reply: (row, { parameters, urls }) => durationToJson(row, parameters.id, urls),
    }),
    route('PATCH', '/annotations/:id/processing_duration', {
      allow: 'review',
      doc: DURATION.one('Set the time of the review'),
      body: processingDuration,
      call: ({ parameters, body }, caller) =>
        annotations.updateProcessingDuration({ annotationId: parameters.id, duration: toDuration(body) }, caller),
      reply: (row, { parameters, urls }) => durationToJson(row, parameters.id, urls),
    }),
    route('GET', '/annotations/:id/history', {
      allow: 'readAnnotations',
      doc: {
        summary: 'The audit trail: every change of state and value, oldest first',
        answer: listSchema(HISTORY_SCHEMA),
        query: documentPaging(),
      },
      call: async ({ parameters, query }, caller) => {
        const page = readPage(query);
        query.check();
        return { page, ...(await annotations.getHistory({ annotationId: parameters.id, ...page }, caller)) };
      },
      reply: ({ page, entries, total }, request) =>
        replyList(
          request,
          page,
          total,
          entries.map((entry) => historyToJson(entry, request.parameters.id, request.urls)),
        ),
    }),
    route('POST', '/queues/:id/next', {
      allow: 'review',
      doc: {
        summary: 'Start the review of the next annotation',
        answer: {
          type: 'object',
          properties: { annotation: answers.uriOrNull, session_timeout: answers.string },
          required: ['annotation'],
        },
      },
      body: z.object({
        annotation_ids: z.array(integer()).nullish(),
        statuses: z.array(z.enum(ANNOTATION_STATUSES)).nullish(),
      }),
      call: async ({ parameters, body }, caller) => {
        await lookups.queue(parameters.id, caller);
        const request = {
          queueId: parameters.id,
          annotationIds: body.annotation_ids ?? [],
          statuses: body.statuses ?? [],
        };
        return annotations.startNext(request, caller);
      },
      reply: ({ annotation, sessionTimeoutS }, { urls }) =>
        annotation
          ? { annotation: urls.annotation(annotation.id), session_timeout: formatDuration(sessionTimeoutS) }
          : { annotation: null },
    }),
  ];
}

function toMessage({ id, type, content }: z.infer<typeof message>): contract.Message {
  return { id, type, content, detail: undefined };
}

/** A POST to the list that wants its CSV. */
function isExport(request: ApiRequest): boolean {
  return wantsCsv(request) && !hasJsonBody(request.http);
}

function isSearchOrdering(name: string): boolean {
  const isField = /^field\..{1,50}\.(string|number|date)$/.test(name);
  return isField || ANNOTATION_ORDERINGS.includes(name) || SEARCH_ORDERINGS.includes(name);
}

/** Asks once, however often the answer is needed. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
