import type { annotation as contract, extraction, queue } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, Refusal } from '@intake/rpc';
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
import { readAutopilot, searchedValues, validateByHistory } from '../automation/autopilot';
import { changedValues, today } from '../content/contents';
import { applyGiven, shiftIds } from '../content/given-content';
import { createDuplicates, fingerprintOf } from '../relation/duplicates';
import type { SuggestedEdit } from '../suggested-edit/suggested-edit.store';
import type { Annotation, Decision } from './annotation.types';
import type { AnnotationTools } from './annotation-tools';
import { changeState, extractedEventFor, historyOf } from './changes';
import type { ChangedValue, Origin } from './history.store';
import { toMessage } from './new-annotation';

export type Importing = ReturnType<typeof createImporting>;

/** The end of `importing`: taking over what the engine read and what extensions say of it. */
export function createImporting(tools: AnnotationTools) {
  const { backbone, store, content, readings, schemas, blockers, suggestedEdits, rules } = tools;
  const duplicates = createDuplicates(tools);

  return {
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
        (await withHistory(awaited, schema, q, drafts)).map((node) => shiftIds(node, first)),
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

  /** What people confirmed before validates what is the same now, where the queue wants that. */
  async function withHistory(
    { organizationId, queueId }: Annotation,
    schema: SchemaContent,
    { settings }: queue.Queue,
    nodes: readonly ContentNode[],
  ): Promise<readonly ContentNode[]> {
    const autopilot = readAutopilot(settings);
    const searched = autopilot ? searchedValues(autopilot, schema, nodes) : [];
    if (!autopilot || searched.length < autopilot.fewestMatching) return nodes;
    return validateByHistory(autopilot, schema, nodes, await store.findConfirmed(organizationId, queueId, searched));
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
        await tools.history.add(session, { ...historyOf(after, before, 'extract', caller, now), values });
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
}

/** Whose decision it was that an annotation is in its state. */
function decidedBy(decision: Decision | null): Partial<Annotation> {
  if (decision?.status === 'rejected') return { rejectedById: decision.byId };
  if (decision?.status === 'deleted') return { deletedById: decision.byId };
  return {};
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

function isAwaited(annotation: Annotation, rirPollId: string): boolean {
  return annotation.status === 'importing' && annotation.rirPollId === rirPollId;
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
