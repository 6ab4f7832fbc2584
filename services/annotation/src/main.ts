import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation as contract, documentStorage, extension, queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable, startSweep } from '@intake/mongo';
import { connectRpc, isNeighbourAway, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, milliseconds, readConfig, runAsProcess, runService } from '@intake/service';
import { createAnnotationStore } from './annotation/annotation.store';
import { createAnnotations } from './annotation/annotations';
import { createHistoryStore } from './annotation/history.store';
import { createIdempotencyStore } from './annotation/idempotency.store';
import { createImporting } from './annotation/importing';
import { createOpening } from './annotation/opening';
import { createPurge } from './annotation/purge';
import { createRemoveAnnotation, createRemoveAnnotations } from './annotation/remove-annotations';
import { createResting } from './annotation/resting';
import { createRules } from './annotation/rules';
import { createStatusCounts } from './annotation/status-counts.store';
import { createBlockerStore } from './automation/blocker.store';
import { createConsumers } from './consumers';
import { createContentStore } from './content/content.store';
import { createContents } from './content/contents';
import { createMigrationStore } from './migration/migration.store';
import { createMigrations, startMigrations } from './migration/migrations';
import { createReadingStore } from './migration/reading.store';
import { createNoteStore } from './note/note.store';
import { createPageEditing } from './page-editing/page-editing';
import { createQueueDeletionStore } from './queue-deletion/queue-deletion.store';
import { createQueueDeletions, startQueueDeletions } from './queue-deletion/queue-deletions';
import { createRelationStore } from './relation/relation.store';
import { createRelations } from './relation/relations';
import { createRetention } from './retention/retention';
import { createRpc } from './rpc';
import { createSchemas } from './schema/schemas';
import { createSuggestedEditStore } from './suggested-edit/suggested-edit.store';
import { createSuggestedEdits } from './suggested-edit/suggested-edits';

/** Starts the service: annotations, their content and the state machine. */
export const start = (env: Environment) =>
  runService('annotation', env, async (runtime) => {
    const config = readConfig(env, {
      restingMs: milliseconds(
        'INTAKE_RESTING_MS',
        'work that rests longer in a passing state is put on the bus again, milliseconds',
        120_000,
      ),
      retentionSweepMs: milliseconds(
        'INTAKE_RETENTION_SWEEP_MS',
        'how often annotations older than document_lifetime are looked for, milliseconds',
        3_600_000,
      ),
      reviewSweepMs: milliseconds(
        'INTAKE_REVIEW_SWEEP_MS',
        'how often expired reviews are ended, milliseconds',
        600_000,
      ),
    });
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const store = createAnnotationStore(backbone.database);
    const history = createHistoryStore(backbone.database);
    const statusCounts = createStatusCounts({ database: backbone.database, store, history, log: runtime.log });
    runtime.onStop('counts', () => statusCounts.settle());
    const content = createContentStore(backbone.database);
    const idempotency = createIdempotencyStore(backbone.database);
    const readings = createReadingStore(backbone.database);
    const migrationStore = createMigrationStore(backbone.database);
    const deletionStore = createQueueDeletionStore(backbone.database);
    const notes = createNoteStore(backbone.database);
    const relations = createRelationStore(backbone.database);
    const blockers = createBlockerStore(backbone.database);
    const suggestedEdits = createSuggestedEditStore(backbone.database);
    await createIndexes(backbone.database);

    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc);
    const storage = connectRpc(
      runtime,
      documentStorage.DocumentStorageServiceService,
      rpc.addressOf('document-storage'),
      rpc,
    );
    const extensions = connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc);
    const schemas = createSchemas(queues);
    const stores = { store, history, content, idempotency, readings, notes, relations, blockers, suggestedEdits };
    const rules = createRules({ queues, content, schemas });
    const tools = { backbone, ...stores, schemas, queues, storage, extensions, rules };
    const migrations = createMigrations(runtime, { ...tools, migrations: migrationStore });
    const deletions = createQueueDeletions({ ...tools, deletions: deletionStore });
    const annotations = createAnnotations(tools);
    const importing = createImporting(tools);
    const resting = createResting(tools);
    const opening = createOpening(tools);
    const contents = createContents(tools);
    const purge = createPurge(tools);

    await serveRpc(runtime, {
      stuck: [backbone.stuck, resting.stuck],
      definition: contract.AnnotationServiceService,
      proto: 'intake/annotation/v1/annotation.proto',
      handlers: createRpc({
        ...stores,
        statusCounts,
        log: runtime.log,
        backbone,
        annotations,
        importing,
        contents,
        purge,
        opening,
        pageEditing: createPageEditing(tools, annotations),
        remove: createRemoveAnnotation({ ...tools, deletions: deletionStore }),
        removeOfDocument: createRemoveAnnotations({ ...tools, deletions: deletionStore }),
        relating: createRelations(tools),
        suggesting: createSuggestedEdits(tools),
      }),
      isUnavailable: isMongoUnavailable,
      ...rpc,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers({ opening, schemas, migrations, deletions, store }),
      isAway: isNeighbourAway,
    });
    startMigrations(runtime, backbone, migrations);
    startQueueDeletions(runtime, backbone, deletions);
    startSweep(runtime, backbone.leases, 'resting', Math.max(config.restingMs / 4, 1000), async () => {
      for (const status of ['importing', 'exporting'] as const) {
        const resent = await resting.resend(status, config.restingMs);
        if (resent > 0) runtime.log.warn({ status, resent }, 'resting annotations were put on the bus again');
      }
    });
    startSweep(runtime, backbone.leases, 'purge-requests', config.reviewSweepMs, purge.purgeRequested);
    const retention = createRetention(tools, purge);
    startSweep(runtime, backbone.leases, 'retention', config.retentionSweepMs, async () => {
      const expired = await retention.expire();
      if (expired > 0) runtime.log.info({ expired }, 'annotations older than document_lifetime are purged');
    });
    startSweep(runtime, backbone.leases, 'expired-reviews', config.reviewSweepMs, () => resting.endExpiredReviews());
  });

if (require.main === module) void runAsProcess(start);
