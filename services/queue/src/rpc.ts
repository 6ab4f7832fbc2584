import type { Backbone } from '@intake/bus';
import type { queue as contract } from '@intake/contracts';
import { among, inQueues } from '@intake/mongo';
import { type Caller, type Handlers, invalidField, Refusal, requireSystem } from '@intake/rpc';
import { readChange } from './change';
import {
  type Connector,
  createConnector,
  deleteConnector,
  EMPTY_CONNECTOR,
  updateConnector,
} from './connector/connector';
import type { ConnectorStore } from './connector/connector.store';
import {
  createEmailTemplate,
  deleteEmailTemplate,
  EMPTY_TEMPLATE,
  type EmailTemplate,
  TEMPLATE_TYPES,
  updateEmailTemplate,
} from './email-template/email-template';
import type { EmailTemplateStore } from './email-template/email-template.store';
import type { JsonObject } from './fields';
import { createHook, deleteHook, duplicateHook, EMPTY_HOOK, type Hook, updateHook } from './hook/hook';
import type { HookStore } from './hook/hook.store';
import { expandEvents, isEvent } from './hook/hook-events';
import { createInbox, deleteInbox, EMPTY_INBOX, type Inbox, resolveInbox, updateInbox } from './inbox/inbox';
import type { InboxStore } from './inbox/inbox.store';
import { createLabel, deleteLabel, type Label, updateLabel } from './label/label';
import type { LabelStore } from './label/label.store';
import { acceptedMimeTypes, createQueue, duplicateQueue, EMPTY_QUEUE, type Queue, updateQueue } from './queue/queue';
import type { QueueStore } from './queue/queue.store';
import { DEFAULT_SETTINGS } from './queue/queue-defaults';
import type { QueueDeletion } from './queue/queue-deletion';
import { createQueueFromTemplate } from './queue/queue-template';
import { equals } from './row.store';
import { createSchema, deleteSchema, type QueueSchema, updateSchema, validateSchema } from './schema/schema';
import type { SchemaStore } from './schema/schema.store';
import { createWorkspace, deleteWorkspace, updateWorkspace, type Workspace } from './workspace/workspace';
import type { WorkspaceStore } from './workspace/workspace.store';

/** What the rpcs stand on. */
export interface RpcDeps {
  readonly backbone: Backbone;
  readonly workspaces: WorkspaceStore;
  readonly queues: QueueStore;
  readonly schemas: SchemaStore;
  readonly inboxes: InboxStore;
  readonly connectors: ConnectorStore;
  readonly hooks: HookStore;
  readonly labels: LabelStore;
  readonly templates: EmailTemplateStore;
  readonly deletion: QueueDeletion;
  /** Domain of inbox addresses. */
  readonly mailDomain: string;
}

