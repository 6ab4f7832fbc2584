import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import type { ConnectorStore } from '../connector/connector.store';
import { insertDefaultTemplates, insertTemplates } from '../email-template/email-template';
import type { EmailTemplateStore } from '../email-template/email-template.store';
import { findMetadataProblem, findNameProblem, type JsonObject, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import type { HookStore } from '../hook/hook.store';
import type { InboxStore } from '../inbox/inbox.store';
import type { SchemaStore } from '../schema/schema.store';
import type { WorkspaceStore } from '../workspace/workspace.store';
import type { QueueStore } from './queue.store';
import { DEFAULT_ACCEPTED_MIME_TYPES, DEFAULT_SETTINGS } from './queue-defaults';
import { findSettingsProblem, mergeSettings } from './queue-settings';

/** Where documents of one kind are imported, reviewed and exported. API: workspaces-queues.md section 2. */
export interface Queue extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly workspaceId: number | null;
  readonly schemaId: number;
  readonly inboxId: number | null;
  readonly connectorId: number | null;
  readonly hookIds: readonly number[];
  /** How long a review may rest, in seconds. */
  readonly sessionTimeoutS: number;
  /** 0..1 */
  readonly defaultScoreThreshold: number;
  readonly automationEnabled: boolean;
  /** `always`, `confident` or `never`. */
  readonly automationLevel: string;
  /** `language_REGION` or `auto`. */
  readonly locale: string;
  readonly metadata: JsonObject;
  readonly useConfirmedState: boolean;
  /** An annotation is purged that long after it was made: seconds; null: never. */
  readonly documentLifetimeS: number | null;
  readonly status: 'active' | 'deletion_requested' | 'deletion_in_progress' | 'deletion_failed';
  readonly settings: JsonObject;
  /** JSON text of a list: stored, without effect. */
  readonly workflowsJson: string;
  readonly rirUrl: string | null;
  readonly rirParams: string | null;
  readonly trainingEnabled: boolean;
  readonly archiveEnabled: boolean;
  readonly deleteAfter: Date | null;
}

/** What admins write of a queue. */
export type QueueInput = Omit<Queue, 'id' | 'organizationId' | 'status' | 'deleteAfter' | keyof Modified>;

/** What each field is when it is emptied. */
export const EMPTY_QUEUE: QueueInput = {
  name: '',
  workspaceId: null,
  schemaId: 0,
  inboxId: null,
  connectorId: null,
  hookIds: [],
  sessionTimeoutS: 3600,
  defaultScoreThreshold: 0.8,
  automationEnabled: false,
  automationLevel: 'never',
  locale: 'en_GB',
  metadata: {},
  useConfirmedState: false,
  documentLifetimeS: null,
  settings: {},
  workflowsJson: '[]',
  rirUrl: null,
  rirParams: null,
  trainingEnabled: true,
  archiveEnabled: false,
};

const LOCALE = /^(auto|[a-z]{2,3}_[A-Z]{2})$/;
const AUTOMATION_LEVELS = ['always', 'confident', 'never'];
const DAY_S = 86_400;
const MAX_SESSION_TIMEOUT_S = 100 * 3600 - 1;
/** About 274 years; later dates may not exist. */
const MAX_LIFETIME_S = 100_000 * DAY_S;

