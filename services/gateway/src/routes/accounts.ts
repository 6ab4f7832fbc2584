import { type Caller, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { hash, tokenOf } from '../auth';
import { boolean, cutPage, ids, listRoute, NO_ROWS, text } from '../list-route';
import { created, replyOne } from '../reply/list';
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
import { isOwn, onlyOne } from './lookups';

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

    listRoute('/organizations', {
      allow: 'readConfiguration',
      filters: { id: ids, name: text },
      orderings: ['id', 'name'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const all = await listOrganizations(caller, filters.id);
        const found = all.filter(({ organization }) => (filters.name ?? organization.name) === organization.name);
        return cutPage(found, wanted);
      },
      toJson: ({ organization, workspaceIds }, urls) => organizationToJson(organization, workspaceIds, urls),
    }),
    route('GET', '/organizations/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }, caller) => onlyOne(await listOrganizations(caller, [parameters.id])),
      reply: ({ organization, workspaceIds }, request) =>
        replyOne(request, organizationToJson(organization, workspaceIds, request.urls)),
    }),

    listRoute('/organization_groups', {
      allow: 'readConfiguration',
      filters: {},
      orderings: [],
      fetch: async (wanted) => cutPage([ORGANIZATION_GROUP_ID], wanted),
      toJson: (_, urls) => organizationGroupToJson(urls),
    }),
    route('GET', '/organization_groups/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }) => {
        if (parameters.id !== ORGANIZATION_GROUP_ID) throw new Refusal('NOT_FOUND');
      },
      reply: (_, request) => replyOne(request, organizationGroupToJson(request.urls)),
    }),

    listRoute('/groups', {
      allow: 'readConfiguration',
      filters: { name: text },
      orderings: ['name'],
      fetch: async ({ filters, ordering, ...wanted }) => {
        const found = GROUPS.filter(({ name }) => (filters.name ?? name) === name);
        const sign = ordering[0]?.startsWith('-') ? -1 : 1;
        if (ordering.length > 0) found.sort((one, other) => sign * (one.name < other.name ? -1 : 1));
        return cutPage(found, wanted);
      },
      toJson: (group, urls) => ({ ...group, url: urls.group(group.id) }),
    }),
    route('GET', '/groups/:id', {
      allow: 'readConfiguration',
      call: async ({ parameters }) => onlyOne(GROUPS.filter(({ id }) => id === parameters.id)),
      reply: (group, request) => replyOne(request, { ...group, url: request.urls.group(group.id) }),
    }),

    listRoute('/users', {
      allow: 'readUsers',
      filters: { id: ids, organization: ids, queue: ids, username: text, is_active: boolean, deleted: boolean },
      unavailable: ['first_name', 'last_name', 'email', 'groups', 'last_login_before', 'last_login_after'],
      orderings: ['id', 'username', 'first_name', 'last_name', 'email', 'last_login', 'date_joined'],
      fetch: async ({ filters, ordering, page, pageSize }, caller) => {
        if (!isOwn(filters.organization, caller) || filters.deleted) return NO_ROWS;
        const { users, total } = await auth.listUsers(
          {
            ids: filters.id,
            queueIds: filters.queue,
            username: filters.username,
            isActive: filters.is_active,
            ordering,
            page,
            pageSize,
          },
          caller,
        );
        return { rows: users, total };
      },
      toJson: (user, urls, caller) => userToJson(user, urls, isAdmin(caller)),
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