/** The rpcs of proto/intake/queue/v1. */
export function createRpc(deps: RpcDeps): Handlers<typeof contract.QueueServiceService> {
  const { workspaces, queues, schemas, inboxes, connectors, hooks, labels, templates, deletion } = deps;

  const withQueues = async (caller: Caller, workspace: Workspace) =>
    toWorkspace(workspace, (await queues.idsBy(caller, 'workspaceId', [workspace.id])).get(workspace.id));
  const withLinks = async (caller: Caller, schema: QueueSchema) =>
    toSchema(schema, (await queues.idsBy(caller, 'schemaId', [schema.id])).get(schema.id));
  const withNotifications = async (caller: Caller, found: readonly Inbox[]) => {
    const settings = new Map(
      (await queues.get(caller, distinct(found.map(({ queueId }) => queueId)))).map((queue) => [
        queue.id,
        queue.settings.email_notifications as JsonObject | undefined,
      ]),
    );
    return found.map((inbox) => toInbox(inbox, settings.get(inbox.queueId)));
  };
  const withConnected = async (caller: Caller, found: readonly Connector[]) => {
    const queueIds = await queues.idsBy(caller, 'connectorId', idsOf(found));
    return found.map((connector) => toConnector(connector, queueIds.get(connector.id), caller));
  };
  const withHooked = async (caller: Caller, found: readonly Hook[]) => {
    const queueIds = await queues.idsBy(caller, 'hookIds', idsOf(found));
    return found.map((hook) => toHook(hook, queueIds.get(hook.id), caller));
  };
  /** Users who do not see all queues see the extensions of their own only. */
  const seen = async (caller: Caller, field: 'connectorId' | 'hookIds') => {
    if (caller.queueIds === 'all') return {};
    const own = await queues.get(caller, caller.queueIds);
    return { _id: { $in: distinct(own.flatMap((queue) => queue[field] ?? [])) } };
  };

  return {
    async createWorkspace(request, caller) {
      return toWorkspace(await createWorkspace(caller, request, workspaces));
    },
    async listWorkspaces({ ids, name, ordering, ...page }, caller) {
      const holding = caller.queueIds === 'all' ? [] : [{ _id: { $in: await queues.listWorkspaceIds(caller) } }];
      const filter = { $and: [...holding, among('_id', ids), equals('name', name)] };
      const { rows, total } = await workspaces.list(caller, filter, ordering, page);
      const queueIds = await queues.idsBy(caller, 'workspaceId', idsOf(rows));
      return { workspaces: rows.map((one) => toWorkspace(one, queueIds.get(one.id))), total };
    },
    async updateWorkspace({ workspace, fields }, caller) {
      const change = readChange(workspace, fields, { name: '', metadata: {}, autopilot: false });
      return withQueues(caller, await updateWorkspace(caller, workspace?.id ?? 0, change, workspaces));
    },
    async deleteWorkspace({ id }, caller) {
      await deleteWorkspace(caller, id, deps);
      return {};
    },

    async createQueue({ hookIds, ...request }, caller) {
      const input = { ...dropAbsent(request), workspaceId: request.workspaceId ?? null, hookIds };
      return toQueue(await createQueue(caller, input, deps));
    },
    async getQueues({ ids }, caller) {
      const found = await queues.get(caller, ids);
      return { queues: found.map(toQueue), total: found.length };
    },
    async listQueues({ ordering, page, pageSize, settingsAsJson, ...filter }, caller) {
      const { rows, total } = await queues.list(caller, filter, ordering, { page, pageSize });
      return { queues: rows.map(settingsAsJson ? toQueueWithText : toQueue), total };
    },
    async updateQueue({ queue, fields }, caller) {
      const change = readChange(queue, fields, EMPTY_QUEUE);
      return toQueue(await updateQueue(caller, queue?.id ?? 0, change, deps));
    },
    async deleteQueue({ id, deleteAfterS }, caller) {
      await deletion.request(caller, id, deleteAfterS);
      return {};
    },
    async duplicateQueue({ id, ...options }, caller) {
      return toQueue(await duplicateQueue(caller, id, options, deps));
    },
    async createQueueFromTemplate(request, caller) {
      return toQueue(await createQueueFromTemplate(caller, request, deps));
    },

    async createSchema(request, caller) {
      return toSchema(await createSchema(caller, request, deps));
    },
    async getSchema({ id, version }, caller) {
      const found =
        version === undefined ? await schemas.find(caller, id) : await schemas.findVersion(caller, id, version);
      if (!found) throw new Refusal('NOT_FOUND');
      return withLinks(caller, found);
    },
    async listSchemas({ ids, name, ordering, ...page }, caller) {
      const { schemas: found, total } = await schemas.list(caller, { ids, name }, ordering, page);
      const queueIds = await queues.idsBy(caller, 'schemaId', idsOf(found));
      return { schemas: found.map((one) => toSchema(one, queueIds.get(one.id))), total };
    },
    async updateSchema({ schema, fields }, caller) {
      const change = readChange(schema, fields, { name: '', contentJson: '', metadata: {} });
      return withLinks(caller, await updateSchema(caller, schema?.id ?? 0, change, deps));
    },
    async deleteSchema({ id }, caller) {
      await deleteSchema(caller, id, deps);
      return {};
    },
    async validateSchema({ contentJson }) {
      return { errorsJson: JSON.stringify(validateSchema(contentJson)) };
    },

    async createInbox({ emailPrefix, ...request }, caller) {
      const input = { ...dropAbsent(request), ...(emailPrefix !== '' && { emailPrefix }) };
      const inbox = await createInbox(caller, input, deps);
      return (await withNotifications(caller, [inbox]))[0]!;
    },
    async listInboxes({ ids, name, email, emailPrefix, queueIds, emailNotifications, ordering, ...page }, caller) {
      const wanted = Object.entries(emailNotifications ?? {});
      const matching =
        wanted.length > 0
          ? await queues.idsWithSettings(
              caller,
              Object.fromEntries(wanted.map(([path, value]) => [`email_notifications.${path}`, value])),
            )
          : null;
      const filter = { ids, name, email: email?.toLowerCase(), emailPrefix, queueIds: both(queueIds, matching) };
      const { rows, total } = await inboxes.list(caller, filter, ordering, page);
      return { inboxes: await withNotifications(caller, rows), total };
    },
    async updateInbox({ inbox, fields }, caller) {
      const change = readChange(inbox, fields, EMPTY_INBOX);
      const after = await updateInbox(caller, inbox?.id ?? 0, change, deps);
      return (await withNotifications(caller, [after]))[0]!;
    },
    async deleteInbox({ id }, caller) {
      await deleteInbox(caller, id, deps);
      return {};
    },
    async resolveInbox({ email }, caller) {
      const inbox = nullsToAbsent(await resolveInbox(caller, email, deps));
      return { inbox: { ...inbox, emailNotifications: undefined }, queue: undefined };
    },

    async createConnector(request, caller) {
      const authorizationType = request.authorizationType || undefined;
      const input = { ...EMPTY_CONNECTOR, ...dropAbsent({ ...request, authorizationType }) };
      return (await withConnected(caller, [await createConnector(caller, input, deps)]))[0]!;
    },
    async listConnectors({ ids, name, serviceUrl, ordering, ...page }, caller) {
      const filter = {
        $and: [
          await seen(caller, 'connectorId'),
          among('_id', ids),
          equals('name', name),
          equals('serviceUrl', serviceUrl),
        ],
      };
      const { connectors: found, total } = await connectors.list(caller, filter, ordering, page);
      return { connectors: await withConnected(caller, found), total };
    },
    async updateConnector({ connector, fields }, caller) {
      const change = readChange(connector, fields, EMPTY_CONNECTOR);
      const after = await updateConnector(caller, connector?.id ?? 0, change, deps);
      return (await withConnected(caller, [after]))[0]!;
    },
    async deleteConnector({ id }, caller) {
      await deleteConnector(caller, id, deps);
      return {};
    },

    async createHook(request, caller) {
      const { type, extensionSource } = request;
      const texts = { type: type || undefined, extensionSource: extensionSource || undefined };
      const input = { ...EMPTY_HOOK, ...dropAbsent({ ...request, ...texts }) };
      return (await withHooked(caller, [await createHook(caller, input, deps)]))[0]!;
    },
    async listHooks({ ids, name, ordering, page, pageSize, types, queueIds, events, ...request }, caller) {
      const unknown = events.find((name) => !isEvent(name));
      if (unknown !== undefined) {
        throw invalidField('events', `Select a valid choice. ${unknown} is not one of the available choices.`);
      }
      const own =
        queueIds.length > 0 ? distinct((await queues.get(caller, queueIds)).flatMap((one) => one.hookIds)) : null;
      // Each document asks for the hooks of its queue, and most queues have none.
      if (own?.length === 0) return { hooks: [], total: 0 };
      const filter = {
        $and: [
          await seen(caller, 'hookIds'),
          own ? { _id: { $in: own } } : {},
          among('_id', ids),
          among('type', types),
          among('events', expandEvents(events)),
          equals('name', name),
          equals('active', request.active),
          equals('config.url', request.configUrl),
          equals('config.app.url', request.configAppUrl),
          equals('extensionSource', request.extensionSource),
        ],
      };
      const { hooks: found, total } = await hooks.list(caller, filter, ordering, { page, pageSize });
      return { hooks: await withHooked(caller, found), total };
    },
    async listScheduledHooks(_request, caller) {
      requireSystem(caller);
      const found = await hooks.findScheduled();
      return { hooks: found.map((hook) => toHook(hook, [], caller)), total: found.length };
    },
    async updateHook({ hook, fields, replacesConfig }, caller) {
      const change = readChange(hook, fields, EMPTY_HOOK);
      const changed = await updateHook(caller, hook?.id ?? 0, change, deps, { replacesConfig });
      return (await withHooked(caller, [changed]))[0]!;
    },
    async deleteHook({ id }, caller) {
      await deleteHook(caller, id, deps);
      return {};
    },
    async duplicateHook({ id, ...options }, caller) {
      return (await withHooked(caller, [await duplicateHook(caller, id, options, deps)]))[0]!;
    },

    async createLabel({ name, color }, caller) {
      return toLabel(await createLabel(caller, { name, color: color ?? null }, labels));
    },
    async listLabels({ ids, name, ordering, ...page }, caller) {
      const filter = { $and: [among('_id', ids), equals('name', name)] };
      const { rows, total } = await labels.list(caller, filter, ordering, page);
      return { labels: rows.map(toLabel), total };
    },
    async updateLabel({ label, fields }, caller) {
      const change = readChange(label, fields, { name: '', color: null });
      return toLabel(await updateLabel(caller, label?.id ?? 0, change, labels));
    },
    async deleteLabel({ id }, caller) {
      await deleteLabel(caller, id, deps);
      return {};
    },

    async createEmailTemplate(request, caller) {
      const input = { ...EMPTY_TEMPLATE, ...dropAbsent({ ...request, type: readType(request.type) }) };
      const { id: _id, organizationId: _organization, about: _about, ...written } = input;
      return toTemplate(await createEmailTemplate(caller, written, deps));
    },
    async listEmailTemplates({ ids, name, queueIds, types, ordering, ...page }, caller) {
      const filter = {
        $and: [
          inQueues(caller.queueIds),
          among('_id', ids),
          among('queueId', queueIds),
          among('type', types),
          equals('name', name),
        ],
      };
      const { rows, total } = await templates.list(caller, filter, ordering, page);
      return { templates: rows.map(toTemplate), total };
    },
    async updateEmailTemplate({ template, fields }, caller) {
      const given = template && { ...template, type: readType(template.type) };
      return toTemplate(
        await updateEmailTemplate(caller, template?.id ?? 0, readChange(given, fields, EMPTY_TEMPLATE), deps),
      );
    },
    async deleteEmailTemplate({ id }, caller) {
      await deleteEmailTemplate(caller, id, deps);
      return {};
    },
  };
}

