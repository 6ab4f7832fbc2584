import { type Caller, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { hash, tokenOf } from '../auth';
import { created, replyList, replyOne, replyWholeList } from '../reply/list';
import { readPage } from '../request/pagination';
import { name, number, reference, string, unknownReference } from '../request/shapes';
import {
  ORGANIZATION_GROUP_ID,
  organizationGroupToJson,
  organizationToJson,
  userToJson,
} from '../resources/organization';
import { GROUPS, may } from '../roles';
import { route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

/** The collections of the root listing. API: README.md section 3. */
const ROOT = [
  'organizations',
  'workspaces',
  'schemas',
  'connectors',
  'inboxes',
  'queues',
  'documents',
  'users',
  'groups',
  'annotations',
  'pages',
];

const loginBody = z.object({
  username: name(),
  password: string().min(1),
  max_token_lifetime_s: number.refine((seconds) => seconds > 0, 'Ensure this value is greater than 0.').nullish(),
});

const userBody = z.object({
  username: name(),
  organization: reference('organizations'),
  email: string(254).default(''),
  password: string(128).default(''),
  first_name: string(255).default(''),
  last_name: string(255).default(''),
  groups: z.array(reference('groups')).default([]),
  queues: z.array(reference('queues')).default([]),
});

/** Root listing, authentication, organizations, groups and users. API: auth.md, organizations-users-groups.md. */
export function accountRoutes({ services, lookups, authenticator, domain }: RouteContext) {
  const { auth } = services;
  const isAdmin = (caller: Caller) => may(caller.roles, 'writeConfiguration');
  const listOrganizations = async (caller: Caller, ids: number[] = []) => {
    const [{ organizations }, workspaces] = await Promise.all([
      auth.listOrganizations({ ids }, caller),
      lookups.allWorkspaces(caller),
    ]);
    const workspaceIds = workspaces.map(({ id }) => id);
    return organizations.map((organization) => ({ organization, workspaceIds }));
  };

  return [
    route('GET', '/', {
      allow: 'public',
      call: async () => undefined,
      reply: (_, { urls }) => Object.fromEntries(ROOT.map((collection) => [collection, urls.at(collection)])),
    }),
    route('POST', '/auth/login', {
      allow: 'public',
      body: loginBody,
      call: ({ body }, self) =>
        auth
          .login(
            {
              username: body.username,
              password: body.password,
              maxTokenLifetimeS: body.max_token_lifetime_s ?? undefined,
            },
            self,
          )
          .catch((error) => {
            if (!(error instanceof Refusal) || error.reason !== 'INVALID_LOGIN') throw error;
            throw new Refusal('INVALID_LOGIN', { extra: { non_field_errors: [error.detail] } });
          }),
      reply: ({ key }) => ({ key, domain }),
    }),
    route('POST', '/auth/logout', {
      allow: 'ownAccount',
      call: async (request, caller) => {
        const key = tokenOf(request.header('authorization'));
        if (!key) throw new Refusal('INVALID_TOKEN');
        await auth.logout({ key }, caller);
        authenticator.forget({ tokenHash: hash(key), userId: caller.userId ?? 0 });
      },
      reply: () => ({ detail: 'Successfully logged out.' }),
    }),
    route('GET', '/auth/user', {
      allow: 'ownAccount',
      call: async (_, caller) => ({
        user: onlyOne((await auth.getUsers({ ids: [caller.userId ?? 0] }, caller)).users),
        forAdmin: isAdmin(caller),
      }),
      reply: ({ user, forAdmin }, request) => replyOne(request, userToJson(user, request.urls, forAdmin)),
    }),

    route('GET', '/organizations', {
      allow: 'readConfiguration',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const ids = query.ids('id');
        const wanted = query.get('name');
        query.check();
        const rows = await listOrganizations(caller, ids);
        return { page, rows: rows.filter(({ organization }) => wanted === undefined || organization.name === wanted) };
      },
      reply: ({ page, rows }, request) =>
        replyWholeList(
          request,
          page,
          rows.map(({ organization, workspaceIds }) => organizationToJson(organization, workspaceIds, request.urls)),
        ),
    }),
    route('GET', '/organizations/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }, caller) => onlyOne(await listOrganizations(caller, [parameters.id])),
      reply: ({ organization, workspaceIds }, request) =>
        replyOne(request, organizationToJson(organization, workspaceIds, request.urls)),
    }),

    route('GET', '/organization_groups', {
      allow: 'readConfiguration',
      call: async ({ query }) => readPage(query),
      reply: (page, request) => replyWholeList(request, page, [organizationGroupToJson(request.urls)]),
    }),
    route('GET', '/organization_groups/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }) => {
        if (parameters.id !== ORGANIZATION_GROUP_ID) throw new Refusal('NOT_FOUND');
      },
      reply: (_, request) => replyOne(request, organizationGroupToJson(request.urls)),
    }),

    route('GET', '/groups', {
      allow: 'readConfiguration',
      call: async ({ query }) => {
        const wanted = query.get('name');
        const groups = GROUPS.filter((group) => wanted === undefined || group.name === wanted);
        const [order] = query.ordering(['name']);
        const sign = order?.startsWith('-') ? -1 : 1;
        if (order) groups.sort((a, b) => sign * (a.name < b.name ? -1 : 1));
        return { page: readPage(query), groups };
      },
      reply: ({ page, groups }, request) =>
        replyWholeList(
          request,
          page,
          groups.map((group) => ({ ...group, url: request.urls.group(group.id) })),
        ),
    }),
    route('GET', '/groups/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }) => onlyOne(GROUPS.filter(({ id }) => id === parameters.id)),
      reply: (group, request) => replyOne(request, { ...group, url: request.urls.group(group.id) }),
    }),

    route('GET', '/users', {
      allow: 'readUsers',
      call: async ({ query }, caller) => {
        const page = readPage(query);
        const organizations = query.ids('organization');
        const filter = {
          ids: query.ids('id'),
          queueIds: query.ids('queue'),
          username: query.get('username'),
          isActive: query.boolean('is_active'),
          ordering: query.ordering(USER_ORDERINGS),
        };
        query.check();
        if (organizations.length > 0 && !organizations.includes(caller.organizationId ?? 0)) {
          return { page, users: [], total: 0, forAdmin: false };
        }
        const { users, total } = await auth.listUsers({ ...filter, ...page }, caller);
        return { page, users, total, forAdmin: isAdmin(caller) };
      },
      reply: ({ page, users, total, forAdmin }, request) =>
        replyList(
          request,
          page,
          total,
          users.map((user) => userToJson(user, request.urls, forAdmin)),
        ),
    }),
    route('POST', '/users', {
      allow: 'writeConfiguration',
      body: userBody,
      call: async ({ body }, caller) => {
        const { groups, queues } = body;
        if (body.organization !== caller.organizationId) throw unknownReference('organization');
        if (!groups.every((id) => GROUPS.some((group) => group.id === id))) throw unknownReference('groups');
        const known = await lookups.queues(queues, caller);
        if (!queues.every((id) => known.some((queue) => queue.id === id))) throw unknownReference('queues');
        return auth.createUser(
          {
            username: body.username,
            email: body.email,
            password: body.password,
            firstName: body.first_name,
            lastName: body.last_name,
            groupIds: groups,
            queueIds: queues,
          },
          caller,
        );
      },
      reply: (user, { urls }) => created(userToJson(user, urls, true)),
    }),
    route('GET', '/users/:id', {
      allow: 'readUsers',
      call: async ({ parameters }, caller) => ({
        user: onlyOne((await auth.getUsers({ ids: [parameters.id] }, caller)).users),
        forAdmin: isAdmin(caller),
      }),
      reply: ({ user, forAdmin }, request) => replyOne(request, userToJson(user, request.urls, forAdmin)),
    }),
  ];
}

const USER_ORDERINGS = ['id', 'username', 'first_name', 'last_name', 'email', 'last_login', 'date_joined'];
