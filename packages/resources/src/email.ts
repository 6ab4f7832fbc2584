import type { mailIngest } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { formatTime } from './values';

/** How many annotations came from an e-mail. */
export interface EmailRelations {
  readonly annotations: readonly { readonly id: number; readonly status: string }[];
}

const PROCESSED = ['exported', 'deleted', 'purged', 'split'];

/** API: email-import.md section 2. */
export function emailToJson(row: mailIngest.Email, { annotations }: EmailRelations, urls: ApiUrls) {
  const count = (statuses: readonly string[]) => annotations.filter(({ status }) => statuses.includes(status)).length;
  const processed = count(PROCESSED);
  const rejected = count(['rejected']);
  const createdAt = formatTime(row.createdAt);
  return {
    id: row.id,
    url: urls.email(row.id),
    queue: urls.queue(row.queueId),
    inbox: urls.inbox(row.inboxId),
    parent: null,
    email_thread: null,
    children: [],
    documents: row.documentIds.map(urls.document),
    created_at: createdAt,
    arrived_at: createdAt,
    last_thread_email_created_at: createdAt,
    subject: row.subject,
    from: row.from ? addressToJson(row.from) : {},
    to: row.to.map(addressToJson),
    cc: row.cc.map(addressToJson),
    bcc: [],
    body_text_plain: row.bodyTextPlain,
    body_text_html: row.bodyTextHtml,
    metadata: {},
    type: row.type || 'incoming',
    annotation_counts: {
      annotations: annotations.length,
      annotations_processed: processed,
      annotations_purged: count(['purged']),
      annotations_unprocessed: annotations.length - processed - rejected,
      annotations_rejected: rejected,
      related_annotations: 0,
    },
    annotations: annotations.map(({ id }) => urls.annotation(id)),
    related_annotations: [],
    related_documents: [],
    creator: null,
    filtered_out_document_count: 0,
    labels: [],
    content: urls.at(`emails/${row.id}/content`),
  };
}

function addressToJson({ email, name }: mailIngest.Address) {
  return name ? { email, name } : { email };
}
