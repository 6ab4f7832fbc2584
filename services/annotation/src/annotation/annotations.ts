import { isDeepStrictEqual } from 'node:util';
import type { annotation as contract, documentStorage, events, queue } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, seesQueue, systemCaller } from '@intake/rpc';
import { buildNodes, evaluateFormulas, findSizeProblem, sizeOf } from '@intake/schema';
import { today } from '../content/contents';
import { applyGiven, findGivenProblem, shiftIds } from '../content/given-content';
import { applyTrigger, isTrigger, requireNoOtherReview, type Trigger } from '../lifecycle';
import type { Annotation, ProcessingDuration } from './annotation.types';
import type { AnnotationTools } from './annotation-tools';
import { changeInSession, changeState, hadMessages, historyOf, openAnnotation } from './changes';
import { newAnnotation, newPollId, toMessage } from './new-annotation';
import { isStatus, type Status } from './status';
import { createTransfer } from './transfer';
import { createTurns } from './turns';

/** States from which a review can start. API: annotations.md section 5. */
const STARTABLE: readonly Status[] = ['to_review', 'reviewing', 'postponed', 'confirmed'];

/** States from which an export can be asked for. API: export.md section 3. */
const EXPORTABLE: readonly Status[] = ['confirmed', 'to_review', 'reviewing', 'postponed', 'failed_export'];

const MAX_METADATA_BYTES = 4096;
const NO_SUCH_OBJECT = 'Invalid hyperlink - Object does not exist.';

/** How long a confirmation waits for connector and hooks, and for the connector to take it over, in milliseconds. */
const EXTENSIONS_MS = 120_000;
const SAVE_MS = 70_000;

export type Annotations = ReturnType<typeof createAnnotations>;

