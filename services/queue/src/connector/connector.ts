import { randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import {
  findCertificateProblem,
  findMetadataProblem,
  findNameProblem,
  findUrlProblem,
  type JsonObject,
  NO_SUCH_OBJECT,
  refuseProblems,
} from '../fields';
import type { QueueStore } from '../queue/queue.store';
import type { ConnectorStore } from './connector.store';

/** The older extension of a queue, with fixed calls. API: hooks-and-connectors.md section 7. */
export interface Connector extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  /** Base of the calls. */
  readonly serviceUrl: string;
  /** Query string of every call. */
  readonly params: string | null;
  /** `secret_key` or `Basic`. */
  readonly authorizationType: string;
  readonly authorizationToken: string;
  readonly asynchronous: boolean;
  /** PEM. */
  readonly clientSslCertificate: string | null;
  /** PEM. */
  readonly clientSslKey: string | null;
  readonly metadata: JsonObject;
}

/** What admins write of a connector; its queues are kept with the queues. */
export type ConnectorInput = Omit<Connector, 'id' | 'organizationId' | keyof Modified> & {
  readonly queueIds: readonly number[];
};

/** What each field is when it is emptied. */
export const EMPTY_CONNECTOR: ConnectorInput = {
  name: '',
  serviceUrl: '',
  params: null,
  authorizationType: 'secret_key',
  authorizationToken: '',
  asynchronous: true,
  clientSslCertificate: null,
  clientSslKey: null,
  metadata: {},
  queueIds: [],
};

interface Deps {
  readonly connectors: ConnectorStore;
  readonly queues: QueueStore;
  readonly backbone: Pick<Backbone, 'database'>;
}

function check(given: Partial<ConnectorInput>): void {
  const { name, serviceUrl, authorizationType, clientSslCertificate, metadata } = given;
  refuseProblems({
    name: name === undefined ? null : findNameProblem(name),
    service_url: serviceUrl === undefined ? null : findUrlProblem(serviceUrl),
    authorization_type:
      authorizationType === undefined || ['secret_key', 'Basic'].includes(authorizationType)
        ? null
        : `"${authorizationType}" is not a valid choice.`,
    client_ssl_certificate: findCertificateProblem(clientSslCertificate),
    metadata: findMetadataProblem(metadata),
  });
}

/** Links the connector to exactly these queues; a queue that has another one is a field error. */
async function linkQueues(
  caller: Caller,
  id: number,
  queueIds: readonly number[],
  queues: QueueStore,
  session: ClientSession,
): Promise<void> {
  const wanted = [...new Set(queueIds)];
  const there = await queues.getActive(caller, wanted, session);
  if (there.length < wanted.length) throw invalidField('queues', NO_SUCH_OBJECT);
  const taken = there.find(({ connectorId }) => connectorId !== null && connectorId !== id);
  if (taken) throw invalidField('queues', `The queue "${taken.name}" already has another connector.`);
  const mark = { connectorId: null };
  await queues.updateAll(caller, { connectorId: id, _id: { $nin: wanted } }, { $set: mark }, session);
  await queues.updateAll(caller, { _id: { $in: wanted } }, { $set: { connectorId: id } }, session);
}

/** A token nobody can guess. */
const makeToken = () => randomBytes(20).toString('hex');

/** Makes a connector in the caller's organization. Caller: admin. Field errors: `name`, `service_url`, `queues`, ... */
export async function createConnector(
  caller: Caller,
  { queueIds, ...input }: ConnectorInput,
  { connectors, queues, backbone }: Deps,
): Promise<Connector> {
  requireAdmin(caller);
  check(input);
  const connector: Connector = {
    ...input,
    authorizationToken: input.authorizationToken || makeToken(),
    id: await connectors.nextId(),
    organizationId: organizationOf(caller),
    ...UNMODIFIED,
  };
  await transaction(backbone.database, async (session) => {
    await connectors.insert(connector, session);
    await linkQueues(caller, connector.id, queueIds, queues, session);
  });
  return connector;
}

/** Changes a connector. Caller: admin. Field errors as those of `createConnector`. */
export async function updateConnector(
  caller: Caller,
  id: number,
  { queueIds, ...change }: Partial<ConnectorInput>,
  { connectors, queues, backbone }: Deps,
): Promise<Connector> {
  requireAdmin(caller);
  check(change);
  return transaction(backbone.database, async (session) => {
    const before = found(await connectors.find(caller, id, session));
    const token = change.authorizationToken === '' ? makeToken() : change.authorizationToken;
    const after = {
      ...before,
      ...change,
      ...(token !== undefined && { authorizationToken: token }),
      ...modifiedBy(caller),
    };
    await connectors.replace(caller, after, session);
    if (queueIds) await linkQueues(caller, id, queueIds, queues, session);
    return after;
  });
}

/** Deletes a connector; its queues are left without one. Caller: admin. */
export async function deleteConnector(
  caller: Caller,
  id: number,
  { connectors, queues, backbone }: Deps,
): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    if (!(await connectors.remove(caller, id, session))) throw new Refusal('NOT_FOUND');
    await queues.updateAll(caller, { connectorId: id }, { $set: { connectorId: null } }, session);
  });
}
