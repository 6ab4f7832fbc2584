import { annotation as contract, events, type extension } from '@intake/contracts';
import { type ClientSession, type TransactionOptions, transaction } from '@intake/mongo';
import { ahead, type Caller, invalidField, Refusal, systemCaller } from '@intake/rpc';
import {
  type ApiContentNode,
  addEmptyItem,
  aggregateContent,
  applyGridOperations,
  applyGridPartsOperations,
  applyOperations,
  type ContentChange,
  type ContentMessage,
  type ContentNode,
  type ContentResult,
  type ContentSize,
  checkContent,
  compareContent,
  concernsFormulas,
  exportTree,
  findSizeProblem,
  patchNode,
  patchTree,
  type ReadCell,
  renderNode,
  renderNodes,
  renderTree,
  renumberGrid,
  type SchemaContent,
  selectText,
  sizeOf,
  transformGrid,
  type WriteContext,
  withFormulas,
} from '@intake/schema';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotation-tools';
import { historyOf } from '../annotation/changes';
import type { ChangedValue, Origin } from '../annotation/history.store';
import type { Status } from '../annotation/status';
import { createTurns } from '../annotation/turns';
import { requireNoOtherReview } from '../lifecycle';
import { type ContentIndex, reindexValue } from '../search/content-index';
import { confirmedRows, confirmedValues } from './confirmed-values';
import { toNode } from './node-row';
import { type StoredWord, wordsIn } from './words-in';

/** States in which content may be changed; a review only by its holder. API: annotation-content.md section 4. */
const WRITABLE: readonly Status[] = [
  'to_review',
  'postponed',
  'reviewing',
  'created',
  'importing',
  'confirmed',
  'rejected',
  'failed_export',
  'exporting',
];

/** How long a reviewer waits for connector and hooks together, in milliseconds. */
const EXTENSIONS_MS = 120_000;

/** A document has no more pages. API: limits.md. */
const MOST_GRID_PAGES = 500;

type Write = (schema: SchemaContent, nodes: ContentNode[], context: WriteContext) => ContentResult;

/** What came of a write. */
interface Written {
  readonly nodes: ContentNode[];
  readonly result: ContentChange;
  readonly messages: ContentMessage[];
  /** Versions of the annotation before and after it. */
  readonly from: number;
  readonly to: number;
}

export type Contents = ReturnType<typeof createContents>;