/** What queues stand on. */
export interface QueueDeps {
  readonly queues: QueueStore;
  readonly workspaces: WorkspaceStore;
  readonly schemas: SchemaStore;
  readonly inboxes: InboxStore;
  readonly connectors: ConnectorStore;
  readonly hooks: HookStore;
  readonly templates: EmailTemplateStore;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

/** The types that a queue imports: its own list, or the default set where that is empty or missing. */
export function acceptedMimeTypes(queue: Pick<Queue, 'settings'>): readonly string[] {
  const own = queue.settings.accepted_mime_types;
  return Array.isArray(own) && own.length > 0 ? own : DEFAULT_ACCEPTED_MIME_TYPES;
}

/** Refuses wrong values; holds what the queue is linked to, so that it is still there when the transaction ends. */
async function check(
  caller: Caller,
  change: Partial<QueueInput>,
  { workspaces, schemas, connectors, hooks }: QueueDeps,
  session: ClientSession,
): Promise<void> {
  const { name, workspaceId, schemaId, connectorId, hookIds, locale, automationLevel } = change;
  const { sessionTimeoutS, defaultScoreThreshold, documentLifetimeS } = change;
  const isThere = async (store: Pick<WorkspaceStore, 'hold'>, ids: readonly (number | null | undefined)[]) => {
    const wanted = ids.filter((id) => id !== null && id !== undefined);
    return (await store.hold(caller, wanted, session)) ? null : NO_SUCH_OBJECT;
  };
  refuseProblems({
    name: name === undefined ? null : findNameProblem(name),
    workspace: await isThere(workspaces, [workspaceId]),
    schema: await isThere(schemas, [schemaId]),
    connector: await isThere(connectors, [connectorId]),
    hooks: await isThere(hooks, hookIds ?? []),
    locale: locale === undefined || LOCALE.test(locale) ? null : `"${locale}" is not a valid choice.`,
    automation_level:
      automationLevel === undefined || AUTOMATION_LEVELS.includes(automationLevel)
        ? null
        : `"${automationLevel}" is not a valid choice.`,
    session_timeout: findRangeProblem(sessionTimeoutS, 1, MAX_SESSION_TIMEOUT_S),
    default_score_threshold: findRangeProblem(defaultScoreThreshold, 0, 1),
    document_lifetime: findRangeProblem(documentLifetimeS, 0, MAX_LIFETIME_S),
    metadata: findMetadataProblem(change.metadata),
    settings: change.settings ? findSettingsProblem(change.settings) : null,
  });
}

function findRangeProblem(value: number | null | undefined, min: number, max: number): string | null {
  if (value === null || value === undefined) return null;
  if (value < min) return `Ensure this value is greater than or equal to ${min}.`;
  return value > max ? `Ensure this value is less than or equal to ${max}.` : null;
}

/**
 * Makes a queue in the caller's organization, with the default settings where none are given. Caller: admin.
 * Field errors: `name`, `workspace`, `schema`, `connector`, `hooks`, `inbox`, `locale`, `metadata`, `settings` and others of the API.
 */
export async function createQueue(
  caller: Caller,
  input: Partial<QueueInput> & Pick<QueueInput, 'name' | 'schemaId'>,
  deps: QueueDeps,
): Promise<Queue> {
  requireAdmin(caller);
  const id = await deps.queues.nextId();
  const { inboxId = null, ...given } = input;
  const queue: Queue = {
    ...EMPTY_QUEUE,
    ...given,
    settings: mergeSettings(DEFAULT_SETTINGS, input.settings ?? {}),
    hookIds: sorted(input.hookIds ?? []),
    id,
    organizationId: organizationOf(caller),
    status: 'active',
    deleteAfter: null,
    ...UNMODIFIED,
  };
  await transaction(deps.backbone.database, async (session) => {
    await check(caller, queue, deps, session);
    await deps.queues.insert(queue, session);
    await insertDefaultTemplates(caller, id, deps.templates, session);
    if (inboxId) await moveInbox(caller, inboxId, queue, deps, session);
  });
  return { ...queue, inboxId };
}

/**
 * Changes a queue. Settings are merged by their first level. A change of schema counts for documents imported later.
 * Caller: admin. Field errors as those of `createQueue`; QUEUE_DELETED once its deletion was asked for.
 */
export async function updateQueue(
  caller: Caller,
  id: number,
  change: Partial<QueueInput>,
  deps: QueueDeps,
): Promise<Queue> {
  requireAdmin(caller);
  const { queues, backbone } = deps;
  return transaction(backbone.database, async (session) => {
    const before = found(await queues.find(caller, id, session));
    if (before.status !== 'active') throw new Refusal('QUEUE_DELETED');
    await check(caller, change, deps, session);
    if (change.inboxId !== undefined && change.inboxId !== before.inboxId) {
      await moveInbox(caller, change.inboxId, before, deps, session);
    }
    const after = await queues.update(
      caller,
      id,
      {
        ...change,
        ...(change.hookIds && { hookIds: sorted(change.hookIds) }),
        ...(change.settings && { settings: mergeSettings(before.settings, change.settings) }),
        ...modifiedBy(caller),
      },
      session,
    );
    return found(after);
  });
}

/** Gives a queue that has no inbox the inbox of another one. */
async function moveInbox(
  caller: Caller,
  inboxId: number | null,
  queue: Queue,
  { queues, inboxes }: QueueDeps,
  session: ClientSession,
): Promise<void> {
  const inbox = inboxId === null ? null : await inboxes.find(caller, inboxId, session);
  refuseProblems({
    inbox:
      inboxId === null
        ? 'An inbox belongs to exactly one queue: delete the inbox, or give it another queue.'
        : !inbox
          ? NO_SUCH_OBJECT
          : queue.inboxId !== null
            ? 'This queue already has an inbox.'
            : null,
  });
  if (!inbox) return;
  await queues.update(caller, inbox.queueId, { inboxId: null }, session);
  await inboxes.update(caller, inbox.id, { queueId: queue.id, ...modifiedBy(caller) }, session);
}

function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** What a copy of a queue takes over. */
export interface DuplicateOptions {
  readonly name: string;
  readonly copyExtensionsSettings: boolean;
  readonly copyEmailSettings: boolean;
  readonly copyAutomationSettings: boolean;
}

/**
 * A new queue with a copy of the schema and settings of another one; no inbox and no annotations. Caller: admin. QUEUE_DELETED once the
 * deletion of the other one was asked for.
 */
export async function duplicateQueue(
  caller: Caller,
  id: number,
  { name, copyExtensionsSettings, copyEmailSettings, copyAutomationSettings }: DuplicateOptions,
  deps: QueueDeps,
): Promise<Queue> {
  requireAdmin(caller);
  refuseProblems({ name: findNameProblem(name) });
  const { queues, schemas, templates, backbone } = deps;
  const [queueId, schemaId] = [await queues.nextId(), await schemas.nextId()];
  return transaction(backbone.database, async (session) => {
    const source = found(await queues.find(caller, id, session));
    if (source.status !== 'active') throw new Refusal('QUEUE_DELETED');
    const schema = found(await schemas.find(caller, source.schemaId, session));
    await schemas.insert({ ...schema, ...UNMODIFIED, id: schemaId, version: 1 }, session);
    const { email_notifications, automation, ...settings } = source.settings;
    const copy: Queue = {
      ...source,
      ...UNMODIFIED,
      ...(!copyExtensionsSettings && { connectorId: null, hookIds: [] }),
      ...(!copyAutomationSettings && {
        automationEnabled: EMPTY_QUEUE.automationEnabled,
        automationLevel: EMPTY_QUEUE.automationLevel,
        defaultScoreThreshold: EMPTY_QUEUE.defaultScoreThreshold,
      }),
      id: queueId,
      name,
      schemaId,
      inboxId: null,
      status: 'active',
      deleteAfter: null,
      settings: {
        ...DEFAULT_SETTINGS,
        ...settings,
        ...(copyEmailSettings && email_notifications !== undefined && { email_notifications }),
        ...(copyAutomationSettings && automation !== undefined && { automation }),
      },
    };
    await check(caller, copy, deps, session);
    await queues.insert(copy, session);
    if (copyEmailSettings) {
      const texts = await templates.findAll(caller, { queueId: id }, session);
      await insertTemplates(
        caller,
        queueId,
        texts.sort((one, other) => one.id - other.id),
        templates,
        session,
      );
    } else {
      await insertDefaultTemplates(caller, queueId, templates, session);
    }
    return copy;
  });
}
