import { listRoute, NO_ROWS } from '../list-route';
import type { Permission } from '../roles';
import type { Route } from '../route';

/**
 * Collections that hold nothing: a client that lists them keeps working, everything else is not allowed (API:
 * related-objects.md section 8, client-compat.md mark O).
 */
const COLLECTIONS: readonly (readonly [path: string, allow: Permission])[] = [
  ['/hook_templates', 'readConfiguration'],
  ['/engines', 'readConfiguration'],
  ['/engine_fields', 'readConfiguration'],
  ['/generic_engines', 'readConfiguration'],
  ['/dedicated_engines', 'readConfiguration'],
  ['/rules', 'readTemplates'],
  ['/rules_execution_logs', 'readTemplates'],
  ['/triggers', 'readConfiguration'],
  ['/delete_recommendations', 'readConfiguration'],
  ['/workflows', 'readConfiguration'],
  ['/workflow_steps', 'readConfiguration'],
  ['/workflow_runs', 'readConfiguration'],
  ['/workflow_activities', 'readConfiguration'],
  ['/surveys', 'readConfiguration'],
  ['/email_tracking_events', 'readEmails'],
];

export function absentRoutes(): Route[] {
  return COLLECTIONS.map(([path, allow]) =>
    listRoute(path, {
      allow,
      doc: { summary: `Always empty: ${path.slice(1).replaceAll('_', ' ')}` },
      filters: {},
      orderings: [],
      fetch: async () => NO_ROWS,
      toJson: () => ({}),
    }),
  );
}
