import type { annotation } from '@intake/contracts';

/** What is known of one annotation: enough to count it. */
export interface Fact {
  readonly annotationId: number;
  readonly organizationId: number;
  readonly queueId: number;
  /** Newest version of the annotation that was heard of. */
  readonly version: number;
  /** As of that version. */
  readonly status: string;
  readonly modifierId: number | null;
  readonly automaticallyRejected: boolean;
  readonly arrivedAt: Date | null;
  readonly confirmedAt: Date | null;
  readonly exportedAt: Date | null;
  readonly rejectedAt: Date | null;
  readonly deletedAt: Date | null;
  /** Versions at which it was last rejected and deleted, 0 for never. */
  readonly rejectedVersion: number;
  readonly deletedVersion: number;
  /** Seconds that users spent on it. */
  readonly timeOverallS: number;
  readonly timeActiveS: number;
  /** Version of the last export, 0 for none; its schema, and what became of its fields. */
  readonly exportedVersion: number;
  readonly schemaId: number;
  readonly fields: readonly annotation.FieldFigures[];
}

/** A change of state, from an event or from the history of the annotation. */
export type Change = annotation.StateChange;

/**
 * The fact after an event. Events may come in any order and more than once: a version that is not newer changes nothing but
 * what only it can tell: when the annotation was rejected or deleted, and what was exported. Answers `before` itself when there is nothing new.
 */
export function applyChange(before: Fact | null, change: Change): Fact {
  const newer = !before || change.version > before.version;
  const fact = newer ? takeState(before, change) : before;
  const at = change.at ?? null;
  if (change.status === 'rejected' && change.version > fact.rejectedVersion)
    return { ...fact, rejectedAt: at, rejectedVersion: change.version };
  if (change.status === 'deleted' && change.version > fact.deletedVersion)
    return { ...fact, deletedAt: at, deletedVersion: change.version };
  if (change.status === 'exported' && change.version > fact.exportedVersion) {
    const { version: exportedVersion, schemaId, fields } = change;
    return { ...fact, exportedVersion, schemaId, fields };
  }
  return fact;
}

function takeState(before: Fact | null, change: Change): Fact {
  return {
    annotationId: change.annotationId,
    organizationId: change.organizationId,
    queueId: change.queueId,
    version: change.version,
    status: change.status,
    modifierId: change.modifierId ?? null,
    automaticallyRejected: change.automaticallyRejected,
    arrivedAt: change.arrivedAt ?? before?.arrivedAt ?? null,
    confirmedAt: change.confirmedAt ?? before?.confirmedAt ?? null,
    exportedAt: change.exportedAt ?? before?.exportedAt ?? null,
    rejectedAt: before?.rejectedAt ?? null,
    deletedAt: before?.deletedAt ?? null,
    rejectedVersion: before?.rejectedVersion ?? 0,
    deletedVersion: before?.deletedVersion ?? 0,
    timeOverallS: change.timeOverallS,
    timeActiveS: change.timeActiveS,
    exportedVersion: before?.exportedVersion ?? 0,
    schemaId: before?.schemaId ?? 0,
    fields: before?.fields ?? [],
  };
}

/** Date by which a confirmed document is counted: of its export, or else of its confirmation (API: usage-report.md section 2). */
export function confirmationCountedAt({
  confirmedAt,
  exportedAt,
}: Pick<Fact, 'confirmedAt' | 'exportedAt'>): Date | null {
  return confirmedAt && (exportedAt ?? confirmedAt);
}
