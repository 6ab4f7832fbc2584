import { annotation, queue as contract } from '@intake/contracts';
import {
  answers,
  boolean as booleanField,
  CONNECTOR,
  HOOK,
  INBOX,
  LABEL,
  name,
  parseDuration,
  QUEUE,
  type QueueRow,
  type QueueValues,
  reference,
  SCHEMA,
  sections,
  string,
  unknownReference,
  WORKSPACE,
  WRONG_DURATION,
} from '@intake/resources';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import type { Collection } from '@intake/urls';
import { z } from 'zod';
import { NO_ROWS } from '../list-route';
import { created } from '../reply/list';
import { boolean, choices, ids, text, texts } from '../request/filters';
import type { Query } from '../request/query';
import { resourceRoutes } from '../resource/resource';
import { route } from '../route';
import type { RouteContext } from './index';
import { distinct, isOwn, onlyOne } from './lookups';

/** A day: how long a queue whose deletion was asked for can be seen waiting for it, unless the request says otherwise. */
const DELETE_AFTER_S = 86_400;
/** Organization group admins cannot lend their rights to a hook. API: auth.md section 8. */
const GROUP_ADMIN_ID = 6;

/** A reference that one page of the public documentation calls an id: both are taken. */
function urlOrId(collection: Collection) {
  const isId = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  const url = reference(collection);
  return z
    .preprocess((value) => (isId(value) ? `/v1/${collection}/${value}` : value), url)
    .meta({ type: ['string', 'integer'] });
}

const templateBody = z.object({ name: name(), template_name: string() });
const queueTemplateBody = templateBody.extend({
  workspace: urlOrId('workspaces'),
  include_documents: booleanField.optional(),
});
const duplicateQueueBody = z.object({
  name: name(),
  copy_extensions_settings: booleanField.default(true),
  copy_email_settings: booleanField.default(true),
  copy_delete_recommendations: booleanField.default(true),
  copy_automation_settings: booleanField.default(true),
  copy_permissions: booleanField.default(true),
  copy_rules_and_actions: booleanField.default(true),
});
const duplicateHookBody = z.object({
  name: name(),
  copy_secrets: booleanField.default(false),
  copy_dependencies: booleanField.default(false),
});

