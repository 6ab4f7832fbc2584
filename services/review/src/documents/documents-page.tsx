import {
  ChevronLeftIcon,
  ChevronRightIcon,
  DownloadIcon,
  GearIcon,
  MagnifyingGlassIcon,
  UploadIcon,
} from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/client';
import { useRefetchInterval } from '../api/live';
import { type AnnotationPage, queries, spreadsheetUrl } from '../api/queries';
import type { Queue } from '../api/types';
import { ReviewNextButton } from '../queues/review-next';
import { nameOf, useUser } from '../shell/user-context';
import { texts } from '../texts';
import { formatTime, formatWhen } from '../ui/format';
import { Problem } from '../ui/problem';
import { StateBadge } from '../ui/state-badge';
import { UploadArea } from './uploads';

/** Names of groups of states in the address of the page. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  waiting: ['to_review', 'reviewing', 'postponed', 'importing'],
  done: ['confirmed', 'exporting', 'exported'],
  problems: ['failed_import', 'failed_export', 'rejected'],
};
const SINGLE = [
  'importing',
  'to_review',
  'reviewing',
  'postponed',
  'confirmed',
  'exporting',
  'exported',
  'rejected',
  'failed_import',
  'failed_export',
  'split',
  'deleted',
];
const ALL_SHOWN = SINGLE.filter((status) => status !== 'deleted');

/** The documents of a queue. */
export function DocumentsPage() {
  const queueId = Number(useParams().id);
  const { rights } = useUser();
  const [query, setQuery] = useSearchParams();
  const refetchInterval = useRefetchInterval();
  const queues = useQuery({ ...queries.queues(), refetchInterval });
  const queue = queues.data?.find(({ id }) => id === queueId);
  const show = query.get('show') ?? 'all';
  const ordering = query.get('ordering') ?? '-arrived_at';
  const wanted = {
    queueId,
    statuses: GROUPS[show] ?? (SINGLE.includes(show) ? [show] : ALL_SHOWN),
    search: query.get('search') ?? '',
    ordering,
    page: Number(query.get('page') ?? 1) || 1,
  };
  const list = useQuery({ ...queries.annotations(wanted), refetchInterval });
  const change = (to: Record<string, string>) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (!('page' in to)) next.delete('page');
        for (const [key, value] of Object.entries(to)) value ? next.set(key, value) : next.delete(key);
        return next;
      },
      { replace: true },
    );
  // The last documents of the last page have left it.
  const isBeyond = list.error instanceof ApiError && list.error.status === 404 && wanted.page > 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once it is known
  useEffect(() => {
    if (isBeyond) change({});
  }, [isBeyond]);
  const sortBy = (key: string) => change({ ordering: ordering === key ? `-${key}` : key });

  const isEmpty = queue !== undefined && !wanted.search && list.data?.pagination.total === 0 && show === 'all';

  if (queues.data && !queue) {
    return (
      <main className="content" id="content">
        <p>{texts.nothingHere}</p>
        <Link to="/">{texts.backToQueues}</Link>
      </main>
    );
  }
  const body = (
    <>
      <Filters queue={queue} show={show} search={wanted.search} onChange={change} />
      {list.error && !isBeyond && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && isEmpty && <FirstDocuments inbox={queue?.inbox ?? null} mayUpload={rights.mayUpload} />}
      {list.data && !isEmpty && (
        <>
          <DocumentTable data={list.data} ordering={ordering} onSort={sortBy} />
          {list.data.results.length === 0 && (
            <p className="muted empty">{wanted.search ? texts.documents.noneFound : texts.documents.none}</p>
          )}
          <Paging page={wanted.page} data={list.data} onPage={(page) => change({ page: String(page) })}>
            {list.data.results.length > 0 && (
              <a className="button" href={spreadsheetUrl(wanted)} download title={texts.documents.exportHint}>
                <DownloadIcon aria-hidden /> {texts.documents.export}
              </a>
            )}
          </Paging>
        </>
      )}
    </>
  );
  return (
    <main className="content" id="content">
      <div className="title-row">
        <Link to="/" className="button icon" aria-label={texts.documents.back}>
          <ChevronLeftIcon />
        </Link>
        <h1>{queue?.name ?? ''}</h1>
        <span className="spacer" />
        {rights.isAdmin && (
          <Link to={`/settings/queues/${queueId}`} className="button icon" aria-label={texts.documents.settings}>
            <GearIcon />
          </Link>
        )}
        {queue && <ReviewNextButton queue={queue} />}
      </div>
      {rights.mayUpload ? <UploadArea queueId={queueId}>{body}</UploadArea> : body}
    </main>
  );
}

