import type { annotation as contract, events, extraction, queue } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { transaction } from '@intake/mongo';
import { type Caller, type Client, invalidField, Refusal, systemCaller } from '@intake/rpc';
import { buildNodes, type ContentNode, checkContent, type SourceCandidate, type SourceRow } from '@intake/schema';
import type { ContentStore } from '../content/content.store';
import { isTrigger } from '../lifecycle';
import type { Schemas } from '../schema/schemas';
import type { Annotation, Message } from './annotation.types';
import { type ChangeTools, changeState, eventFor, historyOf, openAnnotation } from './changes';
import type { IdempotencyStore } from './idempotency.store';
import { newAnnotation, newPollId } from './new-annotation';
import { isStatus, type Status } from './status';

/** What the domain stands on. */
export interface AnnotationTools extends ChangeTools {
  readonly content: ContentStore;
  readonly idempotency: IdempotencyStore;
  readonly schemas: Schemas;
  readonly queues: Client<typeof queue.QueueServiceService>;
}

/** States from which a review can start. API: annotations.md section 5. */
const STARTABLE: readonly Status[] = ['to_review', 'reviewing', 'postponed', 'confirmed'];

const MAX_METADATA_BYTES = 4096;

export type Annotations = ReturnType<typeof createAnnotations>;

