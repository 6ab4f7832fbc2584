import { events } from '@intake/contracts';

/** How a payload is written to and read from the bus: the JSON form of its protobuf message. */
interface PayloadType<T> {
  fromJSON(value: unknown): T;
  toJSON(payload: T): unknown;
}

/** The fifteen states of an annotation, each of which is announced by an event. API: states.md section 1. */
export const ANNOTATION_STATUSES = [
  'created',
  'importing',
  'failed_import',
  'split',
  'to_review',
  'reviewing',
  'in_workflow',
  'confirmed',
  'rejected',
  'exporting',
  'exported',
  'failed_export',
  'postponed',
  'deleted',
  'purged',
] as const;

type AnnotationEvent = `annotation.${(typeof ANNOTATION_STATUSES)[number]}`;

const annotationEvents = Object.fromEntries(
  ANNOTATION_STATUSES.map((status) => [`annotation.${status}`, events.AnnotationChanged]),
) as unknown as Record<AnnotationEvent, PayloadType<events.AnnotationChanged>>;

/** Everything that travels on the bus: subject -> payload. The only place where a subject is written. */
export const SUBJECTS = {
  'auth.revoked': events.AuthRevoked as PayloadType<events.AuthRevoked>,
  'organization.created': events.OrganizationCreated as PayloadType<events.OrganizationCreated>,
  'schema.updated': events.SchemaUpdated as PayloadType<events.SchemaUpdated>,
  'queue.deleted': events.QueueDeleted as PayloadType<events.QueueDeleted>,
  'label.deleted': events.LabelDeleted as PayloadType<events.LabelDeleted>,
  'queue.emptied': events.QueueEmptied as PayloadType<events.QueueEmptied>,
  'upload.created': events.UploadCreated as PayloadType<events.UploadCreated>,
  /** The hooks of `upload.created` have answered. */
  'upload.answered': events.UploadCreated as PayloadType<events.UploadCreated>,
  'upload.finished': events.UploadFinished as PayloadType<events.UploadFinished>,
  'task.changed': events.TaskChanged as PayloadType<events.TaskChanged>,
  'document.stored': events.DocumentStored as PayloadType<events.DocumentStored>,
  'email.received': events.EmailReceived as PayloadType<events.EmailReceived>,
  /** The hooks of `email.received` have answered. */
  'email.answered': events.EmailReceived as PayloadType<events.EmailReceived>,
  'email.imported': events.EmailImported as PayloadType<events.EmailImported>,
  /** The inbox does not want it: its bytes go. */
  'email.dropped': events.EmailImported as PayloadType<events.EmailImported>,
  'annotation.content_changed': events.AnnotationContentChanged as PayloadType<events.AnnotationContentChanged>,
  'annotation.suggested_edit_changed': events.SuggestedEditChanged as PayloadType<events.SuggestedEditChanged>,
  'annotation.extracted': events.AnnotationExtracted as PayloadType<events.AnnotationExtracted>,
  ...annotationEvents,
  /** A job: work that is done once by one worker, not a fact. */
  'jobs.extraction': events.ExtractionTicket as PayloadType<events.ExtractionTicket>,
};

/** Name of an event or job. */
export type Subject = keyof typeof SUBJECTS;
/** Payload of an event or job. */
export type Payload<S extends Subject> = ReturnType<(typeof SUBJECTS)[S]['fromJSON']>;

/** The three streams. Names and subjects get the installation's prefix. */
export const STREAMS = { events: 'EVENTS', jobs: 'JOBS', dead: 'DEAD' } as const;

/** Which stream keeps a subject. */
export function streamOf(subject: Subject): 'events' | 'jobs' {
  return subject.startsWith('jobs.') ? 'jobs' : 'events';
}
