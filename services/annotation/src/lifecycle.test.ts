import { ANNOTATION_STATUSES } from '@intake/bus';
import { events, queue } from '@intake/contracts';
import { type Caller, type Refusal, systemCaller } from '@intake/rpc';
import type { Annotation } from './annotation/annotation.types';
import { newAnnotation } from './annotation/new-annotation';
import type { Status } from './annotation/status';
import { applyTrigger, LIFECYCLE, type Trigger } from './lifecycle';

const now = new Date('2026-05-04T10:00:00Z');
const jane: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: 7,
  username: 'jane',
  roles: ['annotator'],
  queueIds: [1],
};
const joe: Caller = { ...jane, userId: 8, username: 'joe' };

function annotationIn(status: Status, over: Partial<Annotation> = {}): Annotation {
  const document = events.DocumentStored.fromPartial({ documentId: 1, organizationId: 1, queueId: 1, uploadId: 1 });
  const inReview = status === 'reviewing';
  return {
    ...newAnnotation(1, document, queue.Queue.fromPartial({ id: 1, schemaId: 1, sessionTimeoutS: 3600 }), now),
    status,
    version: 3,
    statusBeforeReview: inReview ? 'to_review' : null,
    reviewerId: inReview ? 7 : null,
    reviewUntil: inReview ? new Date(now.getTime() + 60_000) : null,
    ...over,
  };
}

/** API: states.md sections 2 and 3, written down once more by hand: trigger -> state it is allowed in -> state it leads to. */
const EXPECTED: Record<Trigger, Partial<Record<Status, Status>>> = {
  import: { created: 'importing' },
  finish_extraction: { importing: 'to_review' },
  fail_extraction: { importing: 'failed_import' },
  split_at_import: { importing: 'split' },
  start: { to_review: 'reviewing', postponed: 'reviewing', confirmed: 'reviewing', reviewing: 'reviewing' },
  cancel: { reviewing: 'to_review' },
  time_out: { reviewing: 'to_review' },
  confirm: { reviewing: 'to_review' },
  postpone: {
    to_review: 'postponed',
    reviewing: 'postponed',
    confirmed: 'postponed',
    rejected: 'postponed',
    failed_export: 'postponed',
  },
  reject: { to_review: 'rejected', reviewing: 'rejected', postponed: 'rejected', in_workflow: 'rejected' },
  delete: except(['purged', 'exporting', 'in_workflow', 'deleted'], 'deleted'),
  expire: except(['purged', 'deleted'], 'deleted'),
  purge: { deleted: 'purged' },
  request_export: {
    confirmed: 'to_review',
    to_review: 'to_review',
    reviewing: 'to_review',
    postponed: 'to_review',
    failed_export: 'to_review',
  },
  finish_export: { exporting: 'exported' },
  fail_export: { exporting: 'failed_export' },
  rotate: {
    to_review: 'importing',
    postponed: 'importing',
    reviewing: 'importing',
    rejected: 'importing',
    confirmed: 'importing',
    failed_import: 'importing',
    failed_export: 'importing',
  },
  split: { to_review: 'split', reviewing: 'split', postponed: 'split', split: 'split' },
  edit_in_place: { to_review: 'importing', reviewing: 'importing', postponed: 'importing' },
  set_to_review: {
    postponed: 'to_review',
    rejected: 'to_review',
    deleted: 'to_review',
    failed_export: 'to_review',
    confirmed: 'to_review',
    exported: 'to_review',
    failed_import: 'to_review',
    reviewing: 'to_review',
  },
  set_postponed: {
    to_review: 'postponed',
    reviewing: 'postponed',
    rejected: 'postponed',
    confirmed: 'postponed',
    failed_export: 'postponed',
    deleted: 'postponed',
  },
  set_deleted: except(['purged', 'exporting', 'in_workflow', 'deleted'], 'deleted'),
  set_rejected: { to_review: 'rejected', reviewing: 'rejected', postponed: 'rejected', in_workflow: 'rejected' },
  set_confirmed: { to_review: 'confirmed', reviewing: 'confirmed', postponed: 'confirmed', exported: 'confirmed' },
  set_exporting: {
    confirmed: 'to_review',
    exported: 'to_review',
    failed_export: 'to_review',
    to_review: 'to_review',
    postponed: 'to_review',
  },
  set_exported: { confirmed: 'exported', exporting: 'exported', failed_export: 'exported' },
  set_importing: {
    created: 'importing',
    to_review: 'importing',
    postponed: 'importing',
    rejected: 'importing',
    confirmed: 'importing',
    exported: 'importing',
    failed_import: 'importing',
    failed_export: 'importing',
    deleted: 'importing',
  },
};

function except(statuses: Status[], to: Status): Partial<Record<Status, Status>> {
  return Object.fromEntries(
    ANNOTATION_STATUSES.filter((status) => !statuses.includes(status)).map((status) => [status, to]),
  );
}

const reasonOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as Refusal).reason;
  }
  return 'none';
};