/** Opening, reviewing and finishing annotations. */
export function createAnnotations(tools: AnnotationTools) {
  const { backbone, store, content, idempotency, schemas, queues } = tools;

  const getQueue = async (caller: Caller, annotation: Annotation): Promise<queue.Queue> => {
    const { queues: found } = await queues.getQueues(
      { ids: [annotation.queueId] },
      systemCaller('annotation', annotation.organizationId),
    );
    if (!found[0]) throw new Refusal('NOT_FOUND', { cause: `queue ${annotation.queueId} for ${caller.username}` });
    return found[0];
  };

  /** Refuses to let an annotation that breaks its schema's constraints go on. API: annotations.md section 5, step 2. */
  const requireValid = async (annotation: Annotation): Promise<void> => {
    const nodes = await content.list(annotation.id);
    const errors = checkContent(await schemas.get(annotation.organizationId, annotation.schemaId), nodes).filter(
      ({ type }) => type === 'error',
    );
    if (errors.length > 0) throw new Refusal('INVALID_ANNOTATION', { extra: { messages: errors } });
  };

  const hasExportLeg = (q: queue.Queue): boolean => q.connectorId !== undefined || q.hookIds.length > 0;
  const afterExportRequest = (q: queue.Queue): Status => (hasExportLeg(q) ? 'exporting' : 'exported');
  const afterConfirm = (q: queue.Queue): Status => (q.useConfirmedState ? 'confirmed' : afterExportRequest(q));

  return {
    /** Opens an annotation for a document that is ready; the effect of `document.stored`. */
    async prepareOpening(event: events.DocumentStored): Promise<(session: ClientSession) => Promise<void>> {
      const caller = systemCaller('annotation', event.organizationId);
      const { queues: found } = await queues.getQueues({ ids: [event.queueId] }, caller);
      const q = found[0];
      if (!q) throw new Refusal('NOT_FOUND', { detail: `Queue ${event.queueId} is gone.` });
      const annotation = newAnnotation(await backbone.ids.next('annotation'), event, q, new Date());
      return async (session) => {
        if (event.uploadId && (await store.findByUpload(event.uploadId, event.documentId, session))) return;
        await openAnnotation(tools, session, caller, annotation);
      };
    },

    /** Takes over what the engine read. A result that is not awaited (any more) changes nothing. */
    async finishExtraction(caller: Caller, request: contract.FinishExtractionRequest): Promise<Annotation> {
      const awaited = await store.get(caller, request.annotationId);
      if (!isAwaited(awaited, request.rirPollId)) return awaited;
      const [schema, q] = await Promise.all([
        schemas.get(awaited.organizationId, awaited.schemaId),
        getQueue(caller, awaited),
      ]);
      const result = request.result ?? { engineVersion: '', language: '', pages: [], fields: {}, tables: [] };
      let count = 0;
      const drafts = buildNodes(
        schema,
        { ...toSources(result), values: { ...awaited.values }, defaultScoreThreshold: q.defaultScoreThreshold },
        () => count++,
      );
      const first = await backbone.ids.next('node', Math.max(count, 1));
      const nodes = drafts.map((node) => shiftIds(node, first));
      return changeState(tools, caller, awaited.id, 'finish_extraction', {
        unless: (before) => !isAwaited(before, request.rirPollId),
        patch: { pageIds: request.pageIds, engineVersion: result.engineVersion },
        alongside: (session) => content.replaceAll(session, awaited.id, nodes),
      });
    },

    async failExtraction(
      caller: Caller,
      { annotationId, rirPollId, message }: contract.FailExtractionRequest,
    ): Promise<Annotation> {
      return changeState(tools, caller, annotationId, 'fail_extraction', {
        unless: (before) => !isAwaited(before, rirPollId),
        patch: { messages: [{ id: 'all', type: 'error', content: message }] },
      });
    },

    async start(caller: Caller, id: number, statuses: readonly string[]): Promise<Annotation> {
      const allowed = statuses.length > 0 ? STARTABLE.filter((status) => statuses.includes(status)) : STARTABLE;
      const q = await getQueue(caller, await store.get(caller, id));
      return changeState(tools, caller, id, 'start', {
        unless: ({ status }) => {
          if (allowed.includes(status)) return false;
          throw new Refusal('CONFLICT_STATUS', {
            detail: `Assignment is allowed only for documents in states: ${allowed.join(', ')}`,
          });
        },
        patch: { sessionTimeoutS: q.sessionTimeoutS, reviewUntil: new Date(Date.now() + q.sessionTimeoutS * 1000) },
      });
    },

    cancel: (caller: Caller, id: number) => changeState(tools, caller, id, 'cancel'),

    async confirm(caller: Caller, id: number, idempotencyKey?: string): Promise<Annotation> {
      const annotation = await store.get(caller, id);
      const q = await getQueue(caller, annotation);
      const isRepetition = async (session: ClientSession) =>
        idempotencyKey !== undefined &&
        !(await idempotency.claim(session, caller.userId, idempotencyKey, `confirm/${id}`));
      if (annotation.status === 'reviewing' && annotation.reviewerId === caller.userId) await requireValid(annotation);
      return changeState(tools, caller, id, 'confirm', {
        next: afterConfirm(q),
        // What was checked must be what is confirmed.
        unless: async (before, session) => {
          if (await isRepetition(session)) return true;
          if (before.status === 'reviewing' && before.version !== annotation.version) {
            throw new Refusal('CONFLICT', {
              detail: 'The annotation was changed while it was being confirmed; try again.',
            });
          }
          return false;
        },
      });
    },

    postpone: (caller: Caller, id: number) => changeState(tools, caller, id, 'postpone'),

    async reject(caller: Caller, id: number): Promise<Annotation> {
      await requireRejection(await getQueue(caller, await store.get(caller, id)));
      return changeState(tools, caller, id, 'reject');
    },

    delete: (caller: Caller, id: number) =>
      changeState(tools, caller, id, 'delete', { unless: ({ status }) => status === 'deleted' }),

    /** PATCH of an annotation. API: annotations.md section 4, states.md section 3. */
    async update(caller: Caller, request: contract.UpdateAnnotationRequest): Promise<Annotation> {
      let annotation = await store.get(caller, request.id);
      const patch: Partial<Annotation> = {
        ...(request.metadata && { metadata: checkMetadata(request.metadata) }),
        ...(request.timeSpent !== undefined && { timeSpent: request.timeSpent }),
        ...(request.trainingEnabled !== undefined && { trainingEnabled: request.trainingEnabled }),
        ...(request.messages && { messages: request.messages.messages.map(toMessage) }),
      };
      if (request.status !== undefined && request.status !== annotation.status) {
        annotation = await setStatus(caller, annotation, request.status, patch);
      } else if (Object.keys(patch).length > 0) {
        annotation = await updateFields(caller, request.id, patch);
      }
      return annotation;
    },

    /** The export leg is over. Counts only for the export that was asked for. */
    async finishExport(
      caller: Caller,
      { annotationId, version, failed, messages }: contract.FinishExportRequest,
    ): Promise<Annotation> {
      return changeState(tools, caller, annotationId, failed ? 'fail_export' : 'finish_export', {
        unless: (before) => before.status !== 'exporting' || before.version !== version,
        patch: messages.length > 0 ? { messages: messages.map(toMessage) } : {},
      });
    },

    /** Puts what rests too long in a passing state on the bus again. */
    async resendResting(status: 'importing' | 'exporting', restingMs: number): Promise<number> {
      const resting = await store.findResting(status, new Date(Date.now() - restingMs), 200);
      for (const annotation of resting) {
        const caller = systemCaller('annotation', annotation.organizationId);
        await transaction(backbone.database, async (session) => {
          const now = new Date();
          if (!(await store.markResent(session, annotation, now))) return;
          await backbone.emit(
            session,
            eventFor({ ...annotation, resends: annotation.resends + 1 }, '', 'resend', caller, now),
          );
        });
      }
      return resting.length;
    },

    /** Ends the reviews whose holder has done nothing for the queue's session time-out. */
    async endExpiredReviews(): Promise<void> {
      const now = new Date();
      for (const { id, organizationId } of await store.findExpiredReviews(now, 200)) {
        await changeState(tools, systemCaller('annotation', organizationId), id, 'time_out', {
          unless: ({ status, reviewUntil }) => status !== 'reviewing' || reviewUntil === null || reviewUntil > now,
        });
      }
    },
  };

  async function setStatus(
    caller: Caller,
    annotation: Annotation,
    status: string,
    patch: Partial<Annotation>,
  ): Promise<Annotation> {
    const trigger = `set_${status}`;
    if (annotation.status === 'purged') {
      throw new Refusal('CONFLICT_STATUS', { detail: `Status cannot be changed from purged to ${status}.` });
    }
    if (!isStatus(status)) throw invalidField('status', `"${status}" is not a valid choice.`);
    if (!isTrigger(trigger)) throw invalidField('status', `The status cannot be set to ${status} directly.`);
    const q = await getQueue(caller, annotation);
    const next = status === 'exporting' ? afterExportRequest(q) : undefined;
    return changeState(tools, caller, annotation.id, trigger, {
      next,
      patch: { ...patch, ...(status === 'importing' && { rirPollId: newPollId(), messages: [] }) },
      // The origin decides first (409), then what the queue allows (400), then the content (400).
      alongside: async () => {
        if (status === 'rejected') await requireRejection(q);
        if (status === 'confirmed' && !q.useConfirmedState)
          throw invalidField('status', 'The queue does not use the state confirmed.');
        if (['confirmed', 'exporting', 'exported'].includes(status)) await requireValid(annotation);
        if (
          status === 'to_review' &&
          annotation.status === 'failed_import' &&
          (await content.list(annotation.id)).length === 0
        ) {
          throw new Refusal('CONFLICT_STATUS', {
            detail: 'The document could not be read, so there is nothing to review. Import it again.',
          });
        }
      },
    });
  }

  async function updateFields(caller: Caller, id: number, patch: Partial<Annotation>): Promise<Annotation> {
    return transaction(backbone.database, async (session) => {
      const before = await store.get(caller, id, session);
      if (before.status === 'purged')
        throw new Refusal('CONFLICT_STATUS', { detail: 'A purged annotation cannot be changed.' });
      if (before.status === 'reviewing' && before.reviewerId !== caller.userId && caller.kind === 'user')
        throw new Refusal('ANNOTATION_NOT_YOURS');
      const now = new Date();
      const after: Annotation = {
        ...before,
        ...patch,
        version: before.version + 1,
        modifiedAt: now,
        modifierId: caller.userId ?? before.modifierId,
      };
      await store.replace(session, after, before);
      await tools.history.add(session, historyOf(after, before.status, 'update', caller, now));
      return after;
    });
  }
}

