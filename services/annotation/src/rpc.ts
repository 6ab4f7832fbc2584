import type { annotation as contract } from '@intake/contracts';
import { type Handlers, invalidField, Refusal, requireSystem } from '@intake/rpc';
import type { ContentMessage } from '@intake/schema';
import type { AnnotationStore } from './annotation/annotation.store';
import type { Annotation } from './annotation/annotation.types';
import type { Annotations } from './annotation/annotations';
import type { HistoryStore } from './annotation/history.store';
import type { Contents } from './content/contents';

/** Maps rpcs to the domain; no rules here. */
export function createRpc(deps: {
  annotations: Annotations;
  contents: Contents;
  store: AnnotationStore;
  history: HistoryStore;
}): Handlers<typeof contract.AnnotationServiceService> {
  const { annotations, contents, store, history } = deps;
  return {
    getAnnotations: async ({ ids }, caller) => {
      const found = await store.getMany(caller, ids);
      return { annotations: found.map(toProto), total: found.length };
    },
    listAnnotations: async (request, caller) => {
      const { annotations: found, total } = await store.list(caller, request);
      return { annotations: found.map(toProto), total };
    },
    countByStatus: async ({ queueIds }, caller) => {
      const queues: Record<number, { counts: Record<string, number> }> = Object.fromEntries(
        queueIds.map((id) => [id, { counts: {} }]),
      );
      for (const { queueId, status, count } of await store.countByStatus(caller, queueIds)) {
        const entry = queues[queueId];
        if (entry) entry.counts[status] = count;
      }
      return { queues };
    },

    start: async ({ id, statuses }, caller) => {
      const started = await annotations.start(caller, id, statuses);
      return { annotation: toProto(started), sessionTimeoutS: started.sessionTimeoutS };
    },
    cancel: async ({ id }, caller) => toProto(await annotations.cancel(caller, id)),
    confirm: async ({ id, idempotencyKey }, caller) => toProto(await annotations.confirm(caller, id, idempotencyKey)),
    postpone: async ({ id }, caller) => toProto(await annotations.postpone(caller, id)),
    reject: async ({ id }, caller) => toProto(await annotations.reject(caller, id)),
    delete: async ({ id }, caller) => toProto(await annotations.delete(caller, id)),
    update: async (request, caller) => toProto(await annotations.update(caller, request)),

    getContent: async ({ annotationId }, caller) =>
      toContent(annotationId, await contents.getTree(caller, annotationId)),
    getContents: async ({ annotationIds }, caller) => ({
      contents: (await contents.getTrees(caller, annotationIds)).map(({ id, tree }) => toContent(id, tree)),
    }),
    getContentNode: async ({ annotationId, nodeId }, caller) =>
      toContent(annotationId, await contents.getNode(caller, annotationId, nodeId)),
    patchContentNode: async ({ annotationId, nodeId, patchJson }, caller) =>
      toContent(annotationId, await contents.patchNode(caller, annotationId, nodeId, parse(patchJson, 'content'))),
    patchContent: async ({ annotationId, treeJson }, caller) =>
      toContent(annotationId, await contents.patchTree(caller, annotationId, parse(treeJson, 'content'))),
    applyOperations: async ({ annotationId, operationsJson }, caller) =>
      toContent(
        annotationId,
        await contents.applyOperations(caller, annotationId, parse(operationsJson, 'operations')),
      ),
    validateContent: async (request, caller) => {
      const { messages, updated } = await contents.validate(caller, request);
      return { messages: messages.map(toMessage), updatedDatapointsJson: JSON.stringify(updated) };
    },

    finishExtraction: async (request, caller) => {
      requireSystem(caller);
      return toProto(await annotations.finishExtraction(caller, request));
    },
    failExtraction: async (request, caller) => {
      requireSystem(caller);
      return toProto(await annotations.failExtraction(caller, request));
    },
    finishExport: async (request, caller) => {
      requireSystem(caller);
      return toProto(await annotations.finishExport(caller, request));
    },
    async *streamForExport(request, caller) {
      const [total, origins] = await Promise.all([store.count(caller, request), store.findOrigins(caller, request)]);
      yield { header: { total, ...origins } };
      for await (const { annotation, contentJson } of contents.exportAll(store.stream(caller, request))) {
        yield { annotation: { annotation: toProto(annotation), contentJson } };
      }
    },
    getHistory: async ({ annotationId }, caller) => {
      await store.get(caller, annotationId);
      const entries = await history.list(annotationId);
      return { entries: entries.map((entry) => ({ ...entry, actorId: entry.actorId ?? undefined })) };
    },
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
  return { annotationId, treeJson: JSON.stringify(tree) };
}

function toMessage({ aggregationType, schemaId, label, ...message }: ContentMessage): contract.Message {
  return { ...message, detail: undefined, aggregationType, schemaId, label };
}

/** Null in the domain is a field that is not there in the contract. */
function toProto(annotation: Annotation): contract.Annotation {
  const there = <T>(value: T | null): T | undefined => value ?? undefined;
  return {
    ...annotation,
    pageIds: [...annotation.pageIds],
    creatorId: there(annotation.creatorId),
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
    emailId: there(annotation.emailId),
    uploadId: there(annotation.uploadId),
    messages: annotation.messages.map((message) => ({
      ...message,
      detail: undefined,
      aggregationType: undefined,
      schemaId: undefined,
      label: undefined,
    })),
  };
}