describe('lifecycle', () => {
  const pairs = LIFECYCLE.flatMap(([trigger]) => ANNOTATION_STATUSES.map((status) => [trigger, status] as const));

  it.each(pairs)('%s in %s leads where states.md says, or is refused', (trigger, status) => {
    const before = annotationIn(status);
    const expected = EXPECTED[trigger][status];
    if (expected === undefined) {
      expect(reasonOf(() => applyTrigger(before, trigger, { caller: jane, now }))).toBe('CONFLICT_STATUS');
    } else {
      const after = applyTrigger(before, trigger, { caller: jane, now });
      expect(after.status).toBe(expected);
      expect(after.version).toBe(before.version + 1);
      expect(after.modifiedAt).toEqual(now);
    }
  });

  it('leads nowhere from purged', () => {
    for (const [trigger, from] of LIFECYCLE)
      expect([trigger, (from as readonly string[]).includes('purged')]).toEqual([trigger, false]);
  });

  it.each([
    ['postpone', 'postponed'],
    ['reject', 'rejected'],
    ['delete', 'deleted'],
    ['split', 'split'],
  ] as const)('notes %s of the extension that is asked, for the end of the extraction', (trigger, status) => {
    const hook = { ...jane, initializedAnnotationId: 1 };
    const asked = annotationIn('importing', { extractedPollId: 'poll' });
    const decided = applyTrigger(asked, trigger, { caller: hook, now });
    expect(decided).toEqual({ ...asked, decision: { status, byId: 7, automaticallyRejected: false } });
    expect(applyTrigger(decided, 'finish_extraction', { caller: hook, now, next: status })).toMatchObject({
      status,
      decision: null,
    });
    const notAsked = [annotationIn('importing'), annotationIn('importing', { extractedPollId: 'poll', id: 2 })];
    for (const other of notAsked)
      if (trigger !== 'delete')
        expect(reasonOf(() => applyTrigger(other, trigger, { caller: hook, now }))).toBe('CONFLICT_STATUS');
  });

  it.each(['confirmed', 'exporting', 'exported'] as const)('confirms into %s as the queue says', (next) => {
    const after = applyTrigger(annotationIn('reviewing'), 'confirm', { caller: jane, now, next });
    expect(after).toMatchObject({
      status: next,
      confirmedAt: now,
      confirmedById: 7,
      reviewerId: null,
      reviewUntil: null,
    });
  });

  it.each([
    'cancel',
    'confirm',
    'postpone',
    'reject',
    'delete',
    'start',
    'set_postponed',
    'set_exporting',
    'set_exported',
    'set_importing',
  ] as const)('refuses %s of a review that another user holds', (trigger) => {
    expect(reasonOf(() => applyTrigger(annotationIn('reviewing'), trigger, { caller: joe, now }))).toBe(
      'ANNOTATION_NOT_YOURS',
    );
  });

  it('lets everybody release a review by setting it to to_review', () => {
    expect(applyTrigger(annotationIn('reviewing'), 'set_to_review', { caller: joe, now })).toMatchObject({
      status: 'to_review',
      reviewerId: null,
    });
  });

  it('lets another user take over a review whose session has expired', () => {
    const expired = annotationIn('reviewing', { reviewUntil: new Date(now.getTime() - 1) });
    expect(applyTrigger(expired, 'start', { caller: joe, now })).toMatchObject({
      status: 'reviewing',
      reviewerId: 8,
      assignedAt: now,
    });
  });

  it('returns to postponed when the review is cancelled, and to to_review when it was confirmed before', () => {
    for (const [before, back] of [
      ['postponed', 'postponed'],
      ['confirmed', 'to_review'],
      ['to_review', 'to_review'],
    ] as const) {
      const started = applyTrigger(annotationIn(before), 'start', { caller: jane, now });
      const again = applyTrigger(started, 'start', { caller: jane, now });
      expect(applyTrigger(again, 'cancel', { caller: jane, now }).status).toBe(back);
    }
  });

  it('stamps each state on entering and leaves the other stamps alone', () => {
    const rejected = applyTrigger(annotationIn('to_review'), 'reject', { caller: jane, now });
    expect(rejected).toMatchObject({ rejectedAt: now, rejectedById: 7, automaticallyRejected: false });
    const later = new Date(now.getTime() + 1000);
    const reopened = applyTrigger(rejected, 'set_to_review', { caller: joe, now: later });
    expect(reopened).toMatchObject({ rejectedAt: now, rejectedById: 7, modifierId: 8, modifiedAt: later });
    const failed = applyTrigger(annotationIn('exporting'), 'fail_export', {
      caller: systemCaller('extension', 1),
      now,
    });
    expect(failed).toMatchObject({ exportFailedAt: now, exportedAt: null });
    const exported = applyTrigger(annotationIn('exporting'), 'finish_export', {
      caller: systemCaller('extension', 1),
      now,
    });
    expect(exported).toMatchObject({ exportedAt: now, exportedById: null, modifierId: null });
  });

  it('forgets what was said of a failed export when another one succeeds, and nothing else', () => {
    const messages = [{ id: 'all', type: 'error' as const, content: 'The receiver is away.' }];
    const finish = (exportFailedAt: Date | null) =>
      applyTrigger({ ...annotationIn('exporting'), messages, exportFailedAt }, 'finish_export', {
        caller: systemCaller('extension', 1),
        now,
      });
    expect(finish(now).messages).toEqual([]);
    expect(finish(null).messages).toEqual(messages);
  });
});
