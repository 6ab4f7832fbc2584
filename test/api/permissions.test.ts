import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Api,
  buildMail,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  type Organization,
  sendMail,
  startSystem,
  type TestSystem,
  toForm,
  waitFor,
} from '@intake/testkit';
import { GROUPS, MAY, may, type Permission, type Role } from '../../services/gateway/src/roles';
import type { Route } from '../../services/gateway/src/route';
import { createRoutes } from '../../services/gateway/src/routes';

/**
 * Every endpoint x every role x {own queue, other queue, other organization}, and without and with a revoked token, against a
 * running system. The endpoints are the rows that the gateway serves; what is expected stands here.
 */

/** API: auth.md section 8, by its columns; organization_group_admin is as admin. */
const COLUMNS = ['viewer', 'annotator_embedded', 'annotator_limited', 'annotator', 'manager', 'approver', 'admin'];

/** API: auth.md section 8, by its rows: `x` where the role may, `-` where it gets 403. */
const MATRIX: Record<Permission, string> = {
  readConfiguration: '  x x x x x x x',
  writeConfiguration: ' - - - - - - x',
  readConnections: '    x - x x x x x',
  readUsers: '          - - - - x x x',
  readUserNames: '      x - x x x x x',
  readAnnotations: '    x x x x x x x',
  review: '             - x x x x - x',
  embed: '              - x x x x - -',
  dispose: '            - - x x x - x',
  reject: '             - - x x x x x',
  approve: '            - - - - - x x',
  upload: '             - - - x x - x',
  importEmails: '       - - - - - - x',
  export: '             x - x x x x x',
  exportToStatus: '     - - - x x - x',
  patchAnnotation: '    - x x x x - x',
  purge: '              - - - - - - x',
  readNotes: '          x x x x x x x',
  writeNotes: '         - - x x x x x',
  readTemplates: '      x - x x x x x',
  readUsage: '          - - - - x - x',
  watchHooks: '         - - - - - - x',
  invokeHooks: '        - - - x x - x',
  readEmails: '         x - x x x x x',
  writeEmails: '        - - - x x - x',
  ownAccount: '         x x x x x x x',
};

const ROLES = GROUPS.map(({ name }) => name);
const isAdmin = (role: Role) => role === 'admin' || role === 'organization_group_admin';
const isAllowed = (role: Role, row: Permission) =>
  MATRIX[row].trim().split(/\s+/)[COLUMNS.indexOf(isAdmin(role) ? 'admin' : role)] === 'x';

const PLACES = ['own', 'other', 'foreign'] as const;
/** A queue that the role is assigned to, another one of its organization, one of another organization. */
type Place = (typeof PLACES)[number];

/** What is prepared in each place: ids, and what a URL names otherwise. */
interface Objects {
  readonly organization: number;
  readonly workspace: number;
  readonly queue: number;
  readonly schema: number;
  readonly inbox: number;
  readonly connector: number;
  readonly hook: number;
  readonly label: number;
  readonly email_template: number;
  readonly user: number;
  readonly upload: number;
  readonly task: number;
  readonly annotation: number;
  readonly node: number;
  readonly document: number;
  readonly s3_name: string;
  readonly page: number;
  readonly email: number;
  readonly email_thread: number;
  readonly note: number;
  readonly relation: number;
  readonly suggested_edit: number;
  readonly document_relation: number;
  readonly automation_blocker: number;
}
type Kind = keyof Objects;

interface Endpoint {
  /** Row of the matrix; `everybody`: no credentials are looked at; `token`: any valid token. */
  readonly row: Permission | 'everybody' | 'token';
  /** What `:id` is. `shared`: everybody sees the same ones. */
  readonly id?: Kind | 'shared';
  /** What is listed. */
  readonly lists?: Kind;
  /** The query or body names something; what another organization has is answered with this status. */
  readonly refuses?: 400 | 403 | 404;
  readonly query?: (at: Objects) => string;
  readonly body?: (at: Objects) => unknown;
  /** Cells that differ from row and scope. */
  readonly except?: (role: Role, place: Place) => number | undefined;
  /** Something to be used up by one request. */
  readonly fresh?: (role: Role, place: Place) => Promise<{ readonly id?: number; readonly api?: Api }>;
}

const everybody: Endpoint = { row: 'everybody' };
const any = (row: Permission): Endpoint => ({ row });
const one = (row: Permission, id: Kind | 'shared', more: Partial<Endpoint> = {}): Endpoint => ({ row, id, ...more });
const list = (row: Permission, lists?: Kind, more: Partial<Endpoint> = {}): Endpoint => ({ row, lists, ...more });

const at = (collection: string, id: number) => `${system.baseUrl}/v1/${collection}/${id}`;
const queueQuery = ({ queue }: Objects) => `queue=${queue}`;
/** Others are changed by admins only. */
const othersByAdmins = (role: Role, place: Place) => (place === 'other' && !isAdmin(role) ? 403 : undefined);

/** Refused once the annotation is there. */
const NO_PAGE = {
  get pages() {
    return [{ page: at('pages', 999_999) }];
  },
};
const CONNECTOR = { name: 'Connector', service_url: 'https://c.example.com' };
const HOOK = { name: 'Hook', events: [], config: { url: 'https://h.example.com' } };
/** Two paths of the same objects. */
function hookEndpoints(path: string): Record<string, Endpoint> {
  return {
    [`GET ${path}`]: list('readConnections', 'hook'),
    [`POST ${path}`]: {
      row: 'writeConfiguration',
      refuses: 400,
      body: ({ queue }) => ({ ...HOOK, queues: [at('queues', queue)] }),
    },
    [`GET ${path}/:id`]: one('readConnections', 'hook'),
    [`PATCH ${path}/:id`]: one('writeConfiguration', 'hook'),
    [`PUT ${path}/:id`]: one('writeConfiguration', 'hook', { body: () => HOOK }),
    [`DELETE ${path}/:id`]: one('writeConfiguration', 'hook', {
      fresh: async () => ({ id: (await admin.post('/hooks', HOOK)).id }),
    }),
  };
}

