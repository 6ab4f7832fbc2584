import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, requireAdmin } from '@intake/rpc';
import { UNMODIFIED } from '../change';
import { insertDefaultTemplates } from '../email-template/email-template';
import { findNameProblem, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import { insertInbox } from '../inbox/inbox';
import { contentOfTemplate } from '../schema/schema';
import { EMPTY_QUEUE, type Queue, type QueueDeps } from './queue';
import { DEFAULT_SETTINGS } from './queue-defaults';

/** What a queue is made of together with schema and inbox. */
export interface QueueTemplate {
  readonly name: string;
  readonly templateName: string;
  readonly workspaceId: number;
}

/**
 * Makes a queue with a schema from a template, and an inbox: all of them or nothing. Caller: admin.
 * Field errors: `name`, `template_name`, `workspace`.
 */
export async function createQueueFromTemplate(
  caller: Caller,
  { name, templateName, workspaceId }: QueueTemplate,
  deps: QueueDeps & { readonly mailDomain: string },
): Promise<Queue> {
  requireAdmin(caller);
  const { queues, schemas, workspaces, inboxes, backbone } = deps;
  const content = contentOfTemplate(templateName);
  refuseProblems({ name: findNameProblem(name) });
  const organizationId = organizationOf(caller);
  const [id, schemaId, inboxId] = await Promise.all([queues.nextId(), schemas.nextId(), inboxes.nextId()]);
  const queue: Queue = {
    ...EMPTY_QUEUE,
    ...UNMODIFIED,
    id,
    organizationId,
    name,
    workspaceId,
    schemaId,
    settings: DEFAULT_SETTINGS,
    status: 'active',
    deleteAfter: null,
  };
  const contentJson = JSON.stringify(content);
  await transaction(backbone.database, async (session) => {
    const isThere = await workspaces.hold(caller, [workspaceId], session);
    refuseProblems({ workspace: isThere ? null : NO_SUCH_OBJECT });
    await schemas.insert(
      { id: schemaId, organizationId, name, version: 1, contentJson, metadata: {}, ...UNMODIFIED },
      session,
    );
    await queues.insert(queue, session);
    await insertDefaultTemplates(caller, id, deps.templates, session);
    await insertInbox(caller, { id: inboxId, name, queueId: id }, deps, session);
  });
  return { ...queue, inboxId };
}
