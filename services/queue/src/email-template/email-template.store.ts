import type { Backbone } from '@intake/bus';
import { createRows, type Rows } from '../row.store';
import type { EmailTemplate } from './email-template';

/** E-mail templates in MongoDB. */
export type EmailTemplateStore = Rows<EmailTemplate>;

export function createEmailTemplateStore(backbone: Pick<Backbone, 'database' | 'ids'>): EmailTemplateStore {
  const addresses = [{ _id: false, email: String, name: String }];
  return createRows(backbone, {
    model: 'EmailTemplate',
    collection: 'email_templates',
    fields: {
      name: String,
      queueId: Number,
      type: { type: String },
      about: String,
      subject: String,
      message: String,
      automate: Boolean,
      to: addresses,
      cc: addresses,
      bcc: addresses,
      triggers: [String],
    },
    indexes: [[{ organizationId: 1, queueId: 1, _id: 1 }], [{ organizationId: 1, name: 1, _id: 1 }]],
    orderings: { id: '_id', name: 'name' },
  });
}
