import type { Backbone } from '@intake/bus';
import { annotation as contract } from '@intake/contracts';
import { type Caller, type Handlers, invalidField, organizationOf, Refusal, requireSystem } from '@intake/rpc';
import type { ContentMessage } from '@intake/schema';
import type { Logger } from '@intake/service';
import type { AnnotationStore } from './annotation/annotation.store';
import type { Annotation } from './annotation/annotation.types';
import { type Annotations, requireUnpurged } from './annotation/annotations';
import type { HistoryEntry, HistoryStore } from './annotation/history.store';
import type { Importing } from './annotation/importing';
import type { Opening } from './annotation/opening';
import type { createPurge } from './annotation/purge';
import type { createRemoveAnnotation, createRemoveAnnotations } from './annotation/remove-annotations';
import type { StatusCounts } from './annotation/status-counts.store';
import type { BlockerStore } from './automation/blocker.store';
import type { Contents } from './content/contents';
import type { Note, NoteStore } from './note/note.store';
import type { createPageEditing } from './page-editing/page-editing';
import type { Relation, RelationStore } from './relation/relation.store';
import type { createRelations, GivenRelation } from './relation/relations';
import type { SuggestedEdit, SuggestedEditStore } from './suggested-edit/suggested-edit.store';
import type { createSuggestedEdits } from './suggested-edit/suggested-edits';

