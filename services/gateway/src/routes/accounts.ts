import type { auth as contract, mailIngest } from '@intake/contracts';
import {
  answers,
  boolean as booleanField,
  formatTime,
  metadata,
  name,
  number,
  ORGANIZATION_GROUP_ID,
  ORGANIZATION_GROUP_NAME,
  object,
  objectSchema,
  organizationGroupToJson,
  organizationToJson,
  reference,
  string,
  type UserView,
  unknownReference,
  userToJson,
} from '@intake/resources';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { z } from 'zod';
import { keyOf, tokenOf } from '../auth';
import { cutPage, listRoute, NO_ROWS } from '../list-route';
import { answersObject, DETAIL } from '../openapi/named-schema';
import { GROUP, ORGANIZATION, ORGANIZATION_GROUP, USER } from '../openapi/objects';
import { created, replyOne } from '../reply/list';
import { endSession, isHttps, startSession } from '../request/cookies';
import { boolean, ids, text, times } from '../request/filters';
import { GROUPS, may, viewOfUser } from '../roles';
import { Answer, route } from '../route';
import type { RouteContext } from './index';
import { distinct, isOwn, onlyOne } from './lookups';

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

const lifetime = number.refine((seconds) => seconds > 0, 'Ensure this value is greater than 0.').nullish();

const loginBody = z.object({
  username: name(),
  password: string().min(1),
  max_token_lifetime_s: lifetime,
});

const exchangeBody = z.object({ scope: string(50).nullish(), max_token_lifetime_s: lifetime });

const password = string(128);
/** What users change of themselves, too. */
const ownFields = {
  first_name: string(255),
  last_name: string(255),
  phone_number: string(255).nullable(),
  ui_settings: object,
  metadata,
};
const userFields = {
  ...ownFields,
  username: name(),
  groups: z.array(reference('groups')),
  queues: z.array(reference('queues')),
  is_active: booleanField,
  oidc_id: string(255).nullable(),
  auth_type: z.enum(['password', 'sso']),
};
const userPatch = z.object({ ...userFields, password }).partial();
/** PUT: what is missing returns to its default, except settings and metadata, which are kept. */
const withDefaults = {
  first_name: ownFields.first_name.default(''),
  last_name: ownFields.last_name.default(''),
  phone_number: ownFields.phone_number.default(null),
  ui_settings: object.optional(),
  metadata: metadata.optional(),
};
const ownPut = z.object(withDefaults);
const userPut = z.object({
  ...userFields,
  ...withDefaults,
  organization: reference('organizations'),
  groups: userFields.groups.default([]),
  queues: userFields.queues.default([]),
  is_active: booleanField.default(true),
  oidc_id: userFields.oidc_id.default(null),
  auth_type: userFields.auth_type.default('password'),
  password: password.optional(),
});
const userBody = z.object({ ...userPut.shape, email: string(254).default(''), password: password.default('') });

const organizationFields = { name: name(), ui_settings: object, metadata, settings: object, sandbox: booleanField };
const organizationPatch = z.object(organizationFields).partial();
const organizationPut = z.object({
  name: name(),
  ui_settings: object.optional(),
  metadata: metadata.optional(),
  settings: object.optional(),
  sandbox: booleanField.default(false),
});

/** What an organization has sent and may send. API: organizations-users-groups.md section 1, limits. */
const emailLimitsToJson = (limits: mailIngest.EmailLimits) => ({
  count_today: limits.countToday,
  count_today_notification: limits.countTodayNotification,
  count_total: limits.countTotal,
  email_per_day_limit: limits.perDayLimit,
  email_per_day_limit_notification: limits.perDayLimitNotification,
  email_total_limit: null,
  last_sent_at: formatTime(limits.lastSentAt),
  last_sent_at_notification: formatTime(limits.lastSentAtNotification),
});
const EMAIL_LIMITS = objectSchema<ReturnType<typeof emailLimitsToJson>>({
  count_today: answers.integer,
  count_today_notification: answers.integer,
  count_total: answers.integer,
  email_per_day_limit: answers.integer,
  email_per_day_limit_notification: answers.integer,
  email_total_limit: answers.integerOrNull,
  last_sent_at: answers.timeOrNull,
  last_sent_at_notification: answers.timeOrNull,
});

