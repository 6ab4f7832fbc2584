import type { ContentSize } from '@intake/schema';
import type { Status } from './status';

/** A message kept with an annotation: of failed imports and exports, and of hooks. API: annotations.md section 1. */
export interface Message {
  /** Datapoint id or `all`. */
  readonly id: string;
  readonly type: 'error' | 'warning' | 'info' | 'aggregation';
  readonly content: string;
  /** Which extension says it. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** What reviewing took, in seconds. API: annotations.md section 7. */
export interface ProcessingDuration {
  readonly active: number;
  readonly overall: number;
  readonly edit: number;
  readonly blockers: number;
  readonly emails: number;
  readonly opening: number;
}

export const NO_DURATION: ProcessingDuration = { active: 0, overall: 0, edit: 0, blockers: 0, emails: 0, opening: 0 };

/** What an extension decided about a document before anybody saw it. */
export interface Decision {
  readonly status: 'postponed' | 'rejected' | 'deleted' | 'split';
  readonly byId: number | null;
  readonly automaticallyRejected: boolean;
}

/** What every annotation begins with; rows of older versions may not have it. */
export const FRESH = {
  duration: NO_DURATION,
  rotationDeg: 0,
  automationBlockerId: null,
  relationIds: [],
  labelIds: [],
  assigneeIds: [],
  suggestedEditId: null,
  purgeRequestedAt: null,
  purgeRequestedById: null,
  decision: null,
  md5: null,
  fingerprint: null,
  parentPages: [],
  givenJson: null,
  extractedPollId: null,
  statusVersion: 1,
  contentSize: null,
  hadMessages: false,
} as const;

/** A page of the annotation that a part was made of. */
export interface ParentPage {
  readonly pageId: number;
  /** 0, 90, 180 or 270, clockwise from the page as it is in the file. */
  readonly rotationDeg: number;
  /** Left out. */
  readonly deleted: boolean;
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
  /** The version that entered the present state. */
  readonly statusVersion: number;
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
  /** The extraction whose result is there, while extensions are asked about it. */
  readonly extractedPollId: string | null;
  readonly engineVersion: string;
  /** MD5 of the document's bytes, in hex; null for annotations of older versions. */
  readonly md5: string | null;
  /** Hash of sender, number and total as the engine read them: equal ones are probably the same document. */
  readonly fingerprint: string | null;
  /** Content that was given when the annotation was made: the extraction fills the rest. JSON text; null: none. */
  readonly givenJson: string | null;
  readonly messages: readonly Message[];
  /** Whether there were messages once. */
  readonly hadMessages: boolean;
  /** How large the content is; null for annotations of older versions, until it is written. */
  readonly contentSize: ContentSize | null;
  /** Values for `rir_field_names` such as `upload:<id>`. */
  readonly values: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** `overall` is the API's `time_spent`. */
  readonly duration: ProcessingDuration;
  readonly automated: boolean;
  readonly automaticallyRejected: boolean;
  readonly trainingEnabled: boolean;
  /** The values come from an electronic invoice. */
  readonly einvoice: boolean;
  /** E-mails were sent about it; also where nobody noted it, as in rows of older versions. */
  readonly hasSentEmails: boolean;
  /** Since when it rests in the present state, or since it was last put on the bus again. */
  readonly restingSince: Date;
  /** How often the event of the present state was put on the bus again. */
  readonly resends: number;
  /** Clockwise turn of all pages against the file: 0, 90, 180 or 270. */
  readonly rotationDeg: number;
  /** Why it was not automated. */
  readonly automationBlockerId: number | null;
  readonly suggestedEditId: number | null;
  /** Relations that it belongs to (not: is the parent of). */
  readonly relationIds: readonly number[];
  readonly labelIds: readonly number[];
  readonly assigneeIds: readonly number[];
  /** Of a part that people made: the pages of its parent. */
  readonly parentPages: readonly ParentPage[];
  /** Since when a deleted annotation waits for its purge. */
  readonly purgeRequestedAt: Date | null;
  /** Who asked for it; null: nobody, its time was up. */
  readonly purgeRequestedById: number | null;
  /** While extensions are asked about what was read: where it goes then; null: as the queue says. */
  readonly decision: Decision | null;
}
