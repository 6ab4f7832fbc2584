import type { Backbone } from '@intake/bus';
import { startSweep, transaction } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { Counter } from 'prom-client';
import type { EmailStore } from './email/email.store';

/** Starts what looks for e-mails that rest unread. */
export function startSweeps(runtime: Runtime, { database, leases, emit }: Backbone, emails: EmailStore): void {
  const pushed = new Counter({
    name: 'intake_emails_pushed_total',
    help: 'E-mails that rested unread and were put on the bus again',
    registers: [runtime.metrics],
  });
  const pushOne = (now: Date) =>
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
  startSweep(runtime, leases, 'resting-emails', 15_000, async () => {
    const now = new Date();
    while (await pushOne(now)) pushed.inc();
  });
}
