import { ChevronLeftIcon, ChevronRightIcon, DownloadIcon, GearIcon, UploadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/client';
import { useRefetchInterval } from '../api/live';
import { type AnnotationPage, queries, spreadsheetUrl } from '../api/queries';
import type { Annotation, Queue } from '../api/types';
import { ReviewNextButton } from '../queues/review-next';
import { nameOf, useUser } from '../shell/user-context';
import { texts } from '../texts';
import { formatTime, formatWhen } from '../ui/format';
import { Problem } from '../ui/problem';
import { StateBadge } from '../ui/state-badge';
import { type ChangeList, Filters } from './filters';
import { PAGE_SIZES, wantedOf } from './list-address';
import type { OpenedFrom } from './opened-from';
import { UploadArea } from './uploads';

const Selection = lazy(() => import('./selection'));

const NOBODY: ReadonlySet<number> = new Set();

/** The documents of a queue, or of all. */
export function DocumentsPage() {
  const { id } = useParams();
  const queueId = id === undefined ? null : Number(id);
  const { rights } = useUser();
  const [query, setQuery] = useSearchParams();
  const refetchInterval = useRefetchInterval();
  const queues = useQuery({ ...queries.queues(), refetchInterval });
  const queue = queues.data?.find((one) => one.id === queueId);
  const wanted = wantedOf(queueId, query);
  const list = useQuery({ ...queries.annotations(wanted), refetchInterval });
  const change = (to: Readonly<Record<string, string>>, replace = false) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (!('page' in to)) next.delete('page');
        for (const [key, value] of Object.entries(to)) value ? next.set(key, value) : next.delete(key);
        return next;
      },
      { replace },
    );
  // The last documents of the last page have left it.
  const isBeyond = list.error instanceof ApiError && list.error.status === 404 && wanted.page > 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once it is known
  useEffect(() => {
    if (isBeyond) change({}, true);
  }, [isBeyond]);

  const isFiltered = ['show', 'search', 'label', 'from', 'to'].some((name) => (query.get(name) ?? 'all') !== 'all');
  const isEmpty = queue !== undefined && list.data?.pagination.total === 0 && !isFiltered;

  if (queues.data && !queue && queueId !== null) {
    return (
      <main className="content" id="content">
        <p>{texts.nothingHere}</p>
        <Link to="/">{texts.backToQueues}</Link>
      </main>
    );
  }
  const body = (
    <>
      <Filters queueId={queueId} queues={queues.data ?? []} query={query} onChange={change} />
      {list.error && !isBeyond && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <p className="waiting">{texts.loading}</p>}
      {list.data && isEmpty && <FirstDocuments inbox={queue?.inbox ?? null} mayUpload={rights.mayUpload} />}
      {list.data && !isEmpty && (
        <>
          <Documents data={list.data} queueId={queueId} queues={queues.data ?? []} query={query} onChange={change} />
          {list.data.results.length === 0 && (
            <p className="muted empty">{isFiltered ? texts.documents.noneFound : texts.documents.none}</p>
          )}
          <Paging
            page={wanted.page}
            pageSize={wanted.pageSize}
            data={list.data}
            onChange={(to) => change({ page: '', ...to })}
          >
            {rights.mayExport && list.data.results.length > 0 && (
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
        <h1>{queueId === null ? texts.documents.allDocuments : (queue?.name ?? '')}</h1>
        <span className="spacer" />
        {rights.isAdmin && queueId !== null && (
          <Link to={`/settings/queues/${queueId}`} className="button icon" aria-label={texts.documents.settings}>
            <GearIcon />
          </Link>
        )}
        {queue && <ReviewNextButton queue={queue} />}
      </div>
      {rights.mayUpload && queueId !== null ? <UploadArea queueId={queueId}>{body}</UploadArea> : body}
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

const COLUMNS: readonly [string, string][] = [
  ['document__original_file_name', texts.documents.name],
  ['status', texts.documents.state],
  ['arrived_at', texts.documents.arrived],
  ['modified_at', texts.documents.changed],
  ['modifier__username', texts.documents.by],
];

/** A page of the list, of which documents are selected. */
function Documents({
  data,
  queueId,
  queues,
  query,
  onChange,
}: {
  readonly data: AnnotationPage;
  readonly queueId: number | null;
  readonly queues: readonly Queue[];
  readonly query: URLSearchParams;
  readonly onChange: ChangeList;
}) {
  const { pathname, search } = useLocation();
  const { rights } = useUser();
  const labels = useQuery({ ...queries.labels(), enabled: rights.mayExport });
  const [selected, setSelected] = useState(NOBODY);
  const last = useRef<number | null>(null);
  const everyone = useRef<HTMLInputElement>(null);

  const documents = useMemo(() => new Map(data.documents.map((document) => [document.url, document])), [data]);
  const people = new Map(data.modifiers.map((user) => [user.url, user]));
  const queueNames = new Map(queues.map(({ url, name }) => [url, name]));
  const labelNames = new Map((labels.data ?? []).map(({ url, name }) => [url, name]));
  const nameOfRow = (row: Annotation) => documents.get(row.document)?.original_file_name || `#${row.id}`;
  const { results } = data;
  const chosen = results.filter(({ id }) => selected.has(id));
  // Stays from then on: what is being done to a selection outlives it.
  const hasSelected = useRef(false);
  hasSelected.current ||= selected.size > 0;
  const isAll = chosen.length > 0 && chosen.length === results.length;

  // Another page, or another filter: what is not seen is not selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the address changes
  useEffect(() => {
    setSelected(NOBODY);
    last.current = null;
  }, [pathname, search]);
  useEffect(() => {
    if (everyone.current) everyone.current.indeterminate = chosen.length > 0 && !isAll;
  });
  const pick = (id: number, isOn: boolean, isRange: boolean) => {
    const at = results.findIndex((row) => row.id === id);
    const from = isRange ? results.findIndex((row) => row.id === last.current) : -1;
    const range = from < 0 ? [id] : results.slice(Math.min(from, at), Math.max(from, at) + 1).map((row) => row.id);
    setSelected((before) => {
      const next = new Set(before);
      for (const one of range) isOn ? next.add(one) : next.delete(one);
      return next;
    });
    last.current = id;
  };
  const ordering = query.get('ordering') ?? '-arrived_at';
  const sortOf = (key: string) =>
    ordering === key ? 'ascending' : ordering === `-${key}` ? 'descending' : ('none' as const);
  const columns = COLUMNS.toSpliced(
    1,
    0,
    ...(queueId === null ? [['queue', texts.documents.queue] as [string, string]] : []),
  );
  const { page } = wantedOf(queueId, query);
  const opened: OpenedFrom = {
    list: pathname + search,
    ids: results.map(({ id }) => id),
    firstPage: page,
    lastPage: page,
  };
  return (
    <>
      <div className="table-box">
        <table className="documents">
          <thead>
            <tr>
              <th scope="col" className="pick">
                <label>
                  <input
                    ref={everyone}
                    type="checkbox"
                    aria-label={texts.bulk.all}
                    disabled={results.length === 0}
                    checked={isAll}
                    onChange={() => setSelected(isAll ? NOBODY : new Set(results.map(({ id }) => id)))}
                  />
                </label>
              </th>
              {columns.map(([key, label]) => (
                <th key={key} scope="col" aria-sort={sortOf(key)}>
                  <button type="button" onClick={() => onChange({ ordering: ordering === key ? `-${key}` : key })}>
                    {label}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((row) => {
              const person = row.modifier && people.get(row.modifier);
              const problem = row.messages?.find(({ type }) => type === 'error')?.content;
              const name = nameOfRow(row);
              return (
                <tr key={row.id} className={selected.has(row.id) ? 'selected' : undefined}>
                  {/* Otherwise a click with Shift selects the text between. */}
                  <td className="pick" onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
                    <label>
                      <input
                        type="checkbox"
                        aria-label={texts.bulk.one(name)}
                        checked={selected.has(row.id)}
                        onChange={({ target, nativeEvent }) =>
                          pick(row.id, target.checked, (nativeEvent as MouseEvent).shiftKey)
                        }
                      />
                    </label>
                  </td>
                  <td className="name">
                    <Link to={`/annotations/${row.id}`} state={opened} dir="auto">
                      {name}
                    </Link>
                    {row.automated && <span className="tag">{texts.documents.automated}</span>}
                    {row.labels.map(
                      (url) =>
                        labelNames.has(url) && (
                          <span key={url} className="tag">
                            {labelNames.get(url)}
                          </span>
                        ),
                    )}
                    {row.status.startsWith('failed') && problem && <span className="problem small">{problem}</span>}
                  </td>
                  {queueId === null && <td>{queueNames.get(row.queue)}</td>}
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
      {hasSelected.current && (
        <Suspense>
          <Selection
            chosen={chosen}
            documentOf={(row) => documents.get(row.document)}
            nameOf={nameOfRow}
            hasOtherQueues={queues.length > 1}
            spreadsheet={spreadsheetUrl(
              wantedOf(queueId, query),
              chosen.map((row) => row.id),
            )}
            onSelect={(ids) => setSelected(new Set(ids))}
            onFocusLost={() => everyone.current?.focus()}
          />
        </Suspense>
      )}
    </>
  );
}

function Paging({
  page,
  pageSize,
  data,
  onChange,
  children,
}: {
  readonly page: number;
  readonly pageSize: number;
  readonly data: AnnotationPage;
  readonly onChange: (to: { readonly page?: string; readonly size?: string }) => void;
  readonly children: ReactNode;
}) {
  const { total, total_pages: pages } = data.pagination;
  const go = (to: number) => onChange({ page: to > 1 ? String(Math.min(to, pages)) : '' });
  const jump = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    go(Number(new FormData(event.currentTarget).get('page')));
  };
  return (
    <div className="paging">
      {children}
      <span className="spacer" />
      <span className="muted" role="status">
        {texts.documents.found(total)}
      </span>
      {total > PAGE_SIZES[0] && (
        <select
          aria-label={texts.documents.pageSize}
          value={pageSize}
          onChange={(event) => onChange({ size: event.target.value })}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {texts.documents.perPage(size)}
            </option>
          ))}
        </select>
      )}
      {pages > 1 && (
        <form className="jump" onSubmit={jump}>
          <label>
            {texts.documents.page}
            <input key={page} type="number" name="page" min={1} max={pages} defaultValue={page} required />
          </label>
          <span className="muted">{texts.documents.of(pages)}</span>
        </form>
      )}
      <button type="button" className="icon" disabled={page <= 1} onClick={() => go(page - 1)}>
        <ChevronLeftIcon /> <span className="hidden">{texts.documents.previous}</span>
      </button>
      <button type="button" className="icon" disabled={page >= pages} onClick={() => go(page + 1)}>
        <ChevronRightIcon /> <span className="hidden">{texts.documents.next}</span>
      </button>
    </div>
  );
}
