import { ANNOTATION_STATUSES } from '@intake/bus';
import type { annotation } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import type { Lookups } from '../routes/lookups';
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

/** Filters by what no annotation has yet: whoever asks for it gets nothing. */
const NEVER_FLAGS = ['restricted_access'];

/** Filters by the threads of e-mails. */
const THREAD_FLAGS = {
  has_email_thread_with_replies: 'hasReplies',
  has_email_thread_with_new_replies: 'hasNewReplies',
} as const;

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
  const times: AnnotationFilter['times'] = {};
  for (const name of TIMES) {
    const range = query.timeRange(name);
    if (range) times[name] = range;
  }
  const workspaces = query.ids('queue__workspace');
  const queues = query.ids('queue');
  const search = query.get('search') ?? '';
  if ([...search].length > MAX_SEARCH_LENGTH) {
    query.refuse('search', `Ensure this field has no more than ${MAX_SEARCH_LENGTH} characters.`);
  }
  const never = [...NEVER_FLAGS.map((name) => query.boolean(name) === true)].includes(true);
  const filter = {
    ids: query.ids('id'),
    statuses: query.choices('status', ANNOTATION_STATUSES),
    schemaIds: [],
    documentIds: query.ids('document'),
    modifierIds: query.ids('modifier'),
    creatorIds: query.ids('creator'),
    automated: query.boolean('automated'),
    confirmedByIds: query.ids('confirmed_by'),
    deletedByIds: query.ids('deleted_by'),
    exportedByIds: query.ids('exported_by'),
    purgedByIds: query.ids('purged_by'),
    rejectedByIds: query.ids('rejected_by'),
    assigneeIds: query.ids('assignees'),
    labelIds: query.ids('labels'),
    relationParentIds: query.ids('relations__parent'),
    relationTypes: query.list('relations__type'),
    relationKeys: query.list('relations__key'),
    times,
    ordering: query.ordering(ANNOTATION_ORDERINGS),
    conditionsJson: '',
    orderValues: {},
  };
  const flags = Object.entries(THREAD_FLAGS).flatMap(([name, flag]) => {
    const wanted = query.boolean(name);
    return wanted === undefined ? [] : [{ flag, wanted }];
  });
  query.check();
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
  if (never || queueIds?.length === 0) return null;
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