function idsOf(objects: readonly { readonly id: number }[]): number[] {
  return objects.map(({ id }) => id);
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

/** Ids of both lists; null or an empty list of wanted ones does not narrow, an empty list of matching ones leaves nothing. */
function both(wanted: readonly number[], matching: readonly number[] | null): readonly number[] | null {
  if (matching === null) return wanted;
  const ids = wanted.length > 0 ? matching.filter((id) => wanted.includes(id)) : matching;
  return ids.length > 0 ? ids : null;
}

function dropAbsent<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

type WithoutNulls<T> = { [K in keyof T]: null extends T[K] ? Exclude<T[K], null> | undefined : T[K] };

/** Null in the domain is a field that is not there in the contract. */
function nullsToAbsent<T extends object>(object: T): WithoutNulls<T> {
  const shown = { ...object } as Record<string, unknown>;
  for (const key in shown) if (shown[key] === null) shown[key] = undefined;
  return shown as WithoutNulls<T>;
}

function toWorkspace(workspace: Workspace, queueIds: number[] = []): contract.Workspace {
  return { ...nullsToAbsent(workspace), queueIds };
}

function toQueue(queue: Queue): contract.Queue {
  return Object.assign(nullsToAbsent(queue), {
    hookIds: [...queue.hookIds],
    acceptedMimeTypes: [...acceptedMimeTypes(queue)],
    workflowsJson: queue.workflowsJson ?? '[]',
    archiveEnabled: queue.archiveEnabled ?? false,
  });
}

function toQueueWithText(queue: Queue): contract.Queue {
  return Object.assign(toQueue(queue), { settings: undefined, settingsJson: JSON.stringify(queue.settings ?? {}) });
}

function toSchema(schema: QueueSchema, queueIds: number[] = []): contract.Schema {
  return { ...nullsToAbsent(schema), queueIds };
}

function toInbox(inbox: Inbox, notifications: JsonObject = {}): contract.Inbox {
  const defaults = DEFAULT_SETTINGS.email_notifications as JsonObject;
  return { ...nullsToAbsent(inbox), emailNotifications: { ...defaults, ...notifications } };
}

/** Whether the caller reads what only admins and services may. */
function isTrusted({ kind, roles }: Caller): boolean {
  return kind === 'system' || roles.includes('admin') || roles.includes('organization_group_admin');
}

function toConnector(connector: Connector, queueIds: number[] = [], caller: Caller): contract.Connector {
  const { authorizationToken, clientSslKey, ...shown } = connector;
  return {
    ...nullsToAbsent(shown),
    queueIds,
    authorizationToken: isTrusted(caller) ? authorizationToken : undefined,
    clientSslKey: caller.kind === 'system' ? (clientSslKey ?? undefined) : undefined,
  };
}

function toHook(hook: Hook, queueIds: number[] = [], caller: Caller): contract.Hook {
  const { secrets, config, ...shown } = hook;
  return {
    ...nullsToAbsent(shown),
    queueIds,
    runAfterIds: [...hook.runAfterIds],
    events: [...hook.events],
    sideload: [...hook.sideload],
    config: shownConfig(hook, caller),
    secrets: caller.kind === 'system' ? secrets : undefined,
    secretKeys: isTrusted(caller) ? Object.keys(secrets) : [],
  };
}

/** Keys are for services only, the signing secret for admins too; a private configuration is for nobody else. */
function shownConfig({ config }: Hook, caller: Caller): JsonObject {
  if (caller.kind === 'system') return config;
  const { client_ssl_key: _key, ...shown } = config;
  if (isTrusted(caller)) return shown;
  if (config.private === true) return { private: true, insecure_ssl: config.insecure_ssl };
  return 'secret' in shown ? { ...shown, secret: null } : shown;
}

/** Empty: the default. */
function readType(type: string): EmailTemplate['type'] | undefined {
  if (type === '') return undefined;
  const known = TEMPLATE_TYPES.find((one) => one === type);
  if (!known) throw invalidField('type', `"${type}" is not a valid choice.`);
  return known;
}

function toTemplate({ about, to, cc, bcc, triggers, ...template }: EmailTemplate): contract.EmailTemplate {
  return {
    ...template,
    about: about ?? undefined,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    triggers: [...triggers],
  };
}

function toLabel(label: Label): contract.Label {
  return nullsToAbsent(label);
}
