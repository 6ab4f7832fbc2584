import { ANNOTATION_STATUSES } from '@intake/bus';

/** One of the fifteen states. API: states.md section 1. */
export type Status = (typeof ANNOTATION_STATUSES)[number];

/** Whether text names a state. */
export function isStatus(text: string): text is Status {
  return (ANNOTATION_STATUSES as readonly string[]).includes(text);
}
