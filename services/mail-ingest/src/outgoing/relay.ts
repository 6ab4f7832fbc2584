import type { Backbone } from '@intake/bus';
import { startSweep, transaction } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { createTransport } from 'nodemailer';
import type { EmailStore } from '../email/email.store';
import type { SendingLimits } from './daily-limits';
import { type Delivery, isTooOld, nextAttempt } from './delivery';
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

  const deliver = async (delivery: Delivery): Promise<void> => {
    const until = await sendingLimits.waitsUntil(delivery, new Date());
    if (until) return hold(delivery, until);
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of loadRaw(delivery)) chunks.push(chunk);
      const envelope = { from: delivery.sender, to: [...delivery.recipients] };
      await relay.sendMail({ envelope, raw: Buffer.concat(chunks) });
    } catch (error) {
      const again = nextAttempt(delivery, error, new Date());
      runtime.log.warn({ err: error, email: delivery.emailId, again }, 'an e-mail could not be sent');
      if (again) await deliveries.postpone(delivery, again);
      else await end(delivery, 'failed', (error as { response?: string }).response ?? (error as Error).message);
      return;
    }
    await end(delivery, 'sent', '');
  };

  startSweep(runtime, backbone.leases, 'deliveries', SWEEP_MS, async () => {
    for (let delivery = await deliveries.take(); delivery; delivery = await deliveries.take()) await deliver(delivery);
  });
}
