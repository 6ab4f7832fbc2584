import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { queries } from '../api/queries';
import type { Queue } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { ALL_SHOWN, GROUPS, listPlace, SINGLE } from './list-address';

/** Changes the address of the list; what is typed takes no step of its own in the history of the browser. */
export type ChangeList = (to: Readonly<Record<string, string>>, isTyped?: boolean) => void;

/** What of the documents is listed. All of it stands in the address. */
export function Filters({
  queueId,
  queues,
  query,
  onChange,
}: {
  readonly queueId: number | null;
  readonly queues: readonly Queue[];
  readonly query: URLSearchParams;
  readonly onChange: ChangeList;
}) {
  const navigate = useNavigate();
  const { rights } = useUser();
  const labels = useQuery({ ...queries.labels(), enabled: rights.mayExport });
  const search = query.get('search') ?? '';
  const [typed, setTyped] = useState(search);
  const settled = useDeferredValue(typed);
  const sent = useRef(search);
  // Back, or a link, brings another one.
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    setTyped(search);
  }, [search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts a search
  useEffect(() => {
    const timer = setTimeout(() => {
      if (settled.trim() === sent.current) return;
      sent.current = settled.trim();
      onChange({ search: sent.current }, true);
    }, 300);
    return () => clearTimeout(timer);
  }, [settled]);

  const of = (name: string) => query.get(name) ?? '';
  const show = of('show') || 'all';
  const counted = queues.filter(({ id }) => queueId === null || id === queueId);
  const count = (statuses: readonly string[]) =>
    counted.reduce((sum, { counts }) => sum + statuses.reduce((all, status) => all + (counts[status] ?? 0), 0), 0);
  const chips: [string, string, readonly string[]][] = [
    ['all', texts.documents.all, ALL_SHOWN],
    ['waiting', texts.documents.waiting, GROUPS.waiting ?? []],
    ['done', texts.documents.done, GROUPS.done ?? []],
    ['problems', texts.documents.problems, GROUPS.problems ?? []],
  ];
  const isFiltered = ['show', 'search', 'label', 'from', 'to'].some((name) => of(name) !== '');
  const goToQueue = (to: string) => {
    const kept = new URLSearchParams(query);
    kept.delete('page');
    navigate(`${listPlace(to === '' ? null : Number(to))}?${kept}`);
  };
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
      <div className="more-filters">
        {(queues.length > 1 || queueId === null) && (
          <Choice
            label={texts.documents.queue}
            value={queueId ?? ''}
            options={[['', texts.documents.allQueues], ...queues.map(({ id, name }) => [id, name] as const)]}
            onChange={(event) => goToQueue(event.target.value)}
          />
        )}
        <label>
          {texts.documents.from}
          <input
            type="date"
            value={of('from')}
            max={of('to') || undefined}
            onChange={(event) => onChange({ from: event.target.value }, true)}
          />
        </label>
        <label>
          {texts.documents.to}
          <input
            type="date"
            value={of('to')}
            min={of('from') || undefined}
            onChange={(event) => onChange({ to: event.target.value }, true)}
          />
        </label>
        {(labels.data?.length ?? 0) > 0 && (
          <Choice
            label={texts.documents.label}
            value={of('label')}
            options={[
              ['', texts.documents.anyLabel],
              ...(labels.data ?? []).map(({ id, name }) => [id, name] as const),
            ]}
            onChange={(event) => onChange({ label: event.target.value })}
          />
        )}
        {isFiltered && (
          <button
            type="button"
            className="link"
            onClick={() => onChange({ show: '', search: '', label: '', from: '', to: '' })}
          >
            {texts.documents.clear}
          </button>
        )}
      </div>
    </div>
  );
}
