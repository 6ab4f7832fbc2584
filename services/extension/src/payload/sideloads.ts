import { auth, annotation as contract, documentStorage, mailIngest, queue } from '@intake/contracts';
import {
  blockerToJson,
  emailToJson,
  LABEL,
  noteToJson,
  pageToJson,
  queueToJson,
  referencesOf,
  relationToJson,
  schemaToJson,
  suggestedEditToJson,
  userToJson,
  withoutGone,
} from '@intake/resources';
import { type Caller, type Client, systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import type { JsonObject } from '../webhook/outcome';
import type { Subject } from './annotation-payload';

export interface SideloadSources {
  readonly annotations: Client<typeof contract.AnnotationServiceService>;
  readonly storage: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly auth: Client<typeof auth.AuthServiceService>;
  readonly mail: Client<typeof mailIngest.MailIngestServiceService>;
  readonly urls: ApiUrls;
}

/** Rows of one kind that a payload may carry. */
const MANY = 500;

/** Related objects of an annotation, as full lists beside it. API: hooks-and-connectors.md section 4.4. */
export type Sideloads = ReturnType<typeof createSideloads>;

export function createSideloads({ annotations, storage, queues, auth: accounts, mail, urls }: SideloadSources) {
  const page = { page: 1, pageSize: MANY };
  type Load = (row: contract.Annotation, caller: Caller, emails: Subject['mail']) => Promise<readonly object[]>;

  const users = async (ids: number[], caller: Caller) => {
    if (ids.length === 0) return [];
    const { users: found } = await accounts.getUsers({ ids }, caller);
    return found.map((row) => userToJson(row, urls, 'full'));
  };
  const relations = async (filter: Partial<contract.ListRelationsRequest>, caller: Caller) => {
    const request = contract.ListRelationsRequest.fromPartial({ ...filter, ...page });
    return (await annotations.listRelations(request, caller)).relations.map((row) => relationToJson(row, urls));
  };

  const emails = async (ids: number[], caller: Caller) => {
    if (ids.length === 0) return [];
    const found = (await mail.listEmails(mailIngest.ListEmailsRequest.fromPartial({ ids, ...page }), caller)).emails;
    const { documentIds, annotationIds } = referencesOf(found);
    const [{ annotations: rows }, { documents }, { annotations: related }] = await Promise.all([
      documentIds.length === 0
        ? { annotations: [] }
        : annotations.listAnnotations(contract.ListAnnotationsRequest.fromPartial({ documentIds, ...page }), caller),
      documentIds.length === 0 ? { documents: [] } : storage.getDocuments({ ids: documentIds }, caller),
      annotationIds.length === 0 ? { annotations: [] } : annotations.getAnnotations({ ids: annotationIds }, caller),
    ]);
    const there = { documentIds: documents.map(({ id }) => id), annotationIds: related.map(({ id }) => id) };
    return found.map((email) => {
      const own = rows.filter(({ emailId }) => emailId === email.id);
      return emailToJson(withoutGone(email, there), { annotations: own }, urls);
    });
  };

  const loads: Readonly<Record<string, Load>> = {
    queues: async ({ queueId }, caller) => {
      const [{ queues: found }, { users: members }, { queues: counts }] = await Promise.all([
        queues.getQueues({ ids: [queueId] }, caller),
        accounts.listUsers(auth.ListUsersRequest.fromPartial({ queueIds: [queueId], ...page }), caller),
        annotations.countByStatus({ queueIds: [queueId] }, caller),
      ]);
      const userIds = members.map(({ id }) => id);
      return found.map((row) => queueToJson(row, { userIds, counts: counts[queueId]?.counts ?? {} }, urls));
    },
    modifiers: ({ modifierId }, caller) => users(modifierId === undefined ? [] : [modifierId], caller),
    assignees: ({ assigneeIds }, caller) => users(assigneeIds, caller),
    schemas: async ({ schemaId }, caller) => [schemaToJson(await queues.getSchema({ id: schemaId }, caller), urls)],
    pages: async ({ id }, caller) => {
      const request = documentStorage.ListPagesRequest.fromPartial({
        annotationIds: [id],
        ordering: ['number'],
        ...page,
      });
      return (await storage.listPages(request, caller)).pages.map((row) => pageToJson(row, urls));
    },
    notes: async ({ id }, caller) => {
      const request = contract.ListNotesRequest.fromPartial({ annotationIds: [id], ...page });
      return (await annotations.listNotes(request, caller)).notes.map((row) => noteToJson(row, urls));
    },
    labels: async ({ labelIds }, caller) => {
      if (labelIds.length === 0) return [];
      const request = queue.ListRequest.fromPartial({ ids: labelIds, ...page });
      return (await queues.listLabels(request, caller)).labels.map((row) => LABEL.toJson(row, urls, caller));
    },
    relations: ({ relationIds }, caller) =>
      relationIds.length === 0 ? Promise.resolve([]) : relations({ ids: relationIds }, caller),
    child_relations: ({ id }, caller) => relations({ parentIds: [id] }, caller),
    automation_blockers: async ({ id }, caller) => {
      const { blockers } = await annotations.listAutomationBlockers({ ids: [], annotationIds: [id], ...page }, caller);
      return blockers.map((row) => blockerToJson(row, urls));
    },
    suggested_edits: async ({ id }, caller) => {
      const request = contract.ListSuggestedEditsRequest.fromPartial({ annotationIds: [id], ...page });
      return (await annotations.listSuggestedEdits(request, caller)).suggestedEdits.map((row) =>
        suggestedEditToJson(row, urls),
      );
    },
    emails: ({ emailId }, caller) => emails(emailId === undefined ? [] : [emailId], caller),
    related_emails: (_row, caller, about) => emails([...(about?.relatedEmailIds ?? [])], caller),
  };

  return {
    /** The lists that a hook wants. */
    async load({ annotation: row, mail: about }: Subject, wanted: readonly string[]): Promise<JsonObject> {
      const caller = systemCaller('extension', row.organizationId);
      const lists = await Promise.all(
        wanted.map(async (name) => [name, (await loads[name]?.(row, caller, about)) ?? []] as const),
      );
      return Object.fromEntries(lists);
    },
  };
}
