/** An e-mail that came in or went out. API: email-import.md section 2. */
export interface Email {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly inboxId: number;
  readonly type: 'incoming' | 'outgoing';
  readonly createdAt: Date;
  readonly subject: string;
  readonly from: Address | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  /** First 4 kB. */
  readonly bodyTextPlain: string;
  readonly bodyTextHtml: string;
  /** Of all attachments, whatever became of them. */
  readonly documentIds: readonly number[];
  readonly uploadId: number | null;
  /** Key of the raw message in the object store; empty once the e-mail is purged. */
  readonly rawKey: string;
  /** Without angle brackets; empty when the message has none. */
  readonly messageId: string;
  /**
   * `received`: stored, not read yet. `imported`: its attachments are on their way. `failed`: it cannot be read. `dropped`: the
   * rules of the inbox do not want it; nobody sees it. Of an outgoing one: `sending`, `sent` or `failed`.
   */
  readonly state: 'received' | 'imported' | 'failed' | 'dropped' | 'sending' | 'sent';
  readonly attachments: readonly Attachment[];
  readonly filteredOutDocumentCount: number;
  /** Why it failed or was dropped; empty otherwise. */
  readonly failure: string;
  readonly parentId: number | null;
  readonly threadId: number | null;
  readonly childrenIds: readonly number[];
  readonly lastThreadEmailCreatedAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Who imported or sent it; null: it came by SMTP. */
  readonly creatorId: number | null;
  readonly labels: readonly string[];
  readonly relatedAnnotationIds: readonly number[];
  readonly relatedDocumentIds: readonly number[];
  readonly envelope: Envelope | null;
  readonly authentication: Authentication | null;
  /** A program wrote it: it gets no automatic answer. */
  readonly isAutomatic: boolean;
  /** Of an import: the task that its creator watches. */
  readonly taskId: number | null;
  /** Values that an import gave. */
  readonly importValues: Readonly<Record<string, string>>;
  readonly isConcluded: boolean;
  /** Of an outgoing one: the template that it was made of. */
  readonly templateId: number | null;
  /** Of an outgoing one: its annotations belong to its thread from then on, also those that had one. */
  readonly resetsThreads: boolean;
}

export interface Address {
  readonly email: string;
  readonly name: string;
}

/** What became of an attachment. API: email-import.md section 1.3. */
export interface Attachment {
  readonly documentId: number;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** `attachment_status`; empty for one whose bytes are in the message twice. */
  readonly status: string;
  /** In words for people; empty for one that was imported. */
  readonly reason: string;
}

/** Whether a sender is who it says it is, as SPF, DKIM and DMARC say: `pass`, `fail`, `none`, `temperror`, ... */
export interface Authentication {
  readonly spf: string;
  readonly dkim: string;
  readonly dmarc: string;
  /** Domain of the sender's address. */
  readonly domain: string;
  /** `own`, or the name of the front server whose word was taken. */
  readonly source: string;
  /** Whether the message came by TLS. */
  readonly encrypted: boolean;
}

/** What reading a message adds to its e-mail. */
export type ReadEmail = Pick<
  Email,
  | 'subject'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'bodyTextPlain'
  | 'bodyTextHtml'
  | 'documentIds'
  | 'uploadId'
  | 'attachments'
  | 'filteredOutDocumentCount'
  | 'messageId'
  | 'authentication'
  | 'isAutomatic'
> & {
  /** Message-IDs of what it answers, the nearest first. */
  readonly references: readonly string[];
  /** Why none of the attachments was read; empty: they were. */
  readonly failure: string;
};

/** How reading an e-mail ends. */
export type Reading =
  | { readonly state: 'imported' | 'failed'; readonly read: ReadEmail }
  | { readonly state: 'failed' | 'dropped'; readonly failure: string };

/** An inbox that a message is for. */
export interface Recipient {
  readonly inboxId: number;
  readonly organizationId: number;
  readonly queueId: number;
  /** Its rules may drop the message, so that nobody sees it before it is read. */
  readonly mayDrop: boolean;
}

/** How a message came. */
export interface Envelope {
  /** Of MAIL FROM; empty: the null sender. */
  readonly sender: string;
  /** IP address of the sending server; empty when the message did not come by SMTP. */
  readonly remoteAddress: string;
  /** What the server called itself. */
  readonly helo: string;
  /** Whether TLS was used. */
  readonly encrypted: boolean;
}

/** A raw message in the object store. */
export interface RawMessage {
  readonly key: string;
  readonly sha256: string;
  readonly messageId: string;
}

/** What an import says beside the message. */
export interface ImportDetails {
  readonly creatorId: number | null;
  readonly taskId: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, string>>;
}

const FIRST_LOOK_MS = 60_000;
const LAST_LOOK_MS = 30 * 60_000;

/** When to look again at an e-mail that rests: after a minute, then twice as long each time, half an hour at most. */
export function nextLook(looks: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(FIRST_LOOK_MS * 2 ** looks, LAST_LOOK_MS));
}

/** Labels of e-mails. API: email-import.md section 2. */
export const EMAIL_LABELS = [
  'rejection',
  'automatic_rejection',
  'rejected',
  'automatic_status_changed_info',
  'forwarded',
  'reply',
] as const;
