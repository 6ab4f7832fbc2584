import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { domainToASCII } from 'node:url';
import { Refusal } from '@intake/rpc';
import { continueRequest, type Runtime } from '@intake/service';
import { Counter } from 'prom-client';
import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from 'smtp-server';
import type { Envelope, RawMessage, Recipient } from '../email/email';
import { type CertificateFiles, followCertificate, readCertificate } from './certificate';
import { createConnectionLimits } from './connection-limits';
import { type MessageWatch, watchMessage } from './message-stream';
import { SmtpRefusal } from './smtp-refusal';

/** API: email-import.md section 1.1: 50 MB, base64 included. */
export const MAX_MESSAGE_BYTES = 52_428_800;

export interface SmtpListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly domain: string;
  /** Null: no STARTTLS. */
  readonly tls: CertificateFiles | null;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** After so long without a word a connection is closed. */
  readonly idleMs: number;
  /** The inbox with this address, or null when there is none. Throws SERVICE_UNAVAILABLE. */
  readonly findInbox: (address: string) => Promise<Recipient | null>;
  /** Stores a raw message as it streams in. */
  readonly store: (chunks: AsyncIterable<Buffer>) => Promise<Omit<RawMessage, 'messageId'>>;
  /** Makes a stored message ours; when it returns, the sender may forget it. */
  readonly receive: (raw: RawMessage, recipients: readonly Recipient[], envelope: Envelope) => Promise<void>;
  /** Told of each message how long its sender waited for the answer after its last byte, in milliseconds. */
  readonly received: (ownMs: number) => void;
}

/** Recipients of one message; more are told to come again with the next one. RFC 5321, 4.5.3.1.8: at least 100. */
const MAX_RECIPIENTS = 100;

const NO_SUCH_INBOX = new SmtpRefusal('550 5.1.1', 'No such inbox');
const TRY_LATER = new SmtpRefusal(451, 'Try again later');
const NO_ROOM = new SmtpRefusal('452 4.3.1', 'There is no room for the message now');
const TOO_MANY_CONNECTIONS = new SmtpRefusal('421 4.7.0', 'Too many connections from your address');
const TOO_MANY_RECIPIENTS = new SmtpRefusal('452 4.5.3', 'Too many recipients');
const TOO_LARGE = new SmtpRefusal('552 5.3.4', `Message is larger than ${MAX_MESSAGE_BYTES} bytes`);
const BARE_LINE_END = new SmtpRefusal('550 5.5.2', 'Lines must end with CRLF');

/**
 * Receives mail by SMTP; answers 250 only when a message is safe. API: email-import.md section 1.1. Returns the port.
 * Stops by itself with the runtime.
 */
