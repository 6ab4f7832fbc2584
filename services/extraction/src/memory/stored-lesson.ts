import type { Lesson } from '@intake/engine';

/** What a confirmed annotation has taught. */
export interface StoredLesson extends Lesson {
  readonly annotationId: number;
  readonly organizationId: number;
  readonly queueId: number;
  /** For people; senders are known by their keys. */
  readonly senderName: string;
  readonly learnedAt: Date;
}
