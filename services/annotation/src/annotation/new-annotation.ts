import { randomBytes } from 'node:crypto';
import type { events, queue } from '@intake/contracts';
import type { Annotation } from './annotation.types';

/** A name for an extraction that nobody can guess or meet twice. */
export function newPollId(): string {
  return randomBytes(12).toString('hex');
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
    messages: failure ? [{ id: 'all', type: 'error', content: failure }] : [],
    values: document.values,
    metadata: document.metadata ?? {},
    timeSpent: 0,
    automated: false,
    automaticallyRejected: false,
    trainingEnabled,
    restingSince: now,
    resends: 0,
  };
}
