import { formatTime } from '@intake/resources';
import type { Detail } from '../content/answer';
import type { Hook } from '../hook/hook';
import { wavesOf } from '../hook/order';
import type { LogStore } from '../log/log.store';
import { callIdOf } from '../webhook/call-id';
import type { JsonObject } from '../webhook/outcome';
import type { Call, Webhooks } from '../webhook/webhooks';

/** What came of a hook: its answer, or why there is none. */
export type Said = { readonly body: JsonObject } | { readonly failure: string };

/** One event that hooks are asked about in the background. */
export interface Question {
  readonly hooks: readonly Hook[];
  readonly event: string;
  readonly action: string;
  /** What it is about, such as `17`: names its calls, so that a call that is made once more has the same id. */
  readonly subject: string;
  readonly at: Date;
  readonly about: Call['about'];
  readonly signal: AbortSignal;
  /** Answers that are known from before a restart, by id of the hook. */
  readonly known: ReadonlyMap<number, Said>;
  readonly note: (hookId: number, said: Said) => Promise<void>;
  /** The payload, with what earlier hooks changed. */
  readonly partsOf: () => Promise<JsonObject>;
  /** Throws an Error that says what is wrong with an answer, whatever it is about. */
  readonly check: (body: JsonObject) => unknown;
  /** Applies an answer; throws an Error that says what is wrong with it. */
  readonly take: (hook: Hook, body: JsonObject, detail: Detail) => Promise<void>;
  /** A hook failed for good. */
  readonly fail: (hook: Hook, why: string) => void;
}

/** Longest answer, in characters: it is kept until all hooks have answered. */
const LONGEST = 4_000_000;

/** Asks hooks in their order; the answers of hooks that run at the same time are applied by ascending id. */
export type AskHooks = ReturnType<typeof createAskHooks>;

export function createAskHooks({ webhooks, logs }: { readonly webhooks: Webhooks; readonly logs: LogStore }) {
  const ask = async (call: Call): Promise<Said> => {
    const { kind, body, message } = await webhooks.call(call);
    call.signal?.throwIfAborted();
    return kind === 'answered' && body ? { body } : { failure: message };
  };

  return async (question: Question): Promise<void> => {
    const { hooks, event, action, subject, at, about, signal, known } = question;
    const check = (body: JsonObject) => {
      if (JSON.stringify(body).length > LONGEST) throw new Error(`it has more than ${LONGEST} characters`);
      return question.check(body);
    };
    for (const wave of wavesOf(hooks)) {
      const parts = await question.partsOf();
      const calls = wave.map((hook): Call => {
        const requestId = callIdOf(`${event}.${action}/${subject}/${hook.id}`);
        return { hook, event, action, requestId, at, parts, about, signal, check };
      });
      const said = await Promise.all(calls.map((call) => known.get(call.hook.id) ?? ask(call)));
      for (const [i, call] of calls.entries()) {
        const { hook, requestId } = call;
        const one = said[i] as Said;
        if (!known.has(hook.id)) await question.note(hook.id, one);
        if ('failure' in one) {
          question.fail(hook, one.failure);
          continue;
        }
        const detail = {
          ...{ hook_id: hook.id, hook_name: hook.name, request_id: requestId, timestamp: formatTime(at) },
          is_exception: false,
        };
        try {
          await question.take(hook, one.body, detail);
        } catch (error) {
          if (!(error instanceof Error) || error.constructor !== Error) throw error;
          const why = `Its answer cannot be used: ${error.message}.`;
          await logs.add([webhooks.record(call, why, 'ERROR')]);
          question.fail(hook, why);
        }
      }
    }
  };
}
