import { randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { type ClientSession, startSweep } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { createTransport } from 'nodemailer';
import type { Config } from '../config';
import { hashKey } from '../token/token';
import type { UserStore } from '../user/user.store';
import { type Letter, type LetterKind, LINK_LIFETIME_MS, writeMail } from './letter';
import type { LetterStore } from './letter.store';

/** Sends mails with links that set a password. */
export interface Post {
  /** Asks for a mail to whoever has the address, or to one user. It is sent after this, and again until the relay takes it. */
  ask(kind: LetterKind, address: string, userId: number | null, session?: ClientSession): Promise<void>;
  /** Sends what was asked for in a transaction that is done, without waiting for it. */
  sendSoon(): void;
}

const SWEEP_MS = 2000;
const RELAY_MS = 20_000;

/** Without a relay nothing is kept or sent. */
export function createPost(
  runtime: Runtime,
  { smtpRelayUrl, mailFrom, publicUrl }: Config,
  { letters, users, leases }: { letters: LetterStore; users: UserStore; leases: Backbone['leases'] },
): Post {
  if (!smtpRelayUrl) {
    runtime.log.info('no mails are sent: INTAKE_SMTP_RELAY_URL is not set');
    const ask: Post['ask'] = async (kind) =>
      runtime.log.warn({ kind }, 'a mail with a link was asked for and is not sent: INTAKE_SMTP_RELAY_URL is not set');
    return { ask, sendSoon: () => undefined };
  }
  const relay = createTransport({
    url: smtpRelayUrl,
    connectionTimeout: RELAY_MS,
    greetingTimeout: RELAY_MS,
    socketTimeout: RELAY_MS,
  });
  runtime.onStop('SMTP relay', async () => relay.close());

  const send = async ({ kind, address, userId }: Letter): Promise<void> => {
    for (const user of await users.findByAddress(address)) {
      if (userId !== null && user.id !== userId) continue;
      // Made only now: the token stands nowhere but in the mail.
      const token = randomBytes(32).toString('base64url');
      await users.setReset(user.id, hashKey(token), new Date(Date.now() + LINK_LIFETIME_MS));
      await relay.sendMail({ from: mailFrom, ...writeMail(kind, user, token, publicUrl) });
    }
  };
  const sendAll = async (): Promise<void> => {
    for (let letter = await letters.take(); letter; letter = await letters.take()) {
      try {
        await send(letter);
        await letters.remove(letter);
      } catch (error) {
        runtime.log.warn({ err: error }, 'a mail could not be sent; it is tried again');
        await letters.postpone(letter);
      }
    }
  };
  startSweep(runtime, leases, 'letters', SWEEP_MS, sendAll);

  return {
    ask: (kind, address, userId, session) => letters.add({ kind, address, userId }, session),
    sendSoon: () => {
      sendAll().catch((error) => runtime.log.warn({ err: error }, 'mails wait for the next turn'));
    },
  };
}
