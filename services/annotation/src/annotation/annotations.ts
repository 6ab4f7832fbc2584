import { isDeepStrictEqual } from 'node:util';
import type { annotation as contract, documentStorage, events, extension, extraction, queue } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { transaction } from '@intake/mongo';
import { type Caller, type Client, invalidField, organizationOf, Refusal, seesQueue, systemCaller } from '@intake/rpc';
import {
  buildNodes,
  type ContentNode,
  evaluateFormulas,
  findSizeProblem,
  type SchemaContent,
  type SourceCandidate,
  type SourceRow,
  schemaIndex,
  sizeOf,
} from '@intake/schema';
import { decideAutomation, type Finding } from '../automation/automation';
import type { BlockerStore } from '../automation/blocker.store';
import type { ContentStore } from '../content/content.store';
import { changedValues, today } from '../content/contents';
import { applyGiven, findGivenProblem } from '../content/given-content';
import { applyTrigger, isTrigger, type Trigger } from '../lifecycle';
import type { ReadingStore } from '../migration/reading.store';
import type { NoteStore } from '../note/note.store';
import { createDuplicates, fingerprintOf } from '../relation/duplicates';
import type { RelationStore } from '../relation/relation.store';
import type { Schemas } from '../schema/schemas';
import type { SuggestedEdit, SuggestedEditStore } from '../suggested-edit/suggested-edit.store';
import type { Annotation, Decision, ProcessingDuration } from './annotation.types';
import {
  type ChangeTools,
  changeInSession,
  changeState,
  eventFor,
  extractedEventFor,
  historyOf,
  openAnnotation,
} from './changes';
import type { ChangedValue, Origin } from './history.store';
import type { IdempotencyStore } from './idempotency.store';
import { newAnnotation, newPollId, toMessage } from './new-annotation';
import { createRules } from './rules';
import { isStatus, type Status } from './status';
import { createTransfer } from './transfer';

/** What the domain stands on. */
export interface AnnotationTools extends ChangeTools {
  readonly content: ContentStore;
  readonly idempotency: IdempotencyStore;
  readonly readings: ReadingStore;
  readonly schemas: Schemas;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly storage: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly extensions: Client<typeof extension.ExtensionServiceService>;
  readonly notes: NoteStore;
  readonly relations: RelationStore;
  readonly blockers: BlockerStore;
  readonly suggestedEdits: SuggestedEditStore;
}

/** States from which a review can start. API: annotations.md section 5. */
const STARTABLE: readonly Status[] = ['to_review', 'reviewing', 'postponed', 'confirmed'];

/** States from which an export can be asked for. API: export.md section 3. */
const EXPORTABLE: readonly Status[] = ['confirmed', 'to_review', 'reviewing', 'postponed', 'failed_export'];

const MAX_METADATA_BYTES = 4096;
const NO_SUCH_OBJECT = 'Invalid hyperlink - Object does not exist.';

/** How long a confirmation waits for connector and hooks, and for the connector to take it over, in milliseconds. */
const EXTENSIONS_MS = 120_000;
const SAVE_MS = 70_000;
/** Reviews whose time is over that are ended before the next are looked for. */
const EXPIRED_AT_ONCE = 200;

export type Annotations = ReturnType<typeof createAnnotations>;

