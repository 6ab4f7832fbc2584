import { ReloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import type { Hook, HookCall } from '../api/types';
import { texts } from '../texts';
import { formatTime } from '../ui/format';
import { Problem } from '../ui/problem';
import { ToolButton } from '../ui/tool-button';
import { useReplay } from './use-replay';

const t = texts.settings.hook;

/** What extensions were called for, and what they answered. */
export function HookCalls({ hooks }: { readonly hooks: readonly Hook[] }) {
  const [query, setQuery] = useSearchParams();
  const status = query.get('show') === 'failed' ? 'failed' : '';
  const calls = useQuery({ ...queries.hookCalls(status), refetchInterval: 10_000 });
  const names = new Map(hooks.map(({ id, name }) => [id, name]));
  return (
    <section aria-label={t.log}>
      <div className="title-row gap">
        <h2>{t.log}</h2>
        <span className="spacer" />
        <fieldset className="chips">
          <legend className="hidden">{t.result}</legend>
          {[
            ['', t.all],
            ['failed', t.failed],
          ].map(([key = '', label]) => (
            <button
              type="button"
              key={key}
              aria-pressed={status === key}
              onClick={() => setQuery(key === '' ? {} : { show: key }, { replace: true })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      {calls.error && <Problem error={calls.error} />}
      {calls.data?.length === 0 && <p className="muted empty">{t.noCalls}</p>}
      {calls.data && calls.data.length > 0 && (
        <div className="table-box">
          <table>
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                <th scope="col">{t.name}</th>
                <th scope="col">{t.event}</th>
                <th scope="col">{t.document}</th>
                <th scope="col">{t.result}</th>
                <th scope="col">{t.message}</th>
                <th scope="col">
                  <span className="hidden">{t.again}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {calls.data.map((call) => (
                <CallRow key={call.uuid} call={call} name={names.get(call.hook_id) ?? `#${call.hook_id}`} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function CallRow({ call, name }: { readonly call: HookCall; readonly name: string }) {
  const replay = useReplay();
  return (
    <tr>
      <td className="small">{formatTime(call.start)}</td>
      <td>{name}</td>
      <td className="small">{`${call.event}.${call.action}`}</td>
      <td>
        {call.annotation_id !== null && (
          <Link to={`/annotations/${call.annotation_id}`}>{`#${call.annotation_id}`}</Link>
        )}
      </td>
      <td>
        <span className={call.status === 'failed' ? 'problem' : ''}>
          {call.status} {call.status_code ?? ''}
        </span>
      </td>
      <td className="small">
        {call.request === null && call.response === null ? (
          call.message
        ) : (
          <details>
            <summary>{call.message || t.response}</summary>
            <h3>{t.request}</h3>
            <pre className="mail">{call.request}</pre>
            <h3>{t.response}</h3>
            <pre className="mail">{call.response}</pre>
          </details>
        )}
      </td>
      <td>
        {call.event === 'annotation_status' && call.status !== 'waiting' && (
          <ToolButton label={t.again} onClick={() => void replay(call.hook_id, { request_id: call.request_id })}>
            <ReloadIcon />
          </ToolButton>
        )}
      </td>
    </tr>
  );
}
