import type { ApiUrls } from '@intake/urls';
import { escapeHtml } from '../email-template/render';

/** What somebody chose by a link of a mail. */
export interface Subscription {
  readonly content: string;
  readonly signature: string;
  readonly subscribe: boolean;
  readonly email: string;
}

/** The page that says what was chosen, with the way back. API: email-import.md, emails/subscription. */
export function writeSubscriptionPage({ content, signature, subscribe, email }: Subscription, urls: ApiUrls): string {
  const query = new URLSearchParams({ content, signature, subscribe: String(!subscribe) });
  const back = escapeHtml(`${urls.root}/emails/subscription?${query}`);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><title>Automatic messages</title></head>',
    '<body>',
    `<p>Automatic messages to <b>${escapeHtml(email)}</b> are switched ${subscribe ? 'on' : 'off'}.</p>`,
    `<p><a href="${back}">Switch them ${subscribe ? 'off' : 'on'}</a></p>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