const ENDPOINTS: Record<string, Endpoint> = {
  'GET /': everybody,
  'GET /openapi.json': everybody,
  'POST /auth/login': everybody,
  'POST /auth/password/reset': everybody,
  'POST /auth/password/reset/confirm': everybody,
  'POST /auth/password/score': everybody,
  'POST /organizations/create': everybody,
  'GET /oauth': everybody,
  // No link of a mail.
  'GET /emails/subscription': { row: 'everybody', except: () => 400 },
  // Nobody has set single sign-on up, and no login has begun.
  'GET /oauth/login': { row: 'everybody', except: () => 400 },
  'GET /oauth/code': { row: 'everybody', except: () => 400 },
  'POST /auth/token': { row: 'token' },
  'POST /auth/logout': { row: 'ownAccount', fresh: async (role) => ({ api: await login(role) }) },
  'POST /auth/membership_token': {
    row: 'ownAccount',
    refuses: 403,
    body: ({ organization }) => ({ organization: at('organizations', organization) }),
  },
  'POST /auth/password/change': any('ownAccount'),
  'GET /auth/user': any('ownAccount'),
  'PATCH /auth/user': any('ownAccount'),
  'PUT /auth/user': any('ownAccount'),

  'GET /organizations': list('readConfiguration', 'organization'),
  'GET /organizations/:id': one('readConfiguration', 'organization'),
  'PATCH /organizations/:id': one('writeConfiguration', 'organization'),
  'PUT /organizations/:id': one('writeConfiguration', 'organization', { body: () => ({ name: 'Renamed' }) }),
  'GET /organizations/:id/limits': one('readConfiguration', 'organization'),
  'GET /organizations/:id/auth_settings': one('writeConfiguration', 'organization'),
  'PATCH /organizations/:id/auth_settings': one('writeConfiguration', 'organization'),
  'GET /organization_groups': list('readConfiguration'),
  'GET /organization_groups/:id': one('readConfiguration', 'shared'),
  'GET /groups': list('ownAccount'),
  'GET /groups/:id': one('ownAccount', 'shared'),
  'GET /users': list('ownAccount', 'user'),
  'POST /users': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ queue }) => ({
      username: unique(),
      organization: at('organizations', first.organization),
      queues: [at('queues', queue)],
    }),
  },
  'GET /users/:id': one('ownAccount', 'user', {
    except: (role, place) => (place === 'other' && role === 'annotator_embedded' ? 404 : undefined),
  }),
  'PATCH /users/:id': one('ownAccount', 'user', { except: othersByAdmins }),
  'PUT /users/:id': one('ownAccount', 'user', {
    except: othersByAdmins,
    fresh: async (_, place) => (place === 'other' ? { id: await makeUser('viewer') } : {}),
    body: ({ user }) => ({
      username: usernames.get(user) ?? unique(),
      organization: at('organizations', first.organization),
      groups: groupsOf(user),
      queues: [at('queues', first.queue)],
    }),
  }),
  'DELETE /users/:id': one('ownAccount', 'user', {
    except: (role, place) =>
      othersByAdmins(role, place) ?? (place === 'own' && role === 'organization_group_admin' ? 403 : undefined),
    fresh: async (role, place) => {
      const id = await makeUser(place === 'own' ? role : 'viewer');
      return {
        id,
        ...(place === 'own' && { api: await system.login({ username: usernames.get(id)!, password: PASSWORD }) }),
      };
    },
  }),

  'GET /workspaces': list('readConfiguration', 'workspace'),
  'POST /workspaces': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ organization }) => ({ name: 'New', organization: at('organizations', organization) }),
  },
  'GET /workspaces/:id': one('readConfiguration', 'workspace'),
  'PATCH /workspaces/:id': one('writeConfiguration', 'workspace'),
  'PUT /workspaces/:id': one('writeConfiguration', 'workspace', { body: () => ({ name: 'Replaced' }) }),
  'DELETE /workspaces/:id': one('writeConfiguration', 'workspace'),
  'GET /queues': list('readConfiguration', 'queue'),
  'POST /queues': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ workspace, schema }) => ({
      name: 'New',
      workspace: at('workspaces', workspace),
      schema: at('schemas', schema),
    }),
  },
  'POST /queues/from_template': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ workspace }) => ({
      name: 'New',
      template_name: 'EU Demo Template',
      workspace: at('workspaces', workspace),
    }),
  },
  'GET /queues/:id': one('readConfiguration', 'queue'),
  'PATCH /queues/:id': one('writeConfiguration', 'queue'),
  'PUT /queues/:id': one('writeConfiguration', 'queue', {
    body: ({ workspace, schema }) => ({
      name: 'Replaced',
      workspace: at('workspaces', workspace),
      schema: at('schemas', schema),
    }),
  }),
  'DELETE /queues/:id': one('writeConfiguration', 'queue', { fresh: async () => ({ id: await makeSpareQueue() }) }),
  'POST /queues/:id/duplicate': one('writeConfiguration', 'queue', {
    body: () => ({ name: 'Copy', copy_permissions: false }),
  }),
  'GET /schemas': list('readConfiguration', 'schema'),
  'POST /schemas': any('writeConfiguration'),
  'POST /schemas/from_template': any('writeConfiguration'),
  'POST /schemas/validate': any('readConfiguration'),
  'GET /schemas/:id': one('readConfiguration', 'schema'),
  'PATCH /schemas/:id': one('writeConfiguration', 'schema'),
  'PUT /schemas/:id': one('writeConfiguration', 'schema', { body: () => ({ name: 'Replaced', content: [] }) }),
  'DELETE /schemas/:id': one('writeConfiguration', 'schema'),
  'GET /inboxes': list('readConnections', 'inbox'),
  'POST /inboxes': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ queue }) => ({ name: 'New', email_prefix: 'new', queues: [at('queues', queue)] }),
  },
  'GET /inboxes/:id': one('readConnections', 'inbox'),
  'PATCH /inboxes/:id': one('writeConfiguration', 'inbox'),
  'PUT /inboxes/:id': one('writeConfiguration', 'inbox', {
    body: ({ queue }) => ({ name: 'Replaced', queues: [at('queues', queue)] }),
  }),
  'DELETE /inboxes/:id': one('writeConfiguration', 'inbox', {
    fresh: async () => ({ id: idOf((await admin.get(`/queues/${await makeSpareQueue()}`)).inbox) }),
  }),
  'GET /connectors': list('readConnections', 'connector'),
  'POST /connectors': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ queue }) => ({ name: 'New', service_url: 'https://c.example.com', queues: [at('queues', queue)] }),
    // Each queue has one already.
    except: (_, place) => (place === 'foreign' ? undefined : 400),
  },
  'GET /connectors/:id': one('readConnections', 'connector'),
  'PATCH /connectors/:id': one('writeConfiguration', 'connector'),
  'PUT /connectors/:id': one('writeConfiguration', 'connector', {
    body: () => ({ name: 'Replaced', service_url: 'https://c.example.com' }),
  }),
  'DELETE /connectors/:id': one('writeConfiguration', 'connector', {
    fresh: async () => ({ id: (await admin.post('/connectors', CONNECTOR)).id }),
  }),
  ...hookEndpoints('/hooks'),
  ...hookEndpoints('/webhooks'),
  'POST /hooks/create': { row: 'writeConfiguration', except: () => 404 },
  'GET /hooks/logs': any('watchHooks'),
  // Nobody listens at the hook's address, and it does not listen to calls by hand.
  'POST /hooks/:id/test': one('watchHooks', 'hook', { body: () => ({ payload: { event: 'invocation' } }) }),
  'POST /hooks/:id/invoke': one('invokeHooks', 'hook', { body: () => ({}) }),
  'POST /hooks/:id/generate_payload': one('watchHooks', 'hook', {
    body: () => ({ event: 'invocation', action: 'manual' }),
  }),
  'GET /hooks/:id/deliveries': one('watchHooks', 'hook'),
  'POST /hooks/:id/replay': one('watchHooks', 'hook', { body: () => ({ failed_since: '2026-01-01' }) }),
  'GET /hooks/:id/secrets_keys': one('writeConfiguration', 'hook'),
  'POST /hooks/:id/duplicate': one('writeConfiguration', 'hook', { body: () => ({ name: 'Copy' }) }),
  'GET /labels': list('readTemplates', 'label'),
  'POST /labels': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ organization }) => ({ name: 'New', organization: at('organizations', organization) }),
  },
  'GET /labels/:id': one('readTemplates', 'label'),
  'PATCH /labels/:id': one('writeConfiguration', 'label'),
  'PUT /labels/:id': one('writeConfiguration', 'label', { body: () => ({ name: 'Replaced' }) }),
  'DELETE /labels/:id': one('writeConfiguration', 'label', {
    fresh: async () => ({ id: (await admin.post('/labels', { name: 'Spare' })).id }),
  }),

  'GET /email_templates': list('readTemplates', 'email_template'),
  'POST /email_templates': {
    row: 'writeConfiguration',
    refuses: 400,
    body: ({ queue }) => ({ name: 'New', queue: at('queues', queue) }),
  },
  'GET /email_templates/:id': one('readTemplates', 'email_template'),
  'PATCH /email_templates/:id': one('writeConfiguration', 'email_template'),
  'PUT /email_templates/:id': one('writeConfiguration', 'email_template', {
    body: ({ queue }) => ({ name: 'Replaced', queue: at('queues', queue) }),
  }),
  'DELETE /email_templates/:id': one('writeConfiguration', 'email_template', {
    fresh: async () => ({ id: await makeTemplate(admin, first.queue) }),
  }),
  'POST /email_templates/:id/render': one('readTemplates', 'email_template'),
  'GET /queues/:id/related_objects_counts': one('readConfiguration', 'queue'),
  'POST /queues/:id/suggested_recipients': one('readEmails', 'queue'),
  'POST /annotations/suggested_recipients': {
    row: 'readEmails',
    refuses: 400,
    body: ({ annotation }) => ({ annotations: [at('annotations', annotation)] }),
  },

  'POST /uploads': { row: 'upload', refuses: 404, query: queueQuery },
  'POST /uploads/:filename': { row: 'upload', refuses: 404, query: queueQuery },
  'GET /uploads/:id': one('readAnnotations', 'upload'),
  // Only who made it, an admin here, and admins.
  'GET /tasks/:id': one('readAnnotations', 'task', { except: (role) => (isAdmin(role) ? undefined : 404) }),
  'POST /queues/:id/upload': one('upload', 'queue'),
  'POST /queues/:id/upload/:filename': one('upload', 'queue'),
  'GET /documents': list('readAnnotations', 'document'),
  'GET /documents/:id': one('readAnnotations', 'document'),
  'GET /documents/:id/content': one('readAnnotations', 'document'),
  // Without a file it is refused, whoever may send one.
  'POST /documents': { row: 'upload', refuses: 400 },
  'PATCH /documents/:id': one('patchAnnotation', 'document'),
  'DELETE /documents/:id': one('purge', 'document', {
    fresh: async () => {
      const body = toForm([{ fileName: 'spare.pdf', content: Buffer.from('%PDF-1.4') }]);
      return { id: (await (await admin.request('POST', '/documents', { body })).json()).id };
    },
  }),
  'POST /documents/downloads': {
    row: 'readAnnotations',
    refuses: 400,
    body: ({ document }) => ({ documents: [at('documents', document)] }),
  },
  // Nobody here has made one.
  'GET /documents/downloads/:id': one('readAnnotations', 'document', { except: () => 404 }),
  'GET /documents/downloads/:id/content': one('readAnnotations', 'document', { except: () => 404 }),
  'GET /document_relations': list('readAnnotations', 'document_relation'),
  'POST /document_relations': {
    row: 'dispose',
    refuses: 400,
    body: ({ annotation }) => ({ annotation: at('annotations', annotation), key: randomUUID() }),
  },
  'GET /document_relations/:id': one('readAnnotations', 'document_relation'),
  'PATCH /document_relations/:id': one('dispose', 'document_relation'),
  'PUT /document_relations/:id': one('dispose', 'document_relation', {
    body: ({ annotation }) => ({ annotation: at('annotations', annotation) }),
  }),
  'DELETE /document_relations/:id': one('dispose', 'document_relation', {
    fresh: async () => ({
      id: (
        await admin.post('/document_relations', { annotation: at('annotations', first.annotation), key: randomUUID() })
      ).id,
    }),
  }),
  'GET /original/:s3_name': one('readAnnotations', 's3_name'),
  'GET /pages': list('readAnnotations', 'page'),
  'GET /pages/:id': one('readAnnotations', 'page'),
  'PATCH /pages/:id': one('patchAnnotation', 'page', { body: () => ({ metadata: { by: 'a role' } }) }),
  'POST /annotations/:id/split': one('dispose', 'annotation', { body: () => ({ documents: [NO_PAGE] }) }),
  'POST /annotations/:id/edit': one('dispose', 'annotation', { body: () => ({ documents: [NO_PAGE] }) }),
  'POST /annotations/:id/edit_pages': one('dispose', 'annotation'),
  'POST /annotations/:id/edit_pages/start': one('dispose', 'annotation'),
  'POST /annotations/:id/edit_pages/cancel': one('dispose', 'annotation'),
  'POST /annotations/:id/edit_pages/in_place': one('dispose', 'annotation', {
    body: () => ({ parent_pages: NO_PAGE.pages }),
  }),
  'GET /pages/:id/content': one('readAnnotations', 'page'),
  'GET /pages/:id/preview': one('readAnnotations', 'page'),

  'GET /queues/:id/export': one('export', 'queue'),
  'POST /queues/:id/export': one('export', 'queue'),
  'GET /annotations/export': list('export', 'annotation'),
  'POST /annotations/export': list('export', 'annotation'),
  'GET /annotations/usage_report': any('readUsage'),
  'POST /annotations/usage_report': {
    row: 'readUsage',
    refuses: 400,
    body: ({ queue }) => ({ filter: { queues: [at('queues', queue)] } }),
    except: (role, place) => (place === 'other' && role === 'manager' ? 400 : undefined),
  },
  'GET /annotations': list('readAnnotations', 'annotation'),
  // Without a body it is an export.
  'POST /annotations': {
    row: 'upload',
    refuses: 400,
    body: ({ document, queue }) => ({
      status: 'created',
      document: at('documents', document),
      queue: at('queues', queue),
    }),
  },
  'POST /annotations/search': list('readAnnotations', 'annotation', {
    body: () => ({ query: { $and: [] } }),
  }),
  'GET /annotations/:id': one('readAnnotations', 'annotation'),
  'PATCH /annotations/:id': one('patchAnnotation', 'annotation', { body: () => ({ metadata: { by: 'a role' } }) }),
  'PUT /annotations/:id': one('dispose', 'annotation', {
    body: ({ document, queue }) => ({
      document: at('documents', document),
      queue: at('queues', queue),
      status: 'to_review',
    }),
  }),
  'POST /annotations/:id/start': one('review', 'annotation'),
  'POST /annotations/:id/start_embedded': one('embed', 'annotation'),
  'POST /annotations/:id/create_embedded_url': one('embed', 'annotation'),
  'POST /annotations/:id/cancel': one('review', 'annotation'),
  'POST /annotations/:id/postpone': one('dispose', 'annotation'),
  'POST /annotations/:id/delete': one('dispose', 'annotation'),
  'POST /annotations/:id/confirm': one('review', 'annotation'),
  'POST /annotations/:id/reject': one('reject', 'annotation'),
  'GET /annotations/:id/content': one('readAnnotations', 'annotation'),
  'PATCH /annotations/:id/content': one('review', 'annotation', { body: () => ({ content: [] }) }),
  'POST /annotations/:id/content/operations': one('review', 'annotation', { body: () => ({ operations: [] }) }),
  'POST /annotations/:id/content/validate': one('review', 'annotation'),
  'GET /annotations/:id/content/:node': one('readAnnotations', 'annotation'),
  'PATCH /annotations/:id/content/:node': one('review', 'annotation'),

  'POST /annotations/:id/content/:node/select': one('review', 'annotation', {
    body: ({ page }) => ({ rectangle: [0, 0, 1, 1], page: at('pages', page) }),
  }),
  'POST /annotations/:id/content/:node/add_empty': one('review', 'annotation'),
  'POST /annotations/:id/content/:node/transform_grid_to_datapoints': one('review', 'annotation'),
  'POST /annotations/:id/content/:node/grid_operations': one('review', 'annotation', {
    body: () => ({ operations: [] }),
  }),
  'POST /annotations/:id/content/:node/grid_parts_operations': one('review', 'annotation', {
    body: () => ({ grid_index: 0, grid: {} }),
  }),
  'POST /annotations/:id/approve': one('approve', 'annotation'),
  'POST /annotations/:id/rotate': one('dispose', 'annotation', { body: () => ({ rotation_deg: 0 }) }),
  'POST /annotations/:id/copy': one('dispose', 'annotation', {
    body: ({ queue }) => ({ target_queue: at('queues', queue) }),
  }),
  'POST /annotations/assign': {
    row: 'dispose',
    refuses: 400,
    body: ({ annotation }) => ({ annotations: [at('annotations', annotation)], assignees: [] }),
  },
  'POST /annotations/purge_deleted': any('purge'),
  'POST /labels/apply': {
    row: 'writeNotes',
    refuses: 400,
    body: ({ annotation }) => ({ operations: {}, objects: { annotations: [at('annotations', annotation)] } }),
  },
  'GET /annotations/:id/processing_duration': one('readAnnotations', 'annotation'),
  'PATCH /annotations/:id/processing_duration': one('review', 'annotation'),
  'DELETE /annotations/:id': one('purge', 'annotation', { fresh: async () => ({ id: await copyOfFirst() }) }),
  'GET /annotations/:id/history': one('readAnnotations', 'annotation'),
  'GET /annotations/:id/page_data': one('readAnnotations', 'annotation', { query: () => 'granularity=words' }),
  'GET /annotations/:id/search': one('readAnnotations', 'annotation', { query: () => 'phrase=invoice' }),
  'POST /queues/:id/next': one('review', 'queue'),
  'GET /notes': list('readNotes', 'note'),
  'POST /notes': {
    row: 'writeNotes',
    refuses: 400,
    body: ({ annotation }) => ({ annotation: at('annotations', annotation), content: 'New' }),
  },
  'GET /notes/:id': one('readNotes', 'note'),
  'PATCH /notes/:id': one('writeNotes', 'note'),
  'PUT /notes/:id': one('writeNotes', 'note', { body: () => ({ content: 'Put' }) }),
  'DELETE /notes/:id': one('writeNotes', 'note', {
    fresh: async () => ({
      id: (await admin.post('/notes', { annotation: at('annotations', first.annotation), content: 'Spare' })).id,
    }),
  }),
  'GET /relations': list('readAnnotations', 'relation'),
  'POST /relations': {
    row: 'dispose',
    refuses: 400,
    body: ({ annotation }) => ({ type: 'attachment', annotations: [at('annotations', annotation)] }),
  },
  'GET /relations/:id': one('readAnnotations', 'relation'),
  'PATCH /relations/:id': one('dispose', 'relation'),
  'PUT /relations/:id': one('dispose', 'relation', {
    body: ({ annotation }) => ({ type: 'attachment', annotations: [at('annotations', annotation)] }),
  }),
  'DELETE /relations/:id': one('dispose', 'relation', {
    fresh: async () => ({
      id: (await admin.post('/relations', { type: 'attachment', annotations: [at('annotations', first.annotation)] }))
        .id,
    }),
  }),
  'GET /automation_blockers': list('readAnnotations', 'automation_blocker'),
  'GET /automation_blockers/:id': one('readAnnotations', 'automation_blocker'),

  'GET /emails': list('readEmails', 'email'),
  'GET /emails/counts': any('readEmails'),
  'GET /email_templates/stats': any('readTemplates'),
  'GET /emails/:id': one('readEmails', 'email'),
  'GET /emails/:id/content': one('readEmails', 'email'),
  'PUT /emails/:id': one('writeEmails', 'email', { body: () => ({ labels: [] }) }),
  'PATCH /emails/:id': one('writeEmails', 'email', { body: () => ({ labels: [] }) }),
  'POST /emails/import': any('importEmails'),
  'POST /emails/send': any('writeEmails'),
  'GET /email_threads': list('readEmails', 'email_thread'),
  'GET /email_threads/counts': any('readEmails'),
  'GET /email_threads/:id': one('readEmails', 'email_thread'),
  'PUT /email_threads/:id': one('writeEmails', 'email_thread', { body: () => ({ has_new_replies: false }) }),
  'PATCH /email_threads/:id': one('writeEmails', 'email_thread', { body: () => ({ has_new_replies: false }) }),
  'GET /events': any('readAnnotations'),
  'GET /rules': list('readTemplates'),
  'GET /rules_execution_logs': list('readTemplates'),
  'GET /hook_templates': list('readConfiguration'),
  'GET /engines': list('readConfiguration'),
  'GET /engine_fields': list('readConfiguration'),
  'GET /generic_engines': list('readConfiguration'),
  'GET /dedicated_engines': list('readConfiguration'),
  'GET /triggers': list('readConfiguration'),
  'GET /delete_recommendations': list('readConfiguration'),
  'GET /workflows': list('readConfiguration'),
  'GET /workflow_steps': list('readConfiguration'),
  'GET /workflow_runs': list('readConfiguration'),
  'GET /workflow_activities': list('readConfiguration'),
  'GET /surveys': list('readConfiguration'),
  // Nobody has confirmed anything here: lessons themselves are in memory.test.ts.
  'GET /lessons': list('writeConfiguration'),
  'GET /lessons/:id': { row: 'writeConfiguration', id: 'annotation', except: () => 404 },
  'DELETE /lessons/:id': { row: 'writeConfiguration', id: 'annotation', except: () => 404 },
  'POST /lessons/forget': { row: 'writeConfiguration', except: () => 404, body: () => ({ sender: 'vat:de1' }) },
  'GET /email_tracking_events': list('readEmails'),
  'GET /suggested_edits': list('readAnnotations', 'suggested_edit'),
  'POST /suggested_edits': {
    row: 'dispose',
    refuses: 400,
    body: ({ annotation }) => ({ annotation: at('annotations', annotation), documents: [] }),
  },
  'GET /suggested_edits/:id': one('readAnnotations', 'suggested_edit'),
  'PATCH /suggested_edits/:id': one('dispose', 'suggested_edit'),
  'PUT /suggested_edits/:id': one('dispose', 'suggested_edit', { body: () => ({ documents: [] }) }),
  'DELETE /suggested_edits/:id': one('dispose', 'suggested_edit', {
    fresh: async () => ({
      id: (await admin.post('/suggested_edits', { annotation: at('annotations', await copyOfFirst()), documents: [] }))
        .id,
    }),
  }),
};