/** Maps rpcs to the domain; no rules here. */
export function createRpc(deps: {
  annotations: Annotations;
  importing: Importing;
  contents: Contents;
  store: AnnotationStore;
  history: HistoryStore;
  statusCounts: StatusCounts;
  notes: NoteStore;
  relations: RelationStore;
  relating: ReturnType<typeof createRelations>;
  blockers: BlockerStore;
  suggestedEdits: SuggestedEditStore;
  suggesting: ReturnType<typeof createSuggestedEdits>;
  opening: Opening;
  pageEditing: ReturnType<typeof createPageEditing>;
  purge: ReturnType<typeof createPurge>;
  remove: ReturnType<typeof createRemoveAnnotation>;
  removeOfDocument: ReturnType<typeof createRemoveAnnotations>;
  backbone: Backbone;
  log: Logger;
}): Handlers<typeof contract.AnnotationServiceService> {
  const {
    annotations,
    importing,
    contents,
    store,
    history,
    statusCounts,
    notes,
    relations,
    relating,
    blockers,
    opening,
    pageEditing,
    purge,
    backbone,
    log,
  } = deps;
  return {
    getAnnotations: async ({ ids }, caller) => {
      const found = await store.getMany(caller, ids);
      return { annotations: found.map(toProto), total: found.length };
    },
    createAnnotation: async (request, caller) => toProto(await annotations.create(caller, request)),
    openWaiting: async ({ uploadId }, caller) => ({
      annotations: (await opening.openWaiting(caller, uploadId)).map(toProto),
    }),
    listAnnotations: async (request, caller) => {
      const filter = await withRelations(request, caller);
      const { annotations: found, total } = await store.list(caller, filter, countOf(filter, caller));
      return { annotations: found.map(toProto), total };
    },
    countByStatus: async ({ queueIds }, caller) => {
      const queues: Record<number, { counts: Record<string, number> }> = Object.fromEntries(
        queueIds.map((id) => [id, { counts: {} }]),
      );
      for (const { queueId, status, count } of await statusCounts.list(caller, queueIds)) {
        const entry = queues[queueId];
        if (entry) entry.counts[status] = count;
      }
      return { queues };
    },

    start: async ({ id, statuses }, caller) => {
      const started = await annotations.start(caller, id, statuses);
      return { annotation: toProto(started), sessionTimeoutS: started.sessionTimeoutS };
    },
    startNext: async (request, caller) => {
      const started = await annotations.startNext(caller, request);
      return started
        ? { annotation: toProto(started), sessionTimeoutS: started.sessionTimeoutS }
        : { annotation: undefined, sessionTimeoutS: 0 };
    },
    cancel: async ({ id, processingDuration }, caller) =>
      toProto(await annotations.cancel(caller, id, processingDuration)),
    confirm: async ({ id, idempotencyKey, processingDuration }, caller) =>
      toProto(await annotations.confirm(caller, id, idempotencyKey, processingDuration)),
    postpone: async ({ id, processingDuration }, caller) =>
      toProto(await annotations.postpone(caller, id, processingDuration)),
    reject: async (request, caller) => {
      const { annotation, noteId } = await annotations.reject(caller, request);
      return { annotation: toProto(annotation), noteId };
    },
    delete: async ({ id, processingDuration }, caller) =>
      toProto(await annotations.delete(caller, id, processingDuration)),
    rotate: async (request, caller) => toProto(await annotations.rotate(caller, request)),
    copy: async (request, caller) => toProto(await annotations.copy(caller, request)),
    editPages: async (request, caller) => ({ parts: [...(await pageEditing.edit(caller, request))] }),
    startEditPages: async ({ id }, caller) => {
      const { parent, children, sessionTimeoutS } = await pageEditing.start(caller, id);
      return {
        parent: toProto(parent),
        children: children.map(({ annotation, started }) => ({
          annotation: toProto(annotation),
          started,
          fileName: annotation.fileName,
          pages: [...annotation.parentPages],
          values: annotation.values,
        })),
        sessionTimeoutS,
      };
    },
    cancelEditPages: async (request, caller) => {
      await pageEditing.cancel(caller, request);
      return {};
    },
    remove: async ({ id }, caller) => {
      await deps.remove(caller, id);
      return {};
    },
    removeOfDocument: async ({ documentId }, caller) => {
      await deps.removeOfDocument(caller, documentId);
      return {};
    },
    purgeDeleted: async ({ annotationIds, queueId }, caller) => {
      await purge.request(caller, { ids: annotationIds, queueId });
      // The sweep does what is left when this replica ends meanwhile.
      purge.purgeRequested().catch((error) => log.warn({ err: error }, 'purging is left to the sweep'));
      return {};
    },
    assign: async (request, caller) => toProto(await annotations.assign(caller, request)),
    getProcessingDuration: async ({ annotationId }, caller) => toDuration(await store.get(caller, annotationId)),
    updateProcessingDuration: async ({ annotationId, duration }, caller) =>
      toDuration(await annotations.setDuration(caller, annotationId, duration)),
    applyLabels: async (request, caller) => {
      await annotations.applyLabels(caller, request);
      return {};
    },
    update: async (request, caller) => toProto(await annotations.update(caller, request)),

    getContent: async ({ annotationId }, caller) =>
      toContent(annotationId, await contents.getTree(caller, annotationId)),
    getContents: async ({ annotationIds, schemaIds }, caller) => ({
      contents: (await contents.getTrees(caller, annotationIds, schemaIds)).map(({ id, tree }) => toContent(id, tree)),
    }),
    getContentNode: async ({ annotationId, nodeId }, caller) =>
      toContent(annotationId, await contents.getNode(caller, annotationId, nodeId)),
    patchContentNode: async ({ annotationId, nodeId, patchJson }, caller) =>
      toContent(annotationId, await contents.patchNode(caller, annotationId, nodeId, parse(patchJson, 'content'))),
    patchContent: async ({ annotationId, treeJson }, caller) =>
      toContent(annotationId, await contents.patchTree(caller, annotationId, parse(treeJson, 'content'))),
    applyOperations: async ({ annotationId, operationsJson }, caller) => {
      const operations = parse(operationsJson, 'operations');
      const { tree, changedIds } = await contents.applyOperations(caller, annotationId, operations);
      return { ...toContent(annotationId, tree), changedIds };
    },
    selectText: async (request, caller) => toContent(request.annotationId, await contents.select(caller, request)),
    editGrid: async (request, caller) => toContent(request.annotationId, await contents.editGrid(caller, request)),
    addEmptyItem: async ({ annotationId, nodeId }, caller) =>
      toContent(annotationId, await contents.addEmptyItem(caller, annotationId, nodeId)),
    validateContent: async (request, caller) => {
      const { messages, updated } = await contents.validate(caller, request);
      return { messages: messages.map(toMessage), updatedDatapointsJson: JSON.stringify(updated) };
    },

    getConfirmedValues: async ({ annotationId }, caller) => {
      requireSystem(caller);
      return contents.getConfirmedValues(caller, annotationId);
    },
    finishExtraction: async (request, caller) => {
      requireSystem(caller);
      return toProto(await importing.finishExtraction(caller, request));
    },
    failExtraction: async (request, caller) => {
      requireSystem(caller);
      return toProto(await importing.failExtraction(caller, request));
    },
    splitAtImport: async (request, caller) => {
      requireSystem(caller);
      return toProto(await importing.splitAtImport(caller, request));
    },
    finishInitialization: async (request, caller) => {
      requireSystem(caller);
      return toProto(await importing.finishInitialization(caller, request));
    },
    finishExport: async (request, caller) => {
      requireSystem(caller);
      return toProto(await annotations.finishExport(caller, request));
    },
    requestExports: async (request, caller) => annotations.requestExports(caller, await withRelations(request, caller)),
    async *streamForExport(request, caller) {
      const filter = await withRelations(request, caller);
      const [total, origins] = await Promise.all([
        store.count(caller, filter),
        filter.withoutOrigins ? NO_ORIGINS : store.findOrigins(caller, filter),
      ]);
      yield { header: { total, ...origins } };
      for await (const { annotation, contentJson } of contents.exportAll(store.stream(caller, filter))) {
        yield { annotation: { annotation: toProto(annotation), contentJson } };
      }
    },
    async noteSentEmails({ annotationIds }, caller) {
      requireSystem(caller);
      await store.noteSentEmails(organizationOf(caller), annotationIds);
      return {};
    },
    async *streamStateChanges(_request, caller) {
      requireSystem(caller);
      for await (const batch of store.streamAll()) {
        const found = new Map(batch.map((one) => [one.id, one]));
        for (const entry of await history.listStateChanges([...found.keys()])) {
          yield toStateChange(found.get(entry.annotationId) as Annotation, entry);
        }
      }
    },
    getHistory: async ({ annotationId, page, pageSize }, caller) => {
      await store.get(caller, annotationId);
      const { entries, total } = await history.list(annotationId, { page, pageSize });
      return {
        total,
        entries: entries.map(({ values = [], ...entry }) => ({
          ...entry,
          actorId: entry.actorId ?? undefined,
          values: values.map(({ before, after, ...value }) => ({
            ...value,
            // Changes of older versions do not say it.
            origin: value.origin ?? '',
            before: before ?? undefined,
            after: after ?? undefined,
          })),
        })),
      };
    },

    listNotes: async ({ ordering, page, pageSize, ...filter }, caller) => {
      const { notes: found, total } = await notes.list(caller, filter, ordering, { page, pageSize });
      return { notes: found.map(toNote), total };
    },
    createNote: async ({ annotationId, content, metadata, type }, caller) => {
      const [annotation] = await store.getMany(caller, [annotationId]);
      if (!annotation) throw invalidField('annotation', 'Invalid hyperlink - Object does not exist.');
      requireUnpurged(annotation);
      const { organizationId, queueId } = annotation;
      const note: Note = {
        id: await backbone.ids.next('note'),
        organizationId,
        annotationId,
        type: toNoteType(type),
        content,
        metadata: metadata ?? {},
        creatorId: caller.userId,
        createdAt: new Date(),
        modifierId: null,
        modifiedAt: null,
      };
      await notes.insert(note, queueId);
      return toNote(note);
    },
    updateNote: async ({ id, content, metadata, type }, caller) => {
      const modified = { modifierId: caller.userId, modifiedAt: new Date() };
      const changes = {
        ...(content !== undefined && { content }),
        ...(metadata && { metadata }),
        ...(type !== undefined && { type: toNoteType(type) }),
      };
      return toNote(await notes.update(caller, id, { ...changes, ...modified }));
    },
    deleteNote: async ({ id }, caller) => {
      await notes.remove(caller, id);
      return {};
    },

    listRelations: async ({ ordering, page, pageSize, ...filter }, caller) => {
      const [annotationIds, parentIds] = await Promise.all([
        namedBy(caller, filter.annotationIds),
        namedBy(caller, filter.parentIds),
      ]);
      const which = { ...filter, annotationIds, parentIds };
      const { relations: found, total } = await relations.list(caller, which, ordering, { page, pageSize });
      const visible = await visibleOf(found, caller);
      return { relations: found.map((relation) => toRelation(relation, visible)), total };
    },
    createRelation: async (request, caller) => toRelation(await relating.create(caller, fromRelation(request))),
    updateRelation: async (request, caller) => toRelation(await relating.update(caller, fromRelation(request))),
    deleteRelation: async ({ id }, caller) => {
      await relating.remove(caller, id);
      return {};
    },

    listSuggestedEdits: async ({ ordering, page, pageSize, ...filter }, caller) => {
      const { edits, total } = await deps.suggestedEdits.list(caller, filter, ordering, { page, pageSize });
      return { suggestedEdits: edits.map(toSuggestedEdit), total };
    },
    createSuggestedEdit: async (request, caller) => toSuggestedEdit(await deps.suggesting.create(caller, request)),
    updateSuggestedEdit: async (request, caller) => toSuggestedEdit(await deps.suggesting.update(caller, request)),
    deleteSuggestedEdit: async ({ id }, caller) => {
      await deps.suggesting.remove(caller, id);
      return {};
    },

    listAutomationBlockers: async ({ ids, annotationIds, page, pageSize }, caller) => {
      const { blockers: found, total } = await blockers.list(caller, { ids, annotationIds }, { page, pageSize });
      return {
        blockers: found.map(({ id, annotationId, content }) => ({
          id,
          annotationId,
          contentJson: JSON.stringify(content),
        })),
        total,
      };
    },
  };

  /** A filter by relations becomes one by the annotations of these. */
  /** How many annotations a request lists, where nothing but their queue and status matters; null: otherwise. */
  async function countOf(request: contract.ListAnnotationsRequest, caller: Caller): Promise<number | null> {
    if (furtherOf(request) !== NOTHING_FURTHER) return null;
    const { queueIds, statuses } = request;
    const own = () => (caller.queueIds === 'all' ? store.findQueueIds(caller) : caller.queueIds);
    const ids: readonly number[] = queueIds.length > 0 ? queueIds : await own();
    if (ids.length > MOST_QUEUES) return null;
    const counts = await statusCounts.list(caller, ids);
    const wanted = counts.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
    return wanted.reduce((sum, { count }) => sum + count, 0);
  }

  async function withRelations(
    request: contract.ListAnnotationsRequest,
    caller: Caller,
  ): Promise<contract.ListAnnotationsRequest> {
    const { relationParentIds, relationTypes: types, relationKeys: keys } = request;
    if (relationParentIds.length + types.length + keys.length === 0) return request;
    const parentIds = await namedBy(caller, relationParentIds);
    const members = await relations.findMembers(caller, { parentIds, types, keys });
    const ids = request.ids.length > 0 ? request.ids.filter((id) => members.has(id)) : [...members];
    return { ...request, ids: ids.length > 0 ? ids : NOTHING };
  }

  /** Annotations by which a caller may look for relations: those that he may see. */
  async function namedBy(caller: Caller, wanted: readonly number[]): Promise<number[]> {
    if (caller.queueIds === 'all' || wanted.length === 0) return [...wanted];
    const ids = (await store.getMany(caller, wanted)).map(({ id }) => id);
    return ids.length > 0 ? ids : NOTHING;
  }

  /** Which annotations of the relations the caller may see; undefined: all. */
  async function visibleOf(found: readonly Relation[], caller: Caller): Promise<ReadonlySet<number> | undefined> {
    if (caller.queueIds === 'all') return undefined;
    const ids = found.flatMap(({ annotationIds, parentId }) => [...annotationIds, ...(parentId ? [parentId] : [])]);
    return new Set((await store.getMany(caller, ids)).map(({ id }) => id));
  }
}

