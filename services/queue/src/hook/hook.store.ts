import type { Backbone } from '@intake/bus';
import type { ClientSession, PageRequest } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { JsonObject } from '../fields';
import { createRows, type Owned, type RowFilter } from '../row.store';
import { resealAll, type Vault } from '../secrets';
import type { Hook } from './hook';
import { SECRET_KEYS } from './hook-config';

interface Sealed {
  readonly secrets: JsonObject;
  readonly config: JsonObject;
}
type Row = Omit<Hook, 'secrets'> & { readonly sealed: string } & Owned;

/** Hooks in MongoDB; secrets are encrypted. */
export type HookStore = ReturnType<typeof createHookStore>;

export function createHookStore(backbone: Pick<Backbone, 'database' | 'ids'>, vault: Vault) {
  const { Mixed } = Schema.Types;
  const rows = createRows<Row>(backbone, {
    model: 'Hook',
    collection: 'hooks',
    fields: {
      type: { type: String },
      name: String,
      runAfterIds: [Number],
      active: Boolean,
      events: [String],
      sideload: [String],
      config: Mixed,
      test: Mixed,
      settings: Mixed,
      settingsSchema: Mixed,
      secretsSchema: Mixed,
      sealed: String,
      tokenOwnerId: Number,
      tokenLifetimeS: Number,
      description: String,
      extensionSource: String,
      guide: String,
      readMoreUrl: String,
      extensionImageUrl: String,
      hookTemplate: String,
      metadata: Mixed,
      createdById: Number,
      createdAt: Date,
      modifiedById: Number,
      modifiedAt: Date,
    },
    indexes: [[{ events: 1 }], [{ organizationId: 1, name: 1 }], [{ organizationId: 1, runAfterIds: 1 }]],
    orderings: {
      id: '_id',
      name: 'name',
      type: 'type',
      active: 'active',
      config_url: { mayBeEmpty: 'config.url' },
      config_app_url: { mayBeEmpty: 'config.app.url' },
      events: { mayBeEmpty: 'events' },
    },
  });

  const toHook = ({ sealed, ...row }: Row): Hook => {
    const { secrets, config } = vault.open(sealed) as Sealed;
    return { ...row, secrets, config: { ...row.config, ...config } };
  };
  const toRow = ({ secrets, ...hook }: Hook): Row => {
    const entries = Object.entries(hook.config);
    const isSecret = ([key]: [string, unknown]) => SECRET_KEYS.includes(key);
    return {
      ...hook,
      config: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
      sealed: vault.seal({ secrets, config: Object.fromEntries(entries.filter(isSecret)) } satisfies Sealed),
    };
  };

  return {
    nextId: rows.nextId,
    /** Seals all secrets with the passphrase of now. Throws ConfigError. */
    reseal: () => resealAll('hook', vault, rows),
    hold: rows.hold,
    remove: rows.remove,
    updateAll: rows.updateAll,
    insert: (hook: Hook, session: ClientSession) => rows.insert(toRow(hook), session),
    async find(caller: Caller, id: number, session?: ClientSession): Promise<Hook | null> {
      const row = await rows.find(caller, id, session);
      return row && toHook(row);
    },
    /** What runs after what, of all hooks of the organization. */
    async findOrder(caller: Caller, session: ClientSession): Promise<Map<number, readonly number[]>> {
      const found = await rows.findAll(caller, { runAfterIds: { $ne: [] } }, session);
      return new Map(found.map(({ id, runAfterIds }) => [id, runAfterIds]));
    },
    /** Webhooks of all organizations that are called by the clock, without their secrets. */
    async findScheduled(): Promise<Hook[]> {
      const scheduled = { type: 'webhook', active: true, events: 'invocation.scheduled' };
      const found = await rows.findEverywhere({ ...scheduled, 'config.schedule.cron': { $type: 'string' } });
      return found.map(({ sealed: _sealed, ...row }) => ({ ...row, secrets: {} }));
    },
    async replace(caller: Caller, hook: Hook, session: ClientSession): Promise<void> {
      const { id, ...row } = toRow(hook);
      await rows.update(caller, id, row, session);
    },
    async list(caller: Caller, filter: RowFilter, ordering: readonly string[], page: PageRequest) {
      const { rows: found, total } = await rows.list(caller, filter, ordering, page);
      return { hooks: found.map(toHook), total };
    },
  };
}
