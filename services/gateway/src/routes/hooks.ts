import { ANNOTATION_STATUSES } from '@intake/bus';
import { extension as contract } from '@intake/contracts';
import { answers, boolean, deliveryToJson, hookLogToJson, object, reference, string } from '@intake/resources';
import { invalidField, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { tokenOf } from '../auth';
import { listRoute } from '../list-route';
import { replyOne } from '../reply/list';
import { FIELDS_PARAMETERS } from '../request/fields';
import { choices, documentFilters, ids, overlap, readFilters, text, times } from '../request/filters';
import { readPageSize } from '../request/pagination';
import { parseTime, type Query } from '../request/query';
import { type QueryParameter, route } from '../route';
import type { RouteContext } from './index';

const MOST_LOGS = 100;
const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'cancelled'] as const;

/** API: hooks-and-connectors.md section 6. */
const LOG_FILTERS = {
  request_id: text,
  hook: ids,
  queue: ids,
  annotation: ids,
  email: ids,
  status_code: ids,
  search: text,
  log_level: choices('INFO', 'WARNING', 'ERROR'),
  status: choices('waiting', 'running', 'completed', 'cancelled', 'failed'),
  timestamp: times,
  start: times,
} as const;
const LOG_QUERY: readonly QueryParameter[] = [
  ...documentFilters(LOG_FILTERS),
  { name: 'page_size', schema: { type: 'integer', minimum: 1, maximum: MOST_LOGS, default: MOST_LOGS } },
  ...FIELDS_PARAMETERS,
];

/** A call that somebody waits for takes half a minute at most. */
const CALL_MS = 45_000;

/** API: hooks-and-connectors.md section 2. */
const ACTIONS = {
  annotation_status: ['changed'],
  annotation_content: ['initialize', 'started', 'user_update', 'updated', 'confirm', 'export'],
  upload: ['created'],
  email: ['received'],
  invocation: ['scheduled', 'manual'],
} as const;
const EVENTS = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

const generateBody = z
  .object({
    event: z.enum(EVENTS),
    action: string(100),
    annotation: reference('annotations').nullish(),
    status: z.enum(ANNOTATION_STATUSES).nullish(),
    previous_status: z.enum(ANNOTATION_STATUSES).nullish(),
    email: reference('emails').nullish(),
    upload: reference('uploads').nullish(),
  })
  .refine(({ event, action }) => ACTIONS[event].some((one) => one === action), {
    path: ['action'],
    error: ({ input }) => `"${(input as { action: string }).action}" is not a valid choice.`,
  });

/** Names what an event needs and was not sent. API: hooks-and-connectors.md section 1.2. */
function requireParts(body: z.infer<typeof generateBody>): void {
  const missing: string[] = [];
  if (body.event.startsWith('annotation_')) {
    if (body.annotation == null) missing.push('annotation');
    if (body.status == null) missing.push('status');
    // Of a new annotation there is none.
    if (body.previous_status === undefined) missing.push('previous_status');
  }
  if (body.event === 'upload' && body.upload == null) missing.push('upload');
  if (body.event === 'email' && body.email == null) missing.push('email');
  if (missing.length === 0) return;
  const fields = Object.fromEntries(missing.map((name) => [name, ['This field is required.']]));
  throw new Refusal('INVALID', { fields });
}

const textOrNull = string().nullable();
/** What of the configuration decides about a call that is waited for; other keys change nothing. */
const testConfig = z
  .object({
    url: string(),
    secret: textOrNull,
    insecure_ssl: boolean,
    client_ssl_certificate: textOrNull,
    client_ssl_key: textOrNull,
  })
  .partial();

const replayBody = z.object({ request_id: string(100).nullish(), failed_since: string(100).nullish() });

/** What is to be delivered again: one delivery, or all that failed since a time. */
function readReplay({ request_id: requestId, failed_since: since }: z.infer<typeof replayBody>) {
  if ((requestId == null) === (since == null)) {
    const detail = 'Give either request_id (one delivery) or failed_since (all that were not delivered since then).';
    throw new Refusal('INVALID', { detail });
  }
  if (requestId != null) return { requestId };
  const failedSince = parseTime(since ?? '');
  if (!failedSince) throw invalidField('failed_since', 'Enter a valid date/time.');
  return { failedSince };
}

