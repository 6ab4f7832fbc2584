import type { queue } from '@intake/contracts';
import { z } from 'zod';
import { type Attribute, answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { boolean, metadata, name, object, reference, string } from './shapes';

/** What an inbox says of its queue's mail settings, and the other way round: one setting with two views. */
interface EmailNotifications {
  readonly recipient?: { readonly email?: string } | null;
  readonly [flag: string]: unknown;
}

const { shown, field } = attributesOf<queue.Inbox, queue.Inbox>();

const notificationsOf = (row: queue.Inbox): EmailNotifications => row.emailNotifications ?? {};

/** A key of the queue's `email_notifications`. */
function notification(key: string, fallback: boolean): Attribute<queue.Inbox> {
  return field('emailNotifications', boolean, {
    missing: fallback,
    show: (row) => notificationsOf(row)[key] ?? fallback,
    put: (value) => ({ emailNotifications: { [key]: value } }),
  });
}

const exactlyOneQueue = z
  .array(reference('queues'))
  .refine((queues) => queues.length === 1, 'An inbox belongs to exactly one queue.');

/** API: inboxes.md. */
export const INBOX = resourceKind<queue.Inbox>('Inbox', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', name(), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.inbox(id)),
  queues: field('queueId', exactlyOneQueue, {
    required: true,
    show: ({ queueId }, urls) => [urls.queue(queueId)],
    put: (queueIds) => ({ queueId: (queueIds as number[])[0] }),
  }),
  email: field('email', string(320)),
  email_prefix: field('emailPrefix', name(57)),
  bounce_email_to: field('emailNotifications', z.email().nullable(), {
    missing: null,
    show: (row) => notificationsOf(row).recipient?.email ?? null,
    put: (email) => ({ emailNotifications: { recipient: email === null ? null : { email } } }),
  }),
  bounce_unprocessable_attachments: notification('unprocessable_attachments', false),
  bounce_postponed_annotations: notification('postponed_annotations', false),
  bounce_deleted_annotations: notification('deleted_annotations', false),
  bounce_email_with_no_attachments: notification('email_with_no_attachments', true),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  filters: field('filters', object, { missing: null, show: (row) => row.filters ?? {} }),
  dmarc_check_action: field('dmarcCheckAction', z.enum(['accept', 'drop']), { missing: 'accept' }),
  ...modifiedAttributes<queue.Inbox>(),
});
