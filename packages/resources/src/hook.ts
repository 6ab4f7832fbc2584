import type { queue } from '@intake/contracts';
import { z } from 'zod';
import { answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { boolean, integer, metadata, name, object, string } from './shapes';
import { formatTime, urlOrNull } from './values';

const { shown, field, link, links } = attributesOf<queue.Hook, queue.Hook>();

const text = string(10_000).nullable();
const uri = string(2048).nullable();

/** API: hooks-and-connectors.md section 1. Secrets are written and never read. */
export const HOOK = resourceKind<queue.Hook>('Hook', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', name(), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.hook(id)),
  type: field('type', z.enum(['webhook', 'function', 'job']), { onlyAtCreation: true }),
  queues: links('queueIds', 'queues'),
  run_after: links('runAfterIds', 'hooks', { missing: [] }),
  active: field('active', boolean, { missing: true }),
  events: field('events', z.array(string(100)), { required: true }),
  sideload: field('sideload', z.array(string(100)), { missing: [] }),
  config: field('config', object, { missing: {}, show: (row) => row.config ?? {} }),
  test: field('test', object, { missing: {}, show: (row) => row.test ?? {} }),
  settings: field('settings', object, { show: (row) => row.settings ?? {} }),
  settings_schema: field('settingsSchema', object.nullable(), { missing: null }),
  secrets: field('secrets', object, {
    optional: true,
    schema: { type: 'object', writeOnly: true },
    show: () => undefined,
  }),
  secrets_schema: field('secretsSchema', object, { missing: null, show: (row) => row.secretsSchema ?? {} }),
  token_owner: link('tokenOwnerId', 'users', { nullable: true, missing: null }),
  token_lifetime_s: field('tokenLifetimeS', integer(0, 7200).nullable(), { missing: null }),
  description: field('description', text, { missing: null }),
  extension_source: field('extensionSource', z.enum(['custom', 'rossum_store']), { onlyAtCreation: true }),
  guide: field('guide', text, { missing: null }),
  read_more_url: field('readMoreUrl', uri, { missing: null }),
  extension_image_url: field('extensionImageUrl', uri, { missing: null }),
  hook_template: field('hookTemplate', uri, { onlyAtCreation: true }),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  created_by: shown(answers.uriOrNull, (row, urls) => urlOrNull(urls.user, row.createdById)),
  created_at: shown(answers.timeOrNull, (row) => formatTime(row.createdAt)),
  ...modifiedAttributes<queue.Hook>(),
});
