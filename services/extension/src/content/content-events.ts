import type { annotation } from '@intake/contracts';
import { formatTime } from '@intake/resources';
import { type Client, Refusal, systemCaller } from '@intake/rpc';
import { currentContext } from '@intake/service';
import type { Hook, Hooks } from '../hook/hook';
import { predecessorsOf, wavesOf } from '../hook/order';
import type { LogStore } from '../log/log.store';
import type { AnnotationPayloads, Subject } from '../payload/annotation-payload';
import { callIdOf } from '../webhook/call-id';
import type { JsonObject, Outcome } from '../webhook/outcome';
import { type Call, INTERACTIVE_MS, type Webhooks } from '../webhook/webhooks';
import { type Answer, type Detail, type Message, messageOf, readAnswer } from './answer';

/** An event of the content of an annotation. */
export interface ContentEvent {
  readonly organizationId: number;
  readonly annotationId: number;
  /** `initialize`, `started`, `user_update`, `updated`, `confirm` or `export`. */
  readonly action: string;
  /** Somebody waits: one attempt each. */
  readonly isInteractive: boolean;
  readonly previousStatus: string | null;
  readonly updatedIds: readonly number[];
  /** Of what the event follows from: names its calls, so that a call that is made once more has the same id. */
  readonly cause: string;
  readonly signal?: AbortSignal;
  /** Outcomes that are known from before a restart. */
  readonly known?: Readonly<Record<string, HookResult>>;
  readonly note?: (hookId: number, result: HookResult) => Promise<void>;
}

/** What came of one hook, or of all of an event. */
export interface HookResult {
  readonly messages: readonly Message[];
  readonly blockers: readonly Message[];
  readonly changedIds: readonly number[];
  readonly failed: boolean;
}

export interface ContentEventsOptions {
  readonly annotations: Pick<Client<typeof annotation.AnnotationServiceService>, 'applyOperations'>;
  readonly hooks: Hooks;
  readonly payloads: AnnotationPayloads;
  readonly webhooks: Webhooks;
  readonly logs: LogStore;
}

/** Room that is left before the deadline of the request, to hand the results on: milliseconds. */
const MARGIN_MS = 2000;
/** A hook that had nothing to say. */
export const NOTHING: HookResult = { messages: [], blockers: [], changedIds: [], failed: false };

/** Asks hooks about content, and applies what they answer. API: hooks-and-connectors.md sections 2.2 and 4.1. */
export type ContentEvents = ReturnType<typeof createContentEvents>;

