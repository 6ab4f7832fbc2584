import { queue as contract } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import { z } from 'zod';
import { boolean, ids, listRoute, NO_ROWS, text } from '../list-route';
import { created, replyOne } from '../reply/list';
import {
  boolean as booleanField,
  metadata,
  name,
  object,
  reference,
  string,
  unknownReference,
} from '../request/shapes';
import { inboxToJson, queueToJson, schemaToJson, workspaceToJson } from '../resources/queue';
import { route } from '../route';
import type { RouteContext } from './index';
import { distinct, isOwn, onlyOne } from './lookups';

const workspaceBody = z.object({
  name: name(),
  organization: reference('organizations'),
  metadata: metadata.optional(),
});
const queueBody = z.object({
  name: name(),
  workspace: reference('workspaces'),
  schema: reference('schemas'),
  locale: string(20).optional(),
  use_confirmed_state: booleanField.optional(),
  metadata: metadata.optional(),
  settings: object.optional(),
});
const schemaBody = z.object({
  name: name(),
  content: z.array(z.unknown()),
  metadata: metadata.optional(),
});
const inboxBody = z.object({
  name: name(),
  email_prefix: name(57),
  queues: z
    .array(reference('queues'))
    .refine((queues) => queues.length === 1, 'An inbox belongs to exactly one queue.'),
});