/** Reading, changing and checking the content of annotations. */
export function createContents(tools: AnnotationTools) {
  const { backbone, store, history, content, schemas, storage, extensions, rules } = tools;

  /** Who writes to an annotation at the same moment waits for his turn: of many that meet there, one would be refused for too long. */
  const turns = createTurns();
  const inTurn = <T>(annotationId: number, fn: (session: ClientSession) => Promise<T>, options?: TransactionOptions) =>
    turns.take(annotationId, () => transaction(backbone.database, fn, options));

  const schemaOf = (annotation: Annotation) => schemas.get(annotation.organizationId, annotation.schemaId);

  /** One write: all of it or nothing, together with the annotation's version, audit trail and event. */
  async function write(caller: Caller, annotationId: number, change: Write): Promise<Written> {
    return inTurn(annotationId, async (session) => {
      const before = await store.get(caller, annotationId, session);
      const schema = await schemaOf(before);
      requireWritable(before, caller);
      const nodes = await content.list(annotationId, session);
      // New nodes are numbered from -1 down first: how many there are is known only afterwards.
      let count = 0;
      const result = change(schema, nodes, { allocateId: () => --count, ...contextOf(before, caller) });
      if (result.errors) throw new Refusal('INVALID', { fields: result.errors });
      requireSize(sizeOf(nodes), sizeOf(result.nodes));
      const written = count < 0 ? numberNodes(result, await backbone.ids.next('node', -count)) : result;
      const { change: numbered, messages } = withFormulas(schema, nodes, written, { today: today() });
      if (!isEmpty(numbered)) {
        await content.write(session, annotationId, numbered);
        await record(session, caller, before, nodes, numbered, { computed: computedIds(written.nodes, numbered) });
      }
      const { version: from } = before;
      return { nodes: numbered.nodes, result: numbered, messages, from, to: isEmpty(numbered) ? from : from + 1 };
    });
  }

  /**
   * A write of one datapoint. Where no formula has to do with it, the rest of the content is not read: a table may have thousands of
   * rows.
   */
  async function writeDatapoint(
    caller: Caller,
    annotationId: number,
    nodeId: number,
    change: Write,
  ): Promise<ApiContentNode | null> {
    const written = await inTurn(
      annotationId,
      async (session) => {
        // Nothing of it is locked: the write of the annotation refuses when it is not true any more.
        const { annotation: before, contentFields, node: row } = await store.getWithNode(caller, annotationId, nodeId);
        if (!row) throw new Refusal('NOT_FOUND');
        const node = toNode(row);
        const schema = await schemaOf(before);
        const isAlone = node.category === 'datapoint' && before.contentSize !== null;
        if (!isAlone || concernsFormulas(schema, node.schemaId)) return null;
        requireWritable(before, caller);
        const result = change(schema, [node], { allocateId: () => -1, ...contextOf(before, caller) });
        if (result.errors) throw new Refusal('INVALID', { fields: result.errors });
        const [after] = result.changed;
        if (!after) return renderNode([node], nodeId);
        const contentSize = requireSize(before.contentSize, resized(before.contentSize, node, after));
        const isOther =
          after.content?.value !== node.content?.value ||
          after.content?.normalizedValue !== node.content?.normalizedValue;
        const index = isOther ? reindexValue(contentFields, node, after) : {};
        await record(session, caller, before, [node], result, { patch: { contentSize }, index: index ?? {} });
        await content.writeNode(session, annotationId, after);
        if (index === null) await content.reindex(session, annotationId);
        return renderNode([after], nodeId);
      },
      { again: isConflict },
    );
    return written ?? renderNode((await write(caller, annotationId, change)).nodes, nodeId);
  }

  /** What a write of content changes beside it. */
  async function record(
    session: ClientSession,
    caller: Caller,
    before: Annotation,
    nodes: readonly ContentNode[],
    change: ContentChange,
    {
      patch = {},
      index = {},
      computed = new Set(),
    }: {
      readonly patch?: Partial<Annotation>;
      /** What the annotation is found by from now on. */
      readonly index?: Partial<ContentIndex>;
      /** Nodes whose value a formula gave. */
      readonly computed?: ReadonlySet<number>;
    } = {},
  ): Promise<void> {
    const now = new Date();
    const after: Annotation = {
      ...before,
      ...patch,
      version: before.version + 1,
      modifiedAt: now,
      modifierId: caller.userId ?? before.modifierId,
      reviewUntil:
        before.status === 'reviewing' ? new Date(now.getTime() + before.sessionTimeoutS * 1000) : before.reviewUntil,
    };
    await store.replace(session, after, before, index);
    await history.add(session, {
      ...historyOf(after, before, 'content', caller, now),
      values: changedValues(nodes, change, ({ id }) => (computed.has(id) ? 'formula' : originOf(caller))),
    });
    await backbone.emit(session, {
      subject: 'annotation.content_changed',
      aggregate: `annotation:${after.id}`,
      version: after.version,
      payload: events.AnnotationContentChanged.fromPartial({
        annotationId: after.id,
        organizationId: after.organizationId,
        queueId: after.queueId,
        version: after.version,
        nodeIds: [...change.changed, ...change.added].map(({ id }) => id),
        actorId: caller.userId ?? undefined,
        reviewerId: after.reviewerId ?? undefined,
      }),
    });
  }

  /** What connector and hooks say of a change; undefined: there is nobody to ask. */
  async function askExtensions(
    annotation: Annotation,
    { actions, updatedDatapointIds }: contract.ValidateContentRequest,
    written: readonly number[],
  ): Promise<extension.RunContentEventsResponse | undefined> {
    const { connectorId, hookIds } = await rules.getQueue(annotation);
    if (connectorId === undefined && hookIds.length === 0) return undefined;
    const ids = [...new Set([...updatedDatapointIds, ...written])];
    const request = {
      annotationId: annotation.id,
      // Whoever listens to changes is called when there are some.
      actions: ['started', 'user_update', 'updated'].filter(
        (action) => actions.includes(action) && (action === 'started' || ids.length > 0),
      ),
      updatedDatapointIds: ids,
      withConnector: connectorId !== undefined,
    };
    const by = systemCaller('annotation', annotation.organizationId);
    return extensions.runContentEvents(request, by, { timeoutMs: EXTENSIONS_MS });
  }

  /** Reads the text in rectangles of some pages. */
  async function readerOf(caller: Caller, annotationId: number, numbers: number[]): Promise<ReadCell> {
    const { pages } =
      numbers.length > 0 ? await storage.getPageTexts({ annotationId, numbers }, caller) : { pages: [] };
    const words = new Map(pages.map((page) => [page.number, JSON.parse(page.wordsJson) as StoredWord[]]));
    return (page, [left = 0, top = 0, right = 0, bottom = 0]) => {
      const { text, box } = wordsIn(words.get(page) ?? [], [left, top, right, bottom]);
      return { text, box: [...box] };
    };
  }

  /** All below a node; a row is read alone. */
  async function listBelow(annotationId: number, { id, category }: ContentNode): Promise<readonly ContentNode[]> {
    if (category === 'datapoint') return [];
    const all = category === 'tuple' ? content.listChildren(annotationId, id) : content.list(annotationId);
    return (await all).filter((node) => node.id !== id);
  }

  return {
    async getTree(caller: Caller, annotationId: number) {
      await store.get(caller, annotationId);
      return renderTree(await content.list(annotationId));
    },
    /** What was confirmed, or would be now, for the fields that the engine fills. */
    async getConfirmedValues(caller: Caller, annotationId: number): Promise<contract.ConfirmedValues> {
      const schema = await schemaOf(await store.get(caller, annotationId));
      const nodes = await content.list(annotationId);
      return { values: confirmedValues(schema, nodes), lineItems: confirmedRows(schema, nodes) };
    },
    /**
     * The trees of several annotations, in the order of the ids; those the caller cannot see are left out.
     *
     * @param schemaIds not empty: instead of the tree only the nodes of these, as one list
     */
    async getTrees(caller: Caller, annotationIds: readonly number[], schemaIds: readonly string[]) {
      const visible = new Map((await store.getMany(caller, annotationIds)).map((one) => [one.id, one]));
      const trees: { id: number; tree: ApiContentNode[] }[] = [];
      for await (const batch of inBatches(annotationIds.flatMap((id) => visible.get(id) ?? []))) {
        const nodes = await content.listMany(batch.map(({ id }) => id));
        for (const { id } of batch) {
          const own = nodes.get(id) ?? [];
          trees.push({ id, tree: schemaIds.length > 0 ? renderOf(own, new Set(schemaIds)) : renderTree(own) });
        }
      }
      return trees;
    },
    async getNode(caller: Caller, annotationId: number, nodeId: number) {
      await store.get(caller, annotationId);
      const node = await content.find(annotationId, nodeId);
      if (!node) throw new Refusal('NOT_FOUND');
      return renderNode([node, ...(await listBelow(annotationId, node))], nodeId);
    },
    async patchNode(caller: Caller, annotationId: number, nodeId: number, patch: unknown) {
      return writeDatapoint(caller, annotationId, nodeId, (schema, before, context) =>
        patchNode(schema, before, nodeId, patch, context),
      );
    },
    async patchTree(caller: Caller, annotationId: number, tree: unknown) {
      const { nodes } = await write(caller, annotationId, (schema, before, context) =>
        patchTree(schema, before, tree, context),
      );
      return renderTree(nodes);
    },
    async applyOperations(caller: Caller, annotationId: number, operations: unknown) {
      let before: readonly ContentNode[] = [];
      const { nodes, result } = await write(caller, annotationId, (schema, found, context) => {
        before = found;
        return applyOperations(schema, found, operations, context);
      });
      return { tree: renderTree(nodes), changedIds: touchedIds(before, result) };
    },
    /** Takes the text inside a rectangle of a page as the value. API: annotation-content.md section 4. */
    async select(caller: Caller, { annotationId, nodeId, pageId, rectangle }: contract.SelectTextRequest) {
      const [left, top, right, bottom] = rectangle;
      if (
        left === undefined ||
        top === undefined ||
        right === undefined ||
        bottom === undefined ||
        right < left ||
        bottom < top
      )
        throw invalidField('rectangle', 'Expected 4 numbers: left, top, right, bottom.');
      const { locale } = await store.get(caller, annotationId);
      const { pages } = await storage.getPageTexts({ annotationId, numbers: [] }, caller);
      const page = pages.find((one) => one.pageId === pageId);
      if (!page) throw invalidField('page', 'This page has no text, or does not belong to the annotation.');
      const words = JSON.parse(page.wordsJson) as StoredWord[];
      const { text, box } = wordsIn(words, [left, top, right, bottom]);
      return writeDatapoint(caller, annotationId, nodeId, (schema, before) =>
        selectText(schema, before, nodeId, { text, page: page.number, position: [...box], locale }),
      );
    },
    /** Changes a table by its grid. API: annotation-content.md sections 4 and 5. @returns the multivalue */
    async editGrid(caller: Caller, { annotationId, nodeId, kind, bodyJson }: contract.EditGridRequest) {
      const { locale } = await store.get(caller, annotationId);
      const node = await content.find(annotationId, nodeId);
      if (!node) throw new Refusal('NOT_FOUND');
      const body = bodyJson === '' ? {} : (JSON.parse(bodyJson) as GridBody);
      const readCell = await readerOf(caller, annotationId, pagesOf(body, node));
      const { nodes } = await write(caller, annotationId, (schema, before, { allocateId, pageCount }) => {
        const context = { allocateId, pageCount, readCell, locale };
        if (kind === contract.EditGridRequest_Kind.TRANSFORM) return transformGrid(schema, before, nodeId, context);
        return kind === contract.EditGridRequest_Kind.PARTS
          ? applyGridOperations(schema, before, nodeId, body.operations, context)
          : applyGridPartsOperations(schema, before, nodeId, { ...body }, context);
      });
      return renderNode(nodes, nodeId);
    },
    /** Appends an empty row or item; answers it. */
    async addEmptyItem(caller: Caller, annotationId: number, multivalueId: number) {
      const { nodes, result } = await write(caller, annotationId, (schema, before, context) => {
        if (!before.some(({ id }) => id === multivalueId)) throw new Refusal('NOT_FOUND');
        return addEmptyItem(schema, before, multivalueId, context);
      });
      const added = result.added.find(({ parentId }) => parentId === multivalueId);
      return added ? renderNode(nodes, added.id) : null;
    },
    /** `content/validate`. API: annotation-content.md section 6. */
    async validate(
      caller: Caller,
      request: contract.ValidateContentRequest,
    ): Promise<{ messages: GivenMessage[]; updated: unknown[] }> {
      const annotation = await store.get(caller, request.annotationId);
      if (annotation.status !== 'reviewing') {
        throw new Refusal('CONFLICT_STATUS', { detail: 'Start the review of the document first.' });
      }
      if (caller.askedAnnotationId === annotation.id) {
        throw new Refusal('CONFLICT_STATUS', { detail: 'An extension cannot ask for what it is being asked.' });
      }
      requireWritable(annotation, caller);
      await store.extendReview(annotation, new Date(Date.now() + annotation.sessionTimeoutS * 1000));
      const operations = request.operationsJson ? (JSON.parse(request.operationsJson) as unknown) : [];
      const hasOperations = !Array.isArray(operations) || operations.length > 0;
      let before: readonly ContentNode[] = [];
      // Also without operations: the formulas are evaluated anew.
      const own = await write(caller, annotation.id, (schema, found, context) => {
        before = found;
        return hasOperations ? applyOperations(schema, found, operations, context) : leave(found);
      });
      const written = touchedIds(before, own.result);
      const asked = await askExtensions(annotation, request, hasOperations ? written : []);
      const last = asked ? await write(caller, annotation.id, (_, found) => leave(found)) : own;
      const { nodes, messages } = last;
      const schema = await schemaOf(annotation);
      const skipHidden = !request.messagesForHiddenDatapoints;
      const said = [...(asked?.messages ?? []).map(toGivenMessage), ...messages];
      const present = new Map(nodes.map((node) => [node.id, node]));
      const shown = skipHidden ? said.filter(({ id }) => !isHidden(present, Number(id))) : said;
      const changed = [...own.result.changed, ...own.result.added].map(({ id }) => id);
      // Extensions also write by themselves, with their tokens.
      const isOther = asked && last.from !== own.to;
      const elsewhere = isOther ? touchedIds(own.nodes, compareContent(own.nodes, nodes)) : [];
      const updated = [...changed, ...(asked?.changedIds ?? []), ...elsewhere].filter((id) => present.has(id));
      return {
        messages: [...shown, ...checkContent(schema, nodes, { skipHidden }), ...aggregateContent(schema, nodes)],
        updated: renderNodes(nodes, topmost(updated, nodes)),
      };
    },
    /** Annotations in order with their export nodes; content is read for some of them at a time. */
    async *exportAll(
      annotations: AsyncIterable<Annotation>,
    ): AsyncGenerator<{ annotation: Annotation; contentJson: string }> {
      async function* read() {
        for await (const batch of inBatches(annotations))
          yield { batch, nodes: await content.listExported(batch.map(({ id }) => id)) };
      }
      for await (const { batch, nodes } of ahead(read())) {
        for (const annotation of batch) {
          const own = nodes.get(annotation.id) ?? [];
          const tree = own.length > 0 ? exportTree(await schemaOf(annotation), own) : [];
          yield { annotation, contentJson: JSON.stringify(tree) };
        }
      }
    },
  };
}