/** No request of these reaches anything: they are here for what they say of themselves. */
const routes: readonly Route[] = createRoutes({
  services: new Proxy({}, { get: () => ({}) }),
  authenticator: {},
  domain: null,
} as unknown as Parameters<typeof createRoutes>[0]);
/** Reads first, so that they find what the others change. */
const ORDER = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const rows = [...routes].sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));

const OTHER_EMAIL = 'other.user@example.com';
const PASSWORD = 'k3a9zQ7x1b';
let system: TestSystem;
let admin: Api;
let first: Objects;
let places: Record<Place, Objects>;
/** Of the role, in the first organization. */
const users: Partial<Record<Role, { readonly id: number; readonly api: Api; readonly username: string }>> = {};
const usernames = new Map<number, string>();
let revoked: Api;
let counter = 0;
const unique = () => `someone.${++counter}`;

beforeAll(async () => {
  system = await startSystem();
  admin = await system.login();
  const other = await makeQueue();
  const neighbour = await system.createOrganization('Neighbour');
  const own = await prepare(admin, system);
  first = own;
  places = {
    own,
    other: {
      ...(await prepare(admin, { ...system, ...other })),
      user: await makeUser('manager', { email: OTHER_EMAIL }),
    },
    foreign: await prepare(await system.login(neighbour.admin), neighbour),
  };
  for (const { name } of GROUPS) {
    const id = await makeUser(name);
    const username = usernames.get(id)!;
    users[name] = { id, username, api: await system.login({ username, password: PASSWORD }) };
  }
  revoked = await login('viewer');
  await revoked.post('/auth/logout');
});
afterAll(() => system?.stop());