/** Workspaces, queues, schemas and inboxes. API: workspaces-queues.md, schemas.md, inboxes.md. */
export function configurationRoutes({ services, lookups }: RouteContext) {
  const { queue: queues } = services;

  const withRelations = async (rows: readonly contract.Queue[], caller: Caller) => {
    const relations = await lookups.relationsOf(
      rows.map(({ id }) => id),
      caller,
    );
    return rows.map((row) => ({ row, relations: relations(row.id) }));
  };

  const withSettings = async (rows: readonly contract.Inbox[], caller: Caller) => {
    const known = await lookups.queues(distinct(rows.map(({ queueId }) => queueId)), caller);
    return rows.map((row) => ({ row, settings: known.find(({ id }) => id === row.queueId)?.settings }));
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

  return [
    listRoute('/workspaces', {
      allow: 'readConfiguration',
      filters: { id: ids, name: text, organization: ids },
      orderings: ['id', 'name'],
      fetch: async ({ filters, ...wanted }, caller) => {
        if (!isOwn(filters.organization, caller)) return NO_ROWS;
        const filter = { ids: filters.id, name: filters.name, ...wanted };
        const { workspaces, total } = await queues.listWorkspaces(filter, caller);
        return { rows: workspaces, total };
      },
      toJson: workspaceToJson,
    }),
    route('POST', '/workspaces', {
      allow: 'writeConfiguration',
      body: workspaceBody,
      call: ({ body }, caller) => {
        if (body.organization !== caller.organizationId) throw unknownReference('organization');
        return queues.createWorkspace({ name: body.name, metadata: body.metadata }, caller);
      },
      reply: (row, { urls }) => created(workspaceToJson(row, urls)),
    }),
    route('GET', '/workspaces/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }, caller) => onlyOne(await lookups.workspaces([parameters.id], caller)),
      reply: (row, request) => replyOne(request, workspaceToJson(row, request.urls)),
    }),

    listRoute('/queues', {
      allow: 'readConfiguration',
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
      fetch: async ({ filters, ...wanted }, caller) => {
        const { connector, hooks, webhooks, engine, dedicated_engine, generic_engine } = filters;
        // No queue has any of these yet, and none is being deleted.
        const absent = [connector, hooks, webhooks, engine, dedicated_engine, generic_engine].flat();
        const chosen = await narrow(filters.id, filters.users, async (userIds) =>
          (await lookups.users(userIds, caller)).flatMap((user) => user.queueIds),
        );
        if (chosen === null || absent.length > 0 || filters.deleting) return NO_ROWS;
        const filter = {
          ids: chosen,
          name: filters.name,
          workspaceIds: filters.workspace,
          schemaIds: filters.schema,
          inboxIds: filters.inbox,
          locale: filters.locale,
        };
        const { queues: rows, total } = await queues.listQueues({ ...filter, ...wanted }, caller);
        return { rows: await withRelations(rows, caller), total };
      },
      toJson: ({ row, relations }, urls) => queueToJson(row, relations, urls),
    }),
    route('POST', '/queues', {
      allow: 'writeConfiguration',
      body: queueBody,
      call: async ({ body }, caller) => {
        const row = await queues.createQueue(
          {
            name: body.name,
            workspaceId: body.workspace,
            schemaId: body.schema,
            locale: body.locale,
            useConfirmedState: body.use_confirmed_state,
            metadata: body.metadata,
            settings: body.settings,
          },
          caller,
        );
        return { row, relations: { userIds: [], counts: {} } };
      },
      reply: ({ row, relations }, { urls }) => created(queueToJson(row, relations, urls)),
    }),
    route('GET', '/queues/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }, caller) => {
        const [row, relations] = await Promise.all([
          lookups.queue(parameters.id, caller),
          lookups.relationsOf([parameters.id], caller),
        ]);
        return { row, relations: relations(row.id) };
      },
      reply: ({ row, relations }, request) => replyOne(request, queueToJson(row, relations, request.urls)),
    }),

    listRoute('/schemas', {
      allow: 'readConfiguration',
      filters: { id: ids, name: text, queue: ids },
      orderings: ['id', 'name'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const chosen = await narrow(filters.id, filters.queue, async (queueIds) =>
          distinct((await lookups.queues(queueIds, caller)).map(({ schemaId }) => schemaId)),
        );
        if (chosen === null) return NO_ROWS;
        const { schemas, total } = await queues.listSchemas({ ids: chosen, name: filters.name, ...wanted }, caller);
        return { rows: schemas, total };
      },
      toJson: schemaToJson,
    }),
    route('POST', '/schemas', {
      allow: 'writeConfiguration',
      body: schemaBody,
      call: ({ body }, caller) =>
        queues.createSchema(
          { name: body.name, contentJson: JSON.stringify(body.content), metadata: body.metadata },
          caller,
        ),
      reply: (row, { urls }) => created(schemaToJson(row, urls)),
    }),
    route('POST', '/schemas/from_template', {
      allow: 'writeConfiguration',
      body: z.object({ name: name(), template_name: name() }),
      call: ({ body }, caller) =>
        queues.createSchema(
          { name: body.name, contentJson: '', templateName: body.template_name, metadata: undefined },
          caller,
        ),
      reply: (row, { urls }) => created(schemaToJson(row, urls)),
    }),
    route('GET', '/schemas/:id', {
      allow: 'readConfiguration',
      call: ({ parameters }, caller) => queues.getSchema({ id: parameters.id }, caller),
      reply: (row, request) => replyOne(request, schemaToJson(row, request.urls)),
    }),

    listRoute('/inboxes', {
      allow: 'readConnections',
      filters: { id: ids, name: text, queue: ids },
      unavailable: [
        'email',
        'email_prefix',
        'bounce_email_to',
        'bounce_unprocessable_attachments',
        'bounce_postponed_annotations',
        'bounce_deleted_annotations',
      ],
      orderings: ['id', 'name', 'email', 'email_prefix'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const chosen = await narrow(filters.id, filters.queue, async (queueIds) =>
          distinct((await lookups.queues(queueIds, caller)).map(({ inboxId }) => inboxId)),
        );
        if (chosen === null) return NO_ROWS;
        const { inboxes, total } = await queues.listInboxes({ ids: chosen, name: filters.name, ...wanted }, caller);
        return { rows: await withSettings(inboxes, caller), total };
      },
      toJson: ({ row, settings }, urls) => inboxToJson(row, settings, urls),
    }),
    route('POST', '/inboxes', {
      allow: 'writeConfiguration',
      body: inboxBody,
      call: async ({ body }, caller) => {
        const [queueId] = body.queues;
        const row = await queues.createInbox(
          { name: body.name, emailPrefix: body.email_prefix, queueId: queueId! },
          caller,
        );
        return onlyOne(await withSettings([row], caller));
      },
      reply: ({ row, settings }, { urls }) => created(inboxToJson(row, settings, urls)),
    }),
    route('GET', '/inboxes/:id', {
      allow: 'readConnections',
      call: async ({ parameters }, caller) => {
        const filter = contract.ListRequest.fromPartial({ ids: [parameters.id], page: 1, pageSize: 1 });
        return onlyOne(await withSettings((await queues.listInboxes(filter, caller)).inboxes, caller));
      },
      reply: ({ row, settings }, request) => replyOne(request, inboxToJson(row, settings, request.urls)),
    }),
  ];
}
