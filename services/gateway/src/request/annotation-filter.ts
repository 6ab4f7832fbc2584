import { ANNOTATION_STATUSES } from '@intake/bus';
import type { annotation } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import type { Lookups } from '../routes/lookups';
import {
  boolean,
  choices,
  documentFilters,
  documentOrdering,
  type Filter,
  ids,
  readFilters,
  texts,
  times,
} from './filters';
import type { Query } from './query';

const TIMES = [
  'arrived_at',
  'created_at',
  'assigned_at',
  'confirmed_at',
  'modified_at',
  'deleted_at',
  'exported_at',
  'export_failed_at',
  'purged_at',
  'rejected_at',
] as const;

const PEOPLE = ['confirmed_by', 'deleted_by', 'exported_by', 'purged_by', 'rejected_by'] as const;

/** API: related-objects.md section 3. */
export const RELATION_TYPES = ['edit', 'attachment', 'duplicate'] as const;

/** API: limits.md. */
export const MAX_SEARCH_LENGTH = 256;

/** API: annotations.md section 2. */
export const ANNOTATION_ORDERINGS: readonly string[] = [
  'id',
  'document',
  'document__arrived_at',
  'document__original_file_name',
  'modifier',
  'modifier__username',
  'modified_by',
  'modified_by__username',
  'creator',
  'creator__username',
  'queue',
  'status',
  ...TIMES,
  ...PEOPLE,
  ...PEOPLE.map((key) => `${key}__username`),
];

/** Words of texts and values, as people type them. */
const searched: Filter<string> = {
  kind: 'text',
  description: `Beginnings of words, at most ${MAX_SEARCH_LENGTH} characters.`,
  read: (query, name) => {
    const search = query.get(name) ?? '';
    if ([...search].length > MAX_SEARCH_LENGTH) {
      query.refuse(name, `Ensure this field has no more than ${MAX_SEARCH_LENGTH} characters.`);
    }
    return search;
  },
};

const ofTimes = Object.fromEntries(TIMES.map((name) => [name, times])) as Record<(typeof TIMES)[number], typeof times>;
const ofPeople = Object.fromEntries(PEOPLE.map((name) => [name, ids])) as Record<(typeof PEOPLE)[number], typeof ids>;

/** The filters of the annotation list, which exports take too. API: annotations.md section 2. */
const ANNOTATION_FILTERS = {
  id: ids,
  status: choices(...ANNOTATION_STATUSES),
  queue: ids,
  queue__workspace: ids,
  document: ids,
  modifier: ids,
  creator: ids,
  automated: boolean,
  ...ofPeople,
  assignees: ids,
  labels: ids,
  relations__parent: ids,
  relations__type: choices(...RELATION_TYPES),
  relations__key: texts,
  ...ofTimes,
  search: searched,
  has_email_thread_with_replies: boolean,
  has_email_thread_with_new_replies: boolean,
  // What no annotation has yet.
  restricted_access: boolean,
} as const;

/** What the OpenAPI document says of them, and of the order. */
export const ANNOTATION_PARAMETERS = [
  ...documentFilters(ANNOTATION_FILTERS),
  ...documentOrdering(ANNOTATION_ORDERINGS),
];

/** What of the annotations is asked for; null: nothing can match. */
export type AnnotationFilter = Omit<annotation.ListAnnotationsRequest, 'page' | 'pageSize'>;

/**
 * Reads the filters and the ordering of the annotation list, which exports take too. Throws INVALID with every problem.
 *
 * @param queueId the only queue that counts (exports of a queue)
 */
export async function readAnnotationFilter(
  query: Query,
  caller: Caller,
  lookups: Lookups,
  queueId?: number,
): Promise<AnnotationFilter | null> {
  const ordering = query.ordering((key) => ANNOTATION_ORDERINGS.includes(key));
  const given = readFilters(ANNOTATION_FILTERS, query);
  const { queue: queues, queue__workspace: workspaces, search } = given;
  const filter = {
    ids: given.id,
    statuses: given.status,
    schemaIds: [],
    documentIds: given.document,
    modifierIds: given.modifier,
    creatorIds: given.creator,
    automated: given.automated,
    confirmedByIds: given.confirmed_by,
    deletedByIds: given.deleted_by,
    exportedByIds: given.exported_by,
    purgedByIds: given.purged_by,
    rejectedByIds: given.rejected_by,
    assigneeIds: given.assignees,
    labelIds: given.labels,
    relationParentIds: given.relations__parent,
    relationTypes: given.relations__type,
    relationKeys: given.relations__key,
    times: Object.fromEntries(TIMES.flatMap((name) => (given[name] ? [[name, given[name]]] : []))),
    ordering,
    conditionsJson: '',
    orderValues: {},
  };
  const flags = [
    { flag: 'hasReplies', wanted: given.has_email_thread_with_replies },
    { flag: 'hasNewReplies', wanted: given.has_email_thread_with_new_replies },
  ].filter(({ wanted }) => wanted !== undefined);
  const mail = await Promise.all(
    flags.map(async ({ flag, wanted }) => ({
      name: 'mail',
      operator: wanted ? '$in' : '$nin',
      value: await lookups.findAnnotated({ [flag]: true }, caller),
    })),
  );
  const people = await readPeople(search, filter.ordering, caller, lookups);
  const hidden = queueId === undefined ? await outsideLeavingQueues(caller, lookups) : [];

  const conditions = [
    ...(queueId === undefined ? [] : [[queueId]]),
    ...(queues.length > 0 ? [queues] : []),
    ...(workspaces.length > 0
      ? [(await lookups.workspaces(workspaces, caller)).flatMap((workspace) => workspace.queueIds)]
      : []),
  ];
  const queueIds = conditions.reduce<number[] | null>(
    (both, ids) => (both === null ? ids : both.filter((id) => ids.includes(id))),
    null,
  );
  if (given.restricted_access || queueIds?.length === 0) return null;
  const further = [...mail, ...hidden];
  const conditionsJson = further.length > 0 ? JSON.stringify(further) : '';
  return { ...filter, ...people, conditionsJson, queueIds: queueIds ?? [] };
}

/** The condition that leaves out annotations of queues whose deletion was asked for; none where there is no such queue. */
export async function outsideLeavingQueues(caller: Caller, { leavingQueues }: Pick<Lookups, 'leavingQueues'>) {
  const ids = await leavingQueues.find(caller);
  return ids.length > 0 ? [{ name: 'queue', operator: '$nin', value: ids }] : [];
}

/**
 * What a search and an ordering need to know of the users of the organization; they are read only where they count.
 *
 * @param search terms between blanks
 */
export async function readPeople(
  search: string,
  ordering: readonly string[],
  caller: Caller,
  lookups: Pick<Lookups, 'allUsers'>,
): Promise<Pick<AnnotationFilter, 'search' | 'usersByName'>> {
  const terms = search
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '');
  const isByName = ordering.some((key) => key.endsWith('__username'));
  if (terms.length === 0 && !isByName) return { search: [], usersByName: [] };
  const users = await lookups.allUsers(caller);
  const byName = [...users].sort((one, other) => (one.username < other.username ? -1 : 1));
  const hasTerm = (email: string, term: string) =>
    [email, ...email.split(/[^\p{L}\p{N}]+/u)].some((word) => word.startsWith(term));
  return {
    search: terms.map((term) => ({
      term,
      modifierIds: users.filter(({ email }) => hasTerm(email.toLowerCase(), term)).map(({ id }) => id),
    })),
    usersByName: isByName ? byName.map(({ id }) => id) : [],
  };
}
