import type { Backbone, NewEvent } from '@intake/bus';
import { extension } from '@intake/contracts';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import type { Hook, Hooks } from '../hook/hook';
import type { LogStore } from '../log/log.store';
import type { ArrivalPayloads } from '../payload/arrival-payloads';
import { callIdOf } from '../webhook/call-id';
import type { Webhooks } from '../webhook/webhooks';
import type { Claim, NewWork, Work, WorkStore } from '../work/work.store';
import type { Handler, Result } from '../work/worker';
import type { AskHooks, Said } from './ask-hooks';
import { addedDocuments, allOf, applyEmailAnswer, type EmailVerdicts } from './email-files';
import { applyUploadAnswer, concludeUpload, listedDocuments, verdictsOf } from './upload-files';

export interface ArrivalsOptions {
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
  readonly hooks: Hooks;
  readonly webhooks: Webhooks;
  readonly work: WorkStore;
  readonly logs: LogStore;
  readonly askHooks: AskHooks;
  readonly payloads: ArrivalPayloads;
}

type UploadRequest = extension.CallUploadHooksRequest;
type UploadResponse = extension.CallUploadHooksResponse;
type EmailRequest = extension.CallEmailHooksRequest;
type EmailResponse = extension.CallEmailHooksResponse;

/** One kind of thing that arrives. */
interface Kind<Request, Response> {
  readonly kind: 'upload' | 'email';
  readonly event: string;
  readonly action: string;
  readonly idOf: (request: Request) => number;
  readonly about: (request: Request) => {
    readonly queueId: number;
    readonly uploadId?: number;
    readonly emailId?: number;
  };
  readonly toJson: (request: Request) => unknown;
  readonly fromJson: (json: unknown) => Request;
  readonly responseFromJson: (json: unknown) => Response;
  readonly responseToJson: (response: Response) => unknown;
  /** What is answered where no hook is asked. */
  readonly unasked: (request: Request) => Response;
  /** What is answered where nobody could be asked. */
  readonly lost: (request: Request, why: string) => Response;
  readonly ask: (question: Asking<Request>) => Promise<Response>;
  readonly answered: (work: Work, request: Request) => NewEvent;
}

interface Asking<Request> {
  readonly request: Request;
  readonly organizationId: number;
  readonly common: Omit<Parameters<AskHooks>[0], 'partsOf' | 'check' | 'take' | 'fail'>;
}

/**
 * The events of what arrives: `upload.created` and `email.received`. Whoever asks goes on at once where no hook listens; otherwise hooks are
 * asked in the background, and an event says when their answer is here. API: hooks-and-connectors.md sections 3.3, 3.4, 4.2, 4.3.
 */
export type Arrivals = ReturnType<typeof createArrivals>;

