import type { queue } from '@intake/contracts';
import { z } from 'zod';
import { answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { metadata, string } from './shapes';

const { shown, field } = attributesOf<queue.Schema, queue.Schema>();

/** What stands in the list is checked by the service of schemas, which says at its place what is wrong with it. */
export const sections = z.unknown().meta({ type: 'array', items: { type: 'object' } });

/** API: schemas.md section 1. The content is given as it was stored. The service says what is wrong with name and content in one answer. */
export const SCHEMA = resourceKind<queue.Schema>('Schema', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', string().meta({ maxLength: 255 }), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.schema(id)),
  queues: shown(answers.uris, ({ queueIds }, urls) => queueIds.map(urls.queue)),
  content: field('contentJson', sections, {
    required: true,
    show: (row) => JSON.parse(row.contentJson || '[]') as unknown,
    put: (content) => ({ contentJson: JSON.stringify(content) }),
  }),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  ...modifiedAttributes<queue.Schema>(),
});