/** A message of a formula, of a check or of an extension. */
type GivenMessage = Omit<ContentMessage, 'detail'> & { readonly detail?: object };

function toGivenMessage({ id, type, content, detail }: contract.Message): GivenMessage {
  return { id, type: type as ContentMessage['type'], content, detail };
}

/** What a write changed and added, with the multivalues that something was added to or removed from. */
function touchedIds(before: readonly ContentNode[], { nodes, changed, added, removed }: ContentChange): number[] {
  const byId = new Map([...before, ...nodes].map((node) => [node.id, node]));
  const parents = [...added.map(({ id }) => id), ...removed].flatMap((id) => byId.get(id)?.parentId ?? []);
  const gone = new Set(removed);
  const lists = parents.filter((id) => byId.get(id)?.category === 'multivalue');
  return [...new Set([...lists, ...[...added, ...changed].map(({ id }) => id)])].filter((id) => !gone.has(id));
}

/** The day that formulas see as today. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** What a request about a grid names pages by; nothing of it is checked yet. */
interface GridBody {
  readonly operations?: unknown;
  readonly grid?: unknown;
}

/** Pages that are looked at for a change of a grid: those of the request, and of the grid that is there. */
function pagesOf(body: GridBody, { grid }: ContentNode): number[] {
  const given = Array.isArray(body.operations) ? body.operations.map((one) => (one as GridBody | null)?.grid) : [];
  const kept = (grid as { parts?: unknown[] } | null | undefined)?.parts ?? [];
  const pages = [...given, body.grid, ...kept].map((part) => (part as { page?: unknown } | null | undefined)?.page);
  return [...new Set(pages.filter((page): page is number => Number.isSafeInteger(page)))].slice(0, MOST_GRID_PAGES);
}