function toNoteType(type: string | undefined): Note['type'] {
  return type === 'rejection' ? type : null;
}

function toNote({ organizationId: _, type, creatorId, modifierId, modifiedAt, ...note }: Note): contract.Note {
  return {
    ...note,
    type: type ?? undefined,
    creatorId: creatorId ?? undefined,
    modifierId: modifierId ?? undefined,
    modifiedAt: modifiedAt ?? undefined,
  };
}

/** @param visible annotations that may be named; undefined: all */
function toRelation(
  { id, type, key, parentId, annotationIds }: Relation,
  visible?: ReadonlySet<number>,
): contract.Relation {
  const isVisible = (annotationId: number) => visible?.has(annotationId) ?? true;
  return {
    id,
    type,
    key: key ?? undefined,
    parentId: parentId !== null && isVisible(parentId) ? parentId : undefined,
    annotationIds: annotationIds.filter(isVisible),
  };
}

function toSuggestedEdit({ id, annotationId, documents }: SuggestedEdit): contract.SuggestedEdit {
  return {
    id,
    annotationId,
    documents: documents.map(({ pages, targetQueueId, values }) => ({
      pages: [...pages],
      targetQueueId,
      values: { ...values },
    })),
  };
}

function fromRelation({ id, type, key, parentId, annotationIds }: contract.Relation): GivenRelation {
  return { id, type, key: key ?? null, parentId: parentId ?? null, annotationIds };
}

