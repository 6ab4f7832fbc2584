import type { annotation } from '@intake/contracts';
import { type Database, transaction } from '@intake/mongo';
import { type Client, systemCaller } from '@intake/rpc';
import { applyChange, type Change, type Fact } from '../fact/fact';
import type { FactStore } from '../fact/fact.store';

/** All annotations of a large installation may take long, in milliseconds. */
const STREAM_MS = 24 * 3600 * 1000;
/** Changes that are written together. */
const BATCH = 1000;

export interface RebuildingOptions {
  readonly annotations: Pick<Client<typeof annotation.AnnotationServiceService>, 'streamStateChanges'>;
  readonly facts: FactStore;
  readonly database: Database;
}

/** Makes the facts anew from the history of the annotations. */
export type Rebuilding = ReturnType<typeof createRebuilding>;

export function createRebuilding({ annotations, facts, database }: RebuildingOptions) {
  const write = async (changes: readonly Change[]): Promise<number> => {
    const made = new Map<number, Fact>();
    for (const change of changes) {
      made.set(change.annotationId, applyChange(made.get(change.annotationId) ?? null, change));
    }
    await transaction(database, async (session) => {
      const known = await facts.find(session, [...made.keys()]);
      // An event that came since the history was read knows more.
      const isBehind = ({ annotationId, version }: Fact) => (known.get(annotationId)?.version ?? 0) <= version;
      await facts.save(session, [...made.values()].filter(isBehind));
    });
    return made.size;
  };

  return {
    /** Answers of how many annotations. Facts of annotations that are gone stay as they are: nobody else knows of them. */
    async run(): Promise<number> {
      let count = 0;
      let batch: Change[] = [];
      const stream = annotations.streamStateChanges({}, systemCaller('reporting'), { timeoutMs: STREAM_MS });
      for await (const change of stream) {
        // The changes of one annotation come one after the other, and are not taken apart.
        if (batch.length >= BATCH && batch.at(-1)?.annotationId !== change.annotationId) {
          count += await write(batch);
          batch = [];
        }
        batch.push(change);
      }
      return count + (await write(batch));
    },
  };
}
