import type { annotation } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import type { RouteContext } from '../routes';

/** Orderings of a search by what e-mails know. */
export const MAIL_ORDERINGS: readonly string[] = [
  'email_thread',
  'email_sender',
  'has_email_thread_with_replies',
  'has_email_thread_with_new_replies',
];

/** What the ordering of a search needs to know of workspaces and e-mails; they are read only where they count. */
export async function readOrderValues(
  ordering: readonly string[],
  caller: Caller,
  { services, lookups }: Pick<RouteContext, 'services' | 'lookups'>,
): Promise<Record<string, annotation.OrderValues>> {
  const names = new Set(ordering.map((key) => key.replace(/^-/, '')));
  const found: Record<string, annotation.OrderValues> = {};
  if (names.has('workspace')) {
    const workspaces = await lookups.allWorkspaces(caller);
    const values = Object.fromEntries(workspaces.flatMap(({ id, queueIds }) => queueIds.map((queue) => [queue, id])));
    found.workspace = { values, annotations: {} };
  }
  for (const order of MAIL_ORDERINGS.filter((one) => names.has(one))) {
    const { emails, annotations } = await services.mail.orderAnnotated({ order }, caller);
    found[order] = { values: emails, annotations };
  }
  return found;
}
