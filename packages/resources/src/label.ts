import type { queue } from '@intake/contracts';
import { answers, attributesOf, resourceKind } from './attributes';
import { name, string } from './shapes';

const { shown, field, link } = attributesOf<queue.Label, queue.Label>();

/** API: related-objects.md section 5. */
export const LABEL = resourceKind<queue.Label>('Label', {
  id: shown(answers.integer, ({ id }) => id),
  url: shown(answers.uri, ({ id }, urls) => urls.label(id)),
  name: field('name', name(), { required: true }),
  organization: link('organizationId', 'organizations', { onlyAtCreation: true }),
  color: field('color', string(20).nullable(), { missing: null }),
});
