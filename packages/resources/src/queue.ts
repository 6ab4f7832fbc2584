import { ANNOTATION_STATUSES } from '@intake/bus';
import type { annotation, queue } from '@intake/contracts';
import { systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { z } from 'zod';
import { answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { SCHEMA } from './schema';
import { boolean, duration, metadata, name, numberOf, object, reference, string } from './shapes';
import { formatDuration, formatLongDuration, formatTime } from './values';
import { WORKSPACE } from './workspace';

/** What a queue object holds beside what the queue service knows. */
export interface QueueRelations {
  readonly userIds: readonly number[];
  readonly counts: annotation.StatusCounts['counts'];
}

/** A queue as it is answered. */
export type QueueRow = queue.Queue & QueueRelations;

/** What is written of a queue: its users are kept with the users. */
export type QueueValues = queue.Queue & { userIds: number[] };

const { shown, field, link, links } = attributesOf<QueueRow, QueueValues>();

/** There is one engine, built in, without a URL: whatever a reference names is not there. */
const engine = z
  .unknown()
  .refine((value) => value === null, 'Invalid hyperlink - Object does not exist.')
  .meta({ type: 'null' });
/** Taken and answered as null; nothing of the service's object changes. */
const engineReference = () => field('id', engine, { schema: answers.uriOrNull, show: () => null, put: () => ({}) });

/** The most that the contract carries. */
const MOST_SECONDS = 2 ** 31 - 1;

/** API: workspaces-queues.md section 2. */
export const QUEUE = resourceKind<QueueRow>('Queue', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', name(), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.queue(id)),
  workspace: link('workspaceId', 'workspaces', { nullable: true, required: true }),
  connector: link('connectorId', 'connectors', { nullable: true }),
  hooks: links('hookIds', 'hooks'),
  // The older name; where both are sent, it wins.
  webhooks: field('hookIds', z.array(reference('hooks')), {
    schema: answers.uris,
    show: ({ hookIds }, urls) => hookIds.map(urls.hook),
  }),
  schema: link('schemaId', 'schemas', { required: true }),
  inbox: link('inboxId', 'inboxes', { nullable: true }),
  users: links('userIds', 'users'),
  session_timeout: field('sessionTimeoutS', duration, {
    missing: 3600,
    show: (row) => formatDuration(row.sessionTimeoutS),
    // Whole seconds; what is too long is refused where the limit is known.
    put: (seconds) => ({ sessionTimeoutS: Math.min(Math.ceil(seconds as number), MOST_SECONDS) }),
  }),
  rir_url: field('rirUrl', string(2048).nullable(), { missing: null }),
  rir_params: field('rirParams', string(2048).nullable(), { missing: null }),
  dedicated_engine: engineReference(),
  generic_engine: engineReference(),
  engine: engineReference(),
  counts: shown({ type: 'object', additionalProperties: answers.integer }, ({ counts }) =>
    Object.fromEntries(ANNOTATION_STATUSES.map((status) => [status, counts[status] ?? 0])),
  ),
  default_score_threshold: field('defaultScoreThreshold', numberOf(z.number().min(0).max(1)).meta({ type: 'number' }), {
    missing: 0.8,
  }),
  automation_enabled: field('automationEnabled', boolean, { missing: false }),
  automation_level: field('automationLevel', z.enum(['always', 'confident', 'never']), { missing: 'never' }),
  locale: field('locale', string(20), { missing: 'en_GB' }),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  use_confirmed_state: field('useConfirmedState', boolean, { missing: false }),
  document_lifetime: field('documentLifetimeS', duration.nullable(), {
    missing: null,
    show: ({ documentLifetimeS }) => (documentLifetimeS === undefined ? null : formatLongDuration(documentLifetimeS)),
  }),
  delete_after: shown(answers.timeOrNull, (row) => formatTime(row.deleteAfter)),
  status: shown(answers.string, ({ status }) => status),
  settings: field('settings', object, { show: (row) => row.settings ?? {} }),
  workflows: field('workflowsJson', z.array(object), {
    missing: [],
    show: (row) => JSON.parse(row.workflowsJson || '[]') as unknown,
    put: (workflows) => ({ workflowsJson: JSON.stringify(workflows) }),
  }),
  training_enabled: field('trainingEnabled', boolean, { missing: true }),
  archive_enabled: field('archiveEnabled', boolean, { missing: false }),
  ...modifiedAttributes<QueueRow>(),
});

/** Nothing of these objects depends on who asks. */
const ANYBODY = systemCaller('gateway');

/** A queue as everybody who may see it sees it. */
export function queueToJson(row: queue.Queue, relations: QueueRelations, urls: ApiUrls) {
  return QUEUE.toJson({ ...row, ...relations }, urls, ANYBODY);
}

/** A schema as everybody who may see it sees it. */
export function schemaToJson(row: queue.Schema, urls: ApiUrls) {
  return SCHEMA.toJson(row, urls, ANYBODY);
}

/** A workspace as everybody who may see it sees it. */
export function workspaceToJson(row: queue.Workspace, urls: ApiUrls) {
  return WORKSPACE.toJson(row, urls, ANYBODY);
}
