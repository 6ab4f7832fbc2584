import type { Address } from '../email/email';

/** E-mails that answer each other. Its id is the one of the e-mail it began with. API: email-import.md section 6. */
export interface Thread {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly rootEmailId: number | null;
  readonly hasReplies: boolean;
  /** An answer came in that nobody has marked as seen. */
  readonly hasNewReplies: boolean;
  readonly rootEmailRead: boolean;
  readonly createdAt: Date;
  readonly lastEmailCreatedAt: Date;
  readonly subject: string;
  readonly from: Address | null;
  readonly labels: readonly string[];
  /** Whether the mail it began with brought documents. */
  readonly hasDocuments: boolean;
  /** Whether somebody here has answered. */
  readonly isReplied: boolean;
}

/** What a list of threads is narrowed to; missing values do not narrow. */
export interface ThreadFilter {
  readonly ids: readonly number[];
  readonly queueIds: readonly number[];
  readonly hasRootEmail?: boolean;
  readonly hasReplies?: boolean;
  readonly hasNewReplies?: boolean;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly lastEmailCreatedAfter?: Date;
  readonly lastEmailCreatedBefore?: Date;
  readonly recentWithNoDocumentsNotReplied?: boolean;
}

/** How long an e-mail is recent, in milliseconds. API: email-import.md section 2, counts. */
export const RECENT_MS = 14 * 24 * 3600 * 1000;