function toDuration({ duration }: Annotation): contract.ProcessingDuration {
  return {
    timeSpentActive: duration.active,
    timeSpentOverall: duration.overall,
    timeSpentEdit: duration.edit,
    timeSpentBlockers: duration.blockers,
    timeSpentEmails: duration.emails,
    timeSpentOpening: duration.opening,
  };
}

function parse(json: string, field: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw error instanceof SyntaxError
      ? invalidField(field, 'Value must be valid JSON.')
      : new Refusal('INTERNAL', { cause: error });
  }
}

function toContent(annotationId: number, tree: unknown): contract.ContentResponse {
  return { annotationId, treeJson: JSON.stringify(tree), changedIds: [] };
}

function toMessage({
  aggregationType,
  schemaId,
  label,
  detail,
  ...message
}: Omit<ContentMessage, 'detail'> & { readonly detail?: object }): contract.Message {
  return { ...message, detail: detail && { ...detail }, aggregationType, schemaId, label };
}

/** Null in the domain is a field that is not there in the contract. */
const NO_ORIGINS = { schemaIds: [], queueIds: [] };

function toProto(annotation: Annotation): contract.Annotation {
  const there = <T>(value: T | null): T | undefined => value ?? undefined;
  return {
    id: annotation.id,
    organizationId: annotation.organizationId,
    queueId: annotation.queueId,
    schemaId: annotation.schemaId,
    documentId: annotation.documentId,
    status: annotation.status,
    pageIds: [...annotation.pageIds],
    creatorId: there(annotation.creatorId),
    createdAt: annotation.createdAt,
    arrivedAt: annotation.arrivedAt,
    modifierId: there(annotation.modifierId),
    modifiedAt: there(annotation.modifiedAt),
    assignedAt: there(annotation.assignedAt),
    confirmedAt: there(annotation.confirmedAt),
    confirmedById: there(annotation.confirmedById),
    exportedAt: there(annotation.exportedAt),
    exportedById: there(annotation.exportedById),
    exportFailedAt: there(annotation.exportFailedAt),
    rejectedAt: there(annotation.rejectedAt),
    rejectedById: there(annotation.rejectedById),
    deletedAt: there(annotation.deletedAt),
    deletedById: there(annotation.deletedById),
    purgedAt: there(annotation.purgedAt),
    purgedById: there(annotation.purgedById),
    rirPollId: there(annotation.rirPollId),
    timeSpent: annotation.duration.overall,
    metadata: annotation.metadata,
    automated: annotation.automated,
    automaticallyRejected: annotation.automaticallyRejected,
    emailId: there(annotation.emailId),
    uploadId: there(annotation.uploadId),
    trainingEnabled: annotation.trainingEnabled,
    engineVersion: annotation.engineVersion,
    version: annotation.version,
    einvoice: annotation.einvoice,
    hasSentEmails: annotation.hasSentEmails,
    automationBlockerId: there(annotation.automationBlockerId),
    relationIds: [...annotation.relationIds],
    labelIds: [...annotation.labelIds],
    assigneeIds: [...annotation.assigneeIds],
    statusBeforeReview: there(annotation.statusBeforeReview),
    statusVersion: annotation.statusVersion,
    suggestedEditId: there(annotation.suggestedEditId),
    hadMessages: annotation.hadMessages,
    messages: annotation.messages.map(({ detail, ...message }) => ({
      ...message,
      detail: detail && { ...detail },
      aggregationType: undefined,
      schemaId: undefined,
      label: undefined,
    })),
  };
}

function toStateChange(one: Annotation, { version, to, at, exported }: HistoryEntry): contract.StateChange {
  return {
    annotationId: one.id,
    organizationId: one.organizationId,
    queueId: one.queueId,
    version,
    status: to,
    at,
    modifierId: one.modifierId ?? undefined,
    arrivedAt: one.arrivedAt,
    confirmedAt: one.confirmedAt ?? undefined,
    exportedAt: one.exportedAt ?? undefined,
    automaticallyRejected: one.automaticallyRejected,
    timeOverallS: one.duration.overall,
    timeActiveS: one.duration.active,
    schemaId: exported?.schemaId ?? one.schemaId,
    fields: [...(exported?.fields ?? [])],
  };
}

/** What a request says beside queues, statuses and the page. */
function furtherOf(request: contract.ListAnnotationsRequest) {
  const { queueIds, statuses, page, pageSize, ordering, usersByName, orderValues, ...conditions } = request;
  return JSON.stringify(conditions);
}

const NOTHING_FURTHER = furtherOf(contract.ListAnnotationsRequest.fromPartial({}));

/** Ids begin with 1. */
const NOTHING = [0];

/** Of more queues the annotations are counted each time. */
const MOST_QUEUES = 100;