/** Where a write comes from (what a person writes is validated), and where its values may stand. */
function contextOf({ pageIds }: Annotation, { kind }: Caller): Omit<WriteContext, 'allocateId'> {
  return { source: kind === 'user' ? 'user' : 'hook', ...(pageIds.length > 0 && { pageCount: pageIds.length }) };
}

function isEmpty({ changed, added, removed }: ContentChange): boolean {
  return changed.length + added.length + removed.length === 0;
}

/** The size of content in which one node is another one now. */
function resized(size: ContentSize | null, before: ContentNode, after: ContentNode): ContentSize | null {
  const grown = sizeOf([after]).characters - sizeOf([before]).characters;
  return size && { ...size, characters: size.characters + grown };
}

/** Refuses to let content grow beyond what an annotation holds. */
function requireSize<T extends ContentSize | null>(before: T, after: T): T {
  const hasGrown = before && after && (after.nodes > before.nodes || after.characters > before.characters);
  const problem = hasGrown ? findSizeProblem(after) : null;
  if (problem) throw new Refusal('INVALID', { detail: problem });
  return after;
}

/** Somebody else was faster. */
function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.reason === 'CONFLICT';
}

/** A write of nothing. */
function leave(nodes: ContentNode[]): ContentChange {
  return { nodes, changed: [], added: [], removed: [] };
}

