import type { auth } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { answers, objectSchema } from './attributes';
import { formatTime, urlOrNull } from './values';

/** How much of a user somebody is shown: all; all but who it is to single sign-on; names; nothing. */
export type UserView = 'admin' | 'full' | 'names' | 'none';

/** The one organization group of an installation. API: organizations-users-groups.md section 2. */
export const ORGANIZATION_GROUP_ID = 1;
export const ORGANIZATION_GROUP_NAME = 'Intake';

export function organizationGroupToJson(urls: ApiUrls) {
  return {
    id: ORGANIZATION_GROUP_ID,
    url: urls.organizationGroup(ORGANIZATION_GROUP_ID),
    name: ORGANIZATION_GROUP_NAME,
    is_trial: false,
    is_production: true,
    deployment_location: 'self-hosted',
    features: null,
    usage: {},
    modified_by: null,
    modified_at: null,
  };
}

/** API: organizations-users-groups.md section 1. */
export function organizationToJson(row: auth.Organization, workspaceIds: readonly number[], urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.organization(row.id),
    name: row.name,
    workspaces: workspaceIds.map(urls.workspace),
    users: row.userIds.map(urls.user),
    organization_group: urls.organizationGroup(ORGANIZATION_GROUP_ID),
    ui_settings: row.uiSettings ?? {},
    metadata: row.metadata ?? {},
    settings: row.settings ?? {},
    sandbox: row.sandbox,
    is_trial: false,
    created_at: formatTime(row.createdAt),
    trial_expires_at: null,
    expires_at: null,
    oidc_provider: null,
    internal_info: null,
    creator: urlOrNull(urls.user, row.creatorId),
    modified_by: urlOrNull(urls.user, row.modifiedById),
    modified_at: formatTime(row.modifiedAt),
  };
}

/**
 * API: organizations-users-groups.md section 3. `oidc_id` is for admins only. Who may see names only gets the same keys, the
 * others with empty values: clients count on them.
 */
export function userToJson(given: auth.User, urls: ApiUrls, view: UserView) {
  const row = view === 'names' ? { ...given, ...HIDDEN } : given;
  return {
    id: row.id,
    url: urls.user(row.id),
    first_name: row.firstName,
    last_name: row.lastName,
    email: row.email,
    email_verified: false,
    phone_number: row.phoneNumber ?? null,
    date_joined: formatTime(row.dateJoined),
    username: row.username,
    groups: row.groupIds.map(urls.group),
    organization: urls.organization(row.organizationId),
    queues: row.queueIds.map(urls.queue),
    is_active: row.isActive,
    last_login: formatTime(row.lastLogin),
    ui_settings: row.uiSettings ?? {},
    metadata: row.metadata ?? {},
    ...(view === 'admin' && { oidc_id: row.oidcId ?? null }),
    auth_type: row.authType,
    deleted: row.deleted,
  };
}

const HIDDEN = {
  email: '',
  phoneNumber: undefined,
  groupIds: [],
  queueIds: [],
  lastLogin: undefined,
  uiSettings: {},
  metadata: {},
  authType: 'password',
} satisfies Partial<auth.User>;

/** JSON Schema of `organizationGroupToJson`. */
export const ORGANIZATION_GROUP_SCHEMA = objectSchema<ReturnType<typeof organizationGroupToJson>>({
  id: answers.integer,
  url: answers.uri,
  name: answers.string,
  is_trial: answers.boolean,
  is_production: answers.boolean,
  deployment_location: answers.string,
  features: answers.objectOrNull,
  usage: answers.object,
  modified_by: answers.uriOrNull,
  modified_at: answers.timeOrNull,
});

/** JSON Schema of `organizationToJson`. */
export const ORGANIZATION_SCHEMA = objectSchema<ReturnType<typeof organizationToJson>>({
  id: answers.integer,
  url: answers.uri,
  name: answers.string,
  workspaces: answers.uris,
  users: answers.uris,
  organization_group: answers.uri,
  ui_settings: answers.object,
  metadata: answers.object,
  settings: answers.object,
  sandbox: answers.boolean,
  is_trial: answers.boolean,
  created_at: answers.timeOrNull,
  trial_expires_at: answers.timeOrNull,
  expires_at: answers.timeOrNull,
  oidc_provider: answers.stringOrNull,
  internal_info: answers.objectOrNull,
  creator: answers.uriOrNull,
  modified_by: answers.uriOrNull,
  modified_at: answers.timeOrNull,
});

/** JSON Schema of `userToJson`. */
export const USER_SCHEMA = objectSchema<ReturnType<typeof userToJson>>(
  {
    id: answers.integer,
    url: answers.uri,
    first_name: answers.string,
    last_name: answers.string,
    email: answers.string,
    email_verified: answers.boolean,
    phone_number: answers.stringOrNull,
    date_joined: answers.timeOrNull,
    username: answers.string,
    groups: answers.uris,
    organization: answers.uri,
    queues: answers.uris,
    is_active: answers.boolean,
    last_login: answers.timeOrNull,
    ui_settings: answers.object,
    metadata: answers.object,
    oidc_id: answers.stringOrNull,
    auth_type: answers.string,
    deleted: answers.boolean,
  },
  ['oidc_id'],
);
