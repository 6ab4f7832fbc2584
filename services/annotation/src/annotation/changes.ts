import type { Backbone } from '@intake/bus';
import { events } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import type { ContentStore } from '../content/content.store';
import { applyTrigger, type ChangeInput, type Trigger } from '../lifecycle';
import type { AnnotationStore } from './annotation.store';
import type { Annotation } from './annotation.types';
import type { ChangedValue, ExportFigures, HistoryEntry, HistoryStore } from './history.store';

/** What every change of an annotation is made with. */
export interface ChangeTools {
  readonly backbone: Backbone;
  readonly store: AnnotationStore;
  readonly history: HistoryStore;
  readonly content: Pick<ContentStore, 'findFigures'>;
}

/** What further writes of a change have to say about it. */
export interface Alongside {
  /** Of a purge: no annotation of the document has its data any more. */
  readonly lastOfDocument?: boolean;
  /** The same of its e-mail. */
  readonly lastOfEmail?: boolean;
  /** Values that changed, for the audit trail. */
  readonly values?: readonly ChangedValue[];
}

/** What a change of state may be asked with. */
export interface ChangeOptions extends Partial<Omit<ChangeInput, 'caller' | 'now'>> {
  /** Fields that change together with the state. */
  readonly patch?: Partial<Annotation>;
  /** The same, where it depends on what the annotation was. */
  readonly patchOf?: (before: Annotation) => Partial<Annotation>;
  /** Id of the user who asked for it, when the service does it later. */
  readonly requestedBy?: (before: Annotation) => number | null;
  /** Further writes of the same transaction; the annotation as it will be. */
  readonly alongside?: (session: ClientSession, after: Annotation) => Promise<Alongside | undefined> | Promise<void>;
  /** Answers false when there is nothing to do any more: the annotation is then answered as it is. */
  readonly unless?: (before: Annotation, session: ClientSession) => boolean | Promise<boolean>;
}

/** The only way in which the state of an annotation changes: lifecycle, version check, audit trail and event in one transaction. */
export async function changeState(
  tools: ChangeTools,
  caller: Caller,
  id: number,
  trigger: Trigger,
  options: ChangeOptions = {},
): Promise<Annotation> {
  return transaction(tools.backbone.database, (session) =>
    changeInSession(tools, session, caller, id, trigger, options),
  );
}

/** `changeState` as a part of a larger transaction. */
export async function changeInSession(
  { backbone, store, history, content }: ChangeTools,
  session: ClientSession,
  caller: Caller,
  id: number,
  trigger: Trigger,
  { patch, patchOf, requestedBy, alongside, unless, ...input }: ChangeOptions = {},
): Promise<Annotation> {
  const before = await store.get(caller, id, session);
  if (await unless?.(before, session)) return before;
  const now = new Date();
  const after = {
    ...applyTrigger(before, trigger, { ...input, caller, now }),
    ...patch,
    ...patchOf?.(before),
    hadMessages: hadMessages(before),
  };
  await store.replace(session, after, before);
  const more = (await alongside?.(session, after)) ?? {};
  // Nothing has happened to it yet.
  if (after.version === before.version) return after;
  const entersExported = after.status === 'exported' && before.status !== 'exported';
  const exported = entersExported
    ? { schemaId: after.schemaId, fields: await content.findFigures(session, id) }
    : undefined;
  const userId = requestedBy?.(before);
  const actor: Caller = userId ? { ...caller, kind: 'user', userId } : caller;
  const line = historyOf(after, before, trigger, actor, now);
  await history.add(session, { ...line, values: more.values, ...(exported && { exported }) });
  backbone.emit(session, eventFor(after, before.status, trigger, actor, now, { ...more, exported }));
  return after;
}

/** Whether an annotation that is changed now had messages once. */
export function hadMessages(before: Annotation): boolean {
  return before.hadMessages || before.messages.length > 0;
}

/** Writes a new annotation with the first line of its history and its first event. */
export async function openAnnotation(
  { backbone, store, history }: ChangeTools,
  session: ClientSession,
  caller: Caller,
  annotation: Annotation,
): Promise<void> {
  await store.insert(session, annotation);
  await history.add(session, historyOf(annotation, null, 'open', caller, annotation.createdAt));
  await backbone.emit(session, eventFor(annotation, '', 'open', caller, annotation.createdAt));
}

/** A line of the audit trail. @param before null: there was no such annotation */
export function historyOf(
  after: Annotation,
  before: Annotation | null,
  trigger: string,
  caller: Caller,
  at: Date,
): HistoryEntry {
  const isCountedAnew = before?.status !== after.status || before.queueId !== after.queueId;
  return {
    annotationId: after.id,
    version: after.version,
    trigger,
    from: before?.status ?? '',
    to: after.status,
    actorId: caller.userId,
    actor: caller.kind === 'user' ? 'user' : caller.username,
    at,
    ...(isCountedAnew && {
      counts: [
        ...(before ? [{ queueId: before.queueId, status: before.status, count: -1 }] : []),
        { queueId: after.queueId, status: after.status, count: 1 },
      ],
    }),
  };
}

/** `annotation.extracted`: extensions are to look at what was read. */
export function extractedEventFor({ id, version, resends, organizationId, queueId, extractedPollId }: Annotation) {
  return {
    subject: 'annotation.extracted' as const,
    aggregate: `annotation:${id}`,
    version,
    resend: resends,
    payload: { annotationId: id, organizationId, queueId, version, rirPollId: extractedPollId ?? '' },
  };
}

/** What an event says that the annotation does not. */
interface Said extends Pick<Alongside, 'lastOfDocument' | 'lastOfEmail'> {
  readonly exported?: ExportFigures;
}

/** `annotation.<status>`: tells everybody about a change of state. */
export function eventFor(
  after: Annotation,
  from: string,
  trigger: string,
  caller: Caller,
  at: Date,
  { lastOfDocument = false, lastOfEmail = false, exported }: Said = {},
) {
  return {
    subject: `annotation.${after.status}` as const,
    aggregate: `annotation:${after.id}`,
    version: after.version,
    resend: after.resends,
    payload: events.AnnotationChanged.fromPartial({
      annotationId: after.id,
      organizationId: after.organizationId,
      queueId: after.queueId,
      documentId: after.documentId,
      uploadId: after.uploadId ?? undefined,
      version: after.version,
      trigger,
      previousStatus: from,
      status: after.status,
      actorId: caller.userId ?? undefined,
      modifierId: after.modifierId ?? undefined,
      at,
      arrivedAt: after.arrivedAt,
      confirmedAt: after.confirmedAt ?? undefined,
      exportedAt: after.exportedAt ?? undefined,
      automated: after.automated,
      automaticallyRejected: after.automaticallyRejected,
      rirPollId: after.rirPollId ?? undefined,
      mimeType: after.mimeType,
      locale: after.locale,
      lastOfDocument,
      rotationDeg: after.rotationDeg,
      emailId: after.emailId ?? undefined,
      lastOfEmail,
      timeOverallS: after.duration.overall,
      timeActiveS: after.duration.active,
      schemaId: after.schemaId,
      fields: [...(exported?.fields ?? [])],
    }),
  };
}
