import type { Backbone } from '@intake/bus';
import type { ClientSession } from '@intake/mongo';
import { Schema } from 'mongoose';

/** JWTs that were exchanged, by hash, until they expire. */
export type JwtUseStore = ReturnType<typeof createJwtUseStore>;

export function createJwtUseStore({ database }: Pick<Backbone, 'database'>) {
  const schema = new Schema({ _id: String, expiresAt: Date }, { collection: 'jwt_uses', versionKey: false });
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 60 });
  const model = database.connection.model('JwtUse', schema);

  return {
    /** Fails with a duplicate key when it was used before. */
    async insert(hash: string, expiresAt: Date, session: ClientSession): Promise<void> {
      await model.insertMany([{ _id: hash, expiresAt }], { session });
    },
  };
}
