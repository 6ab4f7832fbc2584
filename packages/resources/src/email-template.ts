import type { queue } from '@intake/contracts';
import { z } from 'zod';
import { type Attribute, answers, attributesOf, resourceKind } from './attributes';
import { boolean, name, string } from './shapes';

const { shown, field, link } = attributesOf<queue.EmailTemplate, queue.EmailTemplate>();

export const EMAIL_TEMPLATE_TYPES = [
  'rejection',
  'rejection_default',
  'email_with_no_processable_attachments',
  'custom',
] as const;

/** A placeholder may stand for the address, so it is more than an address. */
export const mailAddress = z.object({ email: name(320), name: string(255).nullish() });

/** Addresses, with or without a name. */
function addresses(key: 'to' | 'cc' | 'bcc'): Attribute<queue.EmailTemplate> {
  return field(key, z.array(mailAddress), {
    missing: [],
    show: (row) => row[key].map(recipientToJson),
    put: (given) => ({
      [key]: (given as z.infer<typeof mailAddress>[]).map((one) => ({ email: one.email, name: one.name ?? '' })),
    }),
  });
}

/** `name` is left out where there is none. */
export function recipientToJson({ email, name: shownName }: queue.MailAddress) {
  return shownName ? { email, name: shownName } : { email };
}

/** API: email-import.md section 7. */
export const EMAIL_TEMPLATE = resourceKind<queue.EmailTemplate>('EmailTemplate', {
  id: shown(answers.integer, ({ id }) => id),
  url: shown(answers.uri, ({ id }, urls) => urls.emailTemplate(id)),
  name: field('name', name(), { required: true }),
  queue: link('queueId', 'queues', { required: true }),
  organization: shown(answers.uri, ({ organizationId }, urls) => urls.organization(organizationId)),
  triggers: field('triggers', z.array(z.url().max(2048)), { missing: [] }),
  type: field('type', z.enum(EMAIL_TEMPLATE_TYPES), { missing: 'custom' }),
  subject: field('subject', string(1000), { missing: '' }),
  message: field('message', string(100_000), { missing: '' }),
  // The older name: it counts where `automate` is not sent.
  enabled: field('automate', boolean, { put: (value) => ({ enabled: value }) }),
  automate: field('automate', boolean),
  to: addresses('to'),
  cc: addresses('cc'),
  bcc: addresses('bcc'),
});

/** What is written of a template: `automate` under either name. */
export type EmailTemplateValues = queue.EmailTemplate & { enabled?: boolean };

/** One name for what has two. */
export function withAutomate({ enabled, ...values }: EmailTemplateValues): queue.EmailTemplate {
  return enabled === undefined || values.automate !== undefined ? values : { ...values, automate: enabled };
}
