import type { extraction } from '@intake/contracts';
import { answers, attributesOf, resourceKind } from './attributes';
import { formatTime } from './values';

const { shown } = attributesOf<extraction.Lesson, extraction.Lesson>();

const FIELD = {
  type: 'object',
  required: ['name', 'value', 'corrected', 'left', 'above', 'page'],
  properties: {
    name: { type: 'string', description: 'Extracted identifier, such as `document_id`.' },
    value: { type: 'string', description: 'Value that was confirmed; empty: there is nothing.' },
    corrected: {
      type: 'boolean',
      description: 'The engine had read something else, or nothing: here, or in an earlier document of the sender.',
    },
    left: { type: 'string', description: 'Words in front of the value, by which its place is found again.' },
    above: { type: 'string', description: 'Words above the value.' },
    page: { type: ['integer', 'null'], description: 'Null: the value was not found on the pages.' },
  },
};

const TABLE = {
  type: ['object', 'null'],
  required: ['head', 'columns'],
  description: 'How the line items are set, where that had to be learned.',
  properties: {
    head: { type: 'string', description: 'Words by which the head of the table is found again.' },
    columns: {
      type: 'array',
      items: { type: ['string', 'null'] },
      description: 'Extracted identifiers of the columns, from the left; null: none of them.',
    },
  },
};

/** What a confirmed annotation taught about its sender; ids are those of the annotations. */
export const LESSON = resourceKind<extraction.Lesson>('Lesson', {
  id: shown(answers.integer, ({ annotationId }) => annotationId),
  url: shown(answers.uri, ({ annotationId }, urls) => urls.lesson(annotationId)),
  annotation: shown(answers.uri, ({ annotationId }, urls) => urls.annotation(annotationId)),
  queue: shown(answers.uri, ({ queueId }, urls) => urls.queue(queueId)),
  sender_name: shown(answers.string, ({ senderName }) => senderName),
  senders: shown({ type: 'array', items: answers.string }, ({ senders }) => senders),
  fields: shown({ type: 'array', items: FIELD }, ({ fields }) =>
    fields.map(({ page, ...field }) => ({ ...field, page: page === 0 ? null : page })),
  ),
  line_items: shown(TABLE, ({ lineItems }) =>
    lineItems ? { ...lineItems, columns: lineItems.columns.map((column) => column || null) } : null,
  ),
  learned_at: shown(answers.timeOrNull, ({ learnedAt }) => formatTime(learnedAt)),
});
