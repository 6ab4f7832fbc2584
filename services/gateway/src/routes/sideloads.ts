import { annotation as contract } from '@intake/contracts';
import {
  blockerToJson,
  documentToJson,
  emailToJson,
  LABEL,
  nodeToJson,
  noteToJson,
  organizationToJson,
  pageToJson,
  queueToJson,
  readAnnotationMail,
  readNodes,
  relationToJson,
  schemaToJson,
  suggestedEditToJson,
  userToJson,
  workspaceToJson,
} from '@intake/resources';
import type { Caller } from '@intake/rpc';
import type { Sideloads } from '../reply/list';
import { choices, documentFilters, texts } from '../request/filters';
import type { Query } from '../request/query';
import { viewOfUser } from '../roles';
import type { ApiRequest } from '../route';
import { readEmails } from './emails';
import type { RouteContext } from './index';
import { distinct } from './lookups';

/** API: annotations.md section 2. */
const KEYWORDS = [
  'assignees',
  'automation_blockers',
  'child_relations',
  'confirmed_bys',
  'content',
  'creators',
  'deleted_bys',
  'documents',
  'emails',
  'exported_bys',
  'labels',
  'modifiers',
  'notes',
  'organizations',
  'pages',
  'purged_bys',
  'queues',
  'rejected_bys',
  'related_emails',
  'relations',
  'schemas',
  'suggested_edits',
  'workflow_runs',
  'workspaces',
] as const;
type Keyword = (typeof KEYWORDS)[number];

/** How many content trees are fetched with one call: a page of usual size, and with tables of thousands of rows not too much. */
const TREES_AT_ONCE = 20;

/** Rows of one call where all are wanted. */
const MANY = 500;
/** Relations of a page of annotations; more than a few each is a mistake of whoever made them. */
const MOST_RELATIONS = 2000;

/** Who is meant by the keywords that give users. */
const PEOPLE: Partial<Record<Keyword, (row: contract.Annotation) => number | undefined>> = {
  confirmed_bys: (row) => row.confirmedById,
  creators: (row) => row.creatorId,
  deleted_bys: (row) => row.deletedById,
  exported_bys: (row) => row.exportedById,
  modifiers: (row) => row.modifierId,
  purged_bys: (row) => row.purgedById,
  rejected_bys: (row) => row.rejectedById,
};

/** What is to be loaded beside a list of annotations. */
export interface WantedSideloads {
  readonly keywords: readonly Keyword[];
  /** `content.schema_id`: without one no content is given. */
  readonly schemaIds: ReadonlySet<string>;
}

/** The query parameters that are read here, for the OpenAPI document. */
export const SIDELOAD_PARAMETERS = documentFilters({ sideload: choices(...KEYWORDS), 'content.schema_id': texts });

/** Reads `sideload` and `content.schema_id`; an unknown keyword is noted on the query. */
export function readSideloads(query: Query): WantedSideloads {
  return {
    keywords: query.choices('sideload', KEYWORDS),
    schemaIds: new Set(query.list('content.schema_id')),
  };
}

