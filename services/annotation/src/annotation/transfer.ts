import { documentStorage, type queue } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, seesQueue, systemCaller } from '@intake/rpc';
import { type ContentNode, evaluateFormulas, migrateContent, nodesToTree, renumberGrid } from '@intake/schema';
import { today } from '../content/contents';
import { ownReview } from '../lifecycle';
import type { Reading } from '../migration/reading.store';
import type { Annotation } from './annotation.types';
import type { AnnotationTools } from './annotation-tools';
import { historyOf, openAnnotation } from './changes';
import { readdress } from './messages';
import { copyOf } from './new-annotation';
import { isStatus, type Status } from './status';

/** What a copy is asked with. */
export interface CopyRequest {
  readonly id: number;
  readonly targetQueueId: number;
  readonly targetStatus?: string;
  readonly reimport: boolean;
  readonly idempotencyKey?: string;
}

/** States in which an annotation may go to another queue. API: annotations.md section 6. */
const MOVABLE: readonly Status[] = [
  'to_review',
  'postponed',
  'confirmed',
  'rejected',
  'failed_import',
  'failed_export',
  'created',
  'importing',
];

/** States that a copy may be put in. API: annotations.md section 5. */
const COPY_TARGETS: readonly Status[] = [
  'to_review',
  'postponed',
  'confirmed',
  'exported',
  'rejected',
  'deleted',
  'importing',
];
const COPIED_AS_IMPORTING: readonly Status[] = ['created', 'importing', 'failed_import'];

/** In these states new fields get what the engine read. API: schemas.md section 7. */
const FILLED: readonly Status[] = ['importing', 'to_review', 'postponed', 'reviewing'];
const NOTHING = { nodes: [], count: 0, reading: null };
const PAGES_AT_ONCE = 100;

