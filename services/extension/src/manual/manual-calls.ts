import { randomUUID } from 'node:crypto';
import type { extension } from '@intake/contracts';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import type { Hook, Hooks } from '../hook/hook';
import type { AnnotationPayloads } from '../payload/annotation-payload';
import type { ArrivalPayloads } from '../payload/arrival-payloads';
import { type JsonObject, type Outcome, parseObject } from '../webhook/outcome';
import { type Call, maskAll, type Webhooks } from '../webhook/webhooks';

export interface ManualCallsOptions {
  readonly hooks: Hooks;
  readonly payloads: AnnotationPayloads;
  readonly arrivalPayloads: ArrivalPayloads;
  readonly webhooks: Webhooks;
}

const MANUAL = 'invocation.manual';
/** Events whose payloads are about an annotation. */
const ABOUT_ANNOTATIONS = ['annotation_status', 'annotation_content'];

/** Calls of hooks that a person asks for. API: hooks-and-connectors.md section 1.2. */
export type ManualCalls = ReturnType<typeof createManualCalls>;

export function createManualCalls({ hooks, payloads, arrivalPayloads, webhooks }: ManualCallsOptions) {
  const callOf = (hook: Hook, event: string, action: string, parts: JsonObject): Call => ({
    ...{ hook, event, action, parts, requestId: randomUUID(), at: new Date(), about: {} },
  });
  const answerOf = ({ kind, body, message }: Outcome): extension.HookAnswer => {
    if (kind === 'answered' && body) return { bodyJson: JSON.stringify(body) };
    throw new Refusal('HOOK_FAILED', { detail: message || 'The answer of the hook is no JSON object.' });
  };
  const requireWebhook = ({ type }: Hook) => {
    if (type !== 'webhook')
      throw new Refusal('HOOK_FAILED', { detail: 'Functions are stored, but not executed here.' });
  };

  return {
    /** Sends exactly this payload. */
    async test(caller: Caller, { hookId, config, payloadJson }: extension.TestHookRequest) {
      requireAdmin(caller);
      const hook = await hooks.findVisible(caller, hookId);
      requireWebhook(hook);
      const payload = parseObject(payloadJson) ?? {};
      const { event, action } = payload;
      if (typeof event !== 'string') throw invalidField('payload', 'The payload has no event.');
      const changed = { ...hook, config: { ...hook.config, ...config } };
      const call = callOf(changed, event, typeof action === 'string' ? action : '', payload);
      return answerOf(await webhooks.callWith(call, payload));
    },

    /** Calls a hook with what the caller says. */
    async invoke(caller: Caller, { hookId, bodyJson }: extension.InvokeHookRequest) {
      const hook = await hooks.findVisible(caller, hookId);
      if (!hook.active) throw new Refusal('INVALID', { detail: 'The hook is not active.' });
      if (!hook.events.includes(MANUAL)) {
        throw new Refusal('INVALID', { detail: `The hook does not listen to ${MANUAL}.` });
      }
      requireWebhook(hook);
      return answerOf(await webhooks.callOnce(callOf(hook, 'invocation', 'manual', parseObject(bodyJson) ?? {})));
    },

    /** The payload that would be sent. */
    async generate(caller: Caller, request: extension.GeneratePayloadRequest): Promise<extension.HookAnswer> {
      requireAdmin(caller);
      const { event, action, annotationId, emailId, uploadId, status, previousStatus, token } = request;
      const hook = await hooks.findVisible(caller, request.hookId);
      const partsOf = async (): Promise<JsonObject> => {
        const organizationId = organizationOf(caller);
        if (event === 'upload') {
          if (uploadId === undefined) throw invalidField('upload', REQUIRED);
          return found('upload', await unlessUnknown(arrivalPayloads.ofKnownUpload(organizationId, uploadId)));
        }
        if (event === 'email') {
          if (emailId === undefined) throw invalidField('email', REQUIRED);
          return found('email', await arrivalPayloads.ofKnownEmail(organizationId, emailId));
        }
        if (!ABOUT_ANNOTATIONS.includes(event)) return {};
        if (annotationId === undefined) throw invalidField('annotation', REQUIRED);
        const subject = found('annotation', await payloads.find(organizationId, annotationId));
        const shown = status ?? subject.annotation.status;
        const told = { status: shown, previousStatus: previousStatus ?? null, updatedIds: [] };
        if (event === 'annotation_status') return payloads.ofStatus(subject, told, hook.sideload);
        const changed = { ...subject, annotation: { ...subject.annotation, status: shown } };
        return (await payloads.ofContent(changed, told, hook.sideload)).parts;
      };
      const payload = webhooks.payloadOf(callOf(hook, event, action, await partsOf()), token);
      return { bodyJson: JSON.stringify({ ...payload, secrets: maskAll(hook.secrets ?? {}) }) };
    },
  };
}

const REQUIRED = 'This field is required.';

function found<T>(field: string, object: T | undefined): T {
  if (object === undefined) throw invalidField(field, 'Invalid hyperlink - Object does not exist.');
  return object;
}

async function unlessUnknown<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'NOT_FOUND') return undefined;
    throw error;
  }
}
