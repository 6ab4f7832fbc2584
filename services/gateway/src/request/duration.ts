import type { annotation } from '@intake/contracts';
import { number } from '@intake/resources';
import { z } from 'zod';

const seconds = number
  .refine((value) => Number.isFinite(value) && value >= 0, 'Ensure this value is greater than or equal to 0.')
  .optional();

/** `processing_duration`: seconds that a client says were spent. API: annotations.md section 7. */
export const processingDuration = z.object({
  time_spent_active: seconds,
  time_spent_overall: seconds,
  time_spent_edit: seconds,
  time_spent_blockers: seconds,
  time_spent_emails: seconds,
  time_spent_opening: seconds,
});

/** As the annotation service takes it. */
export function toDuration(
  given: z.infer<typeof processingDuration> | null | undefined,
): annotation.ProcessingDuration | undefined {
  if (!given) return undefined;
  return {
    timeSpentActive: given.time_spent_active,
    timeSpentOverall: given.time_spent_overall,
    timeSpentEdit: given.time_spent_edit,
    timeSpentBlockers: given.time_spent_blockers,
    timeSpentEmails: given.time_spent_emails,
    timeSpentOpening: given.time_spent_opening,
  };
}
