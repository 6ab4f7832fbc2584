import type { Status } from './status';

/** A message kept with an annotation: of failed imports and exports, and of hooks. API: annotations.md section 1. */
export interface Message {
  /** Datapoint id or `all`. */
  readonly id: string;
  readonly type: 'error' | 'warning' | 'info' | 'aggregation';
  readonly content: string;
}

/** An annotation: the extracted and reviewed data of one document in one queue (without its content). */
export interface Annotation {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly schemaId: number;
  readonly documentId: number;
  readonly uploadId: number | null;
  readonly emailId: number | null;
  readonly fileName: string;
  readonly mimeType: string;
  /** Locale of the queue when the document arrived. */
  readonly locale: string;
  readonly status: Status;
  /** Counts every change of state or content from 1, without gaps. */
  readonly version: number;
  /** State before the review that runs, so that cancelling can return to it. */
  readonly statusBeforeReview: Status | null;
  /** Who holds the review, while `reviewing`. */
  readonly reviewerId: number | null;
  /** When the review ends unless its holder does something. */
  readonly reviewUntil: Date | null;
  readonly sessionTimeoutS: number;
  readonly pageIds: readonly number[];
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly arrivedAt: Date;
  readonly modifierId: number | null;
  readonly modifiedAt: Date | null;
  readonly assignedAt: Date | null;
  readonly confirmedAt: Date | null;
  readonly confirmedById: number | null;
  readonly exportedAt: Date | null;
  readonly exportedById: number | null;
  readonly exportFailedAt: Date | null;
  readonly rejectedAt: Date | null;
  readonly rejectedById: number | null;
  readonly deletedAt: Date | null;
  readonly deletedById: number | null;
  readonly purgedAt: Date | null;
  readonly purgedById: number | null;
  /** Names the extraction that is awaited or was the last: results of another one are not taken. */
  readonly rirPollId: string | null;
  readonly engineVersion: string;
  readonly messages: readonly Message[];
  /** Values for `rir_field_names` such as `upload:<id>`. */
  readonly values: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly timeSpent: number;
  readonly automated: boolean;
  readonly automaticallyRejected: boolean;
  readonly trainingEnabled: boolean;
  /** Since when it rests in the present state, or since it was last put on the bus again. */
  readonly restingSince: Date;
  /** How often the event of the present state was put on the bus again. */
  readonly resends: number;
}