const login = (role: Role) => system.login({ username: users[role]!.username, password: PASSWORD });

const groupsOf = (user: number) =>
  GROUPS.filter(({ name }) => users[name]?.id === user).map(({ id }) => at('groups', id));

async function makeUser(role: Role, more: object = {}): Promise<number> {
  const username = unique();
  const { id } = await admin.post('/users', {
    username,
    password: PASSWORD,
    organization: at('organizations', system.organizationId),
    groups: [at('groups', GROUPS.find(({ name }) => name === role)!.id)],
    queues: [at('queues', first.queue)],
    ...more,
  });
  usernames.set(id, username);
  return id;
}

/** A queue with nothing in common with the first one of the organization. */
async function makeQueue(): Promise<Pick<Organization, 'queueId' | 'inboxEmail'>> {
  const { content } = await admin.get((await admin.get(`/queues/${system.queueId}`)).schema);
  const organization = at('organizations', system.organizationId);
  const schema = await admin.post('/schemas', { name: 'Other', content });
  const workspace = await admin.post('/workspaces', { name: 'Other', organization });
  const queue = await admin.post('/queues', { name: 'Other', workspace: workspace.url, schema: schema.url });
  const inbox = await admin.post('/inboxes', { name: 'Other', email_prefix: 'other', queues: [queue.url] });
  return { queueId: queue.id, inboxEmail: inbox.email };
}