export function createContentEvents({ annotations, hooks, payloads, webhooks, logs }: ContentEventsOptions) {
  /** Writes what an extension wants changed; what cannot be written is a message of its own. */
  const apply = async (
    { organizationId, annotationId }: Pick<ContentEvent, 'organizationId' | 'annotationId'>,
    operations: readonly unknown[],
    who: string,
    detail?: Detail,
  ): Promise<{ changedIds: readonly number[]; problem?: Message }> => {
    if (operations.length === 0) return { changedIds: [] };
    const request = { annotationId, operationsJson: JSON.stringify(operations) };
    try {
      const { changedIds } = await annotations.applyOperations(request, systemCaller('extension', organizationId));
      return { changedIds };
    } catch (error) {
      if (!(error instanceof Refusal) || (error.reason !== 'INVALID' && error.reason !== 'CONFLICT_STATUS'))
        throw error;
      const why = error.fields ? JSON.stringify(error.fields) : error.detail;
      return {
        changedIds: [],
        problem: messageOf('error', `The operations of ${who} were not applied: ${why}`, detail),
      };
    }
  };

  /** Calls a hook; answers what remains to be done: its answers are applied one after the other. */
  const callHook = async (
    event: ContentEvent,
    hook: Hook,
    subject: Subject,
    updatedIds: readonly number[],
  ): Promise<() => Promise<HookResult>> => {
    const { annotationId, action, isInteractive, previousStatus, cause, signal } = event;
    const { parts, nodeIds } = await payloads.ofContent(subject, { previousStatus, updatedIds }, hook.sideload);
    const { queueId } = subject.annotation;
    const requestId = callIdOf(`annotation_content.${action}/${annotationId}/${cause}/${hook.id}`);
    const at = new Date();
    const detail = {
      ...{ hook_id: hook.id, hook_name: hook.name, request_id: requestId, timestamp: formatTime(at) },
      is_exception: false,
    };
    const read = (body: JsonObject) => readAnswer(body, nodeIds, detail);
    let answered: Answer | undefined;
    const check = (body: JsonObject) => {
      answered = read(body);
    };
    const call: Call = {
      ...{ hook, event: 'annotation_content', action, requestId, at, parts, signal, check },
      about: { queueId, annotationId },
    };
    const outcome = isInteractive ? await webhooks.callOnce(call, timeLeft()) : await webhooks.call(call);
    const answer = outcome.kind === 'answered' ? answered : readMessages(outcome, read);
    if (!answer) {
      const content = `The extension "${hook.name}" failed. ${outcome.message}`;
      const message = messageOf('error', content, { ...detail, is_exception: true });
      return async () => ({ ...NOTHING, failed: true, messages: [message] });
    }
    // What an answer of an error says is shown, but not done.
    const operations = outcome.kind === 'answered' ? answer.operations : [];
    return async () => {
      const { changedIds, problem } = await apply(event, operations, `the extension "${hook.name}"`, detail);
      return {
        messages: [...answer.messages, ...(problem ? [problem] : [])],
        blockers: action === 'initialize' ? answer.blockers : [],
        changedIds,
        failed: action === 'export' && outcome.kind !== 'answered',
      };
    };
  };

  return {
    apply,

    /** Calls all hooks of an event, in their order. */
    async run(event: ContentEvent, queueId: number): Promise<HookResult> {
      const { organizationId, annotationId, action, known = {} } = event;
      const listening = await hooks.listening(organizationId, queueId, `annotation_content.${action}`);
      const called = listening.filter(({ type }) => type === 'webhook');
      const results = new Map<number, HookResult>();
      const changed = new Set<number>();
      const isStopped = (hook: Hook): boolean =>
        action === 'export' &&
        predecessorsOf(hook, called).some((before) => isBad(results.get(before.id)) || !results.has(before.id));
      for (const wave of wavesOf(called)) {
        const subject = await payloads.find(organizationId, annotationId);
        if (!subject) break;
        const updatedIds = action === 'export' ? [] : [...new Set([...event.updatedIds, ...changed])];
        const asked = wave.filter((hook) => !isStopped(hook));
        const conclusions = await Promise.all(
          asked.map((hook) => (known[hook.id] ? undefined : callHook(event, hook, subject, updatedIds))),
        );
        for (const [i, { id }] of asked.entries()) {
          const result = known[id] ?? (await conclusions[i]?.()) ?? NOTHING;
          if (!known[id]) await event.note?.(id, result);
          results.set(id, result);
          for (const nodeId of result.changedIds) changed.add(nodeId);
        }
      }
      const functions = listening.filter(({ type }) => type !== 'webhook');
      await logs.add(functions.map((hook) => webhooks.recordFunction(functionCall(event, hook, queueId))));
      const all = [...results.values()];
      return {
        messages: all.flatMap(({ messages }) => messages),
        blockers: all.flatMap(({ blockers }) => blockers),
        changedIds: [...changed],
        failed: all.some(isBad),
      };
    },
  };
}

/** A hook after which nothing is to follow in an export. */
function isBad(result: HookResult | undefined): boolean {
  return result !== undefined && (result.failed || result.messages.some(({ type }) => type === 'error'));
}

/** The messages for people that also an error may have. */
function readMessages({ body }: Outcome, read: (body: JsonObject) => Answer): Answer | undefined {
  try {
    return Array.isArray(body?.messages) ? read({ messages: body.messages }) : undefined;
  } catch {
    return undefined;
  }
}

/** How long a call may take that somebody waits for. */
function timeLeft(): number {
  const { deadline } = currentContext();
  const left = deadline ? deadline.getTime() - Date.now() - MARGIN_MS : INTERACTIVE_MS;
  return Math.min(INTERACTIVE_MS, Math.max(left, 1));
}

function functionCall({ annotationId, action, cause }: ContentEvent, hook: Hook, queueId: number): Call {
  return {
    ...{ hook, event: 'annotation_content', action, at: new Date(), parts: {} },
    requestId: callIdOf(`annotation_content.${action}/${annotationId}/${cause}/${hook.id}`),
    about: { queueId, annotationId },
  };
}
