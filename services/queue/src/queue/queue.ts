import { type Caller, organizationOf, requireAdmin } from '@intake/rpc';
import { findMetadataProblem, findNameProblem, type JsonObject, NO_SUCH_OBJECT, refuseProblems } from '../fields';
import type { SchemaStore } from '../schema/schema.store';
import type { WorkspaceStore } from '../workspace/workspace.store';
import type { QueueStore } from './queue.store';
import { DEFAULT_ACCEPTED_MIME_TYPES, DEFAULT_SETTINGS } from './queue-defaults';

/** Where documents of one kind are imported, reviewed and exported. API: workspaces-queues.md section 2. */
export interface Queue {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly workspaceId: number | null;
  readonly schemaId: number;
  readonly inboxId: number | null;
  readonly connectorId: number | null;
  readonly hookIds: readonly number[];
  /** How long a review may rest, in seconds. */
  readonly sessionTimeoutS: number;
  /** 0..1 */
  readonly defaultScoreThreshold: number;
  readonly automationEnabled: boolean;
  readonly automationLevel: 'always' | 'confident' | 'never';
  /** `language_REGION` or `auto`. */
  readonly locale: string;
  readonly metadata: JsonObject;
  readonly useConfirmedState: boolean;
  readonly status: 'active' | 'deletion_requested' | 'deletion_in_progress' | 'deletion_failed';
  readonly settings: JsonObject;
  readonly rirUrl: string | null;
  readonly rirParams: string | null;
  readonly trainingEnabled: boolean;
  readonly deleteAfter: Date | null;
}

/** What a new queue is made of. */
export interface NewQueue {
  readonly name: string;
  readonly workspaceId: number;
  readonly schemaId: number;
  readonly locale?: string;
  readonly useConfirmedState?: boolean;
  readonly metadata?: JsonObject;
  readonly settings?: JsonObject;
}

const LOCALE = /^(auto|[a-z]{2,3}_[A-Z]{2})$/;

/** The types that a queue imports: its own list, or the default set where that is empty or missing. */
export function acceptedMimeTypes(queue: Pick<Queue, 'settings'>): readonly string[] {
  const own = queue.settings.accepted_mime_types;
  return Array.isArray(own) && own.length > 0 ? own : DEFAULT_ACCEPTED_MIME_TYPES;
}

function findMimeTypesProblem(settings: JsonObject): string | null {
  const types = settings.accepted_mime_types;
  if (types === undefined) return null;
  if (!Array.isArray(types)) return 'accepted_mime_types: expected a list of items.';
  const wrong = types.find((type) => typeof type !== 'string' || !/^[^/\s]+\/[^/\s]+$/.test(type));
  return wrong === undefined ? null : `accepted_mime_types: "${wrong}" is not a valid MIME type.`;
}

/**
 * Makes a queue in the caller's organization, with the default settings where none are given. Caller: admin.
 * Field errors: `name`, `workspace`, `schema`, `locale`, `metadata`, `settings`.
 */
export async function createQueue(
  caller: Caller,
  input: NewQueue,
  { queues, workspaces, schemas }: { queues: QueueStore; workspaces: WorkspaceStore; schemas: SchemaStore },
): Promise<Queue> {
  requireAdmin(caller);
  const { name, workspaceId, schemaId, locale = 'en_GB', metadata = {}, settings = {} } = input;
  const [workspaceExists, schemaExists] = await Promise.all([
    workspaces.exists(caller, workspaceId),
    schemas.exists(caller, schemaId),
  ]);
  refuseProblems({
    name: findNameProblem(name),
    workspace: workspaceExists ? null : NO_SUCH_OBJECT,
    schema: schemaExists ? null : NO_SUCH_OBJECT,
    locale: LOCALE.test(locale) ? null : `"${locale}" is not a valid choice.`,
    metadata: findMetadataProblem(metadata),
    settings: findMimeTypesProblem(settings),
  });
  return queues.insert({
    name,
    organizationId: organizationOf(caller),
    workspaceId,
    schemaId,
    inboxId: null,
    connectorId: null,
    hookIds: [],
    sessionTimeoutS: 3600,
    defaultScoreThreshold: 0.8,
    automationEnabled: false,
    automationLevel: 'never',
    locale,
    metadata,
    useConfirmedState: input.useConfirmedState ?? false,
    status: 'active',
    settings: { ...DEFAULT_SETTINGS, ...settings },
    rirUrl: null,
    rirParams: null,
    trainingEnabled: true,
    deleteAfter: null,
  });
}