/** A queue that nothing else needs. */
async function makeSpareQueue(): Promise<number> {
  const { workspace } = await admin.get(`/queues/${system.queueId}`);
  const template = { name: 'Spare', template_name: 'EU Demo Template', workspace };
  return (await admin.post('/queues/from_template', template)).id;
}

/** An annotation that nothing else needs. */
async function copyOfFirst(): Promise<number> {
  const body = { target_queue: at('queues', first.queue) };
  return idOf((await admin.post(`/annotations/${first.annotation}/copy`, body)).annotation);
}

async function makeTemplate(api: Api, queueId: number): Promise<number> {
  return (await api.post('/email_templates', { name: 'Template', queue: at('queues', queueId) })).id;
}

/** A document with everything around it, and a mail, in a queue. */
async function prepare(api: Api, { organizationId, queueId, inboxEmail }: Organization): Promise<Objects> {
  const content = await buildPdf({ lines: invoiceLines(`QUEUE-${queueId}`) });
  await sendMail(system.smtp, { raw: await buildMail({ to: inboxEmail, text: 'A mail.' }), to: inboxEmail });
  const task = await api.upload(queueId, [{ fileName: 'invoice.pdf', content }]);
  const uploaded = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const [annotationId] = uploaded.annotationIds;
  const annotation: Json = await waitFor(
    'the end of the import',
    async () => {
      const found = await api.get(`/annotations/${annotationId}`);
      return found.status === 'to_review' && found;
    },
    { timeoutMs: 60_000 },
  );
  const queue = await api.get(`/queues/${queueId}`);
  const email: Json = await waitFor('the mail', async () =>
    (await api.get(`/emails?queue=${queueId}`)).results.find((one: Json) => one.email_thread),
  );
  const { s3_name } = await api.get(annotation.document);
  const connector = await api.post('/connectors', { ...CONNECTOR, queues: [queue.url] });
  const hook = await api.post('/hooks', { ...HOOK, queues: [queue.url] });
  const label = await api.post('/labels', { name: 'Label' });
  return {
    organization: organizationId,
    workspace: idOf(queue.workspace),
    queue: queueId,
    schema: idOf(queue.schema),
    inbox: idOf(queue.inbox),
    connector: connector.id,
    hook: hook.id,
    label: label.id,
    email_template: await makeTemplate(api, queueId),
    user: (await api.get('/auth/user')).id,
    upload: uploaded.uploadId,
    task: idOf(task),
    annotation: annotation.id,
    node: (await api.get(`/annotations/${annotation.id}/content`)).content[0].children[0].id,
    document: idOf(annotation.document),
    s3_name,
    page: idOf(annotation.pages[0]),
    email: email.id,
    email_thread: idOf(email.email_thread),
    note: (await api.post('/notes', { annotation: annotation.url, content: 'A note.' })).id,
    suggested_edit: (await api.post('/suggested_edits', { annotation: annotation.url, documents: [] })).id,
    relation: (await api.post('/relations', { type: 'attachment', annotations: [annotation.url] })).id,
    document_relation: (await api.post('/document_relations', { annotation: annotation.url })).id,
    automation_blocker: idOf(annotation.automation_blocker),
  };
}