/** Makes the function that loads related objects, each kind with one batched call, each object once. */
export function createSideloads({ services, lookups }: RouteContext) {
  type Rows = readonly contract.Annotation[];

  const loadContent = async (rows: Rows, schemaIds: ReadonlySet<string>, { urls }: ApiRequest, caller: Caller) => {
    if (schemaIds.size === 0) return [];
    const found: object[] = [];
    for (let start = 0; start < rows.length; start += TREES_AT_ONCE) {
      const annotationIds = rows.slice(start, start + TREES_AT_ONCE).map(({ id }) => id);
      const { contents } = await services.annotation.getContents({ annotationIds, schemaIds: [...schemaIds] }, caller);
      for (const { annotationId, treeJson } of contents) {
        for (const node of readNodes(treeJson)) found.push(nodeToJson(node, annotationId, urls));
      }
    }
    return found;
  };

  const loadRelations = async (
    which: { readonly ids?: number[]; readonly parentIds?: number[] },
    { urls }: ApiRequest,
    caller: Caller,
  ) => {
    if ([...(which.ids ?? []), ...(which.parentIds ?? [])].length === 0) return [];
    const wanted = contract.ListRelationsRequest.fromPartial({ ...which, page: 1, pageSize: MOST_RELATIONS });
    const { relations } = await services.annotation.listRelations(wanted, caller);
    return relations.map((row) => relationToJson(row, urls));
  };

  const loadQueues = (rows: Rows, caller: Caller) => lookups.queues(distinct(rows.map((row) => row.queueId)), caller);

  const load = async (
    keyword: Keyword,
    rows: Rows,
    schemaIds: ReadonlySet<string>,
    request: ApiRequest,
    caller: Caller,
  ): Promise<readonly object[]> => {
    const { urls } = request;
    const personOf = PEOPLE[keyword];
    if (personOf) {
      const users = await lookups.users(distinct(rows.map(personOf)), caller);
      return users.flatMap((row) => {
        const view = viewOfUser(caller, row.id);
        return view === 'none' ? [] : [userToJson(row, urls, view)];
      });
    }
    switch (keyword) {
      case 'content':
        return loadContent(rows, schemaIds, request, caller);
      case 'documents': {
        const documents = await lookups.documents(distinct(rows.map((row) => row.documentId)), caller);
        return documents.map((row) => documentToJson(row, urls));
      }
      case 'pages': {
        const pages = await lookups.pages(distinct(rows.flatMap((row) => row.pageIds)), caller);
        return pages.map((row) => pageToJson(row, urls));
      }
      case 'queues': {
        const queues = await loadQueues(rows, caller);
        const relations = await lookups.relationsOf(
          queues.map(({ id }) => id),
          caller,
        );
        return queues.map((row) => queueToJson(row, relations(row.id), urls));
      }
      case 'schemas': {
        const schemas = await lookups.schemas(distinct(rows.map((row) => row.schemaId)), caller);
        return schemas.map((row) => schemaToJson(row, urls));
      }
      case 'workspaces': {
        const queues = await loadQueues(rows, caller);
        const workspaces = await lookups.workspaces(distinct(queues.map((row) => row.workspaceId)), caller);
        return workspaces.map((row) => workspaceToJson(row, urls));
      }
      case 'organizations': {
        const ids = distinct(rows.map((row) => row.organizationId));
        if (ids.length === 0) return [];
        const [{ organizations }, workspaces] = await Promise.all([
          services.auth.listOrganizations({ ids }, caller),
          lookups.allWorkspaces(caller),
        ]);
        return organizations.map((row) =>
          organizationToJson(
            row,
            workspaces.map(({ id }) => id),
            urls,
          ),
        );
      }
      case 'emails': {
        const emails = await readEmails({ services, lookups }, distinct(rows.map((row) => row.emailId)), caller);
        return emails.map(({ email, annotations }) => emailToJson(email, { annotations }, urls));
      }
      case 'related_emails': {
        const mailOf = await readAnnotationMail(services, rows, caller);
        const related = distinct(rows.flatMap(({ id }) => mailOf(id)?.relatedEmailIds ?? []));
        const emails = await readEmails({ services, lookups }, related, caller);
        return emails.map(({ email, annotations }) => emailToJson(email, { annotations }, urls));
      }
      case 'automation_blockers': {
        const found = distinct(rows.map((row) => row.automationBlockerId));
        if (found.length === 0) return [];
        const request = { ids: found, annotationIds: [], page: 1, pageSize: found.length };
        const { blockers } = await services.annotation.listAutomationBlockers(request, caller);
        return blockers.map((row) => blockerToJson(row, urls));
      }
      case 'relations':
        return loadRelations({ ids: distinct(rows.flatMap((row) => row.relationIds)) }, request, caller);
      case 'child_relations':
        return loadRelations({ parentIds: rows.map((row) => row.id) }, request, caller);
      case 'notes': {
        if (rows.length === 0) return [];
        const notes: contract.Note[] = [];
        for (let page = 1; ; page++) {
          const wanted = { annotationIds: rows.map((row) => row.id), page, pageSize: MANY };
          const answer = await services.annotation.listNotes(contract.ListNotesRequest.fromPartial(wanted), caller);
          notes.push(...answer.notes);
          if (answer.notes.length < MANY) break;
        }
        return notes.map((row) => noteToJson(row, urls));
      }
      case 'labels': {
        const labels = await lookups.labels(distinct(rows.flatMap((row) => row.labelIds)), caller);
        return labels.map((row) => LABEL.toJson(row, urls, caller));
      }
      case 'suggested_edits': {
        const found = distinct(rows.map((row) => row.suggestedEditId));
        if (found.length === 0) return [];
        const wanted = { ids: found, annotationIds: [], ordering: [], page: 1, pageSize: found.length };
        const { suggestedEdits } = await services.annotation.listSuggestedEdits(wanted, caller);
        return suggestedEdits.map((row) => suggestedEditToJson(row, urls));
      }
      case 'assignees': {
        const users = await lookups.users(distinct(rows.flatMap((row) => row.assigneeIds)), caller);
        return users.flatMap((row) => {
          const view = viewOfUser(caller, row.id);
          return view === 'none' ? [] : [userToJson(row, urls, view)];
        });
      }
      default:
        return [];
    }
  };

  return async (
    rows: Rows,
    { keywords, schemaIds }: WantedSideloads,
    request: ApiRequest,
    caller: Caller,
  ): Promise<Sideloads> => {
    const wanted = [...new Set(keywords)];
    const lists = await Promise.all(
      wanted.map(async (keyword) => [keyword, await load(keyword, rows, schemaIds, request, caller)] as const),
    );
    return Object.fromEntries(lists);
  };
}
