import type { Backbone } from '@intake/bus';
import type { ClientSession, PageRequest } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import { Schema } from 'mongoose';
import { createRows, type Owned, type RowFilter } from '../row.store';
import { resealAll, type Vault } from '../secrets';
import type { Connector } from './connector';

type Secrets = Pick<Connector, 'authorizationToken' | 'clientSslKey'>;
type Row = Omit<Connector, keyof Secrets> & { readonly sealed: string } & Owned;

/** Connectors in MongoDB; token and key are encrypted. */
export type ConnectorStore = ReturnType<typeof createConnectorStore>;

export function createConnectorStore(backbone: Pick<Backbone, 'database' | 'ids'>, vault: Vault) {
  const rows = createRows<Row>(backbone, {
    model: 'Connector',
    collection: 'connectors',
    fields: {
      name: String,
      serviceUrl: String,
      params: String,
      authorizationType: String,
      asynchronous: Boolean,
      clientSslCertificate: String,
      metadata: Schema.Types.Mixed,
      sealed: String,
      modifiedById: Number,
      modifiedAt: Date,
    },
    indexes: [[{ organizationId: 1, name: 1 }]],
    orderings: { id: '_id', name: 'name', service_url: 'serviceUrl' },
  });
  const toConnector = ({ sealed, ...row }: Row): Connector => ({ ...row, ...(vault.open(sealed) as Secrets) });
  const toRow = ({ authorizationToken, clientSslKey, ...connector }: Connector): Row => ({
    ...connector,
    sealed: vault.seal({ authorizationToken, clientSslKey } satisfies Secrets),
  });

  return {
    nextId: rows.nextId,
    /** Seals all secrets with the passphrase of now. Throws ConfigError. */
    reseal: () => resealAll('connector', vault, rows),
    hold: rows.hold,
    remove: rows.remove,
    insert: (connector: Connector, session: ClientSession) => rows.insert(toRow(connector), session),
    async find(caller: Caller, id: number, session?: ClientSession): Promise<Connector | null> {
      const row = await rows.find(caller, id, session);
      return row && toConnector(row);
    },
    async replace(caller: Caller, connector: Connector, session: ClientSession): Promise<void> {
      const { id, ...row } = toRow(connector);
      await rows.update(caller, id, row, session);
    },
    async list(caller: Caller, filter: RowFilter, ordering: readonly string[], page: PageRequest) {
      const { rows: found, total } = await rows.list(caller, filter, ordering, page);
      return { connectors: found.map(toConnector), total };
    },
  };
}
