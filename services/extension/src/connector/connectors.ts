import { type annotation, type auth, documentStorage, queue } from '@intake/contracts';
import { formatTime, urlOrNull } from '@intake/resources';
import { type Client, systemCaller } from '@intake/rpc';
import type { SchemaContent } from '@intake/schema';
import { type Outgoing, OutgoingError } from '@intake/untrusted';
import type { ApiUrls } from '@intake/urls';
import { type Message, messageOf, operationsOfUpdates, readAnswer } from '../content/answer';
import { type ContentEvents, type HookResult, NOTHING } from '../content/content-events';
import { type JsonObject, parseObject } from '../webhook/outcome';
import { type ContentNode, connectorContent } from './connector-payload';
import { connectorUrl } from './connector-url';

export interface ConnectorsOptions {
  readonly outgoing: Outgoing;
  readonly urls: ApiUrls;
  readonly annotations: Client<typeof annotation.AnnotationServiceService>;
  readonly storage: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly auth: Client<typeof auth.AuthServiceService>;
  readonly contentEvents: Pick<ContentEvents, 'apply'>;
}

/** Which annotation a connector is asked about. */
export interface ConnectorCall {
  readonly organizationId: number;
  readonly annotationId: number;
  readonly updatedIds: readonly number[];
  /** The first question after the import. */
  readonly isInitial?: boolean;
  readonly signal?: AbortSignal;
}

/** API: limits.md. */
const VALIDATE_MS = 30_000;
const SAVE_MS = 60_000;

/** An answer of a connector, or why there is none. */
type Said = { readonly status: number; readonly text: string } | { readonly problem: string };

/** Calls the connector of a queue. API: hooks-and-connectors.md section 7. */
export type Connectors = ReturnType<typeof createConnectors>;

