import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, call, pathOf } from './client';
import type {
  Annotation,
  BlockerReason,
  ContentNode,
  Document,
  Email,
  HistoryEntry,
  Hook,
  HookCall,
  Inbox,
  Page,
  PageObject,
  PageWords,
  Queue,
  Relation,
  Schema,
  User,
  Workspace,
} from './types';

/** All rows of a list, page by page. */
async function all<T>(path: string, signal?: AbortSignal): Promise<T[]> {
  const rows: T[] = [];
  let next: string | null = `${path}${path.includes('?') ? '&' : '?'}page_size=100`;
  while (next) {
    const page: Page<T> = await call(next, { signal });
    rows.push(...page.results);
    next = page.pagination.next && pathOf(page.pagination.next);
  }
  return rows;
}

/** What of annotations is listed. */
export interface Wanted {
  readonly queueId: number;
  readonly statuses: readonly string[];
  readonly search: string;
  readonly ordering: string;
  readonly page: number;
}

export interface AnnotationPage extends Page<Annotation> {
  readonly documents: readonly Document[];
  readonly modifiers: readonly User[];
}

const listPath = ({ queueId, statuses, search, ordering, page }: Wanted) => {
  const query = new URLSearchParams({
    queue: String(queueId),
    status: statuses.join(','),
    search,
    ordering,
    page: String(page),
    page_size: '25',
    sideload: 'documents,modifiers',
  });
  for (const [key, value] of [...query]) if (value === '') query.delete(key);
  return `/annotations?${query}`;
};

const ALWAYS = { staleTime: Number.POSITIVE_INFINITY } as const;

/** Everything that the page reads, with the keys it is kept under. */
export const queries = {
  user: () => queryOptions({ queryKey: ['user'], queryFn: ({ signal }) => call<User>('/auth/user', { signal }) }),
  queues: () =>
    queryOptions({ queryKey: ['queues'], queryFn: ({ signal }) => all<Queue>('/queues?ordering=name', signal) }),
  workspaces: () =>
    queryOptions({ queryKey: ['workspaces'], queryFn: ({ signal }) => all<Workspace>('/workspaces', signal) }),
  users: () => queryOptions({ queryKey: ['users'], queryFn: ({ signal }) => all<User>('/users', signal) }),
  userOf: (url: string | null) =>
    queryOptions({
      queryKey: ['users', url],
      queryFn: ({ signal }) => call<User>(url ?? '', { signal }),
      enabled: url !== null,
      retry: false,
      ...ALWAYS,
    }),
  hooks: () => queryOptions({ queryKey: ['hooks'], queryFn: ({ signal }) => all<Hook>('/hooks', signal) }),
  hookCalls: (status: string) =>
    queryOptions({
      queryKey: ['hook calls', status],
      queryFn: async ({ signal }) =>
        (await call<{ results: HookCall[] }>(`/hooks/logs?status=${status}`, { signal })).results,
    }),
  inbox: (url: string | null) =>
    queryOptions({
      queryKey: ['inbox', url],
      queryFn: ({ signal }) => call<Inbox>(url ?? '', { signal }),
      enabled: url !== null,
    }),
  annotations: (wanted: Wanted) =>
    queryOptions({
      queryKey: ['annotations', 'list', wanted],
      queryFn: ({ signal }) => call<AnnotationPage>(listPath(wanted), { signal }),
      placeholderData: keepPreviousData,
    }),
  annotation: (id: number) =>
    queryOptions({
      queryKey: ['annotations', id],
      queryFn: ({ signal }) => call<Annotation>(`/annotations/${id}`, { signal }),
    }),
  content: (id: number) =>
    queryOptions({
      queryKey: ['content', id],
      queryFn: async ({ signal }) =>
        (await call<{ content: ContentNode[] }>(`/annotations/${id}/content`, { signal })).content,
    }),
  schema: (url: string) =>
    queryOptions({
      queryKey: ['schemas', url],
      queryFn: ({ signal }) => call<Schema>(url, { signal }),
      enabled: url !== '',
      staleTime: 60_000,
    }),
  document: (url: string) =>
    queryOptions({
      queryKey: ['documents', url],
      queryFn: ({ signal }) => call<Document>(url, { signal }),
      enabled: url !== '',
    }),
  pages: (annotationId: number) =>
    queryOptions({
      queryKey: ['pages', annotationId],
      queryFn: ({ signal }) => all<PageObject>(`/pages?annotation=${annotationId}&ordering=number`, signal),
    }),
  words: (annotationId: number, pageNumber: number) =>
    queryOptions({
      queryKey: ['words', annotationId, pageNumber],
      queryFn: ({ signal }) => readWords(annotationId, pageNumber, signal),
      ...ALWAYS,
    }),
  blocker: (url: string | null) =>
    queryOptions({
      queryKey: ['blocker', url],
      queryFn: async ({ signal }) => (await call<{ content: BlockerReason[] }>(url ?? '', { signal })).content,
      enabled: url !== null,
    }),
  history: (annotationId: number) =>
    queryOptions({
      queryKey: ['history', annotationId],
      queryFn: async ({ signal }) =>
        (await call<{ results: HistoryEntry[] }>(`/annotations/${annotationId}/history`, { signal })).results,
    }),
  relations: (annotationId: number) =>
    queryOptions({
      queryKey: ['relations', annotationId],
      queryFn: ({ signal }) => all<Relation>(`/relations?annotation=${annotationId}`, signal),
    }),
  email: (url: string | null) =>
    queryOptions({
      queryKey: ['email', url],
      queryFn: ({ signal }) => call<Email>(url ?? '', { signal }),
      enabled: url !== null,
      retry: false,
    }),
};

/** A page without text has no words: 404. */
async function readWords(annotationId: number, pageNumber: number, signal: AbortSignal) {
  const path = `/annotations/${annotationId}/page_data?granularity=words&page_numbers=${pageNumber}`;
  try {
    return (await call<{ results: PageWords[] }>(path, { signal })).results[0]?.items ?? [];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
