import { annotation as contract, documentStorage, events, type queue } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, seesQueue, systemCaller } from '@intake/rpc';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotation-tools';
import { type Annotations, adding } from '../annotation/annotations';
import { changeInSession, openAnnotation } from '../annotation/changes';
import { newAnnotation, newPollId } from '../annotation/new-annotation';
import { requireMovable } from '../annotation/transfer';
import { applyTrigger } from '../lifecycle';
import { createDuplicates } from '../relation/duplicates';

/** A part and its document. */
export interface PartReference {
  readonly annotationId: number;
  readonly documentId: number;
}

/** The parts of an annotation whose editing began. */
export interface StartedEditing {
  readonly parent: Annotation;
  readonly children: readonly { readonly annotation: Annotation; readonly started: boolean }[];
  readonly sessionTimeoutS: number;
}

/** API: limits.md, pages per document. */
const MOST_PAGES = 500;
const CUT_MS = 125_000;

/**
 * Pages of a document are put in order, turned, left out, and made into documents of their own. API: annotations.md section 8.
 * The parts belong to a relation of the type `edit`, whose parent is the original.
 */
export function createPageEditing(tools: AnnotationTools, annotations: Pick<Annotations, 'start' | 'update'>) {
  const { backbone, store, content, readings, queues, storage, relations, notes, blockers, suggestedEdits, rules } =
    tools;
  const duplicates = createDuplicates(tools);

  /** The annotations that were made of one. */
  const partsOf = async (caller: Caller, parent: Annotation): Promise<Annotation[]> => {
    const relation = await relations.findParts(parent.organizationId, parent.id);
    return relation ? store.getMany(caller, relation.annotationIds) : [];
  };

  const getTarget = async (caller: Caller, id: number, field: string): Promise<queue.Queue> => {
    const [target] = (await queues.getQueues({ ids: [id] }, caller)).queues;
    if (!target || !seesQueue(caller, id)) throw invalidField(field, 'Invalid hyperlink - Object does not exist.');
    if (target.status !== 'active') throw new Refusal('QUEUE_DELETED');
    return target;
  };

  /** Pages that stay, of each part. Throws INVALID. */
  const checkPages = (parent: Annotation, parts: readonly contract.EditedPart[], field: string) =>
    parts.map(({ pages }) => {
      if (pages.some(({ pageId }) => !parent.pageIds.includes(pageId))) {
        throw invalidField(field, 'A page is not of this annotation.');
      }
      const kept = pages.filter(({ deleted }) => !deleted);
      if (kept.length === 0) throw invalidField(field, 'A document needs at least one page.');
      if (kept.length > MOST_PAGES) throw invalidField(field, `A document has at most ${MOST_PAGES} pages.`);
      return kept;
    });

  /** The annotation is read anew, from another document. */
  const editInPlace = async (
    session: ClientSession,
    caller: Caller,
    annotation: Annotation,
    edit: { part: contract.EditedPart; document: documentStorage.CutDocument; target: queue.Queue; isPart: boolean },
    more: Parameters<typeof changeInSession>[5] = {},
  ): Promise<void> => {
    const { part, document, target, isPart } = edit;
    await changeInSession(tools, session, caller, annotation.id, 'edit_in_place', {
      ...more,
      patch: {
        documentId: document.id,
        fileName: document.fileName,
        mimeType: document.mimeType,
        md5: document.md5,
        queueId: target.id,
        schemaId: target.schemaId,
        locale: target.locale,
        sessionTimeoutS: target.sessionTimeoutS,
        rotationDeg: 0,
        pageIds: [],
        suggestedEditId: null,
        messages: [],
        rirPollId: newPollId(),
        values: { ...annotation.values, ...part.values },
        ...(part.annotationMetadata && { metadata: part.annotationMetadata }),
        ...(isPart && { parentPages: part.pages }),
      },
    });
    await content.replaceAll(session, annotation.id, []);
    await readings.remove(session, [annotation.id]);
    // Other bytes: what it is a duplicate of now is known when they are read.
    await duplicates.leave(session, annotation.id);
    // It names pages that are there no more.
    await suggestedEdits.removeOfAnnotation(session, annotation.id);
    if (target.id !== annotation.queueId) {
      for (const moved of [notes, relations, blockers]) await moved.move(session, annotation.id, target.id);
    }
  };

  return {
    /** Answers the annotation and document of each part. */
    async edit(caller: Caller, request: contract.EditPagesRequest): Promise<PartReference[]> {
      const { id, inPlace, parts, field } = request;
      const parent = await store.get(caller, id);
      const trigger = inPlace ? 'edit_in_place' : 'split';
      const now = new Date();
      // The state decides first (409), before anything is made.
      if (parts.length > 0) applyTrigger(parent, trigger, { caller, now });
      // API: states.md section 2, `edit_pages` (not from postponed).
      if (field === 'edit' && parent.status === 'postponed') {
        throw new Refusal('CONFLICT_STATUS', {
          detail: 'The pages of a postponed document cannot be edited: start its review.',
        });
      }
      const pages = checkPages(parent, parts, field);
      const children = new Map((await partsOf(caller, parent)).map((part) => [part.id, part]));
      const childOf = (childId: number): Annotation => {
        const child = children.get(childId);
        if (!child) throw invalidField(field, `Annotation ${childId} is not a part of this annotation.`);
        return child;
      };
      const edited = parts.map(({ annotationId }) => (annotationId === undefined ? null : childOf(annotationId)));
      for (const child of edited) if (child) applyTrigger(child, 'edit_in_place', { caller, now });
      for (const childId of request.deleteIds) childOf(childId);
      for (const { annotationId, targetQueueId } of request.moves) {
        const child = childOf(annotationId);
        requireMovable(child.status === 'reviewing' ? applyTrigger(child, 'cancel', { caller, now }) : child);
        await getTarget(caller, targetQueueId, field);
      }
      for (const stopped of request.stopIds) if (stopped !== id) childOf(stopped);
      const targets = await Promise.all(
        parts.map(({ targetQueueId }, i) =>
          targetQueueId === undefined ? rules.getQueue(edited[i] ?? parent) : getTarget(caller, targetQueueId, field),
        ),
      );
      const documents = parts.length > 0 ? await cut(caller, parent, parts, pages, targets) : [];
      const made = parts.map((part, i) => ({
        part,
        document: documents[i] as documentStorage.CutDocument,
        target: targets[i] as queue.Queue,
      }));
      const count = edited.filter((child) => child === null).length;
      const firstId = !inPlace && count > 0 ? await backbone.ids.next('annotation', count) : 0;
      const relationId = !inPlace && count > 0 ? await backbone.ids.next('relation') : 0;

      const references = await transaction(backbone.database, async (session) => {
        const sameAsBefore = (before: Annotation): boolean => {
          if (before.version === parent.version) return false;
          throw new Refusal('CONFLICT', {
            detail: 'The annotation was changed while its pages were edited; try again.',
          });
        };
        const spent = adding(request.processingDuration);
        if (inPlace) {
          const [only] = made;
          if (!only) throw invalidField(field, 'Exactly one document is edited in place.');
          await editInPlace(session, caller, parent, { ...only, isPart: false }, { ...spent, unless: sameAsBefore });
          return [{ annotationId: id, documentId: only.document.id }];
        }
        if (parts.length > 0)
          await changeInSession(tools, session, caller, id, 'split', { ...spent, unless: sameAsBefore });
        const result: PartReference[] = [];
        const opened: Annotation[] = [];
        for (const [i, one] of made.entries()) {
          const child = edited[i];
          if (child) await editInPlace(session, caller, child, { ...one, isPart: true });
          else opened.push(openingOf(parent, caller, one, firstId + opened.length));
          result.push({ annotationId: child?.id ?? (opened.at(-1) as Annotation).id, documentId: one.document.id });
        }
        for (const annotation of opened) await openAnnotation(tools, session, caller, annotation);
        await relate(session, parent, opened, relationId);
        for (const childId of request.deleteIds) await changeInSession(tools, session, caller, childId, 'delete');
        const stops = [
          ...request.stopIds,
          // What is in review stays in its queue.
          ...request.moves.map(({ annotationId }) => annotationId),
          ...(request.stopParent && parts.length === 0 ? [id] : []),
        ];
        for (const stopped of new Set(stops)) {
          await changeInSession(tools, session, caller, stopped, 'cancel', {
            unless: ({ status }) => status !== 'reviewing',
          });
        }
        return result;
      });
      for (const { annotationId, targetQueueId } of request.moves) {
        const move = contract.UpdateAnnotationRequest.fromPartial({ id: annotationId, queueId: targetQueueId });
        await annotations.update(caller, move);
      }
      return references;
    },

    /** Begins the review of an annotation and of the parts that were made of it, as far as they can be reviewed. */
    async start(caller: Caller, id: number): Promise<StartedEditing> {
      const found = await store.get(caller, id);
      if (!['to_review', 'reviewing', 'split'].includes(found.status)) {
        throw new Refusal('CONFLICT_STATUS', {
          detail: 'Pages can be edited only of documents in states: to_review, reviewing, split',
        });
      }
      const parent = found.status === 'split' ? found : await annotations.start(caller, id, []);
      const children: { annotation: Annotation; started: boolean }[] = [];
      for (const child of await partsOf(caller, parent)) {
        const started = await annotations
          .start(caller, child.id, ['to_review', 'postponed', 'reviewing'])
          .catch((error) => {
            if (!(error instanceof Refusal && error.httpStatus === 409)) throw error;
            return null;
          });
        children.push({ annotation: started ?? child, started: started !== null });
      }
      return { parent, children, sessionTimeoutS: parent.sessionTimeoutS };
    },

    /** Ends these reviews; what is not in review stays as it is. */
    async cancel(caller: Caller, request: contract.EditPagesCancelRequest): Promise<void> {
      const parent = await store.get(caller, request.id);
      const known = [parent.id, ...(await partsOf(caller, parent)).map((part) => part.id)];
      const unknown = request.annotationIds.find((one) => !known.includes(one));
      if (unknown !== undefined) {
        throw invalidField('annotations', `Annotation ${unknown} is not a part of this annotation.`);
      }
      const which = new Set([...request.annotationIds, ...(request.cancelParent ? [parent.id] : [])]);
      await transaction(backbone.database, async (session) => {
        for (const one of which) {
          await changeInSession(tools, session, caller, one, 'cancel', {
            ...adding(one === parent.id ? request.processingDuration : undefined),
            unless: ({ status }) => status !== 'reviewing',
          });
        }
      });
    },
  };

  async function cut(
    caller: Caller,
    parent: Annotation,
    parts: readonly contract.EditedPart[],
    pages: readonly (readonly contract.EditedPage[])[],
    targets: readonly queue.Queue[],
  ): Promise<documentStorage.CutDocument[]> {
    const request = documentStorage.CutDocumentRequest.fromPartial({
      annotationId: parent.id,
      creatorId: caller.userId ?? undefined,
      parts: parts.map(({ fileName, documentMetadata }, i) => ({
        fileName,
        queueId: targets[i]?.id ?? parent.queueId,
        metadata: documentMetadata,
        pages: (pages[i] ?? []).map(({ pageId, rotationDeg }) => ({ pageId, rotationDeg })),
      })),
    });
    const system = systemCaller('annotation', parent.organizationId);
    return (await storage.cutDocument(request, system, { timeoutMs: CUT_MS })).documents;
  }

  /** The relation of the parts is made with the first of them. */
  async function relate(
    session: ClientSession,
    parent: Annotation,
    opened: readonly Annotation[],
    id: number,
  ): Promise<void> {
    if (opened.length === 0) return;
    const before = await relations.findParts(parent.organizationId, parent.id, session);
    if (before) for (const annotation of opened) await relations.add(session, before.id, annotation);
    else {
      await relations.insert(session, {
        id,
        organizationId: parent.organizationId,
        type: 'edit',
        key: null,
        parentId: parent.id,
        annotationIds: opened.map((annotation) => annotation.id),
        queueIds: [...new Set([parent.queueId, ...opened.map(({ queueId }) => queueId)])],
      });
    }
    const ids = opened.map((annotation) => annotation.id);
    await store.changeIds(session, ids, 'relationIds', { add: [before?.id ?? id] });
  }
}

/** The annotation of a new part: waiting for its extraction. */
function openingOf(
  parent: Annotation,
  caller: Caller,
  { part, document, target }: { part: contract.EditedPart; document: documentStorage.CutDocument; target: queue.Queue },
  id: number,
): Annotation {
  const stored = events.DocumentStored.fromPartial({
    documentId: document.id,
    organizationId: parent.organizationId,
    queueId: target.id,
    creatorId: caller.userId ?? undefined,
    emailId: parent.emailId ?? undefined,
    mimeType: document.mimeType,
    fileName: document.fileName,
    arrivedAt: document.createdAt,
    values: { ...parent.values, ...part.values },
    metadata: part.annotationMetadata ?? {},
    md5: document.md5,
  });
  return { ...newAnnotation(id, stored, target, new Date()), parentPages: part.pages };
}