/** Whether the node is hidden or lies in a hidden one. */
function isHidden(byId: ReadonlyMap<number, ContentNode>, id: number): boolean {
  for (let node = byId.get(id); node; node = node.parentId === null ? undefined : byId.get(node.parentId)) {
    if (node.hidden) return true;
  }
  return false;
}

/** Content of an annotation that nobody holds may be written; in a review only by its holder, and by extensions that are asked about it. */
function requireWritable(annotation: Annotation, caller: Caller): void {
  if (!WRITABLE.includes(annotation.status)) {
    throw new Refusal('CONFLICT_STATUS', { detail: `Content cannot be changed in status ${annotation.status}.` });
  }
  requireNoOtherReview(annotation, caller);
}

/** Replaces the provisional ids -1, -2, ... by `first`, `first + 1`, ... */
function numberNodes(change: ContentChange, first: number): ContentChange {
  const number = (id: number) => (id < 0 ? first - 1 - id : id);
  const renumber = (node: ContentNode): ContentNode => ({
    ...node,
    id: number(node.id),
    parentId: node.parentId === null ? null : number(node.parentId),
    ...(node.grid && { grid: renumberGrid(node.grid, number) }),
  });
  return {
    nodes: change.nodes.map(renumber),
    changed: change.changed.map(renumber),
    added: change.added.map(renumber),
    removed: change.removed,
  };
}