/** What to do with a queue that has nothing yet. */
function FirstDocuments({ inbox, mayUpload }: { readonly inbox: string | null; readonly mayUpload: boolean }) {
  const { data } = useQuery({ ...queries.inbox(inbox), retry: false });
  return (
    <div className="card first">
      <UploadIcon aria-hidden />
      <h2>{texts.documents.first}</h2>
      {mayUpload && <p className="muted">{texts.documents.firstHint}</p>}
      {data && <p className="muted">{texts.documents.firstMail(data.email)}</p>}
    </div>
  );
}

function Filters({
  queue,
  show,
  search,
  onChange,
}: {
  readonly queue: Queue | undefined;
  readonly show: string;
  readonly search: string;
  readonly onChange: (to: Record<string, string>) => void;
}) {
  const [typed, setTyped] = useState(search);
  const settled = useDeferredValue(typed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts a search
  useEffect(() => {
    const timer = setTimeout(() => {
      if (settled.trim() !== search) onChange({ search: settled.trim() });
    }, 300);
    return () => clearTimeout(timer);
  }, [settled]);
  const count = (statuses: readonly string[]) =>
    statuses.reduce((sum, status) => sum + (queue?.counts[status] ?? 0), 0);
  const chips: [string, string, readonly string[]][] = [
    ['all', texts.documents.all, ALL_SHOWN],
    ['waiting', texts.documents.waiting, GROUPS.waiting ?? []],
    ['done', texts.documents.done, GROUPS.done ?? []],
    ['problems', texts.documents.problems, GROUPS.problems ?? []],
  ];
  return (
    <div className="filters">
      <fieldset className="chips">
        <legend className="hidden">{texts.documents.filter}</legend>
        {chips.map(([key, label, statuses]) => (
          <button type="button" key={key} aria-pressed={show === key} onClick={() => onChange({ show: key })}>
            {label} <span className="n">{count(statuses)}</span>
          </button>
        ))}
      </fieldset>
      <select
        aria-label={texts.documents.filter}
        value={SINGLE.includes(show) ? show : ''}
        onChange={(event) => onChange({ show: event.target.value })}
      >
        <option value="">{texts.documents.filter} …</option>
        {SINGLE.map((status) => (
          <option key={status} value={status}>
            {texts.states[status]} ({count([status])})
          </option>
        ))}
      </select>
      <label className="search">
        <MagnifyingGlassIcon aria-hidden />
        <span className="hidden">{texts.documents.search}</span>
        <input
          type="search"
          value={typed}
          maxLength={256}
          placeholder={texts.documents.searchHint}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
    </div>
  );
}

const COLUMNS: readonly [string, string][] = [
  ['document__original_file_name', texts.documents.name],
  ['status', texts.documents.state],
  ['arrived_at', texts.documents.arrived],
  ['modified_at', texts.documents.changed],
  ['modifier__username', texts.documents.by],
];

function DocumentTable({
  data,
  ordering,
  onSort,
}: {
  readonly data: AnnotationPage;
  readonly ordering: string;
  readonly onSort: (key: string) => void;
}) {
  const documents = new Map(data.documents.map((document) => [document.url, document]));
  const people = new Map(data.modifiers.map((user) => [user.url, user]));
  const sortOf = (key: string) =>
    ordering === key ? 'ascending' : ordering === `-${key}` ? 'descending' : ('none' as const);
  return (
    <div className="table-box">
      <table className="documents">
        <thead>
          <tr>
            {COLUMNS.map(([key, label]) => (
              <th key={key} scope="col" aria-sort={sortOf(key)}>
                <button type="button" onClick={() => onSort(key)}>
                  {label}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.results.map((row) => {
            const person = row.modifier && people.get(row.modifier);
            const problem = row.messages?.find(({ type }) => type === 'error')?.content;
            return (
              <tr key={row.id}>
                <td>
                  <Link to={`/annotations/${row.id}`}>
                    {documents.get(row.document)?.original_file_name || `#${row.id}`}
                  </Link>
                  {row.automated && <span className="tag">{texts.documents.automated}</span>}
                  {row.status.startsWith('failed') && problem && <span className="problem small">{problem}</span>}
                </td>
                <td>
                  <StateBadge status={row.status} />
                </td>
                <td title={formatTime(row.arrived_at)}>{formatWhen(row.arrived_at)}</td>
                <td title={row.modified_at ? formatTime(row.modified_at) : ''}>{formatWhen(row.modified_at)}</td>
                <td>{person ? nameOf(person) : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Paging({
  page,
  data,
  onPage,
  children,
}: {
  readonly page: number;
  readonly data: AnnotationPage;
  readonly onPage: (page: number) => void;
  readonly children: ReactNode;
}) {
  const { total, total_pages: pages } = data.pagination;
  return (
    <div className="paging">
      {children}
      <span className="spacer" />
      <span className="muted">{texts.documents.page(page, pages, total)}</span>
      <button type="button" className="icon" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeftIcon /> <span className="hidden">{texts.documents.previous}</span>
      </button>
      <button type="button" className="icon" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        <ChevronRightIcon /> <span className="hidden">{texts.documents.next}</span>
      </button>
    </div>
  );
}