/** What configures an organization. API: workspaces-queues.md, schemas.md, inboxes.md, hooks-and-connectors.md, related-objects.md. */
export function configurationRoutes({ services, lookups }: RouteContext) {
  const { queue: queues, auth: accounts, annotation: annotations } = services;

  const withRelations = async (rows: readonly contract.Queue[], caller: Caller): Promise<QueueRow[]> => {
    const relations = await lookups.relationsOf(
      rows.map(({ id }) => id),
      caller,
    );
    return rows.map((row) => ({ ...row, ...relations(row.id) }));
  };
  const withRelation = async (row: contract.Queue, caller: Caller) => onlyOne(await withRelations([row], caller));

  /** The users of a queue are kept with the users: they are assigned when the queue is written. */
  const assignUsers = async (queueId: number, { userIds }: Partial<QueueValues>, caller: Caller) => {
    if (userIds) await accounts.assignUsers({ queueId, userIds }, caller);
  };
  /** Before anything is written: an unknown user is a field error. */
  const checkUsers = async (userIds: readonly number[] | undefined, caller: Caller) => {
    const wanted = distinct(userIds ?? []);
    const users = await lookups.users(wanted, caller);
    if (users.filter(({ deleted }) => !deleted).length < wanted.length) throw unknownReference('users');
  };
  const checkOwn = (organizationId: number | undefined, caller: Caller) => {
    if (organizationId !== undefined && organizationId !== caller.organizationId)
      throw unknownReference('organization');
  };
  const checkTokenOwner = async (userId: number | undefined, caller: Caller) => {
    if (userId === undefined) return;
    const [user] = await lookups.users([userId], caller);
    if (!user || user.deleted) throw unknownReference('token_owner');
    if (user.groupIds.includes(GROUP_ADMIN_ID)) {
      throw invalidField('token_owner', 'An organization group admin cannot own the token of a hook.');
    }
  };

  /** Narrows ids to those that a further filter found; null: nothing can match. No filter, no narrowing. */
  const narrow = async (
    wanted: readonly number[],
    filter: readonly number[],
    find: (filter: readonly number[]) => Promise<readonly number[]>,
  ): Promise<number[] | null> => {
    if (filter.length === 0) return [...wanted];
    const found = await find(filter);
    const both = wanted.length > 0 ? found.filter((id) => wanted.includes(id)) : [...found];
    return both.length > 0 ? both : null;
  };

  const workspaces = resourceRoutes('/workspaces', {
    kind: WORKSPACE,
    read: 'readConfiguration',
    write: 'writeConfiguration',
    filters: { id: ids, name: text, organization: ids },
    orderings: ['id', 'name'],
    list: async ({ filters, ...wanted }, caller) => {
      if (!isOwn(filters.organization, caller)) return NO_ROWS;
      const filter = { ids: filters.id, name: filters.name, ...wanted };
      const { workspaces: rows, total } = await queues.listWorkspaces(filter, caller);
      return { rows, total };
    },
    get: async (id, caller) => onlyOne(await lookups.workspaces([id], caller)),
    create: (values: contract.Workspace, caller) => {
      checkOwn(values.organizationId, caller);
      return queues.createWorkspace(toMessage(contract.CreateWorkspaceRequest, values), caller);
    },
    update: (id, values, fields, caller) =>
      queues.updateWorkspace({ workspace: toMessage(contract.Workspace, { ...values, id }), fields }, caller),
    remove: (id, caller) => queues.deleteWorkspace({ id }, caller),
  });

  const queueRoutes = resourceRoutes('/queues', {
    kind: QUEUE,
    read: 'readConfiguration',
    write: 'writeConfiguration',
    filters: {
      id: ids,
      name: text,
      workspace: ids,
      schema: ids,
      inbox: ids,
      users: ids,
      locale: text,
      connector: ids,
      hooks: ids,
      webhooks: ids,
      engine: ids,
      dedicated_engine: ids,
      generic_engine: ids,
      deleting: boolean,
    },
    orderings: ['id', 'name', 'workspace', 'connector', 'webhooks', 'schema', 'inbox', 'locale'],
    list: async ({ filters, ...wanted }, caller) => {
      // There is one engine, built in: no queue refers to another one.
      const engines = [filters.engine, filters.dedicated_engine, filters.generic_engine].flat();
      const chosen = await narrow(filters.id, filters.users, async (userIds) =>
        (await lookups.users(userIds, caller)).flatMap((user) => user.queueIds),
      );
      if (chosen === null || engines.length > 0) return NO_ROWS;
      const filter = contract.ListQueuesRequest.fromPartial({
        ids: chosen,
        name: filters.name,
        workspaceIds: filters.workspace,
        schemaIds: filters.schema,
        inboxIds: filters.inbox,
        connectorIds: filters.connector,
        hookIds: [...filters.hooks, ...filters.webhooks],
        locale: filters.locale,
        deleting: filters.deleting ?? false,
        settingsAsJson: true,
        ...wanted,
      });
      const { queues: rows, total } = await queues.listQueues(filter, caller);
      return { rows: await withRelations(rows.map(readSettings), caller), total };
    },
    get: async (id, caller) => withRelation(await lookups.queue(id, caller), caller),
    create: async (values: QueueValues, caller) => {
      await checkUsers(values.userIds, caller);
      const row = await queues.createQueue(toMessage(contract.CreateQueueRequest, values), caller);
      await assignUsers(row.id, values, caller);
      return withRelation(row, caller);
    },
    update: async (id, values, fields, caller) => {
      await checkUsers(values.userIds, caller);
      const own = fields.filter((field) => field !== 'userIds');
      const row = await queues.updateQueue(
        { queue: toMessage(contract.Queue, { ...values, id }), fields: own },
        caller,
      );
      await assignUsers(id, values, caller);
      return withRelation(row, caller);
    },
    remove: async (id, caller, query) => {
      await queues.deleteQueue({ id, deleteAfterS: readDelay(query) }, caller);
      lookups.leavingQueues.forget();
    },
    removeQuery: [
      {
        name: 'delete_after',
        schema: { type: 'string', default: '24:00:00' },
        description: 'How long the deletion waits, [DD] [HH:[MM:]]ss; 0: it begins at once.',
      },
    ],
  });

  const schemas = resourceRoutes('/schemas', {
    kind: SCHEMA,
    read: 'readConfiguration',
    write: 'writeConfiguration',
    filters: { id: ids, name: text, queue: ids },
    orderings: ['id', 'name'],
    list: async ({ filters, ...wanted }, caller) => {
      const chosen = await narrow(filters.id, filters.queue, async (queueIds) =>
        distinct((await lookups.queues(queueIds, caller)).map(({ schemaId }) => schemaId)),
      );
      if (chosen === null) return NO_ROWS;
      const { schemas: rows, total } = await queues.listSchemas({ ids: chosen, name: filters.name, ...wanted }, caller);
      return { rows, total };
    },
    get: (id, caller) => queues.getSchema({ id }, caller),
    create: (values: contract.Schema, caller) =>
      queues.createSchema(toMessage(contract.CreateSchemaRequest, values), caller),
    update: (id, values, fields, caller) =>
      queues.updateSchema({ schema: toMessage(contract.Schema, { ...values, id }), fields }, caller),
    remove: async (id, caller) => {
      const using = annotation.ListAnnotationsRequest.fromPartial({ schemaIds: [id], page: 1, pageSize: 1 });
      if ((await annotations.listAnnotations(using, caller)).total > 0) {
        throw new Refusal('CONFLICT', { detail: 'The schema is used by annotations.' });
      }
      return queues.deleteSchema({ id }, caller);
    },
  });

  const inboxes = resourceRoutes('/inboxes', {
    kind: INBOX,
    read: 'readConnections',
    write: 'writeConfiguration',
    filters: {
      id: ids,
      name: text,
      queue: ids,
      email: text,
      email_prefix: text,
      bounce_email_to: text,
      bounce_unprocessable_attachments: boolean,
      bounce_postponed_annotations: boolean,
      bounce_deleted_annotations: boolean,
    },
    orderings: ['id', 'name', 'email', 'email_prefix', 'bounce_email_to'],
    list: async ({ filters, ...wanted }, caller) => {
      const notifications = {
        'recipient.email': filters.bounce_email_to,
        unprocessable_attachments: filters.bounce_unprocessable_attachments,
        postponed_annotations: filters.bounce_postponed_annotations,
        deleted_annotations: filters.bounce_deleted_annotations,
      };
      const given = Object.entries(notifications).filter(([, value]) => value !== undefined);
      const filter = contract.ListInboxesRequest.fromPartial({
        ids: filters.id,
        name: filters.name,
        queueIds: filters.queue,
        email: filters.email,
        emailPrefix: filters.email_prefix,
        emailNotifications: Object.fromEntries(given),
        ...wanted,
      });
      const { inboxes: rows, total } = await queues.listInboxes(filter, caller);
      return { rows, total };
    },
    get: async (id, caller) => {
      const filter = contract.ListInboxesRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
      return onlyOne((await queues.listInboxes(filter, caller)).inboxes);
    },
    create: (values: contract.Inbox, caller) =>
      queues.createInbox(toMessage(contract.CreateInboxRequest, values), caller),
    update: (id, values, fields, caller) =>
      queues.updateInbox({ inbox: toMessage(contract.Inbox, { ...values, id }), fields }, caller),
    remove: (id, caller) => queues.deleteInbox({ id }, caller),
  });

  const connectors = resourceRoutes('/connectors', {
    kind: CONNECTOR,
    read: 'readConnections',
    write: 'writeConfiguration',
    filters: { id: ids, name: text, service_url: text },
    orderings: ['id', 'name', 'service_url'],
    list: async ({ filters, ...wanted }, caller) => {
      const filter = { ids: filters.id, name: filters.name, serviceUrl: filters.service_url, ...wanted };
      const { connectors: rows, total } = await queues.listConnectors(filter, caller);
      return { rows, total };
    },
    get: async (id, caller) => {
      const filter = contract.ListConnectorsRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
      return onlyOne((await queues.listConnectors(filter, caller)).connectors);
    },
    create: (values: contract.Connector, caller) =>
      queues.createConnector(toMessage(contract.Connector, values), caller),
    update: (id, values, fields, caller) =>
      queues.updateConnector({ connector: toMessage(contract.Connector, { ...values, id }), fields }, caller),
    remove: (id, caller) => queues.deleteConnector({ id }, caller),
  });

  const getHook = async (id: number, caller: Caller) => {
    const filter = contract.ListHooksRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
    return onlyOne((await queues.listHooks(filter, caller)).hooks);
  };
  /** Older clients know hooks as webhooks: the same objects, at another path. */
  const hooksAt = (path: '/hooks' | '/webhooks') =>
    resourceRoutes(path, {
      kind: HOOK,
      read: 'readConnections',
      write: 'writeConfiguration',
      filters: {
        id: ids,
        name: text,
        type: choices('webhook', 'function', 'job'),
        queue: ids,
        active: boolean,
        config_url: text,
        config_app_url: text,
        extension_source: choices('custom', 'rossum_store'),
        events: texts,
      },
      orderings: ['id', 'name', 'type', 'active', 'config_url', 'config_app_url', 'events'],
      list: async ({ filters, ...wanted }, caller) => {
        // There are two: who names both means any.
        const [source, otherSource] = new Set(filters.extension_source);
        const filter = contract.ListHooksRequest.fromPartial({
          ids: filters.id,
          name: filters.name,
          types: path === '/webhooks' ? ['webhook'] : filters.type,
          queueIds: filters.queue,
          active: filters.active,
          configUrl: filters.config_url,
          configAppUrl: filters.config_app_url,
          extensionSource: otherSource ? undefined : source,
          events: filters.events,
          ...wanted,
        });
        const { hooks: rows, total } = await queues.listHooks(filter, caller);
        return { rows, total };
      },
      get: getHook,
      create: async (values: contract.Hook & { replacesConfig?: true }, caller) => {
        await checkTokenOwner(values.tokenOwnerId, caller);
        return queues.createHook(toMessage(contract.Hook, values), caller);
      },
      update: async (id, { replacesConfig, ...values }, fields, caller) => {
        await checkTokenOwner(values.tokenOwnerId, caller);
        return queues.updateHook({ hook: toMessage(contract.Hook, { ...values, id }), fields, replacesConfig }, caller);
      },
      replaced: (values) => ({ ...values, replacesConfig: true as const }),
      remove: (id, caller) => queues.deleteHook({ id }, caller),
    });

  const labels = resourceRoutes('/labels', {
    kind: LABEL,
    read: 'readTemplates',
    write: 'writeConfiguration',
    filters: { id: ids, name: text },
    orderings: ['id', 'name'],
    list: async ({ filters, ...wanted }, caller) => {
      const filter = { ids: filters.id, name: filters.name, ...wanted };
      const { labels: rows, total } = await queues.listLabels(filter, caller);
      return { rows, total };
    },
    get: async (id, caller) => {
      const filter = contract.ListRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
      return onlyOne((await queues.listLabels(filter, caller)).labels);
    },
    create: (values: contract.Label, caller) => {
      checkOwn(values.organizationId, caller);
      return queues.createLabel(toMessage(contract.Label, values), caller);
    },
    update: (id, values, fields, caller) =>
      queues.updateLabel({ label: toMessage(contract.Label, { ...values, id }), fields }, caller),
    remove: (id, caller) => queues.deleteLabel({ id }, caller),
  });

  const answerOf = (kind: { readonly name: string }) => ({ $ref: `#/components/schemas/${kind.name}` });
  return [
    ...workspaces,
    route('POST', '/queues/from_template', {
      allow: 'writeConfiguration',
      doc: { summary: 'Create a queue with schema and inbox from a template', status: 201, answer: answerOf(QUEUE) },
      body: queueTemplateBody,
      call: async ({ body }, caller) => {
        const request = { name: body.name, templateName: body.template_name, workspaceId: body.workspace };
        return { row: await withRelation(await queues.createQueueFromTemplate(request, caller), caller), caller };
      },
      reply: ({ row, caller }, { urls }) => created(QUEUE.toJson(row, urls, caller)),
    }),
    ...queueRoutes,
    route('POST', '/queues/:id/duplicate', {
      allow: 'writeConfiguration',
      doc: { summary: 'Copy a queue with its schema', status: 201, answer: answerOf(QUEUE) },
      body: duplicateQueueBody,
      call: async ({ parameters: { id }, body }, caller) => {
        const row = await queues.duplicateQueue(
          {
            id,
            name: body.name,
            copyExtensionsSettings: body.copy_extensions_settings,
            copyEmailSettings: body.copy_email_settings,
            copyAutomationSettings: body.copy_automation_settings,
          },
          caller,
        );
        if (body.copy_permissions) {
          const users = await lookups.usersOfQueues([id], caller);
          await assignUsers(row.id, { userIds: users.map((user) => user.id) }, caller);
        }
        return { row: await withRelation(row, caller), caller };
      },
      reply: ({ row, caller }, { urls }) => created(QUEUE.toJson(row, urls, caller)),
    }),
    route('POST', '/schemas/validate', {
      allow: 'readConfiguration',
      doc: { summary: 'Check the content of a schema; the answer is {} or its errors', answer: answers.object },
      body: z.object({ content: sections.optional() }),
      call: async ({ body }, caller) => {
        if (body.content === undefined) return { content: ['This field is required.'] };
        const { errorsJson } = await queues.validateSchema({ contentJson: JSON.stringify(body.content) }, caller);
        return (JSON.parse(errorsJson) as object | null) ?? {};
      },
      reply: (errors) => errors,
    }),
    route('POST', '/schemas/from_template', {
      allow: 'writeConfiguration',
      doc: { summary: 'Create a schema from a template', status: 201, answer: answerOf(SCHEMA) },
      body: templateBody,
      call: async ({ body }, caller) => {
        const request = { name: body.name, contentJson: '', templateName: body.template_name, metadata: undefined };
        return { row: await queues.createSchema(request, caller), caller };
      },
      reply: ({ row, caller }, { urls }) => created(SCHEMA.toJson(row, urls, caller)),
    }),
    ...schemas,
    ...inboxes,
    ...connectors,
    // Store templates are not part of the service: there is nothing at this path.
    route('POST', '/hooks/create', {
      allow: 'writeConfiguration',
      doc: { summary: 'Not available' },
      call: async () => {
        throw new Refusal('NOT_FOUND');
      },
      reply: 204,
    }),
    ...hooksAt('/hooks'),
    ...hooksAt('/webhooks'),
    route('GET', '/hooks/:id/secrets_keys', {
      allow: 'writeConfiguration',
      doc: { summary: 'Names of the secrets of a hook', answer: { type: 'array', items: answers.string } },
      call: ({ parameters }, caller) => getHook(parameters.id, caller),
      reply: ({ secretKeys }) => secretKeys,
    }),
    route('POST', '/hooks/:id/duplicate', {
      allow: 'writeConfiguration',
      doc: { summary: 'Copy a hook; the copy is inactive and has no queues', status: 201, answer: answerOf(HOOK) },
      body: duplicateHookBody,
      call: async ({ parameters, body }, caller) => {
        const options = { name: body.name, copySecrets: body.copy_secrets, copyDependencies: body.copy_dependencies };
        return { row: await queues.duplicateHook({ id: parameters.id, ...options }, caller), caller };
      },
      reply: ({ row, caller }, { urls }) => created(HOOK.toJson(row, urls, caller)),
    }),
    ...labels,
  ];
}

/** A message with the fields that it has of these. */
function toMessage<T>(type: { fromPartial(values: never): T }, values: object): T {
  return type.fromPartial(values as never);
}

function readSettings(row: contract.Queue): contract.Queue {
  return row.settingsJson === undefined ? row : { ...row, settings: JSON.parse(row.settingsJson) };
}

function readDelay(query: Query): number {
  const given = query.get('delete_after');
  if (given === undefined) return DELETE_AFTER_S;
  const seconds = parseDuration(given);
  if (seconds === null) throw invalidField('delete_after', WRONG_DURATION);
  return seconds;
}
