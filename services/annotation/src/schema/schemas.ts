import type { queue } from '@intake/contracts';
import { type Client, systemCaller } from '@intake/rpc';
import type { SchemaContent } from '@intake/schema';

type Queues = Client<typeof queue.QueueServiceService>;

/** Schemas by id, kept for a few seconds: a schema that is changed keeps its id. */
export interface Schemas {
  get(organizationId: number, schemaId: number): Promise<SchemaContent>;
  /** Forgets a schema that was changed. */
  forget(schemaId: number): void;
}

const KEEP_MS = 10_000;
const KEEP_AT_MOST = 500;

/** Reads schemas from the queue service. */
export function createSchemas(queues: Queues): Schemas {
  const kept = new Map<number, { until: number; content: Promise<SchemaContent> }>();
  return {
    get(organizationId, schemaId) {
      const known = kept.get(schemaId);
      if (known && known.until > Date.now()) return known.content;
      const content = queues
        .getSchema({ id: schemaId }, systemCaller('annotation', organizationId))
        .then((schema) => JSON.parse(schema.contentJson) as SchemaContent);
      if (kept.size >= KEEP_AT_MOST) kept.clear();
      kept.set(schemaId, { until: Date.now() + KEEP_MS, content });
      content.catch(() => kept.delete(schemaId));
      return content;
    },
    forget: (schemaId) => void kept.delete(schemaId),
  };
}