/** What a role meets in a place: its own user, another user of the organization. */
const objectsIn = (place: Place, role: Role): Objects =>
  place === 'own' ? { ...places.own, user: users[role]!.id } : places[place];

/** What everybody in the organization sees, of every queue. */
const WHOLE_ORGANIZATION: readonly Kind[] = ['organization', 'schema', 'label', 'user'];

/** Whether the role sees what is there, as far as queues go. */
const sees = (role: Role, place: Place, kind: Kind) =>
  place === 'own' || (place === 'other' && (isAdmin(role) || WHOLE_ORGANIZATION.includes(kind)));

/** The expected status; `passes` for whatever comes behind the question who may. */
function expected(endpoint: Endpoint, role: Role, place: Place): number | 'passes' {
  const { row, id, refuses, except } = endpoint;
  if (row !== 'everybody' && row !== 'token' && !isAllowed(role, row)) return 403;
  const exception = except?.(role, place);
  if (exception) return exception;
  if (id && id !== 'shared' && !sees(role, place, id)) return 404;
  if (refuses && !sees(role, place, refuses === 404 ? 'queue' : 'organization')) return refuses;
  return 'passes';
}

const NO_PERMISSION = [401, 403, 404];
const passes = (method: string, status: number) =>
  method === 'GET' ? status === 200 || status === 303 : status < 500 && !NO_PERMISSION.includes(status);

