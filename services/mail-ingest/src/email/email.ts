/** An e-mail that came in. API: email-import.md section 2. */
export interface Email {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly inboxId: number;
  readonly createdAt: Date;
  readonly subject: string;
  readonly from: Address | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  /** First 4 kB. */
  readonly bodyTextPlain: string;
  readonly bodyTextHtml: string;
  readonly documentIds: readonly number[];
  readonly uploadId: number | null;
  /** Key of the raw message in the object store. */
  readonly rawKey: string;
  /** Without angle brackets; empty when the message has none. */
  readonly messageId: string;
  /** `received`: stored, not read yet. `imported`: its attachments are on their way. `failed`: it cannot be read. */
  readonly state: 'received' | 'imported' | 'failed';
  readonly leftOut: readonly LeftOutAttachment[];
  /** Why it failed; empty otherwise. */
  readonly failure: string;
}

export interface Address {
  readonly email: string;
  readonly name: string;
}

/** An attachment that was not imported. API: email-import.md section 1.3. */
export interface LeftOutAttachment {
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** `attachment_status`; empty for one whose bytes are in the message twice. */
  readonly status: string;
}

/** What reading a message adds to its e-mail. */
export type ReadEmail = Pick<
  Email,
  | 'subject'
  | 'from'
  | 'to'
  | 'cc'
  | 'bodyTextPlain'
  | 'bodyTextHtml'
  | 'documentIds'
  | 'uploadId'
  | 'leftOut'
  | 'messageId'
>;

/** An inbox that a message is for. */
export interface Recipient {
  readonly inboxId: number;
  readonly organizationId: number;
  readonly queueId: number;
}

/** A raw message in the object store. */
export interface RawMessage {
  readonly key: string;
  readonly sha256: string;
  readonly messageId: string;
}

const FIRST_LOOK_MS = 60_000;
const LAST_LOOK_MS = 30 * 60_000;

/** When to look again at an e-mail that rests: after a minute, then twice as long each time, half an hour at most. */
export function nextLook(looks: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(FIRST_LOOK_MS * 2 ** looks, LAST_LOOK_MS));
}
