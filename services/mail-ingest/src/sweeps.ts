import type { Backbone } from '@intake/bus';
import { startSweep, transaction } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { Counter } from 'prom-client';
import type { EmailStore } from './email/email.store';

/** Starts what looks for e-mails that rest unread. */
export function startSweeps(runtime: Runtime, backbone: Backbone, emails: EmailStore): void {
  const pushed = new Counter({
    name: 'intake_emails_pushed_total',
    help: 'E-mails that rested unread and were put on the bus again',
    registers: [runtime.metrics],
  });
  startSweep(runtime, backbone.leases, 'resting-emails', 15_000, async () => {
    pushed.inc(await pushResting(backbone, emails, new Date()));
  });
}

/** Puts e-mails that rest unread on the bus again. Answers how many. */
export async function pushResting({ database, emit }: Backbone, emails: EmailStore, now: Date): Promise<number> {
  const pushOne = () =>
    transaction(database, async (session) => {
      const email = await emails.takeResting(session, now);
      if (!email) return false;
      const { id: emailId, organizationId, queueId, version } = email;
      await emit(session, {
        subject: 'email.received',
        aggregate: `email:${emailId}`,
        version,
        payload: { emailId, organizationId, queueId },
      });
      return true;
    });
  let count = 0;
  while (await pushOne()) count += 1;
  return count;
}