const HIDDEN_ORDERINGS = ['email', 'last_login'];

/** Of the wanted ids (none: all) the caller's own; null when it is not among them. */
function onlySelf(ids: readonly number[], { userId }: Caller): number[] | null {
  return userId !== null && (ids.length === 0 || ids.includes(userId)) ? [userId] : null;
}

/** Root listing, authentication, organizations, groups and users. API: auth.md, organizations-users-groups.md. */
export function accountRoutes({ services, lookups, authenticator, domain, sessions }: RouteContext) {
  const { auth } = services;
  const listOrganizations = async (caller: Caller, ids: number[] = []) => {
    const [{ organizations }, workspaces] = await Promise.all([
      auth.listOrganizations({ ids }, caller),
      lookups.allWorkspaces(caller),
    ]);
    const workspaceIds = workspaces.map(({ id }) => id);
    return organizations.map((organization) => ({ organization, workspaceIds }));
  };

  const checkReferences = async (
    { organization, groups = [], queues = [] }: { organization?: number; groups?: number[]; queues?: number[] },
    caller: Caller,
    userId?: number,
  ): Promise<void> => {
    if (organization !== undefined && organization !== caller.organizationId) throw unknownReference('organization');
    if (!groups.every((id) => GROUPS.some((group) => group.id === id))) throw unknownReference('groups');
    const known = await lookups.queues(distinct(queues), caller);
    if (!queues.every((id) => known.some((queue) => queue.id === id))) throw unknownReference('queues');
    const leaving = known.filter(({ status }) => status !== 'active');
    if (leaving.length === 0) return;
    // What a user has may be sent back.
    const [user] = userId === undefined ? [] : (await auth.getUsers({ ids: [userId] }, caller)).users;
    if (!leaving.every(({ id }) => user?.queueIds.includes(id)))
      throw invalidField('queues', 'Queue is being deleted.');
  };
  const updateUser = async (id: number, body: Partial<z.infer<typeof userPut>>, caller: Caller) => {
    // What others than admins may not change is ignored, whatever it is.
    if (may(caller.roles, 'writeConfiguration')) await checkReferences(body, caller, id);
    const user = await auth.updateUser(
      {
        id,
        username: body.username,
        firstName: body.first_name,
        lastName: body.last_name,
        phoneNumber: body.phone_number === undefined ? undefined : { value: body.phone_number ?? undefined },
        uiSettings: body.ui_settings,
        metadata: body.metadata,
        groupIds: body.groups && { ids: body.groups },
        queueIds: body.queues && { ids: body.queues },
        isActive: body.is_active,
        password: body.password,
        oidcId: body.oidc_id === undefined ? undefined : { value: body.oidc_id ?? undefined },
        authType: body.auth_type,
      },
      caller,
    );
    // This replica does not wait for the event.
    authenticator.forget({ tokenHash: '', userId: id });
    return { user, view: viewOfUser(caller, id) };
  };
  const updateOrganization = async (
    id: number,
    { name, metadata, settings, sandbox, ui_settings: uiSettings }: z.infer<typeof organizationPatch>,
    caller: Caller,
  ) => {
    const [organization, workspaces] = await Promise.all([
      auth.updateOrganization({ id, name, metadata, settings, sandbox, uiSettings }, caller),
      lookups.allWorkspaces(caller),
    ]);
    return { organization, workspaceIds: workspaces.map(({ id }) => id) };
  };
  const replyUser = ({ user, view }: { user: contract.User; view: UserView }, urls: ApiUrls) =>
    userToJson(user, urls, view);

  return [
    route('GET', '/', {
      allow: 'public',
      doc: answersObject(
        'URLs of the collections',
        Object.fromEntries(ROOT.map((collection) => [collection, answers.uri])),
      ),
      call: async () => undefined,
      reply: (_, { urls }) => Object.fromEntries(ROOT.map((collection) => [collection, urls.at(collection)])),
    }),
    route('POST', '/auth/login', {
      allow: 'public',
      doc: answersObject('Log in', { key: answers.string, domain: answers.stringOrNull }),
      quota: 'logins',
      body: loginBody,
      call: ({ body, address }, self) =>
        auth
          .login(
            {
              username: body.username,
              password: body.password,
              maxTokenLifetimeS: body.max_token_lifetime_s ?? undefined,
              address,
              withSession: sessions,
            },
            self,
          )
          .catch((error) => {
            if (!(error instanceof Refusal) || error.reason !== 'INVALID_LOGIN') throw error;
            throw new Refusal('INVALID_LOGIN', { extra: { non_field_errors: [error.detail] } });
          }),
      reply: ({ key, session }, { urls }) => {
        const cookies = session ? startSession(session.key, session.lifetimeS, isHttps(urls)) : [];
        return new Answer(200, { 'Set-Cookie': cookies }, { key, domain });
      },
    }),
    route('POST', '/auth/logout', {
      allow: 'ownAccount',
      doc: answersObject('Log out', DETAIL),
      call: async ({ http: { headers } }, caller) => {
        const key = keyOf(headers, sessions);
        if (!key) throw new Refusal('INVALID_TOKEN');
        await auth.logout({ key }, caller);
        // Token and session of one login end together; this replica does not wait for the event.
        authenticator.forget({ tokenHash: '', userId: caller.userId ?? 0 });
      },
      reply: (_, { urls }) =>
        new Answer(
          200,
          { 'Set-Cookie': sessions ? endSession(isHttps(urls)) : [] },
          { detail: 'Successfully logged out.' },
        ),
    }),
    // The token in the header is what the call is about; it is checked where it is exchanged, in one step with using it up.
    route('POST', '/auth/token', {
      allow: 'public',
      doc: answersObject('Exchange a token for one of Intake', {
        key: answers.string,
        domain: answers.stringOrNull,
        scope: answers.string,
      }),
      body: exchangeBody,
      call: async ({ body, http, urls }, self) => {
        const authorization = http.headers.authorization;
        if (!authorization?.trim()) throw new Refusal('NOT_AUTHENTICATED');
        const key = tokenOf(authorization);
        if (!key) throw new Refusal('INVALID_TOKEN');
        return auth.exchangeToken(
          {
            key,
            scope: body.scope ?? undefined,
            maxTokenLifetimeS: body.max_token_lifetime_s ?? undefined,
            origin: new URL(urls.root).origin,
          },
          self,
        );
      },
      reply: ({ key, scope }) => ({ key, domain, scope }),
    }),
    route('POST', '/auth/membership_token', {
      allow: 'ownAccount',
      doc: answersObject('A token for an organization that one belongs to', {
        key: answers.string,
        organization: answers.uri,
      }),
      body: z.object({ organization: reference('organizations') }),
      call: async ({ body }, caller) => {
        if (body.organization !== caller.organizationId) throw new Refusal('PERMISSION_DENIED');
        return { ...(await auth.issueToken({}, caller)), organizationId: body.organization };
      },
      reply: ({ key, organizationId }, { urls }) => ({ key, organization: urls.organization(organizationId) }),
    }),
    route('PATCH', '/auth/user', {
      allow: 'ownAccount',
      doc: USER.one('Change the own user'),
      body: z.object(ownFields).partial(),
      call: ({ body }, caller) => updateUser(caller.userId ?? 0, body, caller),
      reply: (result, { urls }) => replyUser(result, urls),
    }),
    route('PUT', '/auth/user', {
      allow: 'ownAccount',
      doc: USER.one('Replace the own user'),
      body: ownPut,
      call: ({ body }, caller) => updateUser(caller.userId ?? 0, body, caller),
      reply: (result, { urls }) => replyUser(result, urls),
    }),
    route('GET', '/auth/user', {
      allow: 'ownAccount',
      doc: USER.retrieved('Retrieve the own user'),
      call: async (_, caller) => ({
        user: onlyOne((await auth.getUsers({ ids: [caller.userId ?? 0] }, caller)).users),
        view: viewOfUser(caller, caller.userId ?? 0),
      }),
      reply: ({ user, view }, request) => replyOne(request, userToJson(user, request.urls, view)),
    }),

    listRoute('/organizations', {
      allow: 'readConfiguration',
      doc: ORGANIZATION.listed('List: organization'),
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
      doc: ORGANIZATION.retrieved('Retrieve an organization'),
      call: async ({ parameters }, caller) => onlyOne(await listOrganizations(caller, [parameters.id])),
      reply: ({ organization, workspaceIds }, request) =>
        replyOne(request, organizationToJson(organization, workspaceIds, request.urls)),
    }),
    route('PATCH', '/organizations/:id', {
      allow: 'writeConfiguration',
      doc: ORGANIZATION.one('Change an organization'),
      body: organizationPatch,
      call: ({ parameters, body }, caller) => updateOrganization(parameters.id, body, caller),
      reply: ({ organization, workspaceIds }, { urls }) => organizationToJson(organization, workspaceIds, urls),
    }),
    route('PUT', '/organizations/:id', {
      allow: 'writeConfiguration',
      doc: ORGANIZATION.one('Replace an organization'),
      body: organizationPut,
      call: ({ parameters, body }, caller) => updateOrganization(parameters.id, body, caller),
      reply: ({ organization, workspaceIds }, { urls }) => organizationToJson(organization, workspaceIds, urls),
    }),
    route('GET', '/organizations/:id/limits', {
      allow: 'readConfiguration',
      doc: answersObject('Limits of an organization', { email_limits: EMAIL_LIMITS }),
      call: async ({ parameters }, caller) => {
        onlyOne(await listOrganizations(caller, [parameters.id]));
        return services.mail.getEmailLimits({}, caller);
      },
      reply: (limits) => ({ email_limits: emailLimitsToJson(limits) }),
    }),

    listRoute('/organization_groups', {
      allow: 'readConfiguration',
      doc: ORGANIZATION_GROUP.listed('List: organization group'),
      filters: { id: ids, name: text },
      orderings: [],
      fetch: async ({ filters, ...wanted }) => {
        const isWanted = filters.id.length === 0 || filters.id.includes(ORGANIZATION_GROUP_ID);
        const isNamed = (filters.name ?? ORGANIZATION_GROUP_NAME) === ORGANIZATION_GROUP_NAME;
        return cutPage(isWanted && isNamed ? [ORGANIZATION_GROUP_ID] : [], wanted);
      },
      toJson: (_, urls) => organizationGroupToJson(urls),
    }),
    route('GET', '/organization_groups/:id', {
      allow: 'readConfiguration',
      doc: ORGANIZATION_GROUP.retrieved('Retrieve an organization group'),
      call: async ({ parameters }) => {
        if (parameters.id !== ORGANIZATION_GROUP_ID) throw new Refusal('NOT_FOUND');
      },
      reply: (_, request) => replyOne(request, organizationGroupToJson(request.urls)),
    }),

    listRoute('/groups', {
      allow: 'ownAccount',
      doc: GROUP.listed('List: group'),
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
      allow: 'ownAccount',
      doc: GROUP.retrieved('Retrieve a group'),
      call: async ({ parameters }) => onlyOne(GROUPS.filter(({ id }) => id === parameters.id)),
      reply: (group, request) => replyOne(request, { ...group, url: request.urls.group(group.id) }),
    }),

    listRoute('/users', {
      allow: 'ownAccount',
      doc: USER.listed('List: user'),
      filters: {
        id: ids,
        organization: ids,
        queue: ids,
        groups: ids,
        username: text,
        first_name: text,
        last_name: text,
        email: text,
        is_active: boolean,
        deleted: boolean,
        last_login: times,
      },
      orderings: [
        'id',
        'username',
        'first_name',
        'last_name',
        'email',
        'last_login',
        'date_joined',
        'deleted',
        'not_deleted',
      ],
      fetch: async ({ filters, ordering, page, pageSize }, caller) => {
        if (!isOwn(filters.organization, caller)) return NO_ROWS;
        const readsAll = may(caller.roles, 'readUsers');
        // Nobody finds others by what is not shown of them.
        const byHidden =
          [filters.queue, filters.groups].some(({ length }) => length > 0) || filters.email || filters.last_login;
        const chosen =
          readsAll || (may(caller.roles, 'readUserNames') && !byHidden) ? filters.id : onlySelf(filters.id, caller);
        if (chosen === null) return NO_ROWS;
        const { users, total } = await auth.listUsers(
          {
            ids: chosen,
            queueIds: filters.queue,
            groupIds: filters.groups,
            username: filters.username,
            firstName: filters.first_name,
            lastName: filters.last_name,
            email: filters.email,
            isActive: filters.is_active,
            deleted: filters.deleted ?? false,
            lastLoginAfter: filters.last_login?.after,
            lastLoginBefore: filters.last_login?.before,
            ordering: readsAll ? ordering : ordering.filter((key) => !HIDDEN_ORDERINGS.includes(key.replace('-', ''))),
            page,
            pageSize,
          },
          caller,
        );
        return { rows: users, total };
      },
      toJson: (user, urls, caller) => userToJson(user, urls, viewOfUser(caller, user.id)),
    }),
    route('POST', '/users', {
      allow: 'writeConfiguration',
      doc: USER.one('Create a user', { status: 201 }),
      body: userBody,
      call: async ({ body }, caller) => {
        await checkReferences(body, caller);
        return auth.createUser(
          {
            username: body.username,
            email: body.email,
            password: body.password,
            firstName: body.first_name,
            lastName: body.last_name,
            groupIds: body.groups,
            queueIds: body.queues,
            phoneNumber: body.phone_number ?? undefined,
            isActive: body.is_active,
            uiSettings: body.ui_settings,
            metadata: body.metadata,
            oidcId: body.oidc_id ?? undefined,
            authType: body.auth_type,
          },
          caller,
        );
      },
      reply: (user, { urls }) => created(userToJson(user, urls, 'admin')),
    }),
    route('GET', '/users/:id', {
      allow: 'ownAccount',
      doc: USER.retrieved('Retrieve a user'),
      call: async ({ parameters }, caller) => {
        const view = viewOfUser(caller, parameters.id);
        if (view === 'none') throw new Refusal('NOT_FOUND');
        return { user: onlyOne((await auth.getUsers({ ids: [parameters.id] }, caller)).users), view };
      },
      reply: ({ user, view }, request) => replyOne(request, userToJson(user, request.urls, view)),
    }),
    route('PATCH', '/users/:id', {
      allow: 'ownAccount',
      doc: USER.one('Change a user'),
      body: userPatch,
      call: ({ parameters, body }, caller) => updateUser(parameters.id, body, caller),
      reply: (result, { urls }) => replyUser(result, urls),
    }),
    route('PUT', '/users/:id', {
      allow: 'ownAccount',
      doc: USER.one('Replace a user'),
      body: userPut,
      call: ({ parameters, body }, caller) => updateUser(parameters.id, body, caller),
      reply: (result, { urls }) => replyUser(result, urls),
    }),
    route('DELETE', '/users/:id', {
      allow: 'ownAccount',
      doc: { summary: 'Delete a user' },
      call: async ({ parameters }, caller) => {
        await auth.deleteUser({ id: parameters.id }, caller);
        authenticator.forget({ tokenHash: '', userId: parameters.id });
      },
      reply: 204,
    }),
  ];
}
