import { queue as contract } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import { z } from 'zod';
import { created, replyList, replyOne } from '../reply/list';
import { readPage } from '../request/pagination';
import type { Query } from '../request/query';
import { boolean, metadata, name, object, reference, string, unknownReference } from '../request/shapes';
import { inboxToJson, queueToJson, schemaToJson, workspaceToJson } from '../resources/queue';
import { route } from '../route';
import type { RouteContext } from './index';
import { distinct, onlyOne } from './lookups';

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
  use_confirmed_state: boolean.optional(),
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

const QUEUE_ORDERINGS = ['id', 'name', 'workspace', 'connector', 'webhooks', 'schema', 'inbox', 'locale'];

/** Workspaces, queues, schemas and inboxes. API: workspaces-queues.md, schemas.md, inboxes.md. */
export function configurationRoutes({ services, lookups }: RouteContext) {
  const { queue: queues } = services;

  /** Filter of a list that has nothing but id, name and paging in its rpc. */
  const readSimpleList = (query: Query, orderings: readonly string[]) => ({
    ids: query.ids('id'),
    name: query.get('name'),
    ordering: query.ordering(orderings),
  });

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

  /** Narrows `ids` to those that a further filter allows; null: nothing can match. */
  const narrow = (ids: readonly number[], allowed: readonly number[]): number[] | null => {
    const both = ids.length > 0 ? ids.filter((id) => allowed.includes(id)) : [...allowed];
    return both.length > 0 ? both : null;
  };

  return [
    route('GET', '/workspaces', {
      allow: 'readConfiguration',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const filter = readSimpleList(query, ['id', 'name']);
        const organizations = query.ids('organization');
        query.check();
        if (organizations.length > 0 && !organizations.includes(caller.organizationId ?? 0)) {
          return { page, workspaces: [], total: 0 };
        }
        return { page, ...(await queues.listWorkspaces({ ...filter, ...page }, caller)) };
      },
      reply: ({ page, workspaces, total }, request) =>
        replyList(
          request,
          page,
          total,
          workspaces.map((row) => workspaceToJson(row, request.urls)),
        ),
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

    route('GET', '/queues', {
      allow: 'readConfiguration',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const users = query.ids('users');
        const filter = {
          ids: query.ids('id'),
          name: query.get('name'),
          workspaceIds: query.ids('workspace'),
          schemaIds: query.ids('schema'),
          inboxIds: query.ids('inbox'),
          locale: query.get('locale'),
          ordering: query.ordering(QUEUE_ORDERINGS),
        };
        // No queue has any of these yet, and none is being deleted.
        const never = ['connector', 'hooks', 'webhooks', 'engine', 'dedicated_engine', 'generic_engine'].some(
          (parameter) => query.ids(parameter).length > 0,
        );
        const deleting = query.boolean('deleting') === true;
        query.check();
        const ids =
          users.length > 0
            ? narrow(
                filter.ids,
                (await lookups.users(users, caller)).flatMap((user) => user.queueIds),
              )
            : filter.ids;
        if (ids === null || never || deleting) return { page, total: 0, rows: [] };
        const { queues: rows, total } = await queues.listQueues({ ...filter, ids, ...page }, caller);
        return { page, total, rows: await withRelations(rows, caller) };
      },
      reply: ({ page, rows, total }, request) =>
        replyList(
          request,
          page,
          total,
          rows.map(({ row, relations }) => queueToJson(row, relations, request.urls)),
        ),
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

    route('GET', '/schemas', {
      allow: 'readConfiguration',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const filter = readSimpleList(query, ['id', 'name']);
        const ofQueues = query.ids('queue');
        query.check();
        const ids =
          ofQueues.length > 0
            ? narrow(
                filter.ids,
                (await lookups.queues(ofQueues, caller)).map(({ schemaId }) => schemaId),
              )
            : filter.ids;
        if (ids === null) return { page, schemas: [], total: 0 };
        return { page, ...(await queues.listSchemas({ ...filter, ids, ...page }, caller)) };
      },
      reply: ({ page, schemas, total }, request) =>
        replyList(
          request,
          page,
          total,
          schemas.map((row) => schemaToJson(row, request.urls)),
        ),
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

    route('GET', '/inboxes', {
      allow: 'readConnections',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const filter = readSimpleList(query, ['id', 'name', 'email', 'email_prefix']);
        const ofQueues = query.ids('queue');
        query.check();
        const ids =
          ofQueues.length > 0
            ? narrow(filter.ids, distinct((await lookups.queues(ofQueues, caller)).map(({ inboxId }) => inboxId)))
            : filter.ids;
        if (ids === null) return { page, total: 0, rows: [] };
        const { inboxes, total } = await queues.listInboxes({ ...filter, ids, ...page }, caller);
        return { page, total, rows: await withSettings(inboxes, caller) };
      },
      reply: ({ page, rows, total }, request) =>
        replyList(
          request,
          page,
          total,
          rows.map(({ row, settings }) => inboxToJson(row, settings, request.urls)),
        ),
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