/** Making, reviewing, changing and exporting annotations. */
export function createAnnotations(tools: AnnotationTools) {
  const { backbone, store, content, idempotency, readings, schemas, queues, notes, extensions, rules } = tools;
  const transfer = createTransfer(tools);
  const turns = createTurns();

  return {
    /**
     * Makes an annotation in the state `created`: nothing is read until it enters `importing`. API: annotations.md section 3.
     * Field errors: `document`, `queue`, `metadata`, `content_data`.
     */
    async create(caller: Caller, request: contract.CreateAnnotationRequest): Promise<Annotation> {
      const [{ queues: found }, { documents }] = await Promise.all([
        queues.getQueues({ ids: [request.queueId] }, caller),
        tools.storage.getDocuments({ ids: [request.documentId] }, caller),
      ]);
      const [[q], [document]] = [found, documents];
      if (!q || !seesQueue(caller, request.queueId)) throw invalidField('queue', NO_SUCH_OBJECT);
      if (!document) throw invalidField('document', NO_SUCH_OBJECT);
      if (q.status !== 'active') throw new Refusal('QUEUE_DELETED');
      const now = new Date();
      const givenJson = request.contentJson || null;
      const annotation: Annotation = {
        ...newAnnotation(await backbone.ids.next('annotation'), storedOf(document, request, caller), q, now),
        status: 'created',
        metadata: checkMetadata(request.metadata ?? {}),
        trainingEnabled: request.trainingEnabled ?? q.trainingEnabled,
        givenJson,
      };
      const { content: schema, version: schemaVersion } = await schemas.getCurrent(q.organizationId, q.schemaId);
      let count = 0;
      const built = givenJson === null ? [] : buildNodes(schema, null, () => ++count);
      const shaped = givenJson === null ? [] : applyGiven(schema, built, JSON.parse(givenJson), () => ++count);
      const tooLarge = findSizeProblem(sizeOf(shaped)) ?? findGivenProblem(givenJson);
      if (tooLarge !== null) throw invalidField('content_data', tooLarge);
      const first = count === 0 ? 0 : await backbone.ids.next('node', count);
      const nodes = evaluateFormulas(
        schema,
        shaped.map((node) => shiftIds(node, first - 1)),
        { today: today() },
      ).nodes;
      await transaction(backbone.database, async (session) => {
        await openAnnotation(tools, session, caller, annotation);
        if (nodes.length === 0) return;
        await content.replaceAll(session, annotation.id, nodes);
        const made = { annotationId: annotation.id, schemaId: q.schemaId, schemaVersion, sources: null };
        await readings.save(session, made);
      });
      const { id: annotationId, documentId, queueId, organizationId } = annotation;
      await tools.storage.placeAnnotation(
        { annotationId, documentId, queueId },
        systemCaller('annotation', organizationId),
      );
      return annotation;
    },

    async start(caller: Caller, id: number, statuses: readonly string[]): Promise<Annotation> {
      const allowed = statuses.length > 0 ? STARTABLE.filter((status) => statuses.includes(status)) : STARTABLE;
      const q = await rules.getQueue(await store.get(caller, id));
      return changeState(tools, caller, id, 'start', {
        unless: ({ status }) => {
          if (allowed.includes(status)) return false;
          throw new Refusal('CONFLICT_STATUS', {
            detail: `Assignment is allowed only for documents in states: ${allowed.join(', ')}`,
          });
        },
        patch: sessionOf(q),
      });
    },

    /**
     * Starts the annotation of a queue whose turn it is: the oldest in one of the states, else one that the caller has
     * already begun; null when there is none. No annotation is given to two.
     */
    async startNext(
      caller: Caller,
      { queueId, annotationIds, statuses }: contract.StartNextRequest,
    ): Promise<Annotation | null> {
      const q = await rules.getQueue({ queueId, organizationId: organizationOf(caller) });
      if (!seesQueue(caller, queueId)) throw new Refusal('NOT_FOUND');
      const wanted = statuses.length > 0 ? STARTABLE.filter((status) => statuses.includes(status)) : ['to_review'];
      // Who comes at the same moment waits for his turn rather than meeting the others at the same annotation.
      return turns.take(queueId, () =>
        transaction(backbone.database, async (session) => {
          for (const among of [wanted, ['reviewing']]) {
            const next = await store.findNext(caller, { queueId, ids: annotationIds, statuses: among }, session);
            if (next) return changeInSession(tools, session, caller, next.id, 'start', { patch: sessionOf(q) });
          }
          return null;
        }),
      );
    },

    cancel: (caller: Caller, id: number, spent?: Spent) => changeState(tools, caller, id, 'cancel', adding(spent)),

    /** API: annotations.md section 5, confirm. */
    async confirm(caller: Caller, id: number, idempotencyKey?: string, spent?: Spent): Promise<Annotation> {
      let annotation = await store.get(caller, id);
      const q = await rules.getQueue(annotation);
      const isRepetition = async (session: ClientSession) =>
        idempotencyKey !== undefined &&
        !(await idempotency.claim(session, caller.userId, idempotencyKey, `confirm/${id}`));
      const isOwn = annotation.status === 'reviewing' && annotation.reviewerId === caller.userId;
      let saved: contract.Message[] = [];
      let next = await rules.afterConfirm(q);
      if (isOwn) {
        if (q.connectorId !== undefined) await askBeforeConfirm(annotation, [], true);
        await rules.requireValid(annotation);
        if (q.hookIds.length > 0) {
          await askBeforeConfirm(annotation, ['confirm'], false);
          await rules.requireValid(annotation);
        }
        annotation = await store.get(caller, id);
        if (next === 'exporting' && (await rules.savesAtOnce(q))) {
          const { failed, messages } = await extensions.saveToConnector({ annotationId: id }, systemOf(annotation), {
            timeoutMs: SAVE_MS,
          });
          next = failed ? 'failed_export' : 'exported';
          saved = messages;
          annotation = await store.get(caller, id);
        }
      }
      return changeState(tools, caller, id, 'confirm', {
        ...adding(spent),
        next,
        ...(saved.length > 0 && { patch: { messages: saved.map(toMessage) } }),
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

    postpone: (caller: Caller, id: number, spent?: Spent) => changeState(tools, caller, id, 'postpone', adding(spent)),

    /** @returns the annotation, and the id of the note that was made of `noteContent` */
    async reject(
      caller: Caller,
      { id, noteContent, automaticallyRejected, processingDuration }: contract.RejectRequest,
    ): Promise<{ annotation: Annotation; noteId?: number }> {
      const q = await rules.getQueue(await store.get(caller, id));
      const noteId = noteContent === '' ? undefined : await backbone.ids.next('note');
      const annotation = await changeState(tools, caller, id, 'reject', {
        ...adding(processingDuration),
        automaticallyRejected,
        alongside: async (session, after) => {
          // The origin decides first (409), then what the queue allows (400).
          rules.requireStatusOf(q, 'rejected');
          if (noteId === undefined) return;
          const note = {
            id: noteId,
            organizationId: after.organizationId,
            annotationId: id,
            type: 'rejection',
            content: noteContent,
            metadata: {},
            creatorId: caller.userId,
            createdAt: new Date(),
            modifierId: null,
            modifiedAt: null,
          } as const;
          await notes.insert(note, after.queueId, session);
        },
      });
      return { annotation, noteId };
    },

    delete: (caller: Caller, id: number, spent?: Spent) =>
      changeState(tools, caller, id, 'delete', {
        ...adding(spent),
        unless: ({ status }) => status === 'deleted',
      }),

    /** Turns all pages and reads the document again. */
    async rotate(caller: Caller, { id, rotationDeg, processingDuration }: contract.RotateRequest): Promise<Annotation> {
      if (![0, 90, 180, 270].includes(rotationDeg)) {
        throw invalidField('rotation_deg', `"${rotationDeg}" is not a valid choice.`);
      }
      return changeState(tools, caller, id, 'rotate', {
        ...adding(processingDuration),
        patch: { rotationDeg, ...readAnew() },
      });
    },

    copy: transfer.copy,

    async assign(caller: Caller, { id, assigneeIds }: contract.AssignRequest): Promise<Annotation> {
      return updateFields(caller, id, () => ({ assigneeIds: [...new Set(assigneeIds)], assignedAt: new Date() }));
    },

    /** Sets the values that are given. */
    setDuration: (caller: Caller, id: number, spent: Spent) =>
      updateFields(caller, id, ({ duration }) => ({ duration: { ...duration, ...secondsOf(spent) } })),

    /** Puts labels on annotations and takes others off. */
    async applyLabels(caller: Caller, { annotationIds, add, remove }: contract.ApplyLabelsRequest): Promise<void> {
      const found = await store.getMany(caller, annotationIds);
      if (found.length !== new Set(annotationIds).size) {
        throw new Refusal('INVALID', {
          fields: { objects: { annotations: ['Invalid hyperlink - Object does not exist.'] } },
        });
      }
      for (const annotation of found) requireUnpurged(annotation);
      await transaction(backbone.database, (session) =>
        store.changeIds(session, annotationIds, 'labelIds', { add, remove }),
      );
    },

    /** PATCH of an annotation. API: annotations.md section 4, states.md section 3. */
    async update(caller: Caller, request: contract.UpdateAnnotationRequest): Promise<Annotation> {
      let annotation = await store.get(caller, request.id);
      if (request.queueId !== undefined && request.queueId !== annotation.queueId) {
        // What cannot get the state is not moved either.
        const newStatus = request.status === annotation.status ? undefined : request.status;
        if (newStatus !== undefined) {
          applyTrigger(annotation, triggerOf(annotation, newStatus), { caller, now: new Date() });
        }
        annotation = await transfer.move(caller, request.id, request.queueId, newStatus);
      }
      const patchOf = ({ duration, status }: Annotation): Partial<Annotation> => ({
        ...(request.metadata && { metadata: checkMetadata(request.metadata) }),
        ...(request.timeSpent !== undefined && { duration: { ...duration, overall: request.timeSpent } }),
        ...(request.trainingEnabled !== undefined && { trainingEnabled: request.trainingEnabled }),
        ...(request.messages && { messages: request.messages.messages.map(toMessage) }),
        // What is awaited is known by it.
        ...(request.clearRirPollId && status !== 'importing' && { rirPollId: null }),
      });
      if (request.status !== undefined && request.status !== annotation.status) {
        return setStatus(caller, annotation, request.status, patchOf(annotation));
      }
      return updateFields(caller, request.id, patchOf);
    },

    /** The export leg is over. Counts only for the export that was asked for. */
    async finishExport(
      caller: Caller,
      { annotationId, version, failed, messages }: contract.FinishExportRequest,
    ): Promise<Annotation> {
      return changeState(tools, caller, annotationId, failed ? 'fail_export' : 'finish_export', {
        unless: (before) => before.status !== 'exporting' || before.statusVersion !== version,
        patch: messages.length > 0 ? { messages: messages.map(toMessage) } : {},
      });
    },

    /**
     * Starts the export of all that match, where state and content allow it; the others stay as they are. Answers the ids
     * of what matched before, in order, and of those that are `exporting` now. API: export.md section 3.
     */
    async requestExports(
      caller: Caller,
      filter: contract.ListAnnotationsRequest,
    ): Promise<{ ids: number[]; exportingIds: number[] }> {
      const ids: number[] = [];
      for await (const { id } of store.stream(caller, filter)) ids.push(id);
      const exportingIds: number[] = [];
      for (const id of ids) {
        if ((await requestExport(caller, id))?.status === 'exporting') exportingIds.push(id);
      }
      return { ids, exportingIds };
    },
  };

  /** The connector or the hooks of the queue may have errors to tell. */
  async function askBeforeConfirm({ id, organizationId }: Annotation, actions: string[], withConnector: boolean) {
    const request = { annotationId: id, actions, updatedDatapointIds: [], withConnector };
    const by = systemCaller('annotation', organizationId);
    const { messages } = await extensions.runContentEvents(request, by, { timeoutMs: EXTENSIONS_MS });
    const errors = messages.filter(({ type }) => type === 'error').map(toMessage);
    if (errors.length > 0) throw new Refusal('INVALID_ANNOTATION', { extra: { messages: errors } });
  }

  /** The annotation as it is then; undefined when it is gone. */
  async function requestExport(caller: Caller, id: number): Promise<Annotation | undefined> {
    const before = await store.get(caller, id).catch(ignore(['NOT_FOUND']));
    if (!before || !EXPORTABLE.includes(before.status)) return before;
    const next = await rules.afterExportRequest(await rules.getQueue(before));
    const changed = await changeState(tools, caller, id, 'request_export', {
      next,
      // The version that the transaction changes is the one that is checked.
      alongside: (_, after) => rules.requireValid(after),
    }).catch(ignore(['CONFLICT_STATUS', 'ANNOTATION_NOT_YOURS', 'INVALID_ANNOTATION', 'NOT_FOUND']));
    return changed ?? before;
  }

  async function setStatus(
    caller: Caller,
    annotation: Annotation,
    status: string,
    patch: Partial<Annotation>,
  ): Promise<Annotation> {
    const trigger = triggerOf(annotation, status);
    const q = await rules.getQueue(annotation);
    const next = status === 'exporting' ? await rules.afterExportRequest(q) : undefined;
    return changeState(tools, caller, annotation.id, trigger, {
      next,
      patch: { ...patch, ...(status === 'importing' && readAnew()) },
      // The origin decides first (409), then what the queue allows (400), then the content (400).
      alongside: async () => {
        rules.requireStatusOf(q, status);
        await rules.requireContentFor(status, annotation);
      },
    });
  }

  /** Changes what is no state and no content; nothing is written when nothing differs. */
  async function updateFields(
    caller: Caller,
    id: number,
    patchOf: (before: Annotation) => Partial<Annotation>,
  ): Promise<Annotation> {
    return transaction(backbone.database, async (session) => {
      const before = await store.get(caller, id, session);
      const patch = patchOf(before);
      const differs = Object.entries(patch).some(
        ([key, value]) => !isDeepStrictEqual(value, before[key as keyof Annotation]),
      );
      if (!differs) return before;
      requireUnpurged(before);
      requireNoOtherReview(before, caller);
      const now = new Date();
      const after: Annotation = {
        ...before,
        ...patch,
        hadMessages: hadMessages(before),
        version: before.version + 1,
        modifiedAt: now,
        modifierId: caller.userId ?? before.modifierId,
      };
      await store.replace(session, after, before);
      await tools.history.add(session, historyOf(after, before, 'update', caller, now));
      return after;
    });
  }
}

/** Throws CONFLICT_STATUS when nothing but metadata is left of an annotation. API: states.md section 3. */
export function requireUnpurged({ status }: Annotation): void {
  if (status === 'purged') throw new Refusal('CONFLICT_STATUS', { detail: 'A purged annotation cannot be changed.' });
}

/** What gives an annotation a state by PATCH. Throws INVALID for what is never allowed. API: states.md section 3. */
function triggerOf(annotation: Annotation, status: string): Trigger {
  const trigger = `set_${status}`;
  if (annotation.status === 'purged') {
    throw new Refusal('CONFLICT_STATUS', { detail: `Status cannot be changed from purged to ${status}.` });
  }
  if (!isStatus(status)) throw invalidField('status', `"${status}" is not a valid choice.`);
  if (!isTrigger(trigger)) throw invalidField('status', `The status cannot be set to ${status} directly.`);
  return trigger;
}

/** The service's own work for the organization of an annotation. */
function systemOf({ organizationId }: Annotation): Caller {
  return systemCaller('annotation', organizationId);
}

/** Seconds that a client says were spent. */
type Spent = contract.ProcessingDuration | undefined;

function secondsOf(spent: Spent): Partial<ProcessingDuration> {
  const given = {
    active: spent?.timeSpentActive,
    overall: spent?.timeSpentOverall,
    edit: spent?.timeSpentEdit,
    blockers: spent?.timeSpentBlockers,
    emails: spent?.timeSpentEmails,
    opening: spent?.timeSpentOpening,
  };
  return Object.fromEntries(Object.entries(given).filter(([, seconds]) => seconds !== undefined));
}

/** Adds the seconds of an action to those of the annotation. */
export function adding(spent: Spent): { patchOf?: (before: Annotation) => Partial<Annotation> } {
  const seconds = Object.entries(secondsOf(spent)) as [keyof ProcessingDuration, number][];
  if (seconds.length === 0) return {};
  return {
    patchOf: ({ duration }) => ({
      duration: { ...duration, ...Object.fromEntries(seconds.map(([name, s]) => [name, duration[name] + s])) },
    }),
  };
}

/** A review begins anew with the time that the queue gives. */
function sessionOf({ sessionTimeoutS }: queue.Queue): Partial<Annotation> {
  return { sessionTimeoutS, reviewUntil: new Date(Date.now() + sessionTimeoutS * 1000) };
}

/** The document is to be read once more, by an extraction of its own. */
function readAnew(): Partial<Annotation> {
  return { rirPollId: newPollId(), extractedPollId: null, messages: [] };
}

/** A document as the event tells of one that is ready. */
function storedOf(
  document: documentStorage.Document,
  { queueId, values }: contract.CreateAnnotationRequest,
  caller: Caller,
): events.DocumentStored {
  return {
    documentId: document.id,
    organizationId: document.organizationId,
    queueId,
    uploadId: 0,
    creatorId: caller.userId ?? undefined,
    emailId: document.emailId,
    mimeType: document.mimeType,
    fileName: document.originalFileName,
    arrivedAt: document.createdAt,
    values,
    metadata: undefined,
    failure: '',
    md5: document.md5,
    messages: [],
    onlyCreated: false,
  };
}

/** For a catch: undefined for these refusals, everything else is thrown on. */
function ignore(reasons: readonly Refusal['reason'][]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Refusal && reasons.includes(error.reason))) throw error;
    return undefined;
  };
}

function checkMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw invalidField('metadata', `Ensure this object has no more than ${MAX_METADATA_BYTES} bytes.`);
  }
  return metadata;
}