/** Who writes. */
function originOf({ kind }: Caller): Origin {
  return kind === 'user' ? 'person' : 'hook';
}

/** The nodes whose value is not the one that was written: a formula gave it. */
function computedIds(written: readonly ContentNode[], { changed, added }: ContentChange): ReadonlySet<number> {
  const values = new Map(written.map(({ id, content }) => [id, content?.value]));
  return new Set(
    [...changed, ...added].filter(({ id, content }) => values.get(id) !== content?.value).map(({ id }) => id),
  );
}

/** What the audit trail says of a write: the values that are not what they were. */
export function changedValues(
  before: readonly ContentNode[],
  change: ContentChange,
  originOf: (node: ContentNode) => Origin,
): ChangedValue[] {
  const old = new Map(before.map((node) => [node.id, node]));
  const now = new Map(change.nodes.map((node) => [node.id, node]));
  const removed = new Set(change.removed);
  const gone = change.removed.map((id) => old.get(id)).filter((node) => node !== undefined);
  return [...change.changed, ...change.added, ...gone]
    .filter(({ category }) => category === 'datapoint')
    .map((node) => ({ ...node, origin: originOf(node) }))
    .map(({ id, schemaId, origin }) => ({
      nodeId: id,
      schemaId,
      before: old.get(id)?.content?.value ?? null,
      after: removed.has(id) ? null : (now.get(id)?.content?.value ?? null),
      origin,
    }))
    .filter((entry) => entry.before !== entry.after);
}

/** Ids of the nodes that have no changed ancestor: each is answered with everything below it. */
function topmost(changed: readonly number[], nodes: readonly ContentNode[]): number[] {
  const ids = new Set(changed);
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const hasChangedAncestor = (id: number): boolean => {
    for (let at = parents.get(id); at !== null && at !== undefined; at = parents.get(at)) if (ids.has(at)) return true;
    return false;
  };
  return [...ids].filter((id) => !hasChangedAncestor(id));
}

/** So many annotations, and about so many nodes, are held in memory at once. */
const BATCH = 50;
const NODES_AT_ONCE = 20_000;
/** Of annotations that do not say it. */
const USUAL_NODES = 200;

async function* inBatches(
  annotations: Iterable<Annotation> | AsyncIterable<Annotation>,
): AsyncGenerator<readonly Annotation[]> {
  let batch: Annotation[] = [];
  let count = 0;
  for await (const annotation of annotations) {
    batch.push(annotation);
    count += annotation.contentSize?.nodes ?? USUAL_NODES;
    if (batch.length < BATCH && count < NODES_AT_ONCE) continue;
    yield batch;
    batch = [];
    count = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The nodes of some fields, in the order of the tree. */
function renderOf(nodes: readonly ContentNode[], schemaIds: ReadonlySet<string>): ApiContentNode[] {
  const wanted = (tree: readonly ApiContentNode[]): ApiContentNode[] =>
    tree.flatMap((node) => [...(schemaIds.has(node.schema_id) ? [node] : []), ...wanted(node.children ?? [])]);
  return wanted(renderTree(nodes));
}
