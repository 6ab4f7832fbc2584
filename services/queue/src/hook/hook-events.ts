/** Events of hooks: event -> actions. API: hooks-and-connectors.md section 2. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  annotation_status: ['changed'],
  annotation_content: ['initialize', 'started', 'user_update', 'updated', 'confirm', 'export'],
  upload: ['created'],
  email: ['received'],
  invocation: ['scheduled', 'manual'],
};
/** Named by clients, never fired. */
const STORED_ONLY = ['invocation.interface'];

const ALL: readonly string[] = [
  ...Object.entries(EVENTS).flatMap(([event, actions]) => actions.map((action) => `${event}.${action}`)),
  ...STORED_ONLY,
];

/** Whether a text names an event, or all actions of one. */
export function isEvent(name: string): boolean {
  return Object.hasOwn(EVENTS, name) || ALL.includes(name);
}

/** Whole events taken apart into their actions, each once. */
export function expandEvents(names: readonly string[]): string[] {
  return [
    ...new Set(
      names.flatMap((name) =>
        Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? []).map((action) => `${name}.${action}`) : [name],
      ),
    ),
  ];
}

/** What may go along with the payload of annotation events. API: hooks-and-connectors.md section 4.4. */
export const SIDELOADS: readonly string[] = [
  'queues',
  'modifiers',
  'schemas',
  'emails',
  'related_emails',
  'relations',
  'child_relations',
  'suggested_edits',
  'assignees',
  'pages',
  'notes',
  'labels',
  'automation_blockers',
];
