import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { API, ApiError, call, pathOf } from './client';
import { untilLeft } from './leaving';
import type {
  Annotation,
  BlockerReason,
  Box,
  ContentNode,
  Document,
  Email,
  HistoryEntry,
  Hook,
  HookCall,
  Inbox,
  Label,
  Lesson,
  Page,
  PageObject,
  PageWords,
  Queue,
  Relation,
  Schema,
  SuggestedEdit,
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
  /** Null: all queues. */
  readonly queueId: number | null;
  readonly statuses: readonly string[];
  readonly search: string;
  readonly label: string;
  /** From this moment on, and before that one. */
  readonly arrivedAfter: string;
  readonly arrivedBefore: string;
  readonly ordering: string;
  readonly page: number;
  readonly pageSize: number;
}

export interface AnnotationPage extends Page<Annotation> {
  readonly documents: readonly Document[];
  readonly modifiers: readonly User[];
}

/** Documents that are neither read nor exported by now are looked at by somebody. */
const STUCK_MS = 10 * 60_000;
const MOST_PROBLEMS = 100;
/** Documents of the past that are asked for at once, and how often. */
const PAST_PAGE = 25;
const PAST_PAGES = 4;

/** What failed or does not go on, in all queues. */
async function readProblems(signal: AbortSignal): Promise<{ failed: AnnotationPage; stuck: AnnotationPage[] }> {
  const before = new Date(Date.now() - STUCK_MS).toISOString();
  const read = (filter: string) =>
    call<AnnotationPage>(`/annotations?${filter}&page_size=${MOST_PROBLEMS}&sideload=documents`, { signal });
  const [failed, ...stuck] = await Promise.all([
    read('status=failed_import,failed_export&ordering=-modified_at'),
    read(`status=importing&arrived_at_before=${before}&ordering=arrived_at`),
    read(`status=exporting&modified_at_before=${before}&ordering=modified_at`),
  ]);
  return { failed, stuck };
}

/** Datapoints of the documents that people of a queue confirmed last, document by document. */
async function readPast(queueId: number, schemaIds: readonly string[], signal: AbortSignal): Promise<ContentNode[][]> {
  const query = `queue=${queueId}&status=confirmed,exported&ordering=-confirmed_at&sideload=content`;
  const path = `/annotations?${query}&content.schema_id=${schemaIds.join(',')}&page_size=${PAST_PAGE}`;
  const documents: ContentNode[][] = [];
  for (let page = 1; page <= PAST_PAGES; page++) {
    const { results, content, pagination } = await call<Page<Annotation> & { readonly content: ContentNode[] }>(
      `${path}&page=${page}`,
      { signal },
    );
    const byAnnotation = Map.groupBy(content, ({ url }) => /annotations\/\d+/.exec(url)?.[0]);
    for (const { automated, id } of results) {
      const nodes = byAnnotation.get(`annotations/${id}`);
      if (!automated && nodes) documents.push(nodes);
    }
    if (page >= pagination.total_pages) break;
  }
  return documents;
}

const queryOf = (values: Readonly<Record<string, string>>) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));

const filterOf = ({ statuses, search, label, arrivedAfter, arrivedBefore, ordering }: Wanted) => ({
  status: statuses.join(','),
  search,
  labels: label,
  arrived_at_after: arrivedAfter,
  arrived_at_before: arrivedBefore,
  ordering,
});

const listPath = (wanted: Wanted) => {
  const query = queryOf({
    queue: String(wanted.queueId ?? ''),
    ...filterOf(wanted),
    page: String(wanted.page),
    page_size: String(wanted.pageSize),
    sideload: 'documents,modifiers',
  });
  return `/annotations?${query}`;
};

/** Where documents are had as a spreadsheet: all that are listed, on whatever page, or these of them. */
export function spreadsheetUrl(wanted: Wanted, ids: readonly number[] = []): string {
  const from = wanted.queueId === null ? '/annotations' : `/queues/${wanted.queueId}`;
  return `${API}${from}/export?${queryOf({ format: 'xlsx', id: ids.join(','), ...filterOf(wanted) })}`;
}

