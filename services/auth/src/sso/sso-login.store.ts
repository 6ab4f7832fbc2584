import type { Backbone } from '@intake/bus';
import { Schema } from 'mongoose';
import type { SsoLogin } from './sso-login';

type Row = Omit<SsoLogin, 'stateHash'> & { _id: string };

/** Logins that have begun at a provider, by the hash of their state, until they end or expire. */
export type SsoLoginStore = ReturnType<typeof createSsoLoginStore>;

export function createSsoLoginStore({ database }: Pick<Backbone, 'database'>) {
  const schema = new Schema(
    {
      _id: String,
      browserHash: String,
      organizationId: Number,
      issuer: String,
      clientId: String,
      redirectUri: String,
      nonce: String,
      codeVerifier: String,
      next: String,
      expiresAt: Date,
    },
    { collection: 'sso_logins', versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  const model = database.connection.model('SsoLogin', schema);

  return {
    async insert({ stateHash, ...login }: SsoLogin): Promise<void> {
      await model.insertMany([{ _id: stateHash, ...login }]);
    },

    /** Takes a login of this browser away, so that it ends once; null when there is none. */
    async take(stateHash: string, browserHash: string): Promise<SsoLogin | null> {
      const row = await model.findOneAndDelete({ _id: stateHash, browserHash }).lean<Row | null>();
      if (!row) return null;
      const { _id, ...login } = row;
      return { stateHash: _id, ...login };
    },
  };
}
