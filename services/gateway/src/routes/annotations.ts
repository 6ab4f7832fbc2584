import type { annotation as contract } from '@intake/contracts';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { replyList, replyOne } from '../reply/list';
import { readAnnotationFilter } from '../request/annotation-filter';
import { hasJsonBody } from '../request/body';
import { readIdempotencyKey } from '../request/idempotency';
import { readPage } from '../request/pagination';
import { boolean, metadata, number, object, reference, string } from '../request/shapes';
import { annotationToJson } from '../resources/annotation';
import { formatDuration } from '../resources/values';
import { may } from '../roles';
import { Answer, type ApiRequest, route } from '../route';
import { exportAnnotations, TRANSFER_MS, wantsCsv } from './exports';
import type { RouteContext } from './index';
import { createSideloads, readSideloads } from './sideloads';

/** Time that clients say was spent; kept by a later version. API: annotations.md section 7. */
const durationBody = { processing_duration: object.nullish() };
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

const NOT_CREATED = new Answer(
  405,
  { Allow: 'GET, HEAD, POST, OPTIONS' },
  { detail: 'Method "POST" not allowed.', code: 'method_not_allowed' },
);

/** A confirmation may wait for a connector. API: limits.md. */
const CONFIRM_MS = 90_000;

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
    if (body.queue !== undefined && body.queue !== (await lookups.annotation(id, caller)).queueId) {
      throw invalidField('queue', 'Moving an annotation to another queue is not available.');
    }
    return annotations.update(
      {
        id,
        status: body.status,
        metadata: body.metadata,
        timeSpent: body.time_spent,
        trainingEnabled: body.training_enabled,
        messages: body.messages === undefined ? undefined : { messages: (body.messages ?? []).map(toMessage) },
      },
      caller,
    );
  };

  const one = (row: contract.Annotation, request: ApiRequest) => replyOne(request, annotationToJson(row, request.urls));

  /** An action that takes nothing but the annotation and answers nothing. */
  const action = (name: 'cancel' | 'postpone' | 'delete', allow: 'review' | 'dispose') =>
    route('POST', `/annotations/:id/${name}`, {
      allow,
      body: actionBody,
      call: ({ parameters }, caller) => annotations[name]({ id: parameters.id }, caller),
      reply: 204,
    });

  return [
    route('GET', '/annotations', {
      allow: 'readAnnotations',
      call: async (request, caller) => {
        const { query } = request;
        if (wantsCsv(request)) return exportAnnotations(context, request, caller);
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
          rows.map((row) => annotationToJson(row, request.urls)),
          await sideload(rows, wanted, request, caller),
        );
      },
      reply: (answer) => answer,
    }),
    // The other form of `POST /annotations/export`; making annotations by a JSON body is not available.
    route('POST', '/annotations', {
      allow: 'export',
      timeoutMs: TRANSFER_MS,
      call: async (request, caller) =>
        wantsCsv(request) && !hasJsonBody(request.http) ? exportAnnotations(context, request, caller) : NOT_CREATED,
      reply: (answer) => answer,
    }),
    route('GET', '/annotations/:id', {
      allow: 'readAnnotations',
      call: ({ parameters }, caller) => lookups.annotation(parameters.id, caller),
      reply: one,
    }),
    route('PATCH', '/annotations/:id', {
      allow: 'patchAnnotation',
      body: patchBody,
      call: ({ parameters, body }, caller) => update(parameters.id, body, caller),
      reply: one,
    }),
    route('PUT', '/annotations/:id', {
      allow: 'dispose',
      body: putBody,
      call: async ({ parameters, body: { document, ...body } }, caller) => {
        if (document !== (await lookups.annotation(parameters.id, caller)).documentId) {
          throw invalidField('document', 'The document of an annotation cannot be changed.');
        }
        return update(parameters.id, body, caller);
      },
      reply: one,
    }),

    route('POST', '/annotations/:id/start', {
      allow: 'review',
      body: z.object({ statuses: z.array(string(50)).nullish() }),
      call: ({ parameters, body }, caller) =>
        annotations.start({ id: parameters.id, statuses: body.statuses ?? [] }, caller),
      reply: ({ annotation, sessionTimeoutS }, { urls, parameters }) => ({
        annotation: urls.annotation(annotation?.id ?? parameters.id),
        session_timeout: formatDuration(sessionTimeoutS),
      }),
    }),
    action('cancel', 'review'),
    action('postpone', 'dispose'),
    action('delete', 'dispose'),
    route('POST', '/annotations/:id/confirm', {
      allow: 'review',
      body: z.object({ ...durationBody, skip_workflows: boolean.nullish() }),
      timeoutMs: CONFIRM_MS,
      call: (request, caller) => {
        if (request.body.skip_workflows) {
          throw invalidField('skip_workflows', 'Bypassing workflows is not allowed on this queue.');
        }
        const idempotencyKey = readIdempotencyKey(request);
        return annotations.confirm({ id: request.parameters.id, idempotencyKey }, caller, { timeoutMs: CONFIRM_MS });
      },
      reply: 204,
    }),
    route('POST', '/annotations/:id/reject', {
      allow: 'reject',
      body: z.object({
        ...durationBody,
        note_content: string(4096).nullish(),
        automatically_rejected: boolean.nullish(),
      }),
      call: ({ parameters, body }, caller) => {
        if (body.note_content) throw invalidField('note_content', 'Notes are not available.');
        return annotations.reject({ id: parameters.id }, caller);
      },
      reply: (row) => ({ status: row.status, note: null }),
    }),
  ];
}

function toMessage({ id, type, content }: z.infer<typeof message>): contract.Message {
  return { id, type, content, detail: undefined };
}
