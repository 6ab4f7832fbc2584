import type { Backbone } from '@intake/bus';
import type { ClientSession } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { Token } from './token';

type Row = Omit<Token, 'hash'> & { _id: string };

/** Access tokens and sessions in MongoDB, by the hash of their key. MongoDB removes expired ones in its own time. */
export type TokenStore = ReturnType<typeof createTokenStore>;

export function createTokenStore({ database }: Pick<Backbone, 'database'>) {
  const schema = new Schema(
    {
      _id: String,
      userId: Number,
      issuedAt: Date,
      expiresAt: Date,
      scope: String,
      oneTime: Boolean,
      session: Boolean,
      partner: String,
      annotationId: Number,
      initializedAnnotationId: Number,
      arrivedUploadId: Number,
      askedAnnotationId: Number,
    },
    { collection: 'tokens', versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  schema.index({ userId: 1 });
  const model = database.connection.model('Token', schema);

  return {
    async insert(made: readonly Token[], session?: ClientSession): Promise<void> {
      await model.insertMany(
        made.map(({ hash, ...token }) => ({ _id: hash, ...token })),
        { session },
      );
    },
    async find(hash: string, session?: ClientSession): Promise<Token | null> {
      const row = await model.findById(hash, null, { session }).lean<Row | null>();
      return row && toToken(row);
    },
    /** The removed token, or null when there is none; with `userId`, only one of that user. */
    async remove(hash: string, userId: number | null, session?: ClientSession): Promise<Token | null> {
      const row = await model
        .findOneAndDelete({ _id: hash, ...(userId !== null && { userId }) }, { session })
        .lean<Row | null>();
      return row && toToken(row);
    },
    /** Removes every token of a user, except the one with the hash `kept`. */
    async removeAllOf(userId: number, kept: string | null, session: ClientSession): Promise<void> {
      await model.deleteMany({ userId, ...(kept !== null && { _id: { $ne: kept } }) }, { session });
    },
  };
}

function toToken({ _id, ...row }: Row): Token {
  return {
    ...row,
    hash: _id,
    session: row.session ?? false,
    partner: row.partner ?? null,
    annotationId: row.annotationId ?? null,
    initializedAnnotationId: row.initializedAnnotationId ?? null,
    arrivedUploadId: row.arrivedUploadId ?? null,
    askedAnnotationId: row.askedAnnotationId ?? null,
  };
}
