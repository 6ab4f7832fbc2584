import type { Backbone } from '@intake/bus';
import { events } from '@intake/contracts';
import { startSweep, transaction } from '@intake/mongo';
import { isNeighbourAway, systemCaller } from '@intake/rpc';
import { type ContentNode, compareContent, evaluateFormulas, migrateContent, type SchemaContent } from '@intake/schema';
import type { Runtime } from '@intake/service';
import type { AnnotationStore } from '../annotation/annotation.store';
import type { Annotation } from '../annotation/annotation.types';
import { historyOf } from '../annotation/changes';
import type { HistoryStore } from '../annotation/history.store';
import { readdress } from '../annotation/messages';
import type { Status } from '../annotation/status';
import type { ContentStore } from '../content/content.store';
import { today } from '../content/contents';
import type { Schemas } from '../schema/schemas';
import type { Migration, MigrationStore } from './migration.store';
import type { ReadingStore } from './reading.store';

/** What migrations stand on. */
export interface MigrationTools {
  readonly backbone: Backbone;
  readonly store: AnnotationStore;
  readonly history: HistoryStore;
  readonly content: ContentStore;
  readonly schemas: Schemas;
  readonly readings: ReadingStore;
  readonly migrations: MigrationStore;
}

/** In these states new fields get what the engine read; in all others they are empty, or what the schema says. */
const FILLED: readonly Status[] = ['importing', 'to_review', 'postponed', 'reviewing'];
const BATCH = 40;
const AT_ONCE = 4;
/** How long one turn lasts at most; the lease is longer. */
const TURN_MS = 5000;
const SWEEP_MS = 1000;
/** Other replicas may know the schema as it was for a while, and make content of that shape: it is looked for once more. */
const SECOND_PASS_MS = 15_000;

export type Migrations = ReturnType<typeof createMigrations>;

/**
 * Existing annotations follow their schema when its content is changed (API: schemas.md section 7). It goes on in the background, an
 * annotation at a time, each in a transaction of its own, and where it was left when it is interrupted.
 */
export function createMigrations(runtime: Pick<Runtime, 'log'>, tools: MigrationTools) {
  const { backbone, store, history, content, schemas, readings, migrations } = tools;

  /** Brings the content of one annotation to the shape of the schema. */
  const migrate = async (migration: Migration, annotationId: number, after: SchemaContent): Promise<void> => {
    const { schemaId, organizationId, version } = migration;
    const caller = systemCaller('annotation', organizationId);
    const contentOf = (at: number) => schemas.getVersion(organizationId, schemaId, at);
    await transaction(backbone.database, async (session) => {
      const before = await store.get(caller, annotationId, session);
      const [nodes, reading] = [await content.list(annotationId, session), await readings.find(annotationId, session)];
      if (before.schemaId !== schemaId) return;
      const isKnown = reading?.schemaId === schemaId;
      if (isKnown && reading.schemaVersion >= version) return;
      const known = isKnown ? await contentOf(reading.schemaVersion) : null;
      // Without content it was not read yet; or the schema was not set up when it was.
      if (nodes.length === 0 && known?.length !== 0) return;
      const from = known ?? after;
      const sources = (FILLED.includes(before.status) && reading?.sources) || null;
      let count = 0;
      const drafts = migrateContent(after, nodes, { from, sources, allocateId: () => --count });
      const first = count < 0 ? await backbone.ids.next('node', -count) : 0;
      const shaped = drafts.map((node) => numbered(node, first));
      const change = compareContent(nodes, FILLED.includes(before.status) ? calculate(after, shaped) : shaped);
      await readings.save(session, {
        annotationId,
        schemaId,
        schemaVersion: version,
        sources: reading?.sources ?? null,
      });
      if (change.changed.length + change.added.length + change.removed.length === 0) return;
      const now = new Date();
      const left = new Set(change.nodes.map(({ id }) => id));
      const messages = readdress(before.messages, (id) => (left.has(id) ? id : undefined));
      const migrated: Annotation = { ...before, messages, version: before.version + 1 };
      await content.write(session, annotationId, change);
      await store.replace(session, migrated, before);
      await history.add(session, historyOf(migrated, before, 'migrate', caller, now));
      await backbone.emit(session, {
        subject: 'annotation.content_changed',
        aggregate: `annotation:${annotationId}`,
        version: migrated.version,
        payload: events.AnnotationContentChanged.fromPartial({
          annotationId,
          organizationId,
          queueId: before.queueId,
          version: migrated.version,
          nodeIds: [...change.changed, ...change.added].map(({ id }) => id),
          reviewerId: before.reviewerId ?? undefined,
        }),
      });
    });
  };

  /** One annotation that cannot follow does not keep the others from it. */
  const tryMigrate = async (migration: Migration, annotationId: number, after: SchemaContent): Promise<void> => {
    try {
      await migrate(migration, annotationId, after);
    } catch (error) {
      if (isNeighbourAway(error)) throw error;
      runtime.log.error(
        { err: error, annotationId, schemaId: migration.schemaId },
        'content could not follow its schema',
      );
    }
  };

  const proceed = async (migration: Migration): Promise<Migration | null> => {
    const { schemaId, organizationId, version, pass } = migration;
    const ids = await migrations.findAnnotations(migration, BATCH);
    if (ids.length === 0) {
      if (pass > 1) await migrations.finish(migration);
      else await migrations.proceed(migration, { pass: 2, afterId: 0, due: new Date(Date.now() + SECOND_PASS_MS) });
      return null;
    }
    const after = await schemas.getVersion(organizationId, schemaId, version);
    if (!after) {
      // The schema is gone, and so it has no annotations any more.
      await migrations.finish(migration);
      return null;
    }
    const upToDate = await readings.findUpToDate(ids, schemaId, version);
    const waiting = ids.filter((id) => !upToDate.has(id));
    const work = Array.from({ length: AT_ONCE }, async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await tryMigrate(migration, id, after);
    });
    await Promise.all(work);
    const afterId = ids.at(-1)!;
    await migrations.proceed(migration, { afterId, due: new Date() });
    return { ...migration, afterId };
  };

  return {
    /** The effect of `schema.updated`. */
    begin: migrations.begin,

    /** Goes on with what waits, for some seconds. */
    async turn(): Promise<void> {
      const end = Date.now() + TURN_MS;
      for (let due = await migrations.findDue(new Date()); due; due = await migrations.findDue(new Date())) {
        for (let next: Migration | null = due; next && Date.now() < end; ) next = await proceed(next);
        if (Date.now() >= end) return;
      }
    },
  };
}

/** Goes on with migrations, in one replica at a time. */
export function startMigrations(runtime: Runtime, backbone: Pick<Backbone, 'leases'>, migrations: Migrations): void {
  startSweep(runtime, backbone.leases, 'schema-migration', SWEEP_MS, migrations.turn);
}

/** With what the formulas of the schema give. */
function calculate(schema: SchemaContent, nodes: ContentNode[]): ContentNode[] {
  return evaluateFormulas(schema, nodes, { today: today() }).nodes;
}

/** Replaces the provisional ids -1, -2, ... by `first`, `first + 1`, ... */
function numbered(node: ContentNode, first: number): ContentNode {
  const number = (id: number) => (id < 0 ? first - 1 - id : id);
  return { ...node, id: number(node.id), parentId: node.parentId === null ? null : number(node.parentId) };
}
