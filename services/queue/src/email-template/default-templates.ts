import type { EmailTemplate } from './email-template';

type Text = Pick<EmailTemplate, 'name' | 'type' | 'about' | 'automate' | 'subject' | 'message'>;

const about = (status: 'received' | 'confirmed' | 'exported', what: string): Text => ({
  name: `Documents ${status}`,
  type: 'custom',
  about: status,
  automate: false,
  subject: `Your documents were ${status}: {{ parent_email_subject }}`,
  message: `<p>Hello,</p><p>${what}</p>{{ document_list }}<p>{{ organization_name }}</p>`,
});

/** What every new queue begins with. API: email-import.md section 7. */
export const DEFAULT_TEMPLATES: readonly Text[] = [
  about('received', 'we received the documents you sent, and will process them soon:'),
  about('confirmed', 'we checked the documents you sent:'),
  about('exported', 'the documents you sent were processed:'),
  {
    name: 'Default rejection',
    type: 'rejection_default',
    about: null,
    automate: true,
    subject: 'Rejected: {{ parent_email_subject }}',
    message:
      '<p>Hello,</p><p>we could not process these documents, and have rejected them:</p>{{ document_list }}' +
      '<p>Please check them and send them again.</p><p>{{ organization_name }}</p>',
  },
  {
    name: 'E-mail without documents',
    type: 'email_with_no_processable_attachments',
    about: null,
    automate: false,
    subject: 'No document found: {{ parent_email_subject }}',
    message:
      '<p>Hello,</p><p>we found no document in your e-mail that we can process. Please attach your documents, ' +
      'and send them again.</p><p>{{ organization_name }}</p>',
  },
];
