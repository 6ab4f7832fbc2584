import type { Backbone } from '@intake/bus';
import { startSweep, transaction } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { createTransport } from 'nodemailer';
import type { EmailStore } from '../email/email.store';
import type { SendingLimits } from './daily-limits';
import { type Delivery, type Handover, isTooOld, type Rejection, remainderOf } from './delivery';
import type { DeliveryStore } from './delivery.store';

export interface RelayOptions {
  /** `smtp://user:password@host:port` */
  readonly url: string;
  readonly backbone: Backbone;
  readonly emails: EmailStore;
  readonly deliveries: DeliveryStore;
  readonly sendingLimits: SendingLimits;
  readonly loadRaw: (delivery: Delivery) => AsyncIterable<Uint8Array>;
}

const SWEEP_MS = 1000;
const RELAY_MS = 20_000;
const GIVEN_UP = 'It was not sent within three days: the limit of automatic e-mails in a day was reached each time.';

/** Hands outgoing mails to the relay, each until it takes it or refuses it for good. */
export function startRelay(runtime: Runtime, options: RelayOptions): void {
  const { url, backbone, emails, deliveries, sendingLimits, loadRaw } = options;
  const relay = createTransport({
    url,
    connectionTimeout: RELAY_MS,
    greetingTimeout: RELAY_MS,
    socketTimeout: RELAY_MS,
  });
  runtime.onStop('SMTP relay', async () => relay.close());

  const end = (delivery: Delivery, state: 'sent' | 'failed', failure: string) =>
    transaction(backbone.database, async (session) => {
      await emails.setDelivery(session, delivery.emailId, state, failure);
      await deliveries.remove(session, delivery);
    });

  /** A mail that its organization may not send today waits, as long as one that the relay does not take. */
  const hold = async (delivery: Delivery, until: Date): Promise<void> => {
    const { emailId: email, organizationId: organization } = delivery;
    if (isTooOld(delivery, new Date())) {
      runtime.log.warn({ email, organization }, 'an automatic e-mail was given up: each day others came first');
      return end(delivery, 'failed', GIVEN_UP);
    }
    runtime.log.warn({ email, organization, until }, 'an automatic e-mail waits: the limit of the day is reached');
    await deliveries.hold(delivery, until);
  };

  const hand = async (delivery: Delivery): Promise<Handover> => {
    const { sender, recipients } = delivery;
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of loadRaw(delivery)) chunks.push(chunk);
      const envelope = { from: sender, to: [...recipients] };
      const { rejectedErrors } = await relay.sendMail({ envelope, raw: Buffer.concat(chunks) });
      return { wasTaken: true, rejections: readRejections(rejectedErrors) };
    } catch (error) {
      const { rejectedErrors, response, responseCode = 0 } = error as SMTPError;
      const text = response ?? (error as Error).message;
      const all = recipients.map((recipient) => ({ recipient, responseCode, text }));
      return { wasTaken: false, rejections: rejectedErrors ? readRejections(rejectedErrors) : all };
    }
  };

  const deliver = async (delivery: Delivery): Promise<void> => {
    const until = await sendingLimits.waitsUntil(delivery, new Date());
    if (until) return hold(delivery, until);
    const handover = await hand(delivery);
    const { again, rest } = remainderOf(delivery, handover, new Date());
    const { rejections } = handover;
    if (rejections.length > 0)
      runtime.log.warn({ email: delivery.emailId, rejections, again }, 'an e-mail could not be sent to everybody');
    if (again) return deliveries.postpone(delivery, again, rest);
    await end(delivery, rest.wasTaken ? 'sent' : 'failed', rest.refusals.join('\n'));
  };

  startSweep(runtime, backbone.leases, 'deliveries', SWEEP_MS, async () => {
    for (let delivery = await deliveries.take(); delivery; delivery = await deliveries.take()) await deliver(delivery);
  });
}

/** What nodemailer tells of failures. */
interface SMTPError extends Error {
  readonly response?: string;
  readonly responseCode?: number;
  readonly recipient?: string;
  readonly rejectedErrors?: readonly SMTPError[];
}

function readRejections(errors: readonly SMTPError[] = []): Rejection[] {
  return errors.map(({ recipient = '', response, responseCode = 0, message }) => ({
    ...{ recipient, responseCode },
    text: `${recipient}: ${response ?? message}`,
  }));
}
