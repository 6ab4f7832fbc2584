import { connectBackbone } from '@intake/bus';
import { createIndexes, transaction } from '@intake/mongo';
import { runService } from '@intake/service';
import { dropTestData, serviceEnv } from '@intake/testkit';
import type { Email } from '../email/email';
import { createEmailStore } from '../email/email.store';
import { createSendingLimits, startOfDay } from './daily-limits';
import type { Delivery } from './delivery';
import { createDeliveryStore } from './delivery.store';

it('automatic mails of an organization wait until the next day of UTC once there were enough of them', async () => {
  const env = serviceEnv();
  const alone = await runService('mail-ingest', env, async (runtime) => {
    const { database } = await connectBackbone(runtime, env);
    const emails = createEmailStore(database);
    const deliveries = createDeliveryStore(database);
    const limited = createSendingLimits({ emails, deliveries, limits: { emails: 10, notifications: 2 } });
    await createIndexes(database);

    const now = new Date();
    const tomorrow = new Date(startOfDay(now).getTime() + 24 * 3600 * 1000);
    const automatic = outgoing({ isAutomatic: true, createdAt: now });
    const delivery = (organizationId: number, sender = ''): Delivery => ({
      ...{ emailId: 9, organizationId, rawKey: 'k', sender, recipients: ['a@b.c'], createdAt: now, attempts: 1 },
    });
    for (const id of [1, 2, 3]) {
      await transaction(database, (session) => emails.insertOutgoing(session, { ...automatic, id }));
      // What was not sent does not count.
      const state = id === 2 ? 'failed' : 'sent';
      expect(await limited.waitsUntil(delivery(7), now)).toBeNull();
      await transaction(database, (session) => emails.setDelivery(session, id, state, ''));
    }
    expect(await limited.waitsUntil(delivery(7), now)).toEqual(tomorrow);
    expect(await limited.waitsUntil(delivery(7), tomorrow)).toBeNull();
    expect(await limited.waitsUntil(delivery(8), now)).toBeNull();
    expect(await limited.waitsUntil(delivery(7, 'inbox@example.org'), now)).toBeNull();
    expect(await limited.countSent(7)).toMatchObject({ countToday: 0, countTotal: 0, countTodayNotification: 2 });
  });
  await alone.stop();
  await dropTestData(env);
});

function outgoing(about: Pick<Email, 'isAutomatic' | 'createdAt'>): Email {
  return {
    ...about,
    ...{ id: 1, organizationId: 7, queueId: 1, inboxId: 1, type: 'outgoing', state: 'sending', subject: '' },
    ...{ from: null, to: [], cc: [], bcc: [], bodyTextPlain: '', bodyTextHtml: '', documentIds: [], uploadId: null },
    ...{ rawKey: 'k', messageId: '', attachments: [], filteredOutDocumentCount: 0, failure: '', parentId: null },
    ...{ threadId: null, childrenIds: [], lastThreadEmailCreatedAt: null, metadata: {}, creatorId: null, labels: [] },
    ...{ relatedAnnotationIds: [], relatedDocumentIds: [], envelope: null, authentication: null, taskId: null },
    ...{ importValues: {}, isConcluded: true, templateId: null, resetsThreads: false },
  };
}
