import type { queue } from '@intake/contracts';
import { type Client, Refusal, systemCaller } from '@intake/rpc';
import type { SchemaContent } from '@intake/schema';

type Queues = Client<typeof queue.QueueServiceService>;

/** Schemas by id, kept for a few seconds: a schema that is changed keeps its id. */
export interface Schemas {
  get(organizationId: number, schemaId: number): Promise<SchemaContent>;
  /** The same, with the number of its version. */
  getCurrent(organizationId: number, schemaId: number): Promise<{ content: SchemaContent; version: number }>;
  /** The content at a version; null when there is none. */
  getVersion(organizationId: number, schemaId: number, version: number): Promise<SchemaContent | null>;
  /** Forgets a schema that was changed. */
  forget(schemaId: number): void;
}

/** A version in a schema. */
type Current = Awaited<ReturnType<Schemas['getCurrent']>>;

const KEEP_MS = 10_000;
const KEEP_AT_MOST = 500;

/** Reads schemas from the queue service. */
export function createSchemas(queues: Queues): Schemas {
  const kept = new Map<number, { until: number; current: Promise<Current> }>();
  const getCurrent: Schemas['getCurrent'] = (organizationId, schemaId) => {
    const known = kept.get(schemaId);
    if (known && known.until > Date.now()) return known.current;
    const current = queues
      .getSchema({ id: schemaId }, systemCaller('annotation', organizationId))
      .then(({ contentJson, version }) => ({ content: JSON.parse(contentJson) as SchemaContent, version }));
    if (kept.size >= KEEP_AT_MOST) kept.clear();
    kept.set(schemaId, { until: Date.now() + KEEP_MS, current });
    current.catch(() => kept.delete(schemaId));
    return current;
  };
  return {
    get: async (organizationId, schemaId) => (await getCurrent(organizationId, schemaId)).content,
    getCurrent,
    async getVersion(organizationId, schemaId, version) {
      try {
        const caller = systemCaller('annotation', organizationId);
        const { contentJson } = await queues.getSchema({ id: schemaId, version }, caller);
        return JSON.parse(contentJson) as SchemaContent;
      } catch (error) {
        if (error instanceof Refusal && error.reason === 'NOT_FOUND') return null;
        throw error;
      }
    },
    forget: (schemaId) => void kept.delete(schemaId),
  };
}
