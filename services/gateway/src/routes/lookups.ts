import { annotation, auth, type documentStorage, mailIngest, type queue } from '@intake/contracts';
import type { QueueRelations } from '@intake/resources';
import { type Caller, createReader, Refusal } from '@intake/rpc';
import type { Services } from '../services';
import { createLeavingQueues } from './leaving-queues';

const BATCH = 100;

/** The only row of an answer, or NOT_FOUND. */
export function onlyOne<T>(rows: readonly T[]): T {
  return found(rows[0]);
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw new Refusal('NOT_FOUND');
  return row;
}

/** Whether a filter by organization lets the caller's own through; it sees no other. */
export function isOwn(organizationIds: readonly number[], { organizationId }: Caller): boolean {
  return organizationIds.length === 0 || organizationIds.includes(organizationId ?? 0);
}

/** Distinct ids; absent ones are dropped. */
export function distinct(ids: readonly (number | undefined)[]): number[] {
  return [...new Set(ids.filter((id): id is number => id !== undefined && id > 0))];
}

/** Ids of rows. */
export function idsIn(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id);
}

/** Calls for the ids in batches; no ids, no call. */
async function inBatches<T>(ids: readonly number[], call: (ids: number[]) => Promise<readonly T[]>): Promise<T[]> {
  const batches: number[][] = [];
  for (let start = 0; start < ids.length; start += BATCH) batches.push(ids.slice(start, start + BATCH));
  return (await Promise.all(batches.map(call))).flat();
}

/** Walks all pages of a list. */
export async function allPages<T>(
  call: (page: number) => Promise<{ rows: readonly T[]; total: number }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { rows, total } = await call(page);
    all.push(...rows);
    if (rows.length === 0 || all.length >= total) return all;
  }
}

/** Reads of related objects, always batched. What a caller may not see is left out. */
export function createLookups(services: Services) {
  const { auth: accounts, queue: queues, storage, annotation: annotations, mail } = services;
  const readQueue = createReader(async (ids, caller) => (await queues.getQueues({ ids }, caller)).queues);
  const readAnnotation = createReader(
    async (ids, caller) => (await annotations.getAnnotations({ ids }, caller)).annotations,
  );

  const lookups = {
    users: (ids: readonly number[], caller: Caller): Promise<auth.User[]> =>
      inBatches(ids, async (batch) => (await accounts.getUsers({ ids: batch }, caller)).users),

    /** Annotations by their e-mails. */
    findAnnotated: (which: Partial<mailIngest.FindAnnotatedRequest>, caller: Caller) =>
      mail.findAnnotated(mailIngest.FindAnnotatedRequest.fromPartial(which), caller),

    /** Users of the organization, deleted ones too, as far as the caller sees them. */
    allUsers: async (caller: Caller): Promise<auth.User[]> => {
      const some = (deleted: boolean) =>
        allPages(async (page) => {
          const request = auth.ListUsersRequest.fromPartial({ deleted, page, pageSize: BATCH });
          const answer = await accounts.listUsers(request, caller);
          return { rows: answer.users, total: answer.total };
        });
      return (await Promise.all([some(false), some(true)])).flat();
    },

    /** Users that are assigned to any of the queues. */
    usersOfQueues: (queueIds: readonly number[], caller: Caller): Promise<auth.User[]> =>
      inBatches(queueIds, (batch) =>
        allPages(async (page) => {
          const request = auth.ListUsersRequest.fromPartial({ queueIds: batch, page, pageSize: BATCH });
          const answer = await accounts.listUsers(request, caller);
          return { rows: answer.users, total: answer.total };
        }),
      ),

    queues: (ids: readonly number[], caller: Caller): Promise<queue.Queue[]> =>
      inBatches(ids, async (batch) => (await queues.getQueues({ ids: batch }, caller)).queues),

    leavingQueues: createLeavingQueues(services),

    queue: async (id: number, caller: Caller): Promise<queue.Queue> => found(await readQueue(id, caller)),

    schemas: (ids: readonly number[], caller: Caller): Promise<queue.Schema[]> =>
      inBatches(
        ids,
        async (batch) =>
          (await queues.listSchemas({ ids: batch, ordering: [], page: 1, pageSize: BATCH }, caller)).schemas,
      ),

    workspaces: (ids: readonly number[], caller: Caller): Promise<queue.Workspace[]> =>
      inBatches(
        ids,
        async (batch) =>
          (await queues.listWorkspaces({ ids: batch, ordering: [], page: 1, pageSize: BATCH }, caller)).workspaces,
      ),

    allWorkspaces: (caller: Caller): Promise<queue.Workspace[]> =>
      allPages(async (page) => {
        const answer = await queues.listWorkspaces({ ids: [], ordering: [], page, pageSize: BATCH }, caller);
        return { rows: answer.workspaces, total: answer.total };
      }),

    labels: (ids: readonly number[], caller: Caller): Promise<queue.Label[]> =>
      inBatches(
        ids,
        async (batch) =>
          (await queues.listLabels({ ids: batch, ordering: [], page: 1, pageSize: BATCH }, caller)).labels,
      ),

    documents: (ids: readonly number[], caller: Caller): Promise<documentStorage.Document[]> =>
      inBatches(ids, async (batch) => (await storage.getDocuments({ ids: batch }, caller)).documents),

    pages: (ids: readonly number[], caller: Caller): Promise<documentStorage.Page[]> =>
      inBatches(
        ids,
        async (batch) =>
          (
            await storage.listPages(
              { ids: batch, annotationIds: [], numbers: [], ordering: [], page: 1, pageSize: BATCH },
              caller,
            )
          ).pages,
      ),

    annotations: (ids: readonly number[], caller: Caller): Promise<annotation.Annotation[]> =>
      inBatches(ids, async (batch) => (await annotations.getAnnotations({ ids: batch }, caller)).annotations),

    annotation: async (id: number, caller: Caller): Promise<annotation.Annotation> =>
      found(await readAnnotation(id, caller)),

    annotationsOfDocuments: (documentIds: readonly number[], caller: Caller): Promise<annotation.Annotation[]> =>
      inBatches(documentIds, (batch) =>
        allPages(async (page) => {
          const request = annotation.ListAnnotationsRequest.fromPartial({ documentIds: batch, page, pageSize: BATCH });
          const answer = await annotations.listAnnotations(request, caller);
          return { rows: answer.annotations, total: answer.total };
        }),
      ),

    /** Users and counts of queues, by queue id. */
    relationsOf: async (queueIds: readonly number[], caller: Caller): Promise<(queueId: number) => QueueRelations> => {
      if (queueIds.length === 0) return () => ({ userIds: [], counts: {} });
      const [users, { queues: counts }] = await Promise.all([
        lookups.usersOfQueues(queueIds, caller),
        annotations.countByStatus({ queueIds: [...queueIds] }, caller),
      ]);
      const usersOf = new Map<number, number[]>(queueIds.map((id) => [id, []]));
      for (const { id, queueIds: own } of users) for (const queueId of own) usersOf.get(queueId)?.push(id);
      return (queueId) => ({
        userIds: distinct(usersOf.get(queueId) ?? []),
        counts: counts[queueId]?.counts ?? {},
      });
    },
  };
  return lookups;
}

/** See `createLookups`. */
export type Lookups = ReturnType<typeof createLookups>;