/** What became of calls of hooks, and calls by hand. API: hooks-and-connectors.md sections 1.2 and 6. */
export function hookRoutes({ services }: RouteContext) {
  const { extension } = services;
  return [
    route('GET', '/hooks/logs', {
      allow: 'watchHooks',
      doc: {
        summary: 'Calls of hooks of the last seven days, newest first',
        query: LOG_QUERY,
        answer: { type: 'object', properties: { results: { type: 'array', items: answers.object } } },
      },
      call: ({ query }, caller) => extension.listHookLogs(readLogFilter(query), caller),
      reply: ({ logs }, request) => ({ results: logs.map((row) => replyOne(request, hookLogToJson(row))) }),
    }),
    listRoute('/hooks/:id/deliveries', {
      allow: 'watchHooks',
      doc: { summary: 'Notifications of a hook of the last 30 days, newest first' },
      filters: { request_id: text, status: choices(...DELIVERY_STATUSES), annotation: ids, created_at: times },
      orderings: [],
      fetch: async ({ filters, page, pageSize }, caller, { id }) => {
        const request = contract.ListDeliveriesRequest.fromPartial({
          hookId: id,
          requestId: filters.request_id,
          statuses: filters.status,
          annotationIds: filters.annotation,
          createdAfter: filters.created_at?.after,
          createdBefore: filters.created_at?.before,
          page,
          pageSize,
        });
        const { deliveries, total } = await extension.listDeliveries(request, caller);
        return { rows: deliveries, total };
      },
      toJson: deliveryToJson,
    }),
    route('POST', '/hooks/:id/replay', {
      allow: 'watchHooks',
      doc: {
        summary: 'Deliver notifications of a hook again: one, or all that were not delivered since a time',
        answer: { type: 'object', properties: { replayed: { type: 'integer' } }, required: ['replayed'] },
      },
      body: replayBody,
      call: ({ parameters, body }, caller) =>
        extension.replayDeliveries(
          { hookId: parameters.id, requestId: undefined, failedSince: undefined, ...readReplay(body) },
          caller,
        ),
      reply: ({ replayed }) => ({ replayed }),
    }),
    route('POST', '/hooks/:id/test', {
      allow: 'watchHooks',
      doc: { summary: 'Send a payload to a hook; nothing changes', answer: answers.object },
      timeoutMs: CALL_MS,
      body: z.object({ config: testConfig.nullish(), payload: object }),
      call: ({ parameters, body }, caller) =>
        extension.testHook(
          { hookId: parameters.id, config: body.config ?? undefined, payloadJson: JSON.stringify(body.payload) },
          caller,
          { timeoutMs: CALL_MS },
        ),
      reply: ({ bodyJson }) => ({ response: JSON.parse(bodyJson) as unknown }),
    }),
    route('POST', '/hooks/:id/invoke', {
      allow: 'invokeHooks',
      doc: { summary: 'Call a hook by hand (invocation.manual)', answer: answers.object },
      timeoutMs: CALL_MS,
      body: object,
      call: ({ parameters, body }, caller) =>
        extension.invokeHook({ hookId: parameters.id, bodyJson: JSON.stringify(body) }, caller, { timeoutMs: CALL_MS }),
      reply: ({ bodyJson }) => JSON.parse(bodyJson) as object,
    }),
    route('POST', '/hooks/:id/generate_payload', {
      allow: 'watchHooks',
      doc: { summary: 'The payload that a hook would be sent', answer: answers.object },
      body: generateBody,
      call: ({ parameters, body, http }, caller) => {
        requireParts(body);
        return extension.generatePayload(
          {
            hookId: parameters.id,
            event: body.event,
            action: body.action,
            annotationId: body.annotation ?? undefined,
            status: body.status ?? undefined,
            previousStatus: body.previous_status ?? undefined,
            emailId: body.email ?? undefined,
            uploadId: body.upload ?? undefined,
            token: tokenOf(http.headers.authorization) ?? '',
          },
          caller,
        );
      },
      reply: ({ bodyJson }) => JSON.parse(bodyJson) as object,
    }),
  ];
}

function readLogFilter(query: Query): contract.ListHookLogsRequest {
  const given = readFilters(LOG_FILTERS, query);
  const { after: startAfter, before: startBefore } = overlap(given.timestamp, given.start);
  return contract.ListHookLogsRequest.fromPartial({
    requestId: given.request_id,
    levels: given.log_level,
    hookIds: given.hook,
    queueIds: given.queue,
    annotationIds: given.annotation,
    emailIds: given.email,
    statuses: given.status,
    statusCodes: given.status_code,
    startAfter,
    startBefore,
    search: given.search,
    limit: readPageSize(query, MOST_LOGS, MOST_LOGS),
  });
}
