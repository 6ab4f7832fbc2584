import { DownloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, callForFile } from '../api/client';
import { queries } from '../api/queries';
import type { UsageReport, UsageValues } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { formatDuration, formatNumber } from '../ui/format';
import { Problem } from '../ui/problem';
import { saveFile } from '../ui/save-file';
import { showToast } from '../ui/toast';
import { BarChart } from './bar-chart';

type Counts = Extract<keyof UsageValues, `${string}_count`>;

/** What is drawn and listed, in the order of its colours. */
const SERIES: readonly { readonly key: Counts; readonly label: string }[] = [
  { key: 'imported_count', label: texts.usage.imported },
  { key: 'exported_count', label: texts.usage.exported },
  { key: 'rejected_count', label: texts.usage.rejected },
  { key: 'deleted_count', label: texts.usage.deleted },
];
const FIRST_DAYS = 90;
const dateOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

/** How many documents came and went, and how long they took. */
export default function UsagePage() {
  const { rights } = useUser();
  const queues = useQuery(queries.queues());
  const [wanted, setWanted] = useState({ from: dateOf(FIRST_DAYS), to: dateOf(0), queue: '', group: 'week' });
  const { from, to, queue, group } = wanted;
  const change = (more: Partial<typeof wanted>) => setWanted((before) => ({ ...before, ...more }));
  const filter = { begin_date: from, end_date: to, ...(queue && { queues: [queue] }) };
  const report = useQuery({
    queryKey: ['usage', wanted],
    enabled: rights.maySeeUsage && from !== '' && to !== '',
    queryFn: ({ signal }) =>
      call<UsageReport>('/annotations/usage_report', { method: 'POST', body: { filter, group_by: [group] }, signal }),
  });
  const fields = useQuery({
    queryKey: ['usage fields', from, to, queue],
    enabled: rights.maySeeUsage && from !== '' && to !== '',
    queryFn: async ({ signal }) => {
      const { series } = await call<UsageReport>('/annotations/usage_report', {
        method: 'POST',
        body: { filter },
        signal,
      });
      return series[0]?.values.time_and_corrections_per_field ?? [];
    },
  });
  if (!rights.maySeeUsage) {
    return (
      <main className="content" id="content">
        <p>{texts.usage.forbidden}</p>
      </main>
    );
  }
  const download = async () => {
    try {
      const csv = await callForFile('/annotations/usage_report?format=csv', { method: 'POST', body: { filter } });
      saveFile(csv, 'usage_report.csv');
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
  return (
    <main className="content" id="content">
      <div className="title-row">
        <h1>{texts.usage.title}</h1>
        <span className="spacer" />
        <button type="button" disabled={from === '' || to === ''} onClick={() => void download()}>
          <DownloadIcon aria-hidden /> {texts.usage.csv}
        </button>
      </div>
      <div className="filters usage-filters">
        <label>
          {texts.usage.from}
          <input type="date" value={from} max={to} onChange={(event) => change({ from: event.target.value })} />
        </label>
        <label>
          {texts.usage.to}
          <input type="date" value={to} min={from} onChange={(event) => change({ to: event.target.value })} />
        </label>
        <Choice
          label={texts.usage.queue}
          value={queue}
          options={[['', texts.usage.allQueues], ...(queues.data ?? []).map(({ url, name }) => [url, name] as const)]}
          onChange={(event) => change({ queue: event.target.value })}
        />
        <Choice
          label={texts.usage.group}
          value={group}
          options={Object.entries(texts.usage.groups)}
          onChange={(event) => change({ group: event.target.value })}
        />
      </div>
      {report.error && <Problem error={report.error} onRetry={() => void report.refetch()} />}
      {report.data && <Report report={report.data} />}
      {fields.data && fields.data.length > 0 && (
        <>
          <h2 className="group">{texts.usage.fields}</h2>
          <div className="table-box">
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.usage.field}</th>
                  <th scope="col" className="number">
                    {texts.usage.documents}
                  </th>
                  <th scope="col" className="number">
                    {texts.usage.corrected}
                  </th>
                </tr>
              </thead>
              <tbody>
                {fields.data.map(({ schema_id, label, total_count, corrected_ratio }) => (
                  <tr key={schema_id}>
                    <td>{label}</td>
                    <td className="number">{total_count}</td>
                    <td className="number">{formatNumber(corrected_ratio * 100)} %</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </main>
  );
}

function Report({ report: { series, totals } }: { readonly report: UsageReport }) {
  const figures: [string, string][] = [
    ...SERIES.map(({ key, label }): [string, string] => [label, formatNumber(totals[key])]),
    [texts.usage.turnaround, formatDuration(totals.turnaround_avg_s)],
    [texts.usage.perDocument, formatDuration(totals.time_per_document_avg_s)],
    [texts.usage.corrections, formatNumber(totals.corrections_per_document_avg)],
    [texts.usage.onTime, formatNumber(totals.exported_on_time_count)],
  ];
  return (
    <>
      <dl className="figures">
        {figures.map(([label, value]) => (
          <div key={label} className="card">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {series.length === 0 ? (
        <p className="muted empty">{texts.usage.none}</p>
      ) : (
        <>
          <BarChart
            title={texts.usage.chart}
            labels={SERIES.map(({ label }) => label)}
            groups={series.map(({ begin_date, values }) => ({
              name: begin_date,
              values: SERIES.map(({ key }) => values[key] ?? 0),
            }))}
          />
          <div className="table-box">
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.usage.period}</th>
                  {SERIES.map(({ key, label }) => (
                    <th key={key} scope="col" className="number">
                      {label}
                    </th>
                  ))}
                  <th scope="col" className="number">
                    {texts.usage.turnaround}
                  </th>
                </tr>
              </thead>
              <tbody>
                {series.map(({ begin_date, values }) => (
                  <tr key={begin_date}>
                    <td>{begin_date}</td>
                    {SERIES.map(({ key }) => (
                      <td key={key} className="number">
                        {formatNumber(values[key] ?? 0)}
                      </td>
                    ))}
                    <td className="number">{formatDuration(values.turnaround_avg_s)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
