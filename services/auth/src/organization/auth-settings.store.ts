import type { Backbone } from '@intake/bus';
import { Schema } from 'mongoose';
import { type AuthSettings, DEFAULT_AUTH_SETTINGS } from './auth-settings';

type Row = Partial<AuthSettings> & { _id: number };

/** Security settings of organizations, by organization. */
export type AuthSettingsStore = ReturnType<typeof createAuthSettingsStore>;

export function createAuthSettingsStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    {
      _id: Number,
      jwtKeys: [{ _id: false, id: Number, name: String, algorithm: String, publicKey: String }],
      jwtAutoProvisioning: Boolean,
      allowedRoles: { type: [String], default: undefined },
      defaultRole: String,
      oidc: {
        type: {
          _id: false,
          enabled: Boolean,
          issuer: String,
          clientId: String,
          clientSecret: String,
          claim: String,
          autoProvisioning: Boolean,
        },
        default: undefined,
      },
    },
    { collection: 'auth_settings', versionKey: false },
  );
  const model = database.connection.model('AuthSettings', schema);

  return {
    nextKeyId: () => ids.next('jwt_keys'),

    async get(organizationId: number): Promise<AuthSettings> {
      const row = await model.findById(organizationId).lean<Row | null>();
      const { _id, ...stored } = row ?? { _id: organizationId };
      return { ...DEFAULT_AUTH_SETTINGS, ...stored };
    },

    /** Organizations with single sign-on, two at most. */
    async findSsoOrganizations(): Promise<number[]> {
      const rows = await model.find({ 'oidc.enabled': true }).select('_id').limit(2).lean<Pick<Row, '_id'>[]>();
      return rows.map(({ _id }) => _id);
    },

    async set(organizationId: number, settings: AuthSettings): Promise<void> {
      await model.updateOne({ _id: organizationId }, { $set: settings }, { upsert: true });
    },
  };
}
