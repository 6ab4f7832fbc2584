import { queue as contract } from '@intake/contracts';
import {
  answers,
  EMAIL_TEMPLATE,
  EMAIL_TEMPLATE_TYPES,
  type EmailTemplateValues,
  mailAddress,
  recipientToJson,
  reference,
  string,
  unknownReference,
  withAutomate,
} from '@intake/resources';
import type { Caller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { z } from 'zod';
import { type PlaceholderValues, placeholdersIn, renderHtml, renderText, toHtmlList } from '../email-template/render';
import { choices, ids, text } from '../request/filters';
import { resourceRoutes } from '../resource/resource';
import { route } from '../route';
import { readContentValues } from './content-values';
import { readEmails } from './emails';
import type { RouteContext } from './index';
import { allPages, distinct, onlyOne } from './lookups';

const addressBody = z.array(mailAddress).nullish();
const renderBody = z.object({
  parent_email: reference('emails').nullish(),
  annotation_list: z.array(reference('annotations')).max(100).nullish(),
  document_list: z.array(reference('documents')).max(100).nullish(),
  template_values: z.record(string(100), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
  to: addressBody,
  cc: addressBody,
  bcc: addressBody,
});
type Render = z.infer<typeof renderBody>;

const ADDRESSES = { type: 'array', items: { type: 'object' } } as const;
const STATS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { url: answers.uri, manual_count: answers.integer, automated_count: answers.integer },
    required: ['url', 'manual_count', 'automated_count'],
  },
} as const;
const RENDERED = {
  type: 'object',
  properties: { to: ADDRESSES, cc: ADDRESSES, bcc: ADDRESSES, subject: answers.string, message: answers.string },
  required: ['to', 'cc', 'bcc', 'subject', 'message'],
} as const;

