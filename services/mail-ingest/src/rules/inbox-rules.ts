/** What the owner of an inbox wants of its mail. API: inboxes.md, workspaces-queues.md (email_notifications). */
export interface InboxRules {
  /** False: the deletion of the queue was asked for, and it takes nothing any more. */
  readonly isActive: boolean;
  /** Whether the queue takes a type. */
  readonly accepts: (mimeType: string) => boolean;
  readonly allowedSenders: readonly string[];
  readonly deniedSenders: readonly string[];
  /** Null: switched off. */
  readonly rejection: RejectionConditions | null;
  /** Drop what fails DMARC. */
  readonly dropsForged: boolean;
  readonly notifications: Notifications;
  readonly inboxEmail: string;
  readonly queueName: string;
}

/** Documents with any of these are filtered out; null and empty lists are off. */
export interface RejectionConditions {
  /** Width and height in pixels; an image below both. */
  readonly resolutionLowerThanPx: readonly [number, number] | null;
  /** Bytes. */
  readonly fileSizeLessThan: number | null;
  readonly mimeTypes: readonly string[];
  /** RE2 expressions, searched in the file name. */
  readonly fileNameRegexes: readonly string[];
}

/** When somebody is told by mail. */
export interface Notifications {
  /** Null: the sender of the mail. */
  readonly recipient: string | null;
  readonly unprocessableAttachments: boolean;
  readonly emailWithNoAttachments: boolean;
  readonly postponedAnnotations: boolean;
  readonly deletedAnnotations: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Rules of an inbox as the API shows it and its queue. */
export function readInboxRules(
  inbox: {
    readonly email: string;
    readonly filters?: Json;
    readonly dmarcCheckAction: string;
    readonly emailNotifications?: Json;
  },
  queue: { readonly name: string; readonly status: string },
  accepts: (mimeType: string) => boolean,
): InboxRules {
  const filters = inbox.filters ?? {};
  const conditions = recordOf(filters.document_rejection_conditions);
  const notifications = inbox.emailNotifications ?? {};
  const isOn = (key: string, fallback: boolean) =>
    typeof notifications[key] === 'boolean' ? notifications[key] : fallback;
  const recipient = recordOf(notifications.recipient)?.email;
  const size = conditions?.resolution_lower_than_px;
  const least = conditions?.file_size_less_than_b;
  return {
    isActive: queue.status === 'active',
    accepts,
    allowedSenders: textsOf(filters.allowed_senders),
    deniedSenders: textsOf(filters.denied_senders),
    rejection:
      !conditions || conditions.enabled === false
        ? null
        : {
            resolutionLowerThanPx: Array.isArray(size) && size.length === 2 ? [Number(size[0]), Number(size[1])] : null,
            fileSizeLessThan: typeof least === 'number' ? least : null,
            mimeTypes: textsOf(conditions.mime_types),
            fileNameRegexes: textsOf(conditions.file_name_regexes),
          },
    dropsForged: inbox.dmarcCheckAction === 'drop',
    notifications: {
      recipient: typeof recipient === 'string' && recipient !== '' ? recipient : null,
      unprocessableAttachments: isOn('unprocessable_attachments', false),
      emailWithNoAttachments: isOn('email_with_no_attachments', true),
      postponedAnnotations: isOn('postponed_annotations', false),
      deletedAnnotations: isOn('deleted_annotations', false),
    },
    inboxEmail: inbox.email,
    queueName: queue.name,
  };
}

function recordOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
