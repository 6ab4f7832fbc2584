import type { annotation, events } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { type Client, Refusal, systemCaller } from '@intake/rpc';
import type { Connectors } from '../connector/connectors';
import { type Message, messageOf } from '../content/answer';
import type { ContentEvents, HookResult } from '../content/content-events';
import type { Claim, NewWork, Work, WorkStore } from '../work/work.store';
import type { Handler, Result } from '../work/worker';

export interface LegsOptions {
  readonly annotations: Pick<
    Client<typeof annotation.AnnotationServiceService>,
    'finishExport' | 'finishInitialization'
  >;
  readonly connectors: Connectors;
  readonly contentEvents: ContentEvents;
  readonly work: WorkStore;
}

/** What is known of a leg, also after a restart. */
interface Progress {
  readonly version: number;
  readonly rirPollId?: string;
  readonly previousStatus: string | null;
  readonly connector?: HookResult;
  readonly [hook: `hook${number}`]: HookResult | undefined;
}

type Effect = (session: ClientSession) => Promise<void>;

/**
 * The parts of an annotation's way on which extensions are waited for: after the extraction, and between `exporting` and
 * `exported` (API: hooks-and-connectors.md section 2.1). Each is a work that survives restarts: what was answered is not asked again.
 */
export type Legs = ReturnType<typeof createLegs>;

export function createLegs({ annotations, connectors, contentEvents, work }: LegsOptions) {
  const finishExport = async (
    { organizationId, annotationId, data }: Work,
    failed: boolean,
    messages: readonly Message[],
  ): Promise<void> => {
    const { version } = data as unknown as Progress;
    const request = { annotationId: annotationId ?? 0, version, failed, messages: [...messages] };
    await unlessGone(annotations.finishExport(request, systemCaller('extension', organizationId)));
  };
  const finishInitialization = async (
    { organizationId, annotationId, data }: Work,
    messages: readonly Message[],
    blockers: readonly Message[],
  ): Promise<void> => {
    const { rirPollId = '' } = data as unknown as Progress;
    const request = { annotationId: annotationId ?? 0, rirPollId, messages: [...messages], blockers: [...blockers] };
    await unlessGone(annotations.finishInitialization(request, systemCaller('extension', organizationId)));
  };

  /** Asks connector and hooks what was not asked before. */
  const askAll = async (
    claim: Claim,
    action: 'initialize' | 'export',
    askConnector: () => Promise<HookResult>,
    signal: AbortSignal,
  ): Promise<HookResult> => {
    const { id, organizationId, annotationId, queueId, data } = claim.work;
    const progress = data as unknown as Progress;
    const connector = progress.connector ?? (await askConnector());
    if (!progress.connector) await work.note(claim, { connector });
    const isStopped = action === 'export' && (connector.failed || connector.messages.some(isError));
    if (isStopped) return { ...connector, failed: true };
    const known = Object.fromEntries(
      Object.entries(data).flatMap(([key, value]) => (key.startsWith('hook') ? [[key.slice(4), value]] : [])),
    ) as Record<string, HookResult>;
    const hooks = await contentEvents.run(
      {
        organizationId,
        annotationId: annotationId ?? 0,
        action,
        isInteractive: false,
        previousStatus: progress.previousStatus,
        updatedIds: [],
        cause: id,
        signal,
        known,
        note: (hookId, result) => work.note(claim, { [`hook${hookId}`]: result }),
      },
      queueId ?? 0,
    );
    signal.throwIfAborted();
    return {
      messages: [...connector.messages, ...hooks.messages],
      blockers: hooks.blockers,
      changedIds: [...connector.changedIds, ...hooks.changedIds],
      failed: hooks.failed,
    };
  };

  const adding =
    (row: NewWork): Effect =>
    (session) =>
      work.add(session, [row]);
  const common = { hookId: null, lane: null, sequence: 0, after: [] } as const;
  const callOf = ({ organizationId, annotationId }: Work, signal: AbortSignal) => ({
    ...{ organizationId, annotationId: annotationId ?? 0, updatedIds: [], signal },
  });

  const initialization: Handler = {
    async run(claim, signal): Promise<Result> {
      const call = { ...callOf(claim.work, signal), isInitial: true };
      const { messages, blockers } = await askAll(claim, 'initialize', () => connectors.validate(call), signal);
      await finishInitialization(claim.work, messages, blockers);
      return { kind: 'done' };
    },
    giveUp: (one) => finishInitialization(one, [lost('looked at by the extensions', one)], []),
  };
  const exporting: Handler = {
    async run(claim, signal): Promise<Result> {
      const call = callOf(claim.work, signal);
      const { failed, messages } = await askAll(claim, 'export', () => connectors.save(call), signal);
      await finishExport(claim.work, failed, messages);
      return { kind: 'done' };
    },
    giveUp: (one) => finishExport(one, true, [lost('exported', one)]),
  };

  return {
    handlers: { initialization, export: exporting },

    /** The effect of a document that was read. */
    beginInitialization({
      organizationId,
      annotationId,
      queueId,
      version,
      rirPollId,
    }: events.AnnotationExtracted): Effect {
      return adding({
        ...common,
        ...{ organizationId, annotationId, queueId },
        id: `initialization/${annotationId}/${rirPollId}`,
        kind: 'initialization',
        group: `initialization/queue:${queueId}`,
        createdAt: new Date(),
        data: { version, rirPollId, previousStatus: 'importing' },
      });
    },

    /** The effect of an annotation that entered `exporting`. */
    beginExport({ organizationId, annotationId, queueId, version, previousStatus }: events.AnnotationChanged): Effect {
      return adding({
        ...common,
        ...{ organizationId, annotationId, queueId },
        id: `export/${annotationId}:${version}`,
        kind: 'export',
        group: `export/queue:${queueId}`,
        createdAt: new Date(),
        data: { version, previousStatus: previousStatus || null },
      });
    },
  };
}

function isError({ type }: Message): boolean {
  return type === 'error';
}

function lost(what: string, { id }: Work): Message {
  return messageOf('error', `The document could not be ${what} (error ${id}).`);
}

/** Gone or moved on meanwhile: there is no leg to finish. */
async function unlessGone(task: Promise<unknown>): Promise<void> {
  try {
    await task;
  } catch (error) {
    if (error instanceof Refusal && (error.reason === 'NOT_FOUND' || error.reason === 'CONFLICT_STATUS')) return;
    throw error;
  }
}
