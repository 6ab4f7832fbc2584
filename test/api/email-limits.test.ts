import {
  type Api,
  buildMail,
  type Json,
  type MailReceiver,
  type Organization,
  sendMail,
  startMailReceiver,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';

/** What an organization may send in a day. API: organizations-users-groups.md section 1, limits. */

let system: TestSystem;
let relay: MailReceiver;

beforeAll(async () => {
  relay = await startMailReceiver();
  system = await startSystem({
    env: {
      INTAKE_SMTP_RELAY_URL: relay.url,
      INTAKE_PUBLIC_URL: 'http://intake.example',
      INTAKE_MAIL_CHECK_SENDER: 'off',
      INTAKE_EMAILS_PER_DAY: '3',
      INTAKE_NOTIFICATIONS_PER_DAY: '1',
    },
  });
});
afterAll(async () => {
  await system?.stop();
  await relay?.stop();
});

const begin = async () => {
  const organization = await system.createOrganization(uniqueName('Sender'));
  return { organization, api: await system.login(organization.admin) };
};
const limitsOf = async (api: Api, { organizationId }: Organization): Promise<Json> =>
  (await api.get(`/organizations/${organizationId}/limits`)).email_limits;
const sendTo = async (api: Api, { queueId }: Organization, email: string) => {
  const queue = (await api.get(`/queues/${queueId}`)).url;
  const body = { to: [{ email }], queue, template_values: { subject: 'Hello', message: '<p>Hello</p>' } };
  const response = await api.request('POST', '/emails/send', { body });
  return { status: response.status, body: await response.json() };
};
const arrived = (address: string) => relay.mails.some(({ recipients }) => recipients.includes(address));
const address = (name: string) => `${uniqueName(name)}@example.org`;

it('are those of the settings, and of a new organization nothing is counted', async () => {
  const { api, organization } = await begin();
  expect(await limitsOf(api, organization)).toEqual({
    count_today: 0,
    count_today_notification: 0,
    count_total: 0,
    email_per_day_limit: 3,
    email_per_day_limit_notification: 1,
    email_total_limit: null,
    last_sent_at: null,
    last_sent_at_notification: null,
  });
});

it('refuse what people send beyond them, also when it comes at once, and nothing of it is kept', async () => {
  const { api, organization } = await begin();
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => sendTo(api, organization, address(`at-once-${n}`))));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(3);
  for (const answer of refused) {
    expect(answer).toEqual({
      status: 400,
      body: { code: 'email_limit_reached', detail: expect.stringContaining('after midnight UTC') },
    });
  }
  const limits = await limitsOf(api, organization);
  expect(limits).toMatchObject({ count_today: 3, count_total: 3, count_today_notification: 0 });
  expect(Date.parse(limits.last_sent_at)).toBeGreaterThan(Date.now() - 60_000);
  expect((await api.get('/emails?type=outgoing')).pagination.total).toBe(3);

  const other = await begin();
  expect((await sendTo(other.api, other.organization, address('other'))).status).toBe(200);
});

it('hold automatic mails back, which people need not wait for', async () => {
  const { api, organization } = await begin();
  const write = async (from: string) => {
    const raw = await buildMail({ to: organization.inboxEmail, subject: 'No attachment', from, text: 'Hello' });
    await sendMail(system.smtp, { raw, to: organization.inboxEmail, from });
    return waitFor('the answer', async () => (await api.get(`/emails?type=outgoing&to=${from}`)).results[0], {
      timeoutMs: 60_000,
    });
  };
  const [first, second, third] = [address('first'), address('second'), address('third')];
  await write(first);
  await waitFor('the first answer', async () => (await limitsOf(api, organization)).count_today_notification === 1);
  expect(arrived(first)).toBe(true);
  const held = await write(second);

  // It comes after the held one, and is sent before it.
  expect((await sendTo(api, organization, third)).status).toBe(200);
  await waitFor('the mail of a person', async () => arrived(third), { timeoutMs: 60_000 });
  expect(arrived(second)).toBe(false);
  expect(await api.get(`/emails/${held.id}`)).toMatchObject({ state: 'sending', failure: '' });
  expect(await limitsOf(api, organization)).toMatchObject({
    count_today: 1,
    count_total: 1,
    count_today_notification: 1,
    last_sent_at_notification: expect.stringMatching(/^\d{4}-/),
  });
});