async function ask(route: Route, endpoint: Endpoint, api: Api, objects: Objects, id?: number) {
  const { method, path } = route;
  const kind = endpoint.id === 'shared' ? undefined : endpoint.id;
  const concrete = path
    .replace(':id', String(id ?? (kind ? objects[kind] : 1)))
    .replace(':node', String(objects.node))
    .replace(':s3_name', objects.s3_name)
    .replace(':filename', 'name.pdf');
  if (concrete.includes(':')) throw new Error(`${path}: say here what its parameters are`);
  const query = endpoint.query?.(objects) ?? 'page_size=100&ordering=-id';
  const response = await api.request(method, `${concrete}?${query}`, { body: endpoint.body?.(objects) });
  // Some answers never end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: (isJson && text ? JSON.parse(text) : {}) as Json };
}

const CODES: Record<number, string> = { 403: 'permission_denied', 404: 'not_found' };

/** What is wrong with the answer in one cell, or nothing. */
async function checkCell(route: Route, endpoint: Endpoint, role: Role, place: Place): Promise<string[]> {
  const objects = objectsIn(place, role);
  const wanted = expected(endpoint, role, place);
  const { id, api = users[role]!.api } = (wanted === 'passes' && (await endpoint.fresh?.(role, place))) || {};
  const { status, body } = await ask(route, endpoint, api, objects, id);
  const problem = (text: string) => [`${role}, ${place}: ${text}: ${status} ${JSON.stringify(body).slice(0, 200)}`];
  if (wanted === 'passes') {
    if (!passes(route.method, status)) return problem('is refused');
    return endpoint.lists ? checkList(endpoint.lists, role, body, problem) : [];
  }
  if (status !== wanted) return problem(`is not refused as ${wanted}`);
  const code = CODES[wanted];
  return code && body.code !== code ? problem(`has not the code ${code}`) : [];
}

/** A list has what the role sees, and nothing else. */
function checkList(kind: Kind, role: Role, { results }: Json, problem: (text: string) => string[]): string[] {
  const found = (results as Json[]).map(({ url }) => idOf(url.replace(/\/content$/, '')));
  return PLACES.flatMap((place) => {
    const id = Number(objectsIn(place, role)[kind]);
    const hidden = kind === 'user' && place === 'other' && role === 'annotator_embedded';
    const visible = sees(role, place, kind) && !hidden;
    return found.includes(id) === visible ? [] : problem(`${visible ? 'misses' : 'shows'} what is ${place}`);
  });
}

