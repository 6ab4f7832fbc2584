import type { ClientSession } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found } from '../change';
import { findNameProblem, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import type { QueueStore } from '../queue/queue.store';
import { DEFAULT_TEMPLATES } from './default-templates';
import type { EmailTemplateStore } from './email-template.store';

/** To whom a mail goes. */
export interface MailAddress {
  /** An address, or a placeholder such as `{{sender_email}}`. */
  readonly email: string;
  /** Empty: none. */
  readonly name: string;
}

export const TEMPLATE_TYPES = [
  'rejection',
  'rejection_default',
  'email_with_no_processable_attachments',
  'custom',
] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

/** Text of mails that go out of a queue. API: email-import.md section 7. */
export interface EmailTemplate {
  readonly id: number;
  readonly organizationId: number;
  readonly name: string;
  readonly queueId: number;
  readonly type: TemplateType;
  /** The status that a default template is about; null: none. */
  readonly about: string | null;
  /** With placeholders, as `message`. */
  readonly subject: string;
  /** HTML. */
  readonly message: string;
  /** Sent without anybody asking for it. */
  readonly automate: boolean;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  /** URLs: stored, without effect. */
  readonly triggers: readonly string[];
}

/** What admins write of a template. */
export type EmailTemplateInput = Omit<EmailTemplate, 'id' | 'organizationId' | 'about'>;

/** What each field is when it is emptied. */
export const EMPTY_TEMPLATE: EmailTemplateInput = {
  name: '',
  queueId: 0,
  type: 'custom',
  subject: '',
  message: '',
  automate: true,
  to: [],
  cc: [],
  bcc: [],
  triggers: [],
};

/** To the sender of the mail that is answered. */
const TO_SENDER: readonly MailAddress[] = [{ email: '{{sender_email}}', name: '' }];
/** API: limits.md, e-mail recipients. */
const MAX_RECIPIENTS = 40;
const PLACEHOLDER = /^\{\{ *[\w.]+ *\}\}$/;
const ADDRESS = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/;

interface Deps {
  readonly templates: EmailTemplateStore;
  readonly queues: QueueStore;
}

function check({ name, to, cc, bcc }: EmailTemplateInput): void {
  const findProblem = (addresses: readonly MailAddress[]) =>
    addresses.every(({ email }) => PLACEHOLDER.test(email) || ADDRESS.test(email))
      ? null
      : 'Enter a valid email address, or a placeholder such as {{sender_email}}.';
  refuseProblems({
    name: findNameProblem(name),
    to: findProblem(to),
    cc: findProblem(cc),
    bcc: findProblem(bcc),
    non_field_errors:
      to.length + cc.length + bcc.length > MAX_RECIPIENTS
        ? `Ensure to, cc and bcc have no more than ${MAX_RECIPIENTS} recipients together.`
        : null,
  });
}

/** Users make and delete only these; the other ones come and go with their queue. */
function isFree(type: TemplateType): boolean {
  return type === 'rejection' || type === 'custom';
}

async function checkQueue(caller: Caller, queueId: number, queues: QueueStore): Promise<void> {
  if ((await queues.get(caller, [queueId])).length === 0) throw invalidField('queue', NO_SUCH_OBJECT);
}

/** The templates that a new queue begins with, or copies of another queue's. */
export async function insertTemplates(
  caller: Caller,
  queueId: number,
  texts: readonly (Partial<EmailTemplate> & Pick<EmailTemplate, 'name'>)[],
  templates: EmailTemplateStore,
  session: ClientSession,
): Promise<void> {
  const made: EmailTemplate[] = [];
  for (const text of texts) {
    const id = await templates.nextId();
    made.push({
      ...EMPTY_TEMPLATE,
      about: null,
      to: TO_SENDER,
      ...text,
      id,
      organizationId: organizationOf(caller),
      queueId,
    });
  }
  await templates.insertAll(made, session);
}

/** See `insertTemplates`: those of the API. */
export function insertDefaultTemplates(
  caller: Caller,
  queueId: number,
  templates: EmailTemplateStore,
  session: ClientSession,
): Promise<void> {
  return insertTemplates(caller, queueId, DEFAULT_TEMPLATES, templates, session);
}

/** Makes a template. Caller: admin. Field errors: `name`, `queue`, `type`, `to`, `cc`, `bcc`. */
export async function createEmailTemplate(
  caller: Caller,
  input: EmailTemplateInput,
  { templates, queues }: Deps,
): Promise<EmailTemplate> {
  requireAdmin(caller);
  if (!isFree(input.type)) {
    throw invalidField('type', 'Only templates of the types "rejection" and "custom" can be created.');
  }
  check(input);
  await checkQueue(caller, input.queueId, queues);
  const id = await templates.nextId();
  const template = { ...input, id, organizationId: organizationOf(caller), about: null };
  await templates.insert(template);
  return template;
}

/** Changes a template. Caller: admin. Field errors as those of `createEmailTemplate`. */
export async function updateEmailTemplate(
  caller: Caller,
  id: number,
  change: Partial<EmailTemplateInput>,
  { templates, queues }: Deps,
): Promise<EmailTemplate> {
  requireAdmin(caller);
  const before = found(await templates.find(caller, id));
  const after = { ...before, ...change };
  check(after);
  if (after.type !== before.type && !(isFree(after.type) && isFree(before.type))) {
    throw invalidField('type', `A template of the type "${before.type}" cannot become "${after.type}".`);
  }
  if (after.queueId !== before.queueId) {
    if (!isFree(before.type)) throw invalidField('queue', 'A default template stays with its queue.');
    await checkQueue(caller, after.queueId, queues);
  }
  return found(await templates.update(caller, id, change));
}

/** Deletes a template. Caller: admin. INVALID for those that come and go with their queue. */
export async function deleteEmailTemplate(caller: Caller, id: number, { templates }: Deps): Promise<void> {
  requireAdmin(caller);
  const { type } = found(await templates.find(caller, id));
  if (!isFree(type)) {
    throw invalidField('type', 'Only templates of the types "rejection" and "custom" can be deleted.');
  }
  if (!(await templates.remove(caller, id))) throw new Refusal('NOT_FOUND');
}
