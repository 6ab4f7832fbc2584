import { type Caller, Refusal } from '@intake/rpc';
import type { Annotation, Decision } from './annotation/annotation.types';
import type { Status } from './annotation/status';

/** What a change of state is asked with, beside its trigger. */
export interface ChangeInput {
  readonly caller: Caller;
  readonly now: Date;
  /** Where confirming, automation or an export request leads, as the queue is set up. */
  readonly next?: Status;
  /** Confirmed by automation. */
  readonly automated?: boolean;
  readonly automaticallyRejected?: boolean;
}

type Guard = (annotation: Annotation, input: ChangeInput) => void;
type Target = Status | ((annotation: Annotation, input: ChangeInput) => Status);
type Transition = readonly [trigger: string, from: readonly Status[], to: Target, ...guards: Guard[]];

/** A review that another user holds is nobody else's to end, admins included. */
export const ownReview = (
  annotation: Pick<Annotation, 'status' | 'reviewerId'>,
  { caller }: Pick<ChangeInput, 'caller'>,
): void => {
  if (annotation.status === 'reviewing' && annotation.reviewerId !== caller.userId)
    throw new Refusal('ANNOTATION_NOT_YOURS');
};
/** What is in another user's review is changed by nobody else, but by extensions that are asked about it. */
export function requireNoOtherReview(
  annotation: Pick<Annotation, 'id' | 'status' | 'reviewerId'>,
  caller: Caller,
): void {
  if (caller.kind === 'user' && caller.askedAnnotationId !== annotation.id) ownReview(annotation, { caller });
}
/** A review whose session has expired can be taken over. */
const freeToReview: Guard = (annotation, input) => {
  if (annotation.reviewUntil && annotation.reviewUntil <= input.now) return;
  ownReview(annotation, input);
};
const beforeReview: Target = ({ statusBeforeReview }) =>
  statusBeforeReview === 'postponed' ? 'postponed' : 'to_review';
const asTheQueueSays: Target = (_, { next }) => next ?? 'to_review';

const DELETABLE: readonly Status[] = [
  'created',
  'importing',
  'failed_import',
  'split',
  'to_review',
  'reviewing',
  'confirmed',
  'rejected',
  'exported',
  'failed_export',
  'postponed',
];

/** The time of a document is up whatever is done with it. */
const EXPIRABLE: readonly Status[] = [...DELETABLE, 'exporting', 'in_workflow'];

/**
 * The whole life of an annotation. API: states.md. Every change announces itself as `annotation.<to>`.
 * A `set_<status>` trigger is a PATCH of the status (states.md section 3).
 */
// biome-ignore format: one transition, one line
export const LIFECYCLE = [
  // trigger             from                                                                              to                guards
  ['import',             ['created'],                                                                      'importing'],
  ['finish_extraction',  ['importing'],                                                                    asTheQueueSays],
  ['fail_extraction',    ['importing'],                                                                    'failed_import'],
  ['split_at_import',    ['importing'],                                                                    'split'],
  ['start',              ['to_review', 'postponed', 'confirmed', 'reviewing'],                             'reviewing',      freeToReview],
  ['cancel',             ['reviewing'],                                                                    beforeReview,     ownReview],
  ['time_out',           ['reviewing'],                                                                    'to_review'],
  ['confirm',            ['reviewing'],                                                                    asTheQueueSays,   ownReview],
  ['postpone',           ['to_review', 'reviewing', 'confirmed', 'rejected', 'failed_export'],             'postponed',      ownReview],
  ['reject',             ['to_review', 'reviewing', 'postponed', 'in_workflow'],                           'rejected',       ownReview],
  ['delete',             DELETABLE,                                                                        'deleted',        ownReview],
  ['expire',             EXPIRABLE,                                                                        'deleted'],
  ['purge',              ['deleted'],                                                                      'purged'],
  ['request_export',     ['confirmed', 'to_review', 'reviewing', 'postponed', 'failed_export'],            asTheQueueSays,   ownReview],
  ['finish_export',      ['exporting'],                                                                    'exported'],
  ['fail_export',        ['exporting'],                                                                    'failed_export'],
  ['rotate',             ['to_review', 'postponed', 'reviewing', 'rejected', 'confirmed', 'failed_import', 'failed_export'], 'importing', ownReview],
  ['split',              ['to_review', 'reviewing', 'postponed', 'split'],                                 'split',          ownReview],
  ['edit_in_place',      ['to_review', 'reviewing', 'postponed'],                                          'importing',      ownReview],
  ['set_to_review',      ['postponed', 'rejected', 'deleted', 'failed_export', 'confirmed', 'exported', 'failed_import', 'reviewing'], 'to_review'],
  ['set_postponed',      ['to_review', 'reviewing', 'rejected', 'confirmed', 'failed_export', 'deleted'],  'postponed',      ownReview],
  ['set_deleted',        DELETABLE,                                                                        'deleted',        ownReview],
  ['set_rejected',       ['to_review', 'reviewing', 'postponed', 'in_workflow'],                           'rejected',       ownReview],
  ['set_confirmed',      ['to_review', 'reviewing', 'postponed', 'exported'],                              'confirmed',      ownReview],
  ['set_exporting',      ['confirmed', 'exported', 'failed_export', 'to_review', 'postponed'],             asTheQueueSays],
  ['set_exported',       ['confirmed', 'exporting', 'failed_export'],                                      'exported'],
  ['set_importing',      ['created', 'to_review', 'postponed', 'rejected', 'confirmed', 'exported', 'failed_import', 'failed_export', 'deleted'], 'importing'],
] as const satisfies readonly Transition[];