it('has a row here for every endpoint, and an endpoint for every row', () => {
  expect(rows.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(ENDPOINTS).sort());
});

it.each(Object.keys(MAY) as Permission[])('%s is for the roles of the matrix', (permission) => {
  expect(ROLES.filter((role) => may([role], permission))).toEqual(ROLES.filter((role) => isAllowed(role, permission)));
});

it.each(rows.map((route) => [route.method, route.path, route] as const))('%s %s', async (method, path, route) => {
  const endpoint = ENDPOINTS[`${method} ${path}`];
  if (!endpoint) throw new Error('a new endpoint needs a row in this test');
  const nobody = await Promise.all([
    ask(route, endpoint, new Api(system.baseUrl), places.own),
    ask(route, endpoint, revoked, places.own),
  ]);
  if (endpoint.row === 'everybody') {
    for (const { status } of nobody) expect([401, 403].includes(status)).toBe(false);
  } else {
    expect(nobody.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'not_authenticated'],
      [401, 'authentication_failed'],
    ]);
  }
  const differs = endpoint.lists === undefined && ((endpoint.id && endpoint.id !== 'shared') || endpoint.refuses);
  const cells = ROLES.flatMap((role) => (differs ? PLACES : (['own'] as const)).map((place) => [role, place] as const));
  const isRefused = ([role, place]: readonly [Role, Place]) => expected(endpoint, role, place) !== 'passes';
  const problems: string[] = [];
  // Refusals first: they change nothing that the others need.
  for (const group of [cells.filter(isRefused), cells.filter((cell) => !isRefused(cell))]) {
    const checks = group.map(([role, place]) => checkCell(route, endpoint, role, place));
    problems.push(...(await Promise.all(checks)).flat());
  }
  expect(problems).toEqual([]);
});

describe('what depends on more than endpoint and role', () => {
  const patch = async (role: Role, body: object) =>
    (await users[role]!.api.request('PATCH', `/annotations/${places.own.annotation}`, { body })).status;

  it('an embedded annotator changes the metadata of an annotation only', async () => {
    expect(await patch('annotator_embedded', { metadata: { a: 1 } })).toBe(200);
    expect(await patch('annotator_embedded', { status: 'postponed' })).toBe(403);
    expect(await patch('annotator_embedded', { metadata: {}, messages: [] })).toBe(403);
  });

  it('an export that changes the status is for fewer roles than one that does not', async () => {
    for (const role of ROLES) {
      const path = `/queues/${places.own.queue}/export?to_status=exported&id=0`;
      const { status } = await users[role]!.api.request('POST', path);
      expect([role, status]).toEqual([role, isAllowed(role, 'exportToStatus') ? 200 : 403]);
    }
  });

  it.each(ROLES)('%s reads itself, and of others what the matrix says', async (role) => {
    const { api, id } = users[role]!;
    const own = await api.get(`/users/${id}`);
    expect(own.queues).toEqual([at('queues', places.own.queue)]);
    const found = (await api.get('/users?page_size=100')).results as Json[];
    const other = found.find((user) => user.id === places.other.user);
    if (role === 'annotator_embedded') {
      expect(found.map((user) => user.id)).toEqual([id]);
      return;
    }
    const seesAll = isAllowed(role, 'readUsers');
    expect(other).toMatchObject({
      username: usernames.get(places.other.user),
      email: seesAll ? OTHER_EMAIL : '',
      groups: seesAll ? [at('groups', 4)] : [],
    });
    expect(await api.get(`/users/${places.other.user}`)).toEqual(other);
    expect('oidc_id' in other).toBe(isAdmin(role));
    // Nor are others found by what is not shown.
    for (const query of [`email=${OTHER_EMAIL}`, 'groups=4']) {
      const others = (await api.get(`/users?${query}`)).results.filter((user: Json) => user.id !== id);
      expect([query, others.length > 0]).toEqual([query, seesAll]);
    }
  });
});

it('a user without a role has an account, and nothing else', async () => {
  const [username, password] = [unique(), 'first-password'];
  const [organization, queues] = [at('organizations', first.organization), [at('queues', first.queue)]];
  await admin.post('/users', { username, password, organization, queues });
  const api = await system.login({ username, password });
  const statuses: Record<string, number> = {};
  const own = ['/auth/user', '/groups', '/groups/3', '/users'];
  const others = ['/organizations', '/queues', '/schemas', '/annotations', '/documents', '/notes', '/labels'];
  for (const path of [...own, ...others]) statuses[path] = (await api.request('GET', path)).status;
  expect(statuses).toEqual(
    Object.fromEntries([...own.map((path) => [path, 200]), ...others.map((path) => [path, 403])]),
  );
  expect((await api.get('/users')).results.map((user: Json) => user.username)).toEqual([username]);
  const [old_password, new_password] = [password, 'violet-harbour-42-lamps'];
  const change = { old_password, new_password1: new_password, new_password2: new_password };
  expect((await api.post('/auth/password/change', change)).detail).toBe('New password has been saved.');
  expect((await api.request('POST', '/auth/logout')).status).toBe(200);
  expect((await api.request('GET', '/auth/user')).status).toBe(401);
});

it('docs/permissions.md is up to date (`npm run permissions` writes it)', async () => {
  await promisify(execFile)(process.execPath, [
    join(__dirname, '../../services/gateway/scripts/permissions.mjs'),
    '--check',
  ]);
});
