import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client';
import { texts } from '../texts';
import { showToast } from '../ui/toast';

/** One notification, or all that failed since a time (ISO). */
export type Again = { readonly request_id: string } | { readonly failed_since: string };

/** Delivers notifications of a hook again, and says how many. */
export function useReplay(): (hookId: number, again: Again) => Promise<void> {
  const client = useQueryClient();
  return async (hookId, body) => {
    try {
      const { replayed } = await call<{ replayed: number }>(`/hooks/${hookId}/replay`, { method: 'POST', body });
      showToast(texts.settings.hook.replayed(replayed));
    } catch (error) {
      showToast((error as Error).message, true);
    }
    for (const key of ['hook calls', 'undelivered']) void client.invalidateQueries({ queryKey: [key] });
  };
}