export function createArrivals(options: ArrivalsOptions) {
  const { backbone, hooks, webhooks, work, logs, askHooks, payloads } = options;

  /** Documents of an answer that are no files of the arrival must have been made by the owner of the hook's token. */
  const checkOwn = async (organizationId: number, hook: Hook, ids: readonly number[], place: string) => {
    const found = await payloads.findDocuments(organizationId, ids);
    const own = new Map(found.filter((one) => one.creatorId === hook.tokenOwnerId).map((one) => [one.id, one]));
    const foreign = ids.findIndex((id) => !own.has(id));
    if (hook.tokenOwnerId === undefined || foreign >= 0) {
      throw new Error(
        `${place} names document ${ids[Math.max(foreign, 0)]}, which the hook did not make with its token`,
      );
    }
    return found;
  };

  const upload: Kind<UploadRequest, UploadResponse> = {
    kind: 'upload',
    event: 'upload',
    action: 'created',
    idOf: ({ uploadId }) => uploadId,
    about: ({ queueId, uploadId, emailId }) => ({ queueId, uploadId, ...(emailId !== undefined && { emailId }) }),
    toJson: extension.CallUploadHooksRequest.toJSON,
    fromJson: extension.CallUploadHooksRequest.fromJSON,
    responseToJson: extension.CallUploadHooksResponse.toJSON,
    responseFromJson: extension.CallUploadHooksResponse.fromJSON,
    // Nobody decides about what cannot be read: it fails for everybody to see.
    unasked: ({ files }) => ({ pending: false, files: files.map((file) => ({ ...file, preventImporting: false })) }),
    lost: ({ files }, why) => ({ pending: false, files: concludeUpload(verdictsOf(files), why) }),
    async ask({ request, organizationId, common }) {
      let verdicts = verdictsOf(request.files);
      let failure = '';
      await askHooks({
        ...common,
        partsOf: () =>
          payloads.ofUpload(
            organizationId,
            request,
            verdicts.map((one) => ({ ...one, values: { ...one.values } })),
          ),
        check: (body) => applyUploadAnswer([], body, {}),
        async take(hook, body, detail) {
          const further = listedDocuments(body).filter((id) => !verdicts.some(({ documentId }) => documentId === id));
          if (further.length > 0) await checkOwn(organizationId, hook, further, 'files');
          verdicts = applyUploadAnswer(verdicts, body, detail);
        },
        fail(hook, why) {
          failure = `the extension "${hook.name}" that was to say what becomes of them failed. ${why}`;
        },
      });
      return { pending: false, files: concludeUpload(verdicts, failure) };
    },
    answered: ({ organizationId }, { uploadId, queueId }) => ({
      subject: 'upload.answered',
      aggregate: `upload:${uploadId}`,
      version: 1,
      payload: { uploadId, organizationId, queueId },
    }),
  };

  const email: Kind<EmailRequest, EmailResponse> = {
    kind: 'email',
    event: 'email',
    action: 'received',
    idOf: ({ emailId }) => emailId,
    about: ({ queueId, emailId }) => ({ queueId, emailId }),
    toJson: extension.CallEmailHooksRequest.toJSON,
    fromJson: extension.CallEmailHooksRequest.fromJSON,
    responseToJson: extension.CallEmailHooksResponse.toJSON,
    responseFromJson: extension.CallEmailHooksResponse.fromJSON,
    unasked: (request) => toEmailResponse(allOf(idsOf(request))),
    // What cannot be asked about is imported as if there were no hook.
    lost: (request) => toEmailResponse(allOf(idsOf(request))),
    async ask({ request, organizationId, common }) {
      let verdicts = allOf(idsOf(request));
      const files = await payloads.measure(organizationId, request.files);
      const added = new Map<number, { mimeType: string; fileName: string; size: number }>();
      await askHooks({
        ...common,
        partsOf: async () =>
          payloads.ofEmail({
            ...request,
            files: files.filter(({ documentId }) => verdicts.files.has(documentId)),
          }),
        check: (body) => applyEmailAnswer(allOf([]), body),
        async take(hook, body) {
          const next = applyEmailAnswer(verdicts, body);
          const further = addedDocuments(body);
          if (further.length > 0) {
            for (const { id, mimeType, originalFileName: fileName, size } of await checkOwn(
              organizationId,
              hook,
              further,
              'additional_files',
            )) {
              added.set(id, { mimeType, fileName, size });
            }
          }
          verdicts = next;
        },
        fail: () => undefined,
      });
      return toEmailResponse(verdicts, added);
    },
    answered: ({ organizationId }, { emailId, queueId }) => ({
      subject: 'email.answered',
      aggregate: `email:${emailId}`,
      version: 1,
      payload: { emailId, organizationId, queueId },
    }),
  };

  const workIdOf = <Q, A>({ event, action, idOf }: Kind<Q, A>, request: Q) => `${event}.${action}/${idOf(request)}`;

  /** The answer as far as it is known; undefined: hooks are being asked. */
  const answerOf = async <Q, A>(kind: Kind<Q, A>, caller: Caller, request: Q): Promise<A | undefined> => {
    const { event, action } = kind;
    const id = workIdOf(kind, request);
    const known = await work.find(id);
    if (known) {
      const { answerJson } = known.data as { answerJson?: string };
      return answerJson === undefined ? undefined : kind.responseFromJson(JSON.parse(answerJson));
    }
    const organizationId = organizationOf(caller);
    const { queueId, ...about } = kind.about(request);
    const listening = await hooks.listening(organizationId, queueId, `${event}.${action}`);
    if (listening.length === 0) return kind.unasked(request);
    const isAsked = listening.some(({ type }) => type === 'webhook');
    const at = new Date();
    const records = listening
      .filter(({ type }) => type !== 'webhook')
      .map((hook) => {
        const requestId = callIdOf(`${id}/${hook.id}`);
        return webhooks.recordFunction({ hook, event, action, requestId, at, about: { queueId, ...about }, parts: {} });
      });
    const row: NewWork = {
      ...{ id, kind: kind.kind, organizationId, queueId, annotationId: null, hookId: null },
      ...{ group: `${kind.kind}/queue:${queueId}`, lane: null, sequence: 0, after: [] },
      data: { requestJson: JSON.stringify(kind.toJson(request)) },
      createdAt: at,
    };
    await transaction(backbone.database, async (session) => {
      if (isAsked) await work.add(session, [row]);
      await logs.add(records, session);
    });
    return isAsked ? undefined : kind.unasked(request);
  };

  /** Keeps the answer, and says that it is here. */
  const conclude = <Q, A>(kind: Kind<Q, A>, claim: Claim, request: Q, answer: A): Promise<void> =>
    transaction(backbone.database, async (session) => {
      await work.note(claim, { answerJson: JSON.stringify(kind.responseToJson(answer)) }, session);
      backbone.emit(session, kind.answered(claim.work, request));
    });

  const handlerOf = <Q, A>(kind: Kind<Q, A>): Handler => ({
    async run(claim, signal): Promise<Result> {
      const { organizationId, data, createdAt } = claim.work;
      if (data.answerJson !== undefined) return { kind: 'done' };
      const request = kind.fromJson(JSON.parse(data.requestJson as string));
      const about = kind.about(request);
      const listening = await hooks.listening(organizationId, about.queueId, `${kind.event}.${kind.action}`);
      const said = Object.entries(data).filter(([key]) => key.startsWith('hook'));
      const common = {
        ...{
          event: kind.event,
          action: kind.action,
          subject: String(kind.idOf(request)),
          at: createdAt,
          about,
          signal,
        },
        hooks: listening.filter(({ type }) => type === 'webhook'),
        known: new Map(said.map(([key, text]) => [Number(key.slice(4)), JSON.parse(text as string) as Said])),
        // As texts: keys of answers are whatever the hook sends.
        note: (hookId: number, one: Said) => work.note(claim, { [`hook${hookId}`]: JSON.stringify(one) }),
      };
      const answer = await kind.ask({ request, organizationId, common });
      await conclude(kind, claim, request, answer);
      return { kind: 'done' };
    },
    async giveUp({ id, data }, claim) {
      const request = kind.fromJson(JSON.parse(data.requestJson as string));
      await conclude(kind, claim, request, kind.lost(request, `its extensions could not be asked (error ${id}).`));
    },
  });

  return {
    handlers: { upload: handlerOf(upload), email: handlerOf(email) },

    async ofUpload(caller: Caller, request: UploadRequest): Promise<UploadResponse> {
      return (await answerOf(upload, caller, request)) ?? { files: [], pending: true };
    },

    async ofEmail(caller: Caller, request: EmailRequest): Promise<EmailResponse> {
      const answer = await answerOf(email, caller, request);
      return answer ?? { pending: true, files: [], additional: [], sender: undefined };
    },
  };
}

function idsOf({ files }: EmailRequest): number[] {
  return files.map(({ documentId }) => documentId);
}

function toEmailResponse(
  { files, additional, sender }: EmailVerdicts,
  added: ReadonlyMap<
    number,
    { readonly mimeType: string; readonly fileName: string; readonly size: number }
  > = new Map(),
): EmailResponse {
  return {
    pending: false,
    files: [...files].map(([documentId, values]) => ({ documentId, values: { ...values } })),
    additional: [...additional].flatMap(([documentId, { values, importDocument }]) => {
      const document = added.get(documentId);
      return document ? [{ documentId, values: { ...values }, importDocument, ...document }] : [];
    }),
    sender: sender ?? undefined,
  };
}
