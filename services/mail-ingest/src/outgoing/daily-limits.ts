import type { ClientSession } from '@intake/mongo';
import { Refusal } from '@intake/rpc';
import type { EmailStore } from '../email/email.store';
import type { Delivery } from './delivery';
import type { DeliveryStore } from './delivery.store';

/** How many mails an organization may send in a day of UTC. */
export interface DailyLimits {
  /** By people. */
  readonly emails: number;
  /** Without anybody asking. */
  readonly notifications: number;
}

/** What an organization has sent. API: organizations-users-groups.md section 1, limits. */
export interface SentCounts {
  readonly countToday: number;
  readonly countTotal: number;
  readonly lastSentAt: Date | null;
  readonly countTodayNotification: number;
  readonly lastSentAtNotification: Date | null;
}

export interface SendingLimitsOptions {
  readonly emails: Pick<EmailStore, 'countByPeople' | 'countNotifications' | 'countSent'>;
  readonly deliveries: Pick<DeliveryStore, 'lockOrganization'>;
  readonly limits: DailyLimits;
}

/** Keeps organizations within what they may send in a day. */
export function createSendingLimits({ emails, deliveries, limits }: SendingLimitsOptions) {
  /** Throws EMAIL_LIMIT_REACHED when people of the organization may send no more today. */
  const check = async (organizationId: number, session: ClientSession | null = null): Promise<void> => {
    const sent = await emails.countByPeople(organizationId, startOfDay(new Date()), session);
    if (sent >= limits.emails) throw new Refusal('EMAIL_LIMIT_REACHED');
  };

  return {
    limits,
    check,

    /** The same at the beginning of the transaction that sends one: of those at the same moment each counts the others. */
    async take(session: ClientSession, organizationId: number): Promise<void> {
      await deliveries.lockOrganization(session, organizationId);
      await check(organizationId, session);
    },

    /** When a mail may be handed over; null: now. Mails of people were counted when they were made. */
    async waitsUntil({ organizationId, sender }: Delivery, now: Date): Promise<Date | null> {
      if (sender !== '') return null;
      const today = startOfDay(now);
      const sent = await emails.countNotifications(organizationId, today);
      return sent < limits.notifications ? null : new Date(today.getTime() + DAY_MS);
    },

    countSent: (organizationId: number): Promise<SentCounts> =>
      emails.countSent(organizationId, startOfDay(new Date())),
  };
}

export type SendingLimits = ReturnType<typeof createSendingLimits>;

const DAY_MS = 24 * 3600 * 1000;

/** Midnight of UTC before a time. */
export function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
}