async function requireRejection(q: queue.Queue): Promise<void> {
  const config = (q.settings as { rejection_config?: { enabled?: boolean } } | undefined)?.rejection_config;
  if (config?.enabled === false) throw invalidField('status', 'Rejection is not enabled on the queue.');
}

function isAwaited(annotation: Annotation, rirPollId: string): boolean {
  return annotation.status === 'importing' && annotation.rirPollId === rirPollId;
}

function checkMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw invalidField('metadata', `Ensure this object has no more than ${MAX_METADATA_BYTES} bytes.`);
  }
  return metadata;
}

function toMessage({ id, type, content }: contract.Message): Message {
  return { id, type: type as Message['type'], content };
}

function shiftIds(node: ContentNode, first: number): ContentNode {
  return { ...node, id: node.id + first, parentId: node.parentId === null ? null : node.parentId + first };
}

/** The engine's result as the schema package takes it. */
function toSources(result: extraction.ExtractionResult) {
  const candidate = ({ value, rawText, page, position, confidence }: extraction.Candidate): SourceCandidate => ({
    value,
    rawText,
    page: page || null,
    position: position.length === 4 ? position : null,
    confidence,
  });
  const mapValues = <A, B>(values: Record<string, A>, to: (value: A) => B): Record<string, B> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, to(value)]));
  const tables: Record<string, SourceRow[]> = {};
  for (const { name, rows } of result.tables) {
    tables[name] = rows.map(({ type, cells, page, position }) => ({
      type,
      cells: mapValues(cells, candidate),
      page: page || null,
      position: position.length === 4 ? position : null,
    }));
  }
  return { fields: mapValues(result.fields, ({ candidates }) => candidates.map(candidate)), tables };
}
