import type { queue } from '@intake/contracts';
import { answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { boolean, metadata, name } from './shapes';

const { shown, field, link } = attributesOf<queue.Workspace, queue.Workspace>();

/** API: workspaces-queues.md section 1. */
export const WORKSPACE = resourceKind<queue.Workspace>('Workspace', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', name(), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.workspace(id)),
  autopilot: field('autopilot', boolean, { missing: false, show: (row) => row.autopilot ?? false }),
  organization: link('organizationId', 'organizations', { required: true, onlyAtCreation: true }),
  queues: shown(answers.uris, ({ queueIds }, urls) => queueIds.map(urls.queue)),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  ...modifiedAttributes<queue.Workspace>(),
});