/** Annotations on their way to other queues. */
export function createTransfer(tools: AnnotationTools) {
  const { backbone, store, history, content, schemas, queues, storage, idempotency } = tools;
  const { readings, notes, relations, blockers, suggestedEdits, rules } = tools;

  /** A queue that the caller may put annotations into. @param field of the request, that an error names */
  const getTarget = async (caller: Caller, id: number, field: string): Promise<queue.Queue> => {
    const { queues: found } = await queues.getQueues({ ids: [id] }, caller);
    const [target] = found;
    if (!target || !seesQueue(caller, id)) throw invalidField(field, 'Invalid hyperlink - Object does not exist.');
    if (target.status !== 'active') throw new Refusal('QUEUE_DELETED');
    return target;
  };

  /**
   * Content of `from` in the shape of the schema of `to`, and what it was made of; new nodes are numbered from -1 down.
   */
  const migrate = async (
    session: ClientSession,
    from: Annotation,
    to: Annotation,
  ): Promise<{ nodes: readonly ContentNode[]; count: number; reading: Reading | null }> => {
    const { organizationId } = from;
    const [nodes, known] = [await content.list(from.id, session), await readings.find(from.id, session)];
    const reading = known?.schemaId === from.schemaId ? known : null;
    if (from.schemaId === to.schemaId)
      return { nodes, count: 0, reading: reading && { ...reading, annotationId: to.id } };
    const after = await schemas.getCurrent(organizationId, to.schemaId);
    const before =
      (reading && (await schemas.getVersion(organizationId, from.schemaId, reading.schemaVersion))) ??
      (await schemas.get(organizationId, from.schemaId));
    const sources = reading?.sources ?? null;
    const made = { annotationId: to.id, schemaId: to.schemaId, schemaVersion: after.version, sources };
    // Without content it was not read yet; or the schema was not set up when it was.
    if (nodes.length === 0 && !(reading && before.length === 0)) {
      return { nodes, count: 0, reading: reading && made };
    }
    const isFilled = FILLED.includes(to.status);
    let count = 0;
    const shaped = migrateContent(after.content, nodes, {
      from: before,
      sources: isFilled ? sources : null,
      allocateId: () => --count,
    });
    const settled = isFilled ? evaluateFormulas(after.content, shaped, { today: today() }).nodes : shaped;
    return { nodes: settled, count: -count, reading: made };
  };

  return {
    /**
     * PATCH of `queue`: the annotation takes the target queue's schema.
     *
     * @param newStatus that it is to get there; when the target queue or the content does not allow it, nothing is moved
     */
    async move(caller: Caller, id: number, queueId: number, newStatus?: string): Promise<Annotation> {
      await store.get(caller, id);
      const target = await getTarget(caller, queueId, 'queue');
      if (newStatus !== undefined) rules.requireStatusOf(target, newStatus);
      return transaction(backbone.database, async (session) => {
        const before = await store.get(caller, id, session);
        if (before.queueId === queueId) return before;
        ownReview(before, { caller });
        requireMovable(before);
        const now = new Date();
        const after: Annotation = {
          ...before,
          queueId,
          schemaId: target.schemaId,
          locale: target.locale,
          sessionTimeoutS: target.sessionTimeoutS,
          version: before.version + 1,
          modifiedAt: now,
          modifierId: caller.userId ?? before.modifierId,
        };
        const migrated = await migrate(session, before, after);
        if (newStatus !== undefined) await rules.requireContentFor(newStatus, after, migrated.nodes);
        if (migrated.reading) await readings.save(session, migrated.reading);
        let moved = after;
        if (before.schemaId !== after.schemaId) {
          const first = migrated.count > 0 ? await backbone.ids.next('node', migrated.count) : 0;
          const nodes = renumber(migrated.nodes, (old) => (old < 0 ? first - 1 - old : old));
          const left = new Set(nodes.map((node) => node.id));
          const messages = readdress(after.messages, (old) => (left.has(old) ? old : undefined));
          moved = { ...after, messages };
          await content.replaceAll(session, id, nodes);
        }
        await store.replace(session, moved, before);
        for (const its of [notes, relations, blockers, suggestedEdits]) await its.move(session, id, queueId);
        await history.add(session, historyOf(moved, before, 'move', caller, now));
        await place(moved);
        return moved;
      });
    },

    /** A new annotation of the same document. The same Idempotency-Key answers the first copy. */
    async copy(caller: Caller, request: CopyRequest): Promise<Annotation> {
      const { id, idempotencyKey } = request;
      const original = await store.get(caller, id);
      const target = await getTarget(caller, request.targetQueueId, 'target_queue');
      const what = `copy/${id}/${request.targetQueueId}/${request.targetStatus ?? ''}/${request.reimport}`;
      const claim = idempotencyKey === undefined ? undefined : { userId: caller.userId, key: idempotencyKey, what };
      const first = claim && (await idempotency.find(claim));
      if (first) return store.get(caller, first);
      const status = statusOfCopy(original, request, target);
      // What was cut into others was not read either, and may be looked at as a whole.
      const needsContent = original.status !== 'split' && !['importing', 'rejected', 'deleted'].includes(status);
      if (needsContent) await rules.requireContent(original);
      const copyId = await backbone.ids.next('annotation');
      const pageIds = await copyPages(original, copyId, target.id);
      const done = await transaction(backbone.database, async (session) => {
        const again = claim && (await idempotency.claimFor(session, claim, copyId));
        if (again) return again;
        const now = new Date();
        const source = await store.get(caller, id, session);
        requireCopyable(source);
        // Written together with the copy, so that purging the original meanwhile knows of it.
        await store.touch(session, source);
        const annotation = copyOf(source, {
          id: copyId,
          queue: target,
          status,
          pageIds,
          creatorId: caller.userId,
          now,
        });
        const { nodes, reading } = status === 'importing' ? NOTHING : await migrate(session, source, annotation);
        const start = nodes.length > 0 ? await backbone.ids.next('node', nodes.length) : 0;
        const numbers = new Map(inTreeOrder(nodes).map((node, i) => [node.id, start + i]));
        const messages = readdress(annotation.messages, (old) => numbers.get(old));
        await openAnnotation(tools, session, caller, { ...annotation, messages });
        if (reading) await readings.save(session, reading);
        if (nodes.length > 0) {
          await content.replaceAll(
            session,
            copyId,
            renumber(nodes, (old) => numbers.get(old) as number),
          );
        }
        await place(annotation);
        return copyId;
      });
      return store.get(systemCaller('annotation', original.organizationId), done);
    },
  };

  function statusOfCopy(original: Annotation, { targetStatus, reimport }: CopyRequest, target: queue.Queue): Status {
    requireCopyable(original);
    if (targetStatus !== undefined) {
      if (!isStatus(targetStatus) || !COPY_TARGETS.includes(targetStatus)) {
        throw invalidField('target_status', `"${targetStatus}" is not a valid choice.`);
      }
      rules.requireStatusOf(target, targetStatus, 'target_status');
      return reimport ? 'importing' : targetStatus;
    }
    if (reimport || COPIED_AS_IMPORTING.includes(original.status)) return 'importing';
    return COPY_TARGETS.includes(original.status) && rules.hasStatus(target, original.status)
      ? original.status
      : 'to_review';
  }

  /** Pages and document are seen from the annotation's queue; the same call again does no harm. */
  async function place({ id: annotationId, documentId, queueId, organizationId }: Annotation): Promise<void> {
    await storage.placeAnnotation({ annotationId, documentId, queueId }, systemCaller('annotation', organizationId));
  }

  /** The pages of the original once more, for the copy. */
  async function copyPages(original: Annotation, annotationId: number, queueId: number): Promise<number[]> {
    const caller = systemCaller('annotation', original.organizationId);
    const found: documentStorage.Page[] = [];
    for (let page = 1; found.length < original.pageIds.length; page++) {
      const request = documentStorage.ListPagesRequest.fromPartial({
        annotationIds: [original.id],
        ordering: ['number'],
        page,
        pageSize: PAGES_AT_ONCE,
      });
      const { pages } = await storage.listPages(request, caller);
      if (pages.length === 0) break;
      found.push(...pages);
    }
    if (found.length === 0) return [];
    const pages = found.map(({ number, width, height, rotationDeg }) => ({ number, width, height, rotationDeg }));
    const request = documentStorage.PutPagesRequest.fromPartial({
      annotationId,
      documentId: original.documentId,
      queueId,
      pages,
    });
    return (await storage.putPages(request, caller)).pageIds;
  }
}

/** Refuses to move an annotation whose state does not allow it. */
export function requireMovable({ status }: Annotation): void {
  if (!MOVABLE.includes(status)) {
    throw new Refusal('CONFLICT_STATUS', {
      detail: `An annotation in status ${status} cannot be moved to another queue.`,
    });
  }
}

function requireCopyable({ status }: Annotation): void {
  if (status === 'purged') {
    throw new Refusal('CONFLICT_STATUS', { detail: 'A purged annotation cannot be copied: its data is gone.' });
  }
}

function renumber(nodes: readonly ContentNode[], to: (id: number) => number): ContentNode[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.map((node) => ({
    ...node,
    id: to(node.id),
    parentId: node.parentId === null ? null : to(node.parentId),
    ...(node.grid && { grid: renumberGrid(node.grid, (id) => (ids.has(id) ? to(id) : null)) }),
  }));
}

function inTreeOrder(nodes: readonly ContentNode[]): ContentNode[] {
  type Nested = ReturnType<typeof nodesToTree>;
  const walk = (tree: Nested): ContentNode[] => tree.flatMap(({ children, ...node }) => [node, ...walk(children)]);
  return walk(nodesToTree(nodes));
}