/** Opening, reviewing and finishing annotations. */
export function createAnnotations(tools: AnnotationTools) {
  const {
    backbone,
    store,
    content,
    idempotency,
    readings,
    schemas,
    queues,
    notes,
    blockers,
    extensions,
    suggestedEdits,
  } = tools;
  const rules = createRules(tools);
  const transfer = createTransfer(tools, rules);
  const duplicates = createDuplicates(tools);
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

    /**
     * Takes over what the engine read. A result that is not awaited (any more) changes nothing. Where extensions are to be asked, the
     * annotation stays `importing` until they have answered.
     */
    async finishExtraction(caller: Caller, request: contract.FinishExtractionRequest): Promise<Annotation> {
      const { rirPollId } = request;
      const awaited = await store.get(caller, request.annotationId);
      if (!isAwaited(awaited, rirPollId) || awaited.extractedPollId === rirPollId) return awaited;
      const [{ content: schema, version: schemaVersion }, q] = await Promise.all([
        schemas.getCurrent(awaited.organizationId, awaited.schemaId),
        rules.getQueue(awaited),
      ]);
      const result = request.result ?? { engineVersion: '', language: '', pages: [], fields: {}, tables: [] };
      let count = 0;
      const { defaultScoreThreshold } = q;
      const sources = { ...toSources(result), values: { ...awaited.values }, defaultScoreThreshold };
      const built = buildNodes(schema, sources, () => count++);
      const drafts = withGiven(schema, built, awaited.givenJson, () => 1 + count++);
      const tooLarge = findSizeProblem(sizeOf(drafts));
      if (tooLarge !== null) return failExtraction(caller, { ...request, message: tooLarge });
      const first = await backbone.ids.next('node', Math.max(count, 1));
      const formulas = evaluateFormulas(
        schema,
        drafts.map((node) => shiftIds(node, first)),
        { today: today() },
      );
      const contradictions = result.eInvoice?.contradictions ?? [];
      const proposed = await proposedEdit(awaited, q, request.proposedDocuments);
      const patch = {
        ...(proposed && { suggestedEditId: proposed.id }),
        pageIds: request.pageIds,
        engineVersion: result.engineVersion,
        einvoice: result.eInvoice !== undefined,
        messages: [
          ...awaited.messages,
          ...contradictions.map((text) => ({ id: 'all', type: 'error', content: text }) as const),
        ],
        fingerprint: fingerprintOf(result.fields),
      };
      const saveReading = async (session: ClientSession, { id: annotationId, schemaId, queueId }: Annotation) => {
        await readings.save(session, { annotationId, schemaId, schemaVersion, sources });
        if (proposed) await suggestedEdits.insert(session, { ...proposed, queueId });
      };
      if (await rules.asksAtImport(q)) {
        return awaitExtensions(caller, awaited, { ...patch, extractedPollId: rirPollId }, async (session, after) => {
          await content.replaceAll(session, after.id, formulas.nodes);
          await saveReading(session, after);
          return firstValuesOf(schema, formulas.nodes, after);
        });
      }
      return decide(caller, { ...awaited, ...patch }, schema, q, {
        formulas,
        patch,
        unless: (before) => !isAwaited(before, rirPollId),
        alongside: async (session, after, nodes) => {
          await saveReading(session, after);
          return firstValuesOf(schema, nodes, after);
        },
      });
    },

    /** What extensions say of a document that was read; the decision about automation follows. */
    async finishInitialization(
      caller: Caller,
      { annotationId, rirPollId, messages, blockers: further }: contract.FinishInitializationRequest,
    ): Promise<Annotation> {
      const isOver = (one: Annotation) => !isAwaited(one, rirPollId) || one.extractedPollId !== rirPollId;
      const awaited = await store.get(caller, annotationId);
      if (isOver(awaited)) return awaited;
      const [schema, q, nodes] = await Promise.all([
        schemas.get(awaited.organizationId, awaited.schemaId),
        rules.getQueue(awaited),
        content.list(annotationId),
      ]);
      const patch = { messages: [...awaited.messages, ...messages.map(toMessage)], extractedPollId: null };
      return decide(caller, { ...awaited, ...patch }, schema, q, {
        formulas: evaluateFormulas(schema, nodes, { today: today() }),
        patch,
        extensions: further.map(({ id, content: text }) => ({ id, content: text })),
        alongside: async (_session, _after, decided) => changesOf(schema, nodes, decided),
        unless: (before) => {
          if (isOver(before)) return true;
          // What was looked at must be what is decided about.
          const isSame = before.version === awaited.version && before.decision?.status === awaited.decision?.status;
          if (!isSame) throw new Refusal('CONFLICT');
          return false;
        },
      });
    },

    failExtraction,

    /** The document was cut at its separator pages; its parts are documents of their own. */
    splitAtImport: (caller: Caller, { annotationId, rirPollId, pageIds }: contract.SplitAtImportRequest) =>
      changeState(tools, caller, annotationId, 'split_at_import', {
        unless: (before) => !isAwaited(before, rirPollId),
        patch: { pageIds },
      }),

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
      await transaction(backbone.database, (session) =>
        store.changeIds(session, annotationIds, 'labelIds', { add, remove }),
      );
    },

    /** PATCH of an annotation. API: annotations.md section 4, states.md section 3. */
    async update(caller: Caller, request: contract.UpdateAnnotationRequest): Promise<Annotation> {
      let annotation = await store.get(caller, request.id);
      if (request.queueId !== undefined && request.queueId !== annotation.queueId) {
        // What cannot get the state is not moved either.
        if (request.status !== undefined && request.status !== annotation.status) {
          applyTrigger(annotation, triggerOf(annotation, request.status), { caller, now: new Date() });
        }
        annotation = await transfer.move(caller, request.id, request.queueId);
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

    /** Puts what rests too long in a passing state on the bus again. */
    async resendResting(status: 'importing' | 'exporting', restingMs: number): Promise<number> {
      const resting = await store.findResting(status, new Date(Date.now() - restingMs), 200);
      for (const annotation of resting) await resend(annotation);
      return resting.length;
    },

    /** What has rested in a passing state since before `before`, for operators, and trying one of them again. */
    stuck: {
      kind: 'annotation',
      async list(before: Date, limit: number) {
        const [importing, exporting] = [
          await store.findResting('importing', before, limit),
          await store.findResting('exporting', before, limit),
        ];
        return [...importing, ...exporting].map(({ id, organizationId, status, restingSince, resends }) => ({
          id: String(id),
          since: restingSince ?? before,
          reason: `It is in ${status}${resends > 0 ? `, put on the bus again ${resends} times` : ''}.`,
          organizationId,
        }));
      },
      async retry(id: string) {
        const resting = await store.findRestingById(Number(id));
        if (resting) await resend(resting);
        return resting !== null;
      },
    },

    /** Ends the reviews whose holder has done nothing for the queue's session time-out. */
    async endExpiredReviews(): Promise<void> {
      const now = new Date();
      for (;;) {
        const expired = await store.findExpiredReviews(now, EXPIRED_AT_ONCE);
        for (const { id, organizationId } of expired) {
          await changeState(tools, systemCaller('annotation', organizationId), id, 'time_out', {
            unless: ({ status, reviewUntil }) => status !== 'reviewing' || reviewUntil === null || reviewUntil > now,
          });
        }
        if (expired.length < EXPIRED_AT_ONCE) return;
      }
    },
  };

  /** The document cannot be read, and ends in `failed_import` with the reason. */
  async function failExtraction(
    caller: Caller,
    { annotationId, rirPollId, message }: contract.FailExtractionRequest,
  ): Promise<Annotation> {
    return duplicates.retry(() =>
      changeState(tools, caller, annotationId, 'fail_extraction', {
        unless: (before) => !isAwaited(before, rirPollId),
        patchOf: ({ messages }) => ({ messages: [...messages, { id: 'all', type: 'error', content: message }] }),
        alongside: (session, after) => duplicates.link(session, after),
      }),
    );
  }

  /** Puts an annotation that rests in a passing state on the bus again. */
  async function resend(annotation: Annotation): Promise<void> {
    const caller = systemCaller('annotation', annotation.organizationId);
    await transaction(backbone.database, async (session) => {
      const now = new Date();
      if (!(await store.markResent(session, annotation, now))) return;
      const again = { ...annotation, resends: annotation.resends + 1 };
      if (annotation.status === 'importing' && again.extractedPollId === again.rirPollId)
        backbone.emit(session, extractedEventFor(again));
      else backbone.emit(session, eventFor({ ...again, version: again.statusVersion }, '', 'resend', caller, now));
    });
  }

  /** The connector or the hooks of the queue may have errors to tell. */
  async function askBeforeConfirm({ id, organizationId }: Annotation, actions: string[], withConnector: boolean) {
    const request = { annotationId: id, actions, updatedDatapointIds: [], withConnector };
    const by = systemCaller('annotation', organizationId);
    const { messages } = await extensions.runContentEvents(request, by, { timeoutMs: EXTENSIONS_MS });
    const errors = messages.filter(({ type }) => type === 'error').map(toMessage);
    if (errors.length > 0) throw new Refusal('INVALID_ANNOTATION', { extra: { messages: errors } });
  }

  /** The result of an extraction is there, and extensions are told to look at it. */
  async function awaitExtensions(
    caller: Caller,
    { id, rirPollId }: Annotation,
    patch: Partial<Annotation>,
    alongside: (session: ClientSession, after: Annotation) => Promise<ChangedValue[]>,
  ): Promise<Annotation> {
    return duplicates.retry(() =>
      transaction(backbone.database, async (session) => {
        const before = await store.get(caller, id, session);
        if (!isAwaited(before, rirPollId ?? '') || before.extractedPollId === rirPollId) return before;
        const now = new Date();
        const after = {
          ...before,
          ...patch,
          version: before.version + 1,
          modifiedAt: now,
          restingSince: now,
          resends: 0,
        };
        await store.replace(session, after, before);
        const values = await alongside(session, after);
        await tools.history.add(session, { ...historyOf(after, before.status, 'extract', caller, now), values });
        backbone.emit(session, extractedEventFor(after));
        return after;
      }),
    );
  }

  /** The end of importing: whether a person has to look at what was read. */
  async function decide(
    caller: Caller,
    read: Annotation,
    schema: SchemaContent,
    q: queue.Queue,
    options: {
      readonly formulas: ReturnType<typeof evaluateFormulas>;
      readonly patch: Partial<Annotation>;
      /** Reasons that extensions gave to show it to a person. */
      readonly extensions?: readonly Finding[];
      readonly unless: (before: Annotation) => boolean;
      readonly alongside?: (
        session: ClientSession,
        after: Annotation,
        nodes: readonly ContentNode[],
      ) => Promise<ChangedValue[]>;
    },
  ): Promise<Annotation> {
    const { formulas, patch, extensions = [], unless, alongside } = options;
    const isDuplicate = await duplicates.exist(read);
    const { automated, nodes, reasons } = decideAutomation(automationOf(q), schema, formulas.nodes, {
      isDuplicate,
      hasSuggestedEdit: read.suggestedEditId !== null,
      errors: [...read.messages, ...formulas.messages].filter(({ type }) => type === 'error'),
      extensions: [...formulas.blockers, ...extensions],
    });
    const { decision } = read;
    const blockerId = automated ? null : await backbone.ids.next('automation_blocker');
    const next = decision?.status ?? (automated ? await rules.afterConfirm(q) : 'to_review');
    return duplicates.retry(() =>
      changeState(tools, caller, read.id, 'finish_extraction', {
        unless,
        next,
        automated: automated && decision === null,
        automaticallyRejected: decision?.automaticallyRejected,
        patch: { ...patch, automationBlockerId: blockerId, ...decidedBy(decision) },
        alongside: async (session, after) => {
          await content.replaceAll(session, after.id, nodes);
          if (blockerId === null) await blockers.remove(session, after.id);
          else {
            const { organizationId, id: annotationId } = after;
            await blockers.put(
              session,
              { id: blockerId, organizationId, annotationId, content: reasons },
              after.queueId,
            );
          }
          if (isDuplicate) await duplicates.link(session, after);
          return { values: await alongside?.(session, after, nodes) };
        },
      }),
    );
  }

  /**
   * What the engine proposes where its queue wants to be told; null: nothing. A proposal that is there already stays, it may be a
   * person's.
   */
  async function proposedEdit(
    { id: annotationId, organizationId, suggestedEditId }: Annotation,
    { id: targetQueueId, settings }: queue.Queue,
    documents: readonly contract.ProposedDocument[],
  ): Promise<Omit<SuggestedEdit, 'queueId'> | null> {
    if (documents.length === 0 || suggestedEditId !== null || settings?.suggested_edit !== 'suggest') return null;
    const id = await backbone.ids.next('suggested_edit');
    return {
      ...{ id, organizationId, annotationId, version: 1 },
      documents: documents.map(({ pageIds }) => ({
        pages: pageIds.map((pageId) => ({ pageId, rotation: 0, deleted: false })),
        targetQueueId,
        values: {},
      })),
    };
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
        if (['confirmed', 'exporting', 'exported'].includes(status)) await rules.requireValid(annotation);
        if (status === 'to_review' && annotation.status === 'failed_import' && !(await content.has(annotation.id))) {
          throw new Refusal('CONFLICT_STATUS', {
            detail: 'The document could not be read, so there is nothing to review. Import it again.',
          });
        }
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

/** Whose decision it was that an annotation is in its state. */
function decidedBy(decision: Decision | null): Partial<Annotation> {
  if (decision?.status === 'rejected') return { rejectedById: decision.byId };
  if (decision?.status === 'deleted') return { deletedById: decision.byId };
  return {};
}

/** A review begins anew with the time that the queue gives. */
function sessionOf({ sessionTimeoutS }: queue.Queue): Partial<Annotation> {
  return { sessionTimeoutS, reviewUntil: new Date(Date.now() + sessionTimeoutS * 1000) };
}

/** The document is to be read once more, by an extraction of its own. */
function readAnew(): Partial<Annotation> {
  return { rirPollId: newPollId(), extractedPollId: null, messages: [] };
}

function automationOf(q: queue.Queue) {
  const { automation } = (q.settings ?? {}) as {
    automation?: { automate_duplicates?: boolean; automate_suggested_edit?: boolean };
  };
  return {
    enabled: q.automationEnabled,
    level: q.automationLevel,
    automateDuplicates: automation?.automate_duplicates ?? true,
    automateSuggestedEdit: automation?.automate_suggested_edit ?? false,
    defaultScoreThreshold: q.defaultScoreThreshold,
  };
}

/** The values that a document begins with, and where they came from. */
function firstValuesOf(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  { values, einvoice }: Pick<Annotation, 'values' | 'einvoice'>,
): ChangedValue[] {
  const { datapoints } = schemaIndex(schema);
  const originOf = ({ schemaId, content }: ContentNode): Origin => {
    if (datapoints.get(schemaId)?.formula) return 'formula';
    if (content?.rirText !== null) return einvoice ? 'e_invoice' : 'engine';
    const name = datapoints.get(schemaId)?.rir_field_names?.find((one) => values[one]);
    if (!name) return 'default';
    return name.startsWith('email') ? 'email' : 'upload';
  };
  return nodes.flatMap((node) =>
    node.content?.value
      ? [{ nodeId: node.id, schemaId: node.schemaId, before: null, after: node.content.value, origin: originOf(node) }]
      : [],
  );
}

/** What formulas, and automation that clears what does not fit, did after extensions had looked at the document. */
function changesOf(
  schema: SchemaContent,
  before: readonly ContentNode[],
  nodes: readonly ContentNode[],
): ChangedValue[] {
  const { datapoints } = schemaIndex(schema);
  const change = { nodes: [...nodes], changed: [...nodes], added: [], removed: [] };
  return changedValues(before, change, ({ schemaId }) =>
    datapoints.get(schemaId)?.formula ? 'formula' : 'automation',
  );
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

/** What was given is kept; nodes are numbered from 0, and further ones by `allocateId` from 1. */
function withGiven(
  schema: SchemaContent,
  built: readonly ContentNode[],
  givenJson: string | null,
  allocateId: () => number,
): ContentNode[] {
  if (givenJson === null) return [...built];
  const nodes = built.map((node) => shiftIds(node, 1));
  try {
    const filled = applyGiven(schema, nodes, JSON.parse(givenJson), allocateId);
    return filled.map((node) => shiftIds(node, -1));
  } catch (error) {
    // The schema has changed, and what was given does not fit any more.
    if (error instanceof Refusal) return [...built];
    throw error;
  }
}

/** Lets what belongs together happen one after the other, in this process. */
function createTurns() {
  const last = new Map<number, Promise<unknown>>();
  return {
    take<T>(key: number, task: () => Promise<T>): Promise<T> {
      const turn = (last.get(key) ?? Promise.resolve()).then(task, task);
      last.set(key, turn);
      const forget = () => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
  };
}

/** For a catch: undefined for these refusals, everything else is thrown on. */
function ignore(reasons: readonly Refusal['reason'][]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Refusal && reasons.includes(error.reason))) throw error;
    return undefined;
  };
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
