import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client';
import { queries } from '../api/queries';
import type { Hook } from '../api/types';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { showToast } from '../ui/toast';
import { HookCalls } from './hook-calls';

/** The extensions of the organization; each can be switched off. */
export function Hooks() {
  const client = useQueryClient();
  const hooks = useQuery(queries.hooks());
  const change = async ({ url }: Hook, active: boolean) => {
    client.setQueryData(queries.hooks().queryKey, (known) =>
      known?.map((one) => (one.url === url ? { ...one, active } : one)),
    );
    try {
      await call(url, { method: 'PATCH', body: { active } });
      showToast(texts.saved);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    void client.invalidateQueries({ queryKey: ['hooks'] });
  };
  if (hooks.error) return <Problem error={hooks.error} />;
  if (hooks.data?.length === 0) return <p className="muted empty">{texts.settings.hook.none}</p>;
  return (
    <>
      <div className="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.settings.hook.name}</th>
              <th scope="col">{texts.settings.hook.events}</th>
              <th scope="col">{texts.settings.hook.url}</th>
              <th scope="col">{texts.settings.hook.active}</th>
            </tr>
          </thead>
          <tbody>
            {hooks.data?.map((hook) => (
              <tr key={hook.id}>
                <td>{hook.name}</td>
                <td className="small">{hook.events.join(', ')}</td>
                <td className="small">{hook.config.url ?? hook.type}</td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${texts.settings.hook.active}: ${hook.name}`}
                    checked={hook.active}
                    onChange={(event) => void change(hook, event.target.checked)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <HookCalls hooks={hooks.data ?? []} />
    </>
  );
}
