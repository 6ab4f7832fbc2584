import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '@intake/rpc';

/** An address of an organization's automatic mails. */
export interface Subscriber {
  readonly organizationId: number;
  readonly email: string;
}

/** Links by which somebody who gets automatic mails switches them off and on. API: email-import.md, emails/subscription. */
export interface SubscriptionLinks {
  /** Null: nobody knows where people see the service. */
  make(subscriber: Subscriber): string | null;
  /** Throws INVALID: somebody else made the link, or it was cut. */
  read(content: string, signature: string): Subscriber;
}

/**
 * @param secret of the installation: who does not know it cannot make links
 * @param apiRoot where clients see the API, `https://host/api/v1`; null: there are no links
 */
export function createSubscriptionLinks(secret: string, apiRoot: string | null): SubscriptionLinks {
  const sign = (content: string) =>
    createHmac('sha256', secret).update(`emails/subscription ${content}`).digest('base64url');
  return {
    make({ organizationId, email }) {
      if (apiRoot === null) return null;
      const content = Buffer.from(`${organizationId}:${email.toLowerCase()}`).toString('base64url');
      return `${apiRoot}/emails/subscription?content=${content}&signature=${sign(content)}&subscribe=false`;
    },
    read(content, signature) {
      const expected = Buffer.from(sign(content));
      const given = Buffer.from(signature);
      const [, organizationId, email] =
        /^(\d{1,15}):(.+)$/s.exec(Buffer.from(content, 'base64url').toString('utf8')) ?? [];
      if (given.length !== expected.length || !timingSafeEqual(given, expected) || !email)
        throw invalidField('signature', 'The link is not valid; copy it from the mail as a whole.');
      return { organizationId: Number(organizationId), email };
    },
  };
}
