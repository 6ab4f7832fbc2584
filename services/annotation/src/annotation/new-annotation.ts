import { randomBytes } from 'node:crypto';
import type { annotation as contract, events, queue } from '@intake/contracts';
import { type Annotation, FRESH, type Message } from './annotation.types';

/** A name for an extraction that nobody can guess or meet twice. */
export function newPollId(): string {
  return randomBytes(12).toString('hex');
}

/** A message as an annotation keeps it. */
export function toMessage({ id, type, content, detail }: contract.Message): Message {
  return { id, type: type as Message['type'], content, ...(detail && { detail }) };
}

/** The annotation that is opened for a stored document: waiting for its extraction, or failed when it cannot be imported. */
export function newAnnotation(
  id: number,
  document: events.DocumentStored,
  { schemaId, locale, sessionTimeoutS, trainingEnabled }: queue.Queue,
  now: Date,
): Annotation {
  const { failure } = document;
  return {
    id,
    organizationId: document.organizationId,
    queueId: document.queueId,
    schemaId,
    documentId: document.documentId,
    uploadId: document.uploadId || null,
    emailId: document.emailId ?? null,
    fileName: document.fileName,
    mimeType: document.mimeType,
    locale,
    status: failure ? 'failed_import' : 'importing',
    version: 1,
    statusBeforeReview: null,
    reviewerId: null,
    reviewUntil: null,
    sessionTimeoutS,
    pageIds: [],
    creatorId: document.creatorId ?? null,
    createdAt: now,
    arrivedAt: document.arrivedAt ?? now,
    modifierId: null,
    modifiedAt: null,
    assignedAt: null,
    confirmedAt: null,
    confirmedById: null,
    exportedAt: null,
    exportedById: null,
    exportFailedAt: null,
    rejectedAt: null,
    rejectedById: null,
    deletedAt: null,
    deletedById: null,
    purgedAt: null,
    purgedById: null,
    rirPollId: newPollId(),
    engineVersion: '',
    messages: [
      ...document.messages.map(toMessage),
      ...(failure ? [{ id: 'all', type: 'error', content: failure } as const] : []),
    ],
    values: document.values,
    metadata: document.metadata ?? {},
    automated: false,
    automaticallyRejected: false,
    trainingEnabled,
    einvoice: false,
    hasSentEmails: false,
    restingSince: now,
    resends: 0,
    ...FRESH,
    md5: document.md5 || null,
  };
}

/**
 * Another annotation of the same document, in the same or another queue: data and metadata of the original, a life of its own.
 *
 * @param to where the copy is put
 */
export function copyOf(
  original: Annotation,
  to: {
    readonly id: number;
    readonly queue: queue.Queue;
    readonly status: Annotation['status'];
    readonly pageIds: readonly number[];
    readonly creatorId: number | null;
    readonly now: Date;
  },
): Annotation {
  const { id, status, pageIds, creatorId, now } = to;
  const by = creatorId;
  const isImporting = status === 'importing';
  return {
    ...original,
    ...FRESH,
    id,
    queueId: to.queue.id,
    schemaId: to.queue.schemaId,
    locale: to.queue.locale,
    sessionTimeoutS: to.queue.sessionTimeoutS,
    trainingEnabled: to.queue.trainingEnabled,
    // The copy comes from no upload: an upload's documents have one annotation each.
    uploadId: null,
    rotationDeg: original.rotationDeg,
    md5: original.md5,
    fingerprint: original.fingerprint,
    status,
    version: 1,
    statusBeforeReview: null,
    reviewerId: null,
    reviewUntil: null,
    pageIds,
    creatorId,
    createdAt: now,
    modifierId: null,
    modifiedAt: null,
    assignedAt: null,
    confirmedAt: status === 'confirmed' ? now : null,
    confirmedById: status === 'confirmed' ? by : null,
    exportedAt: status === 'exported' ? now : null,
    exportedById: status === 'exported' ? by : null,
    exportFailedAt: null,
    rejectedAt: status === 'rejected' ? now : null,
    rejectedById: status === 'rejected' ? by : null,
    deletedAt: status === 'deleted' ? now : null,
    deletedById: status === 'deleted' ? by : null,
    purgedAt: null,
    purgedById: null,
    rirPollId: isImporting ? newPollId() : original.rirPollId,
    messages: isImporting ? [] : original.messages,
    automated: false,
    automaticallyRejected: false,
    hasSentEmails: false,
    restingSince: now,
    resends: 0,
  };
}