/** Texts of mails that go out. API: email-import.md section 7. */
export function emailTemplateRoutes(context: RouteContext) {
  const { services, lookups } = context;
  const { queue: queues, auth: accounts, annotation: annotations } = services;

  const getTemplate = async (id: number, caller: Caller) => {
    const filter = contract.ListEmailTemplatesRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
    return onlyOne((await queues.listEmailTemplates(filter, caller)).templates);
  };

  /** What the placeholders of these texts stand for, read as far as they are used. */
  const readValues = async (
    wanted: ReadonlySet<string>,
    given: Render,
    caller: Caller,
    urls: ApiUrls,
  ): Promise<PlaceholderValues> => {
    const annotationIds = distinct(given.annotation_list ?? []);
    const documentIds = distinct(given.document_list ?? []);
    const [emails, { annotations: found }, listed, { organizations }, users] = await Promise.all([
      readEmails(context, given.parent_email ? [given.parent_email] : [], caller),
      annotationIds.length > 0 ? annotations.getAnnotations({ ids: annotationIds }, caller) : { annotations: [] },
      lookups.documents(documentIds, caller),
      accounts.listOrganizations({ ids: [] }, caller),
      lookups.users(distinct([caller.userId ?? undefined]), caller),
    ]);
    if (given.parent_email && emails.length === 0) throw unknownReference('parent_email');
    if (found.length < annotationIds.length) throw unknownReference('annotation_list');
    if (listed.length < documentIds.length) throw unknownReference('document_list');
    const byId = new Map(found.map((row) => [row.id, row]));
    const rows = annotationIds.flatMap((id) => byId.get(id) ?? []);
    const [own, assignees, contents] = await Promise.all([
      lookups.documents(distinct(rows.map((row) => row.documentId)), caller),
      lookups.users(distinct(rows.flatMap((row) => row.assigneeIds)), caller),
      readContentValues(services, rows, [...wanted], caller),
    ]);
    const nameOf = (documentId: number) => own.find(({ id }) => id === documentId)?.originalFileName ?? '';
    const [user] = users;
    const email = emails[0]?.email;
    const joined = (values: readonly string[]) => values.filter((value) => value !== '').join(', ');
    const texts = new Map([
      ['organization_name', organizations[0]?.name ?? ''],
      ['app_url', urls.root.replace(/\/api\/v1$/, '')],
      ['parent_email_subject', email?.subject ?? ''],
      ['sender_email', email?.from?.email ?? ''],
      ['annotation.document.original_file_name', joined(rows.map(({ documentId }) => nameOf(documentId)))],
      ['annotation.id', joined(rows.map(({ id }) => String(id)))],
      ['annotation.url', joined(rows.map(({ id }) => urls.annotation(id)))],
      ['annotation.assignee_email', joined(assignees.map((one) => one.email))],
      ['user_name', user?.username ?? ''],
      ['current_user_fullname', user ? `${user.firstName} ${user.lastName}`.trim() : ''],
      ['current_user_email', user?.email ?? ''],
      ...contents,
      ...Object.entries(given.template_values ?? {}).map(([name, value]) => [name, String(value ?? '')] as const),
    ]);
    const names =
      documentIds.length > 0
        ? documentIds.flatMap((id) => listed.find((one) => one.id === id)?.originalFileName ?? [])
        : rows.map(({ documentId }) => nameOf(documentId));
    const html = new Map(texts.has('document_list') ? [] : [['document_list', toHtmlList(names)]]);
    return { text: texts, html };
  };

  const toValues = (values: EmailTemplateValues) => contract.EmailTemplate.fromPartial(withAutomate(values) as never);

  return [
    route('GET', '/email_templates/stats', {
      allow: 'readTemplates',
      doc: { summary: 'How many mails each template gave in the last 90 days', answer: STATS },
      call: async (_request, caller) => {
        const templates = await allPages(async (page) => {
          const request = contract.ListEmailTemplatesRequest.fromPartial({ ordering: ['id'], page, pageSize: 100 });
          const found = await queues.listEmailTemplates(request, caller);
          return { rows: found.templates, total: found.total };
        });
        return (await services.mail.countTemplateMails({ templateIds: templates.map(({ id }) => id) }, caller))
          .templates;
      },
      reply: (rows, { urls }) =>
        rows.map(({ templateId, manual, automated }) => ({
          url: urls.emailTemplate(templateId),
          manual_count: manual,
          automated_count: automated,
        })),
    }),
    ...resourceRoutes('/email_templates', {
      kind: EMAIL_TEMPLATE,
      read: 'readTemplates',
      write: 'writeConfiguration',
      filters: { id: ids, queue: ids, type: choices(...EMAIL_TEMPLATE_TYPES), name: text },
      orderings: ['id', 'name'],
      list: async ({ filters, ...wanted }, caller) => {
        const filter = { ids: filters.id, queueIds: filters.queue, types: filters.type, name: filters.name, ...wanted };
        const { templates: rows, total } = await queues.listEmailTemplates(filter, caller);
        return { rows, total };
      },
      get: getTemplate,
      create: (values: EmailTemplateValues, caller) => queues.createEmailTemplate(toValues(values), caller),
      replaced: (values) => ({ ...values, automate: values.automate ?? values.enabled ?? true }),
      update: (id, values, fields, caller) => {
        const template = toValues({ ...values, id });
        const names = fields.map((field) => (field === 'enabled' ? 'automate' : field));
        return queues.updateEmailTemplate({ template, fields: [...new Set(names)] }, caller);
      },
      remove: (id, caller) => queues.deleteEmailTemplate({ id }, caller),
    }),
    route('POST', '/email_templates/:id/render', {
      allow: 'readTemplates',
      doc: { summary: 'The mail that a template gives', answer: RENDERED },
      body: renderBody,
      call: async ({ parameters, body, urls }, caller) => {
        const template = await getTemplate(parameters.id, caller);
        const wanted = placeholdersIn(`${template.subject}${template.message}`);
        const values = await readValues(new Set(wanted), body, caller, urls);
        const fill = (addresses: readonly contract.MailAddress[]) =>
          addresses
            .map(({ email, name }) => ({ email: renderText(email, values), name: renderText(name, values) }))
            .filter(({ email }) => email !== '')
            .map(recipientToJson);
        const chosen = (key: 'to' | 'cc' | 'bcc') =>
          fill(body[key]?.map(({ email, name }) => ({ email, name: name ?? '' })) ?? template[key]);
        return {
          to: chosen('to'),
          cc: chosen('cc'),
          bcc: chosen('bcc'),
          subject: renderText(template.subject, values),
          message: renderHtml(template.message, values),
        };
      },
      reply: (rendered) => rendered,
    }),
  ];
}