const ALWAYS = { staleTime: Number.POSITIVE_INFINITY } as const;

/** Everything that the page reads, with the keys it is kept under. */
export const queries = {
  user: () => queryOptions({ queryKey: ['user'], queryFn: ({ signal }) => call<User>('/auth/user', { signal }) }),
  singleSignOn: () =>
    queryOptions({
      queryKey: ['single sign-on'],
      queryFn: ({ signal }) =>
        call<{ single_sign_on: boolean; organization_required: boolean }>('/oauth', { signal, isLogin: true }),
      staleTime: 60_000,
    }),
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
  labels: () =>
    queryOptions({
      queryKey: ['labels'],
      queryFn: ({ signal }) => all<Label>('/labels?ordering=name', signal),
      staleTime: 60_000,
    }),
  hooks: () => queryOptions({ queryKey: ['hooks'], queryFn: ({ signal }) => all<Hook>('/hooks', signal) }),
  hookCalls: (status: string) =>
    queryOptions({
      queryKey: ['hook calls', status],
      queryFn: async ({ signal }) =>
        (await call<{ results: HookCall[] }>(`/hooks/logs?status=${status}`, { signal })).results,
    }),
  undelivered: (hookId: number) =>
    queryOptions({
      queryKey: ['undelivered', hookId],
      queryFn: async ({ signal }) => {
        const path = `/hooks/${hookId}/deliveries?page_size=1&status=`;
        const count = async (status: string) =>
          (await call<Page<unknown>>(`${path}${status}`, { signal })).pagination.total;
        const [waiting, failed] = await Promise.all([count('waiting'), count('failed')]);
        return { waiting, failed };
      },
    }),
  lessons: () =>
    queryOptions({
      queryKey: ['lessons'],
      queryFn: ({ signal }) => all<Lesson>('/lessons?ordering=-learned_at', signal),
    }),
  problems: () =>
    queryOptions({ queryKey: ['annotations', 'problems'], queryFn: ({ signal }) => readProblems(signal) }),
  past: (queueId: number, schemaIds: readonly string[]) =>
    queryOptions({
      queryKey: ['past', queueId, schemaIds],
      queryFn: ({ signal }) => readPast(queueId, schemaIds, signal),
      enabled: schemaIds.length > 0,
      staleTime: 60_000,
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
      queryFn: async ({ signal }) => {
        await untilLeft(id);
        return call<Annotation>(`/annotations/${id}`, { signal });
      },
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
  pageSearch: (annotationId: number, phrase: string) =>
    queryOptions({
      queryKey: ['page search', annotationId, phrase],
      queryFn: async ({ signal }) => {
        const path = `/annotations/${annotationId}/search?${queryOf({ phrase })}`;
        return (await call<{ results: { page: number; rectangle: Box }[] }>(path, { signal })).results;
      },
      ...ALWAYS,
    }),
  blocker: (url: string | null) =>
    queryOptions({
      queryKey: ['blocker', url],
      queryFn: async ({ signal }) => (await call<{ content: BlockerReason[] }>(url ?? '', { signal })).content,
      enabled: url !== null,
    }),
  suggestedEdit: (url: string | null) =>
    queryOptions({
      queryKey: ['annotations', 'suggested edit', url],
      queryFn: ({ signal }) => call<SuggestedEdit>(url ?? '', { signal }),
      enabled: url !== null,
    }),
  history: (annotationId: number) =>
    queryOptions({
      queryKey: ['history', annotationId],
      queryFn: ({ signal }) => all<HistoryEntry>(`/annotations/${annotationId}/history`, signal),
    }),
  /** Those that it belongs to and those that it is the original of; most documents have none, and nothing is asked. */
  relations: ({ id, relations, status }: Annotation) => {
    const filters = [
      ...(relations.length > 0 ? [`annotation=${id}`] : []),
      ...(status === 'split' ? [`parent=${id}`] : []),
    ];
    return queryOptions({
      queryKey: ['relations', id, filters, relations],
      queryFn: async ({ signal }) =>
        (await Promise.all(filters.map((filter) => all<Relation>(`/relations?${filter}`, signal)))).flat(),
      enabled: filters.length > 0,
    });
  },
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