/** What an extension may decide of a document about which it is asked before anybody sees it. API: states.md section 2. */
const DECISIONS: Readonly<Record<string, Decision['status']>> = {
  postpone: 'postponed',
  reject: 'rejected',
  delete: 'deleted',
  split: 'split',
};

/** Name of what can happen to an annotation. */
export type Trigger = (typeof LIFECYCLE)[number][0];

const BY_TRIGGER = new Map<string, Transition>(LIFECYCLE.map((transition) => [transition[0], transition]));

/** Whether a name is a trigger of the table. */
export function isTrigger(name: string): name is Trigger {
  return BY_TRIGGER.has(name);
}

/** Whether this is a decision of the extension that is being asked: the state changes when all of them have answered. */
function isDecision({ id, status, extractedPollId }: Annotation, trigger: Trigger, caller: Caller): boolean {
  const isAsked = status === 'importing' && extractedPollId !== null && caller.initializedAnnotationId === id;
  return isAsked && Object.hasOwn(DECISIONS, trigger);
}

function decide(annotation: Annotation, trigger: Trigger, { caller, automaticallyRejected }: ChangeInput): Annotation {
  if (annotation.decision?.status === 'split') {
    throw new Refusal('CONFLICT_STATUS', { detail: 'The document was split already.' });
  }
  const status = DECISIONS[trigger] as Decision['status'];
  const decision = { status, byId: caller.userId, automaticallyRejected: automaticallyRejected ?? false };
  return { ...annotation, decision };
}

/**
 * The annotation after a trigger: new state, stamps, one version more. Of what an extension decides while it is asked, only the
 * decision is noted, in the same version. Throws CONFLICT_STATUS when the state does not allow it and ANNOTATION_NOT_YOURS when
 * another user holds the review.
 */
export function applyTrigger(annotation: Annotation, trigger: Trigger, input: ChangeInput): Annotation {
  if (isDecision(annotation, trigger, input.caller)) return decide(annotation, trigger, input);
  const [, from, target, ...guards] = BY_TRIGGER.get(trigger) as Transition;
  if (!from.includes(annotation.status)) {
    if (input.caller.kind === 'user') ownReview(annotation, input);
    throw wrongStatus(annotation, trigger, target);
  }
  for (const guard of guards) guard(annotation, input);
  const status = typeof target === 'string' ? target : target(annotation, input);
  const { caller, now } = input;
  const inReview = status === 'reviewing';
  return {
    ...annotation,
    ...stampsOf(status, trigger, input),
    // What was said when an export failed.
    ...(status === 'exported' && annotation.exportFailedAt ? { messages: [] } : {}),
    status,
    version: annotation.version + 1,
    statusVersion: annotation.version + 1,
    statusBeforeReview: inReview
      ? annotation.status === 'reviewing'
        ? annotation.statusBeforeReview
        : annotation.status
      : null,
    reviewerId: inReview ? caller.userId : null,
    reviewUntil: inReview ? new Date(now.getTime() + annotation.sessionTimeoutS * 1000) : null,
    modifiedAt: now,
    modifierId: caller.userId ?? annotation.modifierId,
    restingSince: now,
    resends: 0,
    purgeRequestedAt: null,
    decision: null,
  };
}

function stampsOf(
  status: Status,
  trigger: Trigger,
  { caller, now, automated, automaticallyRejected }: ChangeInput,
): Partial<Annotation> {
  const by = caller.userId;
  return {
    ...(trigger === 'confirm' || status === 'confirmed' || automated ? { confirmedAt: now, confirmedById: by } : {}),
    ...(automated === undefined ? {} : { automated }),
    ...(status === 'reviewing' ? { assignedAt: now } : {}),
    ...(status === 'exported' ? { exportedAt: now, exportedById: by } : {}),
    ...(status === 'failed_export' ? { exportFailedAt: now } : {}),
    ...(status === 'rejected'
      ? { rejectedAt: now, rejectedById: by, automaticallyRejected: automaticallyRejected ?? false }
      : {}),
    ...(status === 'deleted' ? { deletedAt: now, deletedById: by } : {}),
    ...(status === 'purged' ? { purgedAt: now, purgedById: by } : {}),
  };
}

function wrongStatus(annotation: Annotation, trigger: Trigger, target: Target): Refusal {
  if (trigger === 'start') {
    return new Refusal('CONFLICT_STATUS', {
      detail: 'Assignment is allowed only for documents in states: to_review, reviewing, postponed, confirmed',
    });
  }
  const aim = trigger.startsWith('set_') ? trigger.slice(4) : typeof target === 'string' ? target : undefined;
  return new Refusal('CONFLICT_STATUS', {
    detail: aim
      ? `Status cannot be changed from ${annotation.status} to ${aim}.`
      : `The action ${trigger} is not possible in status ${annotation.status}.`,
  });
}
