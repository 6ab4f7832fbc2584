import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { queries } from '../api/queries';
import type { Hook } from '../api/types';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { showToast } from '../ui/toast';
import { HookCalls } from './hook-calls';
import { HookDialog } from './hook-dialog';
import { SettingsList } from './settings-list';
import { useReplay } from './use-replay';

/** The extensions of the organization. */
export function Hooks() {
  const hooks = useQuery(queries.hooks());
  const [edited, setEdited] = useState<Hook | 'new' | null>(null);
  if (hooks.error) return <Problem error={hooks.error} />;
  return (
    <>
      <SettingsList
        add={texts.settings.hook.add}
        onAdd={() => setEdited('new')}
        columns={[
          { label: texts.settings.hook.name },
          { label: texts.settings.hook.events },
          { label: texts.settings.hook.url },
          { label: texts.settings.hook.undelivered },
          { label: texts.settings.hook.active },
        ]}
        none={hooks.data?.length === 0 && texts.settings.hook.none}
      >
        {hooks.data?.map((hook) => (
          <tr key={hook.id}>
            <td>
              {hook.type === 'webhook' ? (
                <button type="button" className="link" onClick={() => setEdited(hook)}>
                  {hook.name}
                </button>
              ) : (
                hook.name
              )}
            </td>
            <td className="small">{hook.events.join(', ')}</td>
            <td className="small">{hook.config.url ?? hook.type}</td>
            <td className="small">{hook.events.some(isNotice) && <Undelivered hook={hook} />}</td>
            <td>
              <Active hook={hook} />
            </td>
          </tr>
        ))}
      </SettingsList>
      <HookCalls hooks={hooks.data ?? []} />
      {edited && <HookDialog hook={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

/** Whether the hook is called. What was chosen stands at once, until the server has said what holds. */
function Active({ hook }: { readonly hook: Hook }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const change = async (active: boolean) => {
    setChosen(active);
    try {
      await call(hook.url, { method: 'PATCH', body: { active } });
      showToast(texts.saved);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    await client.invalidateQueries({ queryKey: queries.hooks().queryKey });
    setChosen((current) => (current === active ? null : current));
  };
  return (
    <input
      type="checkbox"
      aria-label={`${texts.settings.hook.active}: ${hook.name}`}
      checked={chosen ?? hook.active}
      onChange={(event) => void change(event.target.checked)}
    />
  );
}

/** As long as notifications are kept. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Whether nobody waits for the answer, so that it is delivered for days. */
function isNotice(event: string): boolean {
  return event.split('.')[0] === 'annotation_status';
}

/** Notifications that did not arrive: how many, and all of them again. */
function Undelivered({ hook }: { readonly hook: Hook }) {
  const replay = useReplay();
  const { data } = useQuery({ ...queries.undelivered(hook.id), refetchInterval: 10_000 });
  if (!data || data.waiting + data.failed === 0) return '–';
  const since = () => new Date(Date.now() - KEPT_MS).toISOString();
  return (
    <span className="undelivered">
      {texts.settings.hook.counts(data.waiting, data.failed)}
      {data.failed > 0 && (
        <button type="button" disabled={!hook.active} onClick={() => void replay(hook.id, { failed_since: since() })}>
          {texts.settings.hook.again}
        </button>
      )}
    </span>
  );
}