export function createConnectors({
  outgoing,
  urls,
  annotations,
  storage,
  queues,
  auth,
  contentEvents,
}: ConnectorsOptions) {
  /** Everything that is known about the annotation; undefined: it is gone, or its queue has no connector. */
  const prepare = async ({ organizationId, annotationId, updatedIds }: ConnectorCall) => {
    const caller = systemCaller('extension', organizationId);
    const [row] = (await annotations.getAnnotations({ ids: [annotationId] }, caller)).annotations;
    const [q] = row ? (await queues.getQueues({ ids: [row.queueId] }, caller)).queues : [];
    if (!row || !q || q.connectorId === undefined) return undefined;
    const one = { page: 1, pageSize: 1 };
    const [{ connectors }, { documents }, schema, { workspaces }, { organizations }, { users }, { treeJson }] =
      await Promise.all([
        queues.listConnectors(queue.ListConnectorsRequest.fromPartial({ ids: [q.connectorId], ...one }), caller),
        storage.getDocuments(documentStorage.GetDocumentsRequest.fromPartial({ ids: [row.documentId] }), caller),
        queues.getSchema({ id: row.schemaId }, caller),
        queues.listWorkspaces(queue.ListRequest.fromPartial({ ids: [q.workspaceId ?? 0], ...one }), caller),
        auth.listOrganizations({ ids: [organizationId] }, caller),
        auth.getUsers({ ids: row.modifierId === undefined ? [] : [row.modifierId] }, caller),
        annotations.getContent({ annotationId }, caller),
      ]);
    const [connector, document, workspace] = [connectors[0], documents[0], workspaces[0]];
    if (!connector) return undefined;
    const nodes = JSON.parse(treeJson) as ContentNode[];
    const meta = {
      document_url: urls.document(row.documentId),
      arrived_at: formatTime(row.arrivedAt),
      original_file: document ? urls.original(document.s3Name) : null,
      original_filename: document?.originalFileName ?? '',
      queue_name: q.name,
      workspace_name: workspace?.name ?? '',
      organization_name: organizations[0]?.name ?? '',
      annotation: urls.annotation(annotationId),
      queue: urls.queue(q.id),
      workspace: urlOrNull(urls.workspace, q.workspaceId),
      organization: urls.organization(organizationId),
      modifier: urlOrNull(urls.user, row.modifierId),
      updated_datapoint_ids: updatedIds.map(String),
      modifier_metadata: users[0]?.metadata ?? {},
      queue_metadata: q.metadata ?? {},
      annotation_metadata: row.metadata ?? {},
      rir_poll_id: row.rirPollId ?? null,
      automated: row.automated,
    };
    const content = connectorContent(nodes, JSON.parse(schema.contentJson) as SchemaContent);
    return { connector, nodeIds: new Set(idsOf(nodes)), body: JSON.stringify({ meta, content }) };
  };

  const post = async (
    connector: queue.Connector,
    path: 'validate' | 'save',
    query: readonly string[],
    body: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Said> => {
    const { authorizationType, authorizationToken, clientSslCertificate, clientSslKey } = connector;
    const certificate =
      clientSslCertificate && clientSslKey ? { cert: clientSslCertificate, key: clientSslKey } : undefined;
    try {
      const { status, body: bytes } = await outgoing({
        url: connectorUrl(connector, path, query),
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'Intake/0.1',
          Authorization: `${authorizationType} ${authorizationToken ?? ''}`,
        },
        body,
        timeoutMs,
        allowPlainHttp: true,
        clientCertificate: certificate,
        signal,
      });
      return { status, text: bytes.toString('utf8') };
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.reason === 'ABORTED') throw error;
      return { problem: `The connector "${connector.name}" failed. ${error.message}` };
    }
  };

  const failed = (messages: readonly Message[]): HookResult => ({ ...NOTHING, messages, failed: true });

  return {
    /** Asks the connector whether the content is right, and writes what it wants changed. */
    async validate(call: ConnectorCall): Promise<HookResult> {
      const prepared = await prepare(call);
      if (!prepared) return NOTHING;
      const { connector, nodeIds, body } = prepared;
      const query = call.isInitial ? ['initial=true'] : [];
      const said = await post(connector, 'validate', query, body, VALIDATE_MS, call.signal);
      if ('problem' in said) return failed([messageOf('error', said.problem)]);
      // Not every connector has this endpoint.
      if (said.status === 404) return NOTHING;
      const json = parseObject(said.text);
      if (said.status < 200 || said.status > 299 || !json) return failed([messageOf('error', textOf(said, json))]);
      try {
        const { messages, operations } = readAnswer(json, nodeIds);
        const all = [...operationsOfUpdates(json), ...operations];
        const { changedIds, problem } = await contentEvents.apply(call, all, `the connector "${connector.name}"`);
        return { ...NOTHING, messages: [...messages, ...(problem ? [problem] : [])], changedIds };
      } catch (error) {
        if (error instanceof Error && error.constructor === Error) {
          return failed([messageOf('error', `The answer of the connector cannot be used: ${error.message}.`)]);
        }
        throw error;
      }
    },

    /** Hands the annotation over. */
    async save(call: ConnectorCall): Promise<HookResult> {
      const prepared = await prepare(call);
      if (!prepared) return NOTHING;
      const { connector, nodeIds, body } = prepared;
      const said = await post(connector, 'save', [], body, SAVE_MS, call.signal);
      if ('problem' in said) return failed([messageOf('error', said.problem)]);
      const isRefused = said.status < 200 || said.status > 299;
      const json = parseObject(said.text);
      const messages = json && readMessages(json, nodeIds);
      if (messages && messages.length > 0) {
        return { ...NOTHING, messages, failed: isRefused || messages.some(({ type }) => type === 'error') };
      }
      return isRefused ? failed([messageOf('error', textOf(said, json))]) : NOTHING;
    },
  };
}

/** Messages of an answer, as far as they are some: nothing that was saved fails for how it is told. */
function readMessages(json: JsonObject, nodeIds: ReadonlySet<number>): readonly Message[] {
  try {
    return readAnswer({ messages: json.messages }, nodeIds).messages;
  } catch {
    return [];
  }
}

/** What an error answer says to people. */
function textOf({ status, text }: { status: number; text: string }, json: JsonObject | undefined): string {
  const said = json?.error ?? json?.messages;
  if (said === undefined) return text.trim() === '' ? `The connector answered ${status}.` : text;
  if (typeof said === 'string') return said;
  const messages = json?.error === undefined ? readMessages({ messages: said }, new Set()) : [];
  return messages.map(({ content }) => content).join('\n') || JSON.stringify(said);
}

function idsOf(nodes: readonly ContentNode[]): number[] {
  return nodes.flatMap(({ id, children = [] }) => [id, ...idsOf(children)]);
}