export async function startSmtpListener(runtime: Runtime, options: SmtpListenerOptions): Promise<number> {
  const { host, port, domain, tls, findInbox, store, receive, received } = options;
  const recipientOf = new WeakMap<SMTPServerAddress, Recipient>();
  /** Sessions that broke the rules of DATA: nothing they pipelined behind it counts. */
  const banned = new WeakSet<SMTPServerSession>();
  const limits = createConnectionLimits(options.maxConnectionsPerAddress);
  const messages = new Counter({
    name: 'intake_mails_total',
    help: 'Messages by what the sender was answered (accepted or the SMTP code)',
    labelNames: ['answer'],
    registers: [runtime.metrics],
  });
  // Counted from the first on: an increase from nothing is none to Prometheus.
  for (const answer of ['accepted', '451', '452', 'recipient 451']) messages.inc({ answer }, 0);

  const checkRecipient = async (address: SMTPServerAddress, session: SMTPServerSession): Promise<void> => {
    if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) throw TOO_MANY_RECIPIENTS;
    const wanted = inboxAddressOf(address);
    if (wanted.slice(wanted.lastIndexOf('@') + 1) !== domain)
      throw new SmtpRefusal('550 5.7.1', 'Relaying is not allowed');
    const recipient = await findInbox(wanted);
    if (!recipient) throw NO_SUCH_INBOX;
    recipientOf.set(address, recipient);
  };

  /** Whether an inbox that the message is for is still there: one answer counts for all of them. */
  const isAnyLeft = async ({ envelope }: SMTPServerSession): Promise<boolean> => {
    const found = await Promise.all(envelope.rcptTo.map((address) => findInbox(inboxAddressOf(address))));
    return found.some((inbox) => inbox !== null);
  };

  const takeMessage = async (stream: Readable, session: SMTPServerSession): Promise<void> => {
    const watch = watchMessage();
    let endedAt = 0;
    stream.once('end', () => {
      endedAt = performance.now();
    });
    try {
      const stored = await store(passOn(stream, watch));
      if (watch.hasBareLineEnd()) throw BARE_LINE_END;
      const recipients = session.envelope.rcptTo.flatMap((address) => recipientOf.get(address) ?? []);
      if (!(await isAnyLeft(session))) throw NO_SUCH_INBOX;
      await receive({ ...stored, messageId: watch.messageId() }, recipients, envelopeOf(session));
      received(performance.now() - endedAt);
    } catch (error) {
      await drain(stream, watch);
      if (watch.hasBareLineEnd()) banned.add(session);
      throw watch.hasBareLineEnd() ? BARE_LINE_END : error;
    }
  };

  const toSmtp = (error: unknown): SmtpRefusal => {
    if (error instanceof SmtpRefusal) return error;
    if (error instanceof Refusal && error.reason === 'PAYLOAD_TOO_LARGE') return TOO_LARGE;
    if (error instanceof Refusal && error.reason === 'STORAGE_FULL') return NO_ROOM;
    // Whatever it is, the sender still has the message and tries again.
    runtime.log.warn({ err: error }, 'mail is put off');
    return TRY_LATER;
  };

  /** Each message is a request of its own: one id from here to the last event that it causes. */
  const takeAsRequest = (stream: Readable, session: SMTPServerSession): Promise<void> =>
    continueRequest(runtime.tracer, 'smtp message', {}, () =>
      takeMessage(stream, session).catch((error) => {
        throw toSmtp(error);
      }),
    );

  const server = new SMTPServer({
    name: domain,
    banner: 'Intake',
    logger: false,
    authOptional: true,
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    ...(tls && { ...readCertificate(tls), minVersion: 'TLSv1.2' }),
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    // Telephones and scanners have senders such as a..b@example.org; whom a mail is for must be an inbox anyway.
    lenientAddressParsing: true,
    size: MAX_MESSAGE_BYTES,
    maxClients: options.maxConnections,
    socketTimeout: options.idleMs,
    // A client may send many mails without ever logging in.
    maxAllowedUnauthenticatedCommands: false,
    closeTimeout: 10_000,
    onConnect: (session, done) => done(limits.open(session) ? null : TOO_MANY_CONNECTIONS),
    onClose: (session) => limits.close(session),
    onMailFrom: (_address, session, done) =>
      done(banned.has(session) ? new SmtpRefusal(421, 'Closing the connection') : null),
    onRcptTo: (address, session, done) => {
      checkRecipient(address, session).then(
        () => done(),
        (error) => {
          const refusal = toSmtp(error);
          messages.inc({ answer: `recipient ${String(refusal.responseCode).slice(0, 3)}` });
          done(refusal);
          if (limits.refuseRecipient(session)) closeConnection(server, session.id);
        },
      );
    },
    onData: (stream, session, done) => {
      takeAsRequest(stream, session).then(
        () => {
          messages.inc({ answer: 'accepted' });
          done();
        },
        (error) => {
          const refusal = toSmtp(error);
          messages.inc({ answer: String(refusal.responseCode).slice(0, 3) });
          done(refusal);
          if (banned.has(session)) closeConnection(server, session.id);
        },
      );
    },
  });
  if (tls) followCertificate(runtime, tls, (renewed) => server.updateSecureContext(renewed));
  const oldest = setInterval(() => {
    for (const id of limits.findOld(Date.now())) closeConnection(server, id);
  }, 10_000).unref();
  server.on('error', (error) => runtime.log.info({ problem: error.message }, 'SMTP connection'));

  const bound = await new Promise<number>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => resolve((server.server.address() as AddressInfo).port));
  });
  runtime.onStop('SMTP', async () => {
    clearInterval(oldest);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return bound;
}

/** A recipient as inboxes are named: the server hands domains on in Unicode, whatever the sender wrote. */
function inboxAddressOf({ address }: SMTPServerAddress): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at).toLowerCase() + domainToASCII(address.slice(at));
}

function envelopeOf(session: SMTPServerSession): Envelope {
  const { mailFrom } = session.envelope;
  return {
    sender: mailFrom ? mailFrom.address : '',
    remoteAddress: session.remoteAddress,
    helo: session.hostNameAppearsAs || '',
    encrypted: session.secure,
  };
}

/** The message's chunks, counted and watched; throws as soon as there are too many. The stream itself stays usable. */
async function* passOn(stream: Readable, watch: MessageWatch): AsyncGenerator<Buffer> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    watch.see(chunk as Buffer);
    if (watch.size > MAX_MESSAGE_BYTES) throw TOO_LARGE;
    yield chunk as Buffer;
  }
}

/** Reads what is left of a message, because the answer may come only after its end. Twice the allowed size is the end of patience. */
async function drain(stream: Readable, watch: MessageWatch): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return;
  stream.on('data', (chunk: Buffer) => {
    watch.see(chunk);
    if (watch.size > 2 * MAX_MESSAGE_BYTES) stream.destroy();
  });
  await finished(stream, { writable: false }).catch(() => undefined);
}

function closeConnection(server: SMTPServer, id: string): void {
  for (const connection of server.connections) if (connection.id === id) connection.close();
}
