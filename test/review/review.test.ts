import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Api,
  buildMail,
  buildPdf,
  freePorts,
  idOf,
  invoiceLines,
  type Json,
  type Receiver,
  sendMail,
  startReceiver,
  startSystem,
  startTcpProxy,
  type TestSystem,
  waitFor,
} from '@intake/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../sso/browser';
import { startProvider } from '../sso/provider';

/** The review page in a real browser. */

jest.setTimeout(240_000);

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SAMPLES = join(__dirname, '../samples');
const COLLEAGUE = {
  username: 'eva@example.com',
  password: 'correct horse battery',
  first_name: 'Eva',
  last_name: 'Nowak',
};

let system: TestSystem;
/** A site that may show a document in a frame. */
let embedding: Receiver;
let browser: Browser;
let api: Api;
let root: string;
let context: BrowserContext;
let page: Page;
/** What no page may do: break its Content-Security-Policy, or fail. */
let faults: string[];

beforeAll(async () => {
  embedding = await startReceiver();
  [system, browser] = await Promise.all([
    startSystem({
      env: { INTAKE_SESSION_AUTH: 'on', INTAKE_OUTGOING_ALLOW: '127.0.0.1', INTAKE_EMBED_ORIGINS: embedding.url },
    }),
    startBrowser(),
  ]);
  api = await system.login();
  root = system.baseUrl.replace(/\/api$/, '');
  await api.post('/users', {
    ...COLLEAGUE,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/2`],
    queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
  });
});
afterAll(async () => {
  await browser?.close();
  await system?.stop();
  await embedding?.stop();
});
beforeEach(async () => {
  faults = [];
  context = await newContext();
  page = await logIn(context, system.admin);
});
afterEach(async () => {
  await context?.close();
  await emptyQueue();
  expect(faults).toEqual([]);
});

async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // Wide enough for a busy machine.
  made.setDefaultTimeout(60_000);
  await made.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`CSP: ${violatedDirective} ${blockedURI}`),
    );
  });
  made.on('console', (message) => {
    if (/CSP|Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  made.on('weberror', (error) => faults.push(error.error().message));
  return made;
}

async function logIn(into: BrowserContext, { username, password }: { username: string; password: string }) {
  const opened = await into.newPage();
  await opened.goto(root);
  await fillLogin(opened, username, password);
  await opened.getByRole('heading', { name: 'Queues' }).waitFor();
  return opened;
}
/** By the keyboard alone, from where the page begins. */
async function fillLogin(into: Page, username: string, password: string) {
  await into.getByLabel('User name').and(into.locator(':focus')).waitFor();
  await into.keyboard.type(username);
  await into.keyboard.press('Tab');
  await into.keyboard.type(password);
  await into.keyboard.press('Enter');
}

/** No document of one test waits in the next one. */
async function emptyQueue(): Promise<void> {
  const { results } = await api.get(`/annotations?queue=${system.queueId}&status=to_review,reviewing,postponed`);
  for (const { url, status } of results as Json[]) {
    // A window that has just been closed may be giving it back.
    if (status === 'reviewing') await api.patch(url, { status: 'to_review' }).catch(() => undefined);
    await api.post(`${url}/delete`);
  }
}

/** Ids of new documents that wait for review. */
async function upload(...files: { fileName: string; content: Buffer }[]): Promise<number[]> {
  const task = await api.upload(system.queueId, files);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  for (const id of annotationIds) await untilStatus(id, 'to_review');
  return [...annotationIds];
}
const sample = (fileName: string) => ({ fileName, content: readFileSync(join(SAMPLES, fileName)) });
const invoice = async (number: string) => ({
  fileName: `${number}.pdf`,
  content: await buildPdf({ lines: invoiceLines(number) }),
});
const untilStatus = (id: number, status: string) =>
  waitFor(`annotation ${id} to be ${status}`, async () => (await api.get(`/annotations/${id}`)).status === status, {
    timeoutMs: 60_000,
  });
const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
const nodes = async (id: number) => flatten((await api.get(`/annotations/${id}/content`)).content);
const readValue = async (id: number, schemaId: string) =>
  (await nodes(id)).find(({ schema_id }) => schema_id === schemaId)?.content.value as string;
const untilValue = (id: number, schemaId: string, value: string) =>
  waitFor(`${schemaId} to be ${value}`, async () => (await readValue(id, schemaId)) === value);

/** Opens a document and waits until it is being reviewed. */
async function open(id: number, into = page): Promise<void> {
  await into.goto(`${root}/annotations/${id}`);
  await into.getByRole('button', { name: 'Confirm' }).waitFor();
}
/** Where pixels of the image of the first page are on the screen. */
async function placeOnPage(left: number, top: number): Promise<{ x: number; y: number }> {
  const image = page.getByAltText('Page 1 of the document');
  await image.evaluate((element: HTMLImageElement) => element.decode());
  const box = await image.evaluate((element: HTMLImageElement) => {
    const { x, y, width } = element.getBoundingClientRect();
    return { x, y, scale: width / element.naturalWidth };
  });
  return { x: box.x + left * box.scale, y: box.y + top * box.scale };
}
const field = (label: string, into = page) => into.getByLabel(label, { exact: true });

it('single sign-on comes back to the place where it began, logged in and without the token', async () => {
  const provider = await startProvider(`${system.baseUrl}/v1/oauth/code`);
  const visitor = await newContext();
  try {
    const opened = await visitor.newPage();
    await opened.goto(`${root}/queues/${system.queueId}?show=done`);
    const button = opened.getByRole('button', { name: 'Single sign-on' });
    await opened.getByRole('link', { name: 'Forgotten password?' }).waitFor();
    await opened.waitForLoadState('networkidle');
    expect(await button.count()).toBe(0);
    const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
    const oidc = { enabled: true, issuer, client_id, client_secret, claim: 'email' };
    await api.patch(`/organizations/${system.organizationId}/auth_settings`, { oidc });
    await provider.behave({ accounts: { eva: { email: COLLEAGUE.username, email_verified: true } } });
    await opened.reload();
    await button.click();
    await opened.fill('input[name=login]', 'eva');
    await opened.fill('input[name=password]', 'any');
    await opened.click('button[type=submit]');
    await opened.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' });
    await opened.click('button[type=submit]');
    await opened.getByRole('heading', { name: 'Invoices' }).waitFor();
    expect(opened.url()).toBe(`${root}/queues/${system.queueId}?show=done`);
    await opened.reload();
    await opened.getByText('Eva Nowak').waitFor();
  } finally {
    await visitor.close();
    await provider.stop();
  }
});

it('users change their password, and stay logged in here alone', async () => {
  const owner = { username: 'pia@example.com', password: COLLEAGUE.password };
  const changed = 'violet-harbour-42-lamps';
  await api.post('/users', {
    ...owner,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/2`],
  });
  const [here, there] = [await newContext(), await newContext()];
  try {
    const opened = await logIn(here, owner);
    const other = await logIn(there, owner);
    await opened.getByRole('button', { name: 'Change your password' }).click();
    const dialog = opened.getByRole('dialog');
    const fill = async (old: string, password: string) => {
      await dialog.getByLabel('Old password').fill(old);
      await dialog.getByLabel('New password', { exact: true }).fill(password);
      await dialog.getByLabel('New password again').fill(password);
      await dialog.getByRole('button', { name: 'Set the password' }).click();
    };
    await fill('another one', changed);
    await dialog.getByText('old password: Invalid password').waitFor();
    await fill(owner.password, 'pia@example.com');
    await dialog.getByText(/^The password is too similar to the username./).waitFor();
    await fill(owner.password, changed);
    await opened.getByText('Saved').waitFor();
    expect(await dialog.count()).toBe(0);
    await opened.reload();
    await opened.getByRole('heading', { name: 'Queues' }).waitFor();
    await other.reload();
    await fillLogin(other, owner.username, changed);
    await other.getByRole('heading', { name: 'Queues' }).waitFor();

    // A link of a mail that is good no more says so, and nothing else.
    await other.goto(`${root}/reset-password#uid=1&token=old`);
    await other.reload();
    await other.getByLabel('New password', { exact: true }).fill(changed);
    await other.getByLabel('New password again').fill(changed);
    await other.getByRole('button', { name: 'Set the password' }).click();
    expect(await other.getByRole('alert').textContent()).toBe('This link is not valid any more.');
  } finally {
    await here.close();
    await there.close();
  }
});

it('a correct invoice goes from the upload to the export by a handful of keys', async () => {
  await page.getByRole('link', { name: 'Invoices' }).click();
  await page.locator('input[type=file]').setInputFiles([join(SAMPLES, 'invoice-en.pdf')]);
  await page.getByText('Uploaded').waitFor();
  const row = page.getByRole('row', { name: /invoice-en\.pdf/ });
  // The state changes by itself.
  await row.getByText('To review').waitFor();
  await row.getByRole('link').focus();

  let presses = 0;
  const press = async (key: string) => {
    presses += 1;
    await page.keyboard.press(key);
  };
  await press('Enter');
  const confirm = page.getByRole('button', { name: 'Confirm' });
  await confirm.waitFor();
  await waitFor('the first field to have the focus', () =>
    page.evaluate(() => Boolean((document.activeElement as HTMLElement)?.dataset.field)),
  );
  const hasConfirm = () => confirm.evaluate((button) => button === document.activeElement);
  while (!(await hasConfirm()) && presses < 30) await press('Enter');
  await press('Enter');
  await page.getByText('Nothing left to review in this queue.').waitFor();
  expect(presses).toBeLessThanOrEqual(10);

  const { results } = await api.get(`/annotations?queue=${system.queueId}&status=exported`);
  expect(results).toHaveLength(1);
  const csv = await (
    await api.request('GET', `/queues/${system.queueId}/export?format=csv&id=${results[0].id}`)
  ).text();
  expect(csv).toContain('HF-2024-0117');
});

it('a file that cannot be taken says why, beside one that can', async () => {
  await page.goto(`${root}/queues/${system.queueId}`);
  const files = ['README.md', 'empty.pdf', 'credit-note-en.pdf'].map((name) => join(SAMPLES, name));
  await page.locator('input[type=file]').setInputFiles(files);
  const sendings = page.getByRole('list', { name: 'Uploads' });
  await sendings.getByText('MIME type text/markdown is not allowed for this queue.').waitFor();
  await sendings.getByText('The submitted file is empty.').waitFor();
  await sendings.getByText('Uploaded').waitFor();
  await page
    .getByRole('row', { name: /credit-note-en\.pdf/ })
    .getByText('To review')
    .waitFor();
});

it('a word that is clicked becomes the value, and an undo brings the old one back', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const before = await readValue(id, 'document_id');
  await field('Invoice number').focus();
  const { results } = await api.get(`/annotations/${id}/page_data?granularity=words&page_numbers=1`);
  const [left, top, right, bottom] = results[0].items.find(({ text }: Json) => text === 'PO-88213').position;
  const { x, y } = await placeOnPage((left + right) / 2, (top + bottom) / 2);
  await page.mouse.click(x, y);
  await untilValue(id, 'document_id', 'PO-88213');
  await waitFor('the field', async () => (await field('Invoice number').inputValue()) === 'PO-88213');
  await page.keyboard.press('Control+z');
  await untilValue(id, 'document_id', before);
});

it('the name of a frame hides no other value', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const values = (await nodes(id)).filter(({ content }) => content?.position);
  const origin = await placeOnPage(0, 0);
  const scale = (await placeOnPage(1, 0)).x - origin.x;
  for (const label of ['Invoice number', 'Issue date', 'Order number']) {
    await field(label).focus();
    const name = page.locator('.mark-name', { hasText: label });
    await name.waitFor();
    const at = (await name.boundingBox()) as { x: number; y: number; width: number; height: number };
    const [left, top] = [(at.x - origin.x) / scale, (at.y - origin.y) / scale];
    const [right, bottom] = [left + at.width / scale, top + at.height / scale];
    const hidden = values.filter(({ content: { position } }) => {
      const [l, t, r, b] = position as [number, number, number, number];
      return l < right && r > left && t < bottom && b > top;
    });
    expect([label, hidden.map(({ schema_id }) => schema_id)]).toEqual([label, []]);
  }
});

it('what is typed is stored and checked by itself', async () => {
  const [id] = (await upload(await invoice('INV-7'))) as [number];
  await open(id);
  await field('Issue date').fill('no date');
  await page.getByText('not a date').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Annotation contains validation errors.').waitFor();
  expect((await api.get(`/annotations/${id}`)).status).toBe('reviewing');
  await field('Issue date').fill('2024-03-16');
  await page.getByText('not a date').waitFor({ state: 'detached' });
  await untilValue(id, 'date_issue', '2024-03-16');
  const [stored] = (await nodes(id)).filter(({ schema_id }) => schema_id === 'date_issue');
  expect(stored.validation_sources).toEqual(['human']);

  // A long text is seen as a whole while it is typed.
  const order = field('Order number');
  await order.fill('PO-88213, second delivery, and PO-88214, third delivery');
  expect(await order.evaluate((input) => input.scrollHeight <= input.clientHeight)).toBe(true);
  expect(await order.evaluate((input) => input === document.activeElement)).toBe(true);
});

it('what is typed while the field is being stored is what stays', async () => {
  const [id] = (await upload(await invoice('INV-20'))) as [number];
  await open(id);
  const order = field('Order number');
  await order.fill('PO-1');
  await untilValue(id, 'order_id', 'PO-1');
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route('**/content/operations', async (call) => {
    await held;
    await call.continue();
  });
  const sent = page.waitForRequest('**/content/operations');
  const stored = page.waitForResponse('**/content/operations');
  await order.fill('PO-12');
  await sent;
  await order.fill('PO-1');
  go();
  await stored;
  await untilValue(id, 'order_id', 'PO-1');
  expect(await order.inputValue()).toBe('PO-1');
});

it('what was typed last is stored when the page is left', async () => {
  const [id] = (await upload(await invoice('INV-25'))) as [number];
  await open(id);
  await page.route('**/content/operations', async (call) => {
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    await call.continue();
  });
  const sent = page.waitForRequest('**/content/operations');
  await field('Order number').fill('PO-FIRST');
  await sent;
  await field('Invoice number').fill('LAST');
  await page.getByRole('link', { name: 'Queues' }).click();
  await untilValue(id, 'document_id', 'LAST');
  expect(await readValue(id, 'order_id')).toBe('PO-FIRST');
});

it("two windows on one document see what is written in the other, and an undo takes back what is one's own", async () => {
  const [id] = (await upload(await invoice('INV-40'))) as [number];
  await open(id);
  const second = await context.newPage();
  await open(id, second);
  const before = await readValue(id, 'order_id');
  const readings: string[] = [];
  second.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith(`/annotations/${id}/content`))
      readings.push(request.url());
  });
  await field('Order number', second).fill('MINE');
  await untilValue(id, 'order_id', 'MINE');
  await waitFor('the first window', async () => (await field('Order number').inputValue()) === 'MINE');
  await field('Invoice number').fill('THEIRS');
  await waitFor('the second window', async () => (await field('Invoice number', second).inputValue()) === 'THEIRS');
  // What it has written itself it does not read again.
  expect(readings).toHaveLength(1);
  await field('Invoice number', second).press('Control+z');
  await untilValue(id, 'order_id', before);
  expect(await readValue(id, 'document_id')).toBe('THEIRS');
  await waitFor('the first window', async () => (await field('Order number').inputValue()) === before);
});

it('a document is given back when its page is left, by a link, by the end of the session or with its window', async () => {
  const [id] = (await upload(await invoice('INV-41'))) as [number];
  await open(id);
  await field('Order number').fill('PO-LINK');
  await page.getByRole('link', { name: 'Queues' }).click();
  await untilStatus(id, 'to_review');
  expect(await readValue(id, 'order_id')).toBe('PO-LINK');

  // Another window goes on with it.
  await open(id);
  const second = await context.newPage();
  await open(id, second);
  await second.getByRole('link', { name: 'Queues' }).click();
  await second.getByRole('heading', { name: 'Queues' }).waitFor();
  const stored = page.waitForRequest(
    (request) => request.url().endsWith('/validate') && request.postDataJSON().updated_datapoint_ids.length > 0,
  );
  await field('Order number').fill('PO-STILL');
  await stored;
  expect(await readValue(id, 'order_id')).toBe('PO-STILL');
  const triggers = async () =>
    ((await api.get(`/annotations/${id}/history`)).results as Json[]).map((of) => of.trigger);
  expect((await triggers()).filter((trigger) => trigger === 'cancel')).toHaveLength(1);
  await page.close({ runBeforeUnload: true });
  await untilStatus(id, 'to_review');

  await open(id, second);
  await second.getByRole('button', { name: 'Log out' }).click();
  await untilStatus(id, 'to_review');
  await second.getByRole('heading', { name: 'Log in to Intake' }).waitFor();
});

it('a document that is left before its review has begun is given back behind that', async () => {
  const [id] = (await upload(await invoice('INV-49'))) as [number];
  await page.route(`**/annotations/${id}/start`, async (call) => {
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    await call.continue();
  });
  const begun = page.waitForRequest(`**/annotations/${id}/start`);
  const given = page.waitForResponse(`**/annotations/${id}/cancel`);
  await page.goto(`${root}/annotations/${id}`);
  await begun;
  await page.getByRole('link', { name: 'Queues' }).click();
  expect((await given).ok()).toBe(true);
  expect((await api.get(`/annotations/${id}`)).status).toBe('to_review');
});

it('who comes back to a document that he left reviews it again', async () => {
  const [id] = (await upload(await invoice('INV-48'))) as [number];
  await open(id);
  for (const pause of [true, false]) {
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    if (pause) await untilStatus(id, 'to_review');
    await page.goBack();
    await field('Order number').fill(`PO-AGAIN-${pause}`);
    await untilValue(id, 'order_id', `PO-AGAIN-${pause}`);
    expect(await page.getByText('Your review of this document has ended').count()).toBe(0);
  }
});

it('what was typed last is stored when the window is closed', async () => {
  const [id] = (await upload(await invoice('INV-42'))) as [number];
  await open(id);
  await field('Order number').fill('PO-CLOSED');
  await page.close({ runBeforeUnload: true });
  await untilValue(id, 'order_id', 'PO-CLOSED');
  await untilStatus(id, 'to_review');
});

it('a window with what could not be stored is closed only if one wants', async () => {
  const [id] = (await upload(await invoice('INV-47'))) as [number];
  await open(id);
  await context.setOffline(true);
  await field('Order number').click();
  await page.keyboard.type('PO-UNSENT');
  await page.getByText('1 value is not saved yet').waitFor();
  const [asked] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
  expect(asked.type()).toBe('beforeunload');
  await asked.dismiss();
  await context.setOffline(false);
  await untilValue(id, 'order_id', 'PO-UNSENT');
});

it('who takes a document over sees what was written meanwhile, and extensions hear of one beginning', async () => {
  const receiver = await startReceiver();
  let begun = 0;
  receiver.answer('/hook', () => {
    begun += 1;
    return { body: {} };
  });
  const queue = `${system.baseUrl}/v1/queues/${system.queueId}`;
  const events = ['annotation_content.started'];
  const hook = await api.post('/hooks', {
    ...{ name: 'Beginnings', type: 'webhook', events, queues: [queue] },
    config: { url: `${receiver.url}/hook` },
  });
  const other = await newContext();
  try {
    const [id] = (await upload(await invoice('INV-43'))) as [number];
    const eva = await logIn(other, COLLEAGUE);
    await open(id, eva);
    await page.goto(`${root}/annotations/${id}`);
    await page.getByText('Eva Nowak is reviewing this document.').waitFor();
    await field('Order number', eva).fill('PO-EVA');
    await untilValue(id, 'order_id', 'PO-EVA');
    await waitFor('the beginning', () => begun === 1);
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await waitFor('the field', async () => (await field('Order number').inputValue()) === 'PO-EVA');
    await field('Invoice number').fill('AFTER');
    await untilValue(id, 'document_id', 'AFTER');
    expect(begun).toBe(2);
  } finally {
    await other.close();
    await api.delete(hook.url);
    await receiver.stop();
  }
});

it('the theme of the system is followed while no other one is chosen', async () => {
  const shown = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitFor('the dark theme', async () => (await shown()) === 'dark');
  await page.getByRole('button', { name: 'Light or dark' }).click();
  expect(await shown()).toBe('light');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  expect(await shown()).toBe('light');
  // Back at that of the system, it is followed again.
  await page.getByRole('button', { name: 'Light or dark' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  await waitFor('the light theme', async () => (await shown()) === 'light');
});

it('text of twice the size is followed, and stays readable', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  const large = await newContext();
  const opened = await large.newPage();
  const devTools = await large.newCDPSession(opened);
  await devTools.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await opened.goto(root);
  await fillLogin(opened, system.admin.username, system.admin.password);
  await opened.getByRole('heading', { name: 'Queues' }).waitFor();
  const sticksOut = () => opened.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  /** Controls whose text is cut off. */
  const cutOff = () =>
    opened.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLElement>('button, a.button, .field-name, .field textarea'))
        .filter(
          (one) =>
            one.checkVisibility() && (one.scrollWidth > one.clientWidth + 2 || one.scrollHeight > one.clientHeight + 2),
        )
        .map((one) => one.outerHTML.slice(0, 80)),
    );
  for (const place of ['/', `/queues/${system.queueId}`, `/annotations/${id}`, '/settings', '/usage']) {
    await opened.goto(root + place);
    await opened.locator('h1').first().waitFor({ state: 'attached' });
    expect([place, await sticksOut()]).toEqual([place, false]);
    expect([place, await cutOff()]).toEqual([place, []]);
    if (!place.startsWith('/annotations')) continue;
    await opened.getByRole('button', { name: 'Confirm' }).waitFor();
    expect(await field('Invoice number', opened).evaluate((input) => getComputedStyle(input).fontSize)).toBe('30px');
    const label = await opened.locator('.field-name', { hasText: 'Invoice number' }).boundingBox();
    const input = await field('Invoice number', opened).boundingBox();
    const panel = await opened.getByRole('complementary').boundingBox();
    expect(label?.width).toBeGreaterThan(150);
    expect((input?.x ?? 0) + (input?.width ?? 0)).toBeLessThan((panel?.x ?? 0) + (panel?.width ?? 0));
    expect(panel?.height).toBeGreaterThan(200);
  }
  await large.close();
});

it('at 400 % the page scrolls as a whole, in one direction', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await page.setViewportSize({ width: 320, height: 256 });
  for (const place of ['/', `/queues/${system.queueId}`, `/annotations/${id}`, '/settings', '/usage']) {
    await page.goto(root + place);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    const widths = await page.evaluate(() =>
      Array.from(document.querySelectorAll('html, .content'), ({ scrollWidth }) => scrollWidth),
    );
    expect([place, Math.max(...widths)]).toEqual([place, 320]);
  }
  await open(id);
  const panel = await page.getByRole('complementary').boundingBox();
  expect(panel?.height).toBeGreaterThan(1000);
  await waitFor('the first field to have the focus', () =>
    field('Invoice number').evaluate((input) => input === document.activeElement),
  );
  await field('Total amount').focus();
  await page.keyboard.type('1 570.51');
  await waitFor('the field to be seen', () =>
    field('Total amount').evaluate((input) => {
      const { top, bottom } = input.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );
});

it('with the few colours of a system what is chosen and what needs somebody is told', async () => {
  const [id] = (await upload(await invoice('INV-46'))) as [number];
  await page.emulateMedia({ forcedColors: 'active' });
  const background = (selector: string, part?: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element, of) => getComputedStyle(element, of).backgroundColor, part);
  await page.goto(`${root}/queues/${system.queueId}`);
  await page.getByRole('button', { name: /^All/ }).waitFor();
  expect(await background('.chips [aria-pressed=true]')).not.toBe(await background('.chips [aria-pressed=false]'));
  await open(id);
  await field('Issue date').fill('no date');
  await page.locator('.field.needs').first().waitFor();
  expect(await background('.field.needs', '::before')).not.toBe(await background('.panel'));
  await page.getByRole('button', { name: /^Line items/ }).click();
  expect(await background('.dock-tab[aria-expanded=true]')).not.toBe(
    await background('.dock-tab[aria-expanded=false]'),
  );
});

it('rows and columns that an extension hides are not there', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await api.post(`/annotations/${id}/start`);
  const cells = async (schemaId: string) => (await nodes(id)).filter(({ schema_id }) => schema_id === schemaId);
  const values = async () => (await cells('item_code')).map(({ content }) => content.value as string);
  const hide = (node: Json) => api.patch(`/annotations/${id}/content/${node.id}`, { hidden: true });
  const codes = await values();
  const rows = await cells('line_item');
  expect(codes.length).toBeGreaterThan(2);
  for (const cell of await cells('item_uom')) await hide(cell);
  await hide(rows[1] as Json);
  await open(id);
  const tab = page.getByRole('button', { name: /^Line items/ });
  expect(await tab.textContent()).toContain(String(codes.length - 1));
  await tab.click();
  const seen = (): Promise<string[]> =>
    page.getByLabel(/^Code, row/).evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  expect(await seen()).toEqual(codes.filter((_, i) => i !== 1));
  expect(await page.getByLabel(/^Unit, row/).count()).toBe(0);
  expect(await page.getByLabel(/^Description, row/).count()).toBe(codes.length - 1);
  // By keys one goes past it, and a row changes places with the one that is seen.
  await field('Code, row 1').focus();
  await page.keyboard.press('ArrowDown');
  await waitFor('the focus', () => field('Code, row 2').evaluate((input) => input === document.activeElement));
  await page.keyboard.press('Alt+ArrowUp');
  await waitFor('the rows', async () => (await seen())[0] === codes[2]);
});

it('a purged document is called by its number, and has nothing to download', async () => {
  const [id] = (await upload(await invoice('INV-PURGED'))) as [number];
  await api.post(`/annotations/${id}/delete`);
  await api.post('/annotations/purge_deleted', { annotations: [`${system.baseUrl}/v1/annotations/${id}`] });
  await untilStatus(id, 'purged');
  await page.goto(`${root}/annotations/${id}`);
  await page.getByText('This document was purged: its pages, its values and its file are gone.').waitFor();
  await page.getByRole('heading', { name: `#${id}`, exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Original document' }).count()).toBe(0);
});

it('in a narrow window the document stands above its fields, and nothing sticks out', async () => {
  const [id] = (await upload(await invoice('INV-26'))) as [number];
  await page.setViewportSize({ width: 420, height: 760 });
  await open(id);
  const image = await page.getByAltText('Page 1 of the document').boundingBox();
  const number = await field('Invoice number').boundingBox();
  expect(image?.width).toBeGreaterThan(300);
  expect(image?.y).toBeLessThan(number?.y ?? 0);
  const sticksOut = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await sticksOut()).toBe(false);
  await page.getByRole('link', { name: 'Queues' }).click();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  expect(await sticksOut()).toBe(false);
});

it('what was stored while the service went away is checked when it is back', async () => {
  const [id] = (await upload(await invoice('INV-21'))) as [number];
  const checked = page.waitForResponse('**/content/validate');
  await open(id);
  await checked;
  await page.route('**/content/validate', (call) => call.abort(), { times: 1 });
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/content/validate'));
  await field('Issue date').fill('no date');
  await failed;
  await page.getByText('not a date').waitFor();
});

it('a key that is held down decides only what was seen when it was pressed', async () => {
  const [first, second] = (await upload(await invoice('INV-22'), await invoice('INV-23'))) as [number, number];
  const hold = async (key: string) => {
    for (let i = 0; i < 30; i++) await page.keyboard.down(key);
  };
  await open(first);
  await page.keyboard.down('Control');
  await hold('Enter');
  await page.waitForURL(`**/annotations/${second}`);
  await field('Order number').waitFor();
  await hold('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  await untilStatus(first, 'exported');
  await field('Order number').focus();
  await hold('Enter');
  await page.keyboard.up('Enter');
  // It is still there, and not confirmed.
  await field('Order number').fill('STILL-HERE');
  await untilValue(second, 'order_id', 'STILL-HERE');
});

it('formulas follow what is typed', async () => {
  const { schema } = await api.get(`/queues/${system.queueId}`);
  const { content } = await api.get(schema);
  const [first, ...others] = content as [Json, ...Json[]];
  const formula = {
    ...{ category: 'datapoint', id: 'twice', label: 'Twice the total', type: 'number' },
    ...{ formula: 'default_to(field.amount_total, 0) * 2', ui_configuration: { type: 'formula', edit: 'disabled' } },
  };
  await api.patch(schema, { content: [{ ...first, children: [...first.children, formula] }, ...others] });
  const [id] = (await upload(await invoice('INV-8'))) as [number];
  await open(id);
  await field('Total amount').fill('50.25');
  await waitFor('the formula', async () => Number(await field('Twice the total').inputValue()) === 100.5);
  expect(await field('Twice the total').isEditable()).toBe(false);
  await api.patch(schema, { content });
});

it('rows of the line items are added, changed, moved and removed, and summed', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const codes = async () =>
    (await nodes(id)).filter(({ schema_id }) => schema_id === 'item_code').map(({ content }) => content.value);
  const first = await codes();
  await page.getByRole('button', { name: /^Line items/ }).click();
  await page.getByRole('button', { name: 'Add row' }).click();
  await waitFor('the row', async () => (await codes()).length === first.length + 1);
  await field(`Code, row ${first.length + 1}`).fill('NEW-1');
  await waitFor('the value', async () => (await codes()).at(-1) === 'NEW-1');
  await page.keyboard.press('Alt+ArrowUp');
  const moved = [...first.slice(0, -1), 'NEW-1', first.at(-1)];
  await waitFor('the row to be moved', async () => String(await codes()) === String(moved));
  await page.getByRole('button', { name: 'Remove row: row 1' }).click();
  await waitFor('the row to be gone', async () => String(await codes()) === String(moved.slice(1)));
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitFor('the row to be back', async () => String(await codes()) === String(moved));
});

it('a row is duplicated, and a value copied into all rows below, by keys', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const column = async (schemaId: string) =>
    (await nodes(id)).filter(({ schema_id }) => schema_id === schemaId).map(({ content }) => content.value as string);
  const codes = await column('item_code');
  await page.getByRole('button', { name: /^Line items/ }).click();
  await field('Code, row 1').focus();
  await page.keyboard.press('Alt+c');
  const [first = '', ...rest] = codes;
  await waitFor('the row', async () => String(await column('item_code')) === String([first, first, ...rest]));
  await waitFor('the new row to have the focus', () =>
    field('Code, row 2').evaluate((input) => input === document.activeElement),
  );
  await field('Tax rate, row 2').fill('12');
  await page.keyboard.press('Alt+v');
  const rates = await column('item_rate');
  const filled = [rates[0], ...codes.map(() => '12')];
  await waitFor('the values', async () => String(await column('item_rate')) === String(filled));
  await page.keyboard.press('Control+z');
  await waitFor('the undo', async () => (await column('item_rate')).at(-1) !== '12');
  expect(await column('item_code')).toEqual([first, first, ...rest]);
});

it('a text is looked for on all pages, and its places are gone through by keys', async () => {
  const pages = ['INV-71', 'INV-72'].map(invoiceLines);
  const [id] = (await upload({ fileName: 'two.pdf', content: await buildPdf({ pages }) })) as [number];
  await open(id);
  await waitFor('the first field to have the focus', () =>
    page.evaluate(() => Boolean((document.activeElement as HTMLElement)?.dataset.field)),
  );
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement)?.dataset.field);
  const before = await focused();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('inv-7');
  const box = page.getByRole('search');
  await box.getByText('1 of 2').waitFor();
  expect(await page.locator('.found').count()).toBe(2);
  await page.keyboard.press('Enter');
  await box.getByText('2 of 2').waitFor();
  await page.locator('[data-page="2"] .found.current').waitFor();
  await page.getByLabel('Search in the pages', { exact: true }).first().fill('no such words');
  await box.getByText('not found').waitFor();
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'detached' });
  expect(await focused()).toBe(before);
  expect((await api.get(`/annotations/${id}`)).status).toBe('reviewing');
});

it('a column that was read as another one is told what it is, and cells are pasted from a spreadsheet', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const column = async (schemaId: string) =>
    (await nodes(id)).filter(({ schema_id }) => schema_id === schemaId).map(({ content }) => content.value as string);
  const [codes, units] = [await column('item_code'), await column('item_uom')];
  await page.getByRole('button', { name: /^Line items/ }).click();
  await page.getByLabel('The values of Code belong to another column').selectOption({ label: 'Unit' });
  await waitFor('the columns', async () => String(await column('item_uom')) === String(codes));
  expect(await column('item_code')).toEqual(units);
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitFor('the undo', async () => String(await column('item_code')) === String(codes));

  const last = field(`Code, row ${codes.length}`);
  await last.focus();
  await last.evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'P-1\tPasted\nP-2\tPasted too\n');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  const pasted = [...codes.slice(0, -1), 'P-1', 'P-2'];
  await waitFor('the pasted cells', async () => String(await column('item_code')) === String(pasted));
  expect((await column('item_description')).slice(-2)).toEqual(['Pasted', 'Pasted too']);
});

it('the lines of a table are moved on its page, and rows are left out', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  await open(id);
  const column = async (schemaId: string) =>
    (await nodes(id)).filter(({ schema_id }) => schema_id === schemaId).map(({ content }) => content.value as string);
  const table = async () => (await nodes(id)).find(({ schema_id }) => schema_id === 'line_items');
  const [codes, descriptions, amounts] = [
    await column('item_code'),
    await column('item_description'),
    await column('item_total_base'),
  ];
  await page.getByRole('button', { name: /^Line items/ }).click();
  await page.keyboard.press('Alt+g');
  const chosen = await page
    .getByLabel(/^What column/)
    .evaluateAll((menus) => menus.map((menu) => (menu as HTMLSelectElement).selectedOptions[0]?.label));
  const at = chosen.indexOf('Description');
  expect(at).toBeGreaterThan(0);

  // The line before the descriptions goes far to the right: their first words belong to what stands on the left then.
  const line = page.getByLabel(`Line ${at + 1} between columns`);
  const place = (await line.boundingBox()) as { x: number; y: number; width: number; height: number };
  await page.mouse.move(place.x + place.width / 2, place.y + 14);
  await page.mouse.down();
  await page.mouse.move(place.x + 60, place.y + 14, { steps: 4 });
  await page.mouse.up();
  await waitFor('the cells', async () => String(await column('item_description')) !== String(descriptions));
  expect((await column('item_code'))[0]).not.toBe(codes[0]);
  expect(await column('item_total_base')).toEqual(amounts);
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitFor('the undo', async () => String(await column('item_description')) === String(descriptions));

  // By keys: a row is left out and comes back.
  await page.getByLabel('What row 1 is').selectOption({ label: 'Left out' });
  await waitFor('the row to be gone', async () => (await column('item_code')).length === codes.length - 1);
  expect((await table())?.grid.parts[0].rows[0]).toMatchObject({ type: null, tuple_id: null });
  await page.getByLabel('What row 1 is').selectOption({ label: 'Item' });
  await waitFor('the row', async () => String(await column('item_total_base')) === String(amounts));
});

it('a table of which nothing was read is framed on its page', async () => {
  const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
  const table = async () => (await nodes(id)).find(({ schema_id }) => schema_id === 'line_items') as Json;
  const read = flatten((await table()).children).filter(({ content }) => content?.position);
  const edge = (side: number, pick: (...of: number[]) => number) =>
    pick(...read.map(({ content }) => content.position[side]));
  const codes = read.filter(({ schema_id }) => schema_id === 'item_code').map(({ content }) => content.value);
  await api.post(`/annotations/${id}/content/operations`, {
    operations: (await table()).children.map((row: Json) => ({ op: 'remove', id: row.id })),
  });
  await open(id);
  await page.getByRole('button', { name: /^Line items/ }).click();
  await page.getByRole('button', { name: 'Lines on the page' }).click();
  const from = await placeOnPage(edge(0, Math.min) - 6, edge(1, Math.min) - 4);
  const to = await placeOnPage(edge(2, Math.max) + 6, edge(3, Math.max) + 4);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await page.getByLabel('What column 1 is').selectOption({ label: 'Code' });
  const column = async () =>
    flatten((await table()).children)
      .filter(({ schema_id }) => schema_id === 'item_code')
      .map(({ content }) => content.value);
  await waitFor('the rows', async () => String(await column()) === String(codes));
  const [part] = (await table()).grid.parts;
  expect(part.columns[0].schema_id).toBe('item_code');
  expect(part.rows.map(({ tuple_id: tuple }: Json) => tuple)).toEqual(
    (await table()).children.map((row: Json) => row.id),
  );
});

it('a table of several hundred rows is edited by keys', async () => {
  const [id] = (await upload(await invoice('INV-300'))) as [number];
  const table = (await nodes(id)).find(({ schema_id }) => schema_id === 'line_items') as Json;
  const adding = Array.from({ length: 300 }, (_, i) => ({
    op: 'add',
    id: table.id,
    value: [{ schema_id: 'item_code', content: { value: `C-${i}` } }],
    validation_sources: ['human'],
  }));
  for (let i = 0; i < 300; i += 50) {
    await api.post(`/annotations/${id}/content/operations`, { operations: adding.slice(i, i + 50) });
  }
  const before = table.children.length;
  await open(id);
  await page.getByRole('button', { name: /^Line items/ }).click();
  const code = (i: number) => field(`Code, row ${before + i + 1}`);
  await field('Code, row 1').focus();
  // Only what is seen is drawn, and every row is reached.
  expect(await page.locator('tr[data-row]').count()).toBeLessThan(60);
  await page.locator('.grid-box').evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await code(299).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.type('CHANGED');
  await page.keyboard.press('Alt+ArrowUp');
  await waitFor('the row to be changed and moved', async () => {
    const codes = (await nodes(id)).filter(({ schema_id }) => schema_id === 'item_code');
    return String(codes.slice(-3).map(({ content }) => content.value)) === 'CHANGED,C-297,C-299';
  });
  await waitFor('the focus to go with the row', () => code(297).evaluate((input) => input === document.activeElement));
});

it('a document without tables, and with a value that is not shown', async () => {
  const [first] = (await api.get(`/queues?id=${system.queueId}`)).results;
  const string = { category: 'datapoint', type: 'string' };
  const children = [
    { ...string, id: 'document_id', label: 'Invoice number', constraints: { required: false } },
    { ...string, id: 'vendor_id', label: 'Vendor in the ERP', hidden: true },
  ];
  const content = [{ category: 'section', id: 'basic', label: 'Basic', children }];
  const schema = await api.post('/schemas', { name: 'No tables', content });
  const queue = await api.post('/queues', { name: 'No tables', workspace: first.workspace, schema: schema.url });
  const task = await api.upload(idOf(queue.url), [await invoice('INV-32')]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const [id] = annotationIds as [number];
  await untilStatus(id, 'to_review');
  await open(id);
  // There is no row to add, and what is typed afterwards is stored.
  await page.keyboard.press('Alt+i');
  await field('Invoice number').fill('AFTER');
  await untilValue(id, 'document_id', 'AFTER');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Vendor in the ERP: required').waitFor();
  await page.getByText('Not ready: see below').waitFor();
});

it('buttons run extensions, and open pages that read and write values', async () => {
  const receiver = await startReceiver();
  let presses = 0;
  let changes: number[] = [];
  receiver.answer('/hook', ({ body }) => {
    const button = flatten(body.annotation.content).find(({ schema_id }) => schema_id === 'look_up');
    changes = body.updated_datapoints;
    const pressed = changes.includes(button?.id);
    if (pressed) presses += 1;
    return { body: pressed ? { messages: [{ type: 'info', content: 'Vendor 4711 was found.' }] } : {} };
  });
  receiver.answer('/popup', {
    headers: { 'Content-Type': 'text/html' },
    body: `<!doctype html><title>Vendors</title><button>Take it</button><script>
      addEventListener('message', ({ data }) => {
        const flat = (nodes) => nodes.flatMap((node) => [node, ...flat(node.children ?? [])]);
        const id = flat(data.result).find(({ schema_id }) => schema_id === 'document_id').id;
        document.querySelector('button').onclick = () => {
          opener.postMessage({ type: 'UPDATE_DATAPOINT', data: { id, value: 'FROM-POPUP' } }, '*');
          opener.postMessage({ type: 'FINISH' }, '*');
        };
        document.title = 'ready';
      });
      opener.postMessage({ type: 'GET_DATAPOINTS' }, '*');
    </script>`,
  });
  const [first] = (await api.get(`/queues?id=${system.queueId}`)).results;
  const schema = await api.post('/schemas', {
    name: 'Buttons',
    content: [
      {
        category: 'section',
        id: 'basic',
        label: 'Basic',
        children: [
          { category: 'datapoint', id: 'document_id', label: 'Invoice number', type: 'string' },
          { category: 'datapoint', id: 'look_up', label: 'Look up the vendor', type: 'button' },
          {
            category: 'datapoint',
            id: 'choose',
            label: 'Choose a vendor',
            type: 'button',
            popup_url: `${receiver.url}/popup`,
          },
          {
            category: 'multivalue',
            id: 'orders',
            label: 'Orders',
            children: { category: 'datapoint', id: 'order', label: 'Order', type: 'string' },
          },
        ],
      },
    ],
  });
  const queue = await api.post('/queues', { name: 'Buttons', workspace: first.workspace, schema: schema.url });
  const hook = await api.post('/hooks', {
    name: 'Vendors',
    type: 'webhook',
    events: ['annotation_content.user_update'],
    queues: [queue.url],
    config: { url: `${receiver.url}/hook` },
  });
  try {
    const task = await api.upload(idOf(queue.url), [await invoice('INV-31')]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
    const [id] = annotationIds as [number];
    await untilStatus(id, 'to_review');
    await open(id);
    await page.getByRole('button', { name: 'Look up the vendor' }).click();
    await page.getByText('Vendor 4711 was found.').waitFor();
    const opening = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Choose a vendor' }).click();
    const popup = await opening;
    await waitFor('the popup to have the values', async () => (await popup.title()) === 'ready');
    await popup.getByRole('button', { name: 'Take it' }).click();
    await untilValue(id, 'document_id', 'FROM-POPUP');
    await waitFor('the popup to be closed', () => popup.isClosed());
    // A new row is checked with everything else, and presses nothing.
    await page.getByRole('button', { name: 'Add a value' }).click();
    await field('Orders 1').waitFor();
    await waitFor('the check', async () => {
      const order = (await nodes(id)).find(({ schema_id }) => schema_id === 'order');
      return changes.includes(order?.id);
    });
    expect(presses).toBe(1);
  } finally {
    await api.delete(hook.url);
    await receiver.stop();
  }
});

it('an error of an extension keeps a document from being confirmed, until it finds none', async () => {
  const receiver = await startReceiver();
  receiver.answer('/hook', () => ({ body: { messages: [{ type: 'error', content: 'The vendor is blocked.' }] } }));
  const queue = await api.get(`/queues/${system.queueId}`);
  const hook = await api.post('/hooks', {
    name: 'Vendors',
    type: 'webhook',
    events: ['annotation_content.started', 'annotation_content.user_update'],
    queues: [queue.url],
    config: { url: `${receiver.url}/hook` },
  });
  try {
    const [id] = (await upload(await invoice('INV-33'))) as [number];
    await open(id);
    await page.getByText('The vendor is blocked.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Annotation contains validation errors.').waitFor();
    expect((await api.get(`/annotations/${id}`)).status).toBe('reviewing');
    receiver.answer('/hook', () => ({ body: {} }));
    await page.keyboard.press('Control+Enter');
    await untilStatus(id, 'exported');
  } finally {
    await api.delete(hook.url);
    await receiver.stop();
  }
});

it('somebody else sees who reviews, cannot write, and can take over', async () => {
  const [id] = (await upload(await invoice('INV-8'))) as [number];
  const other = await newContext();
  const eva = await logIn(other, COLLEAGUE);
  await open(id, eva);
  await page.goto(`${root}/annotations/${id}`);
  await page.getByText('Eva Nowak is reviewing this document.').waitFor();
  expect(await field('Invoice number').getAttribute('readonly')).not.toBeNull();
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByRole('button', { name: 'Confirm' }).waitFor();
  // Eva is told, and what she types now overwrites nothing.
  await eva.getByText('is reviewing this document').waitFor();
  expect(await field('Invoice number', eva).getAttribute('readonly')).not.toBeNull();
  await other.close();
});

it('a session that ends asks for the login, and loses nothing that was typed', async () => {
  const [id] = (await upload(await invoice('INV-9'))) as [number];
  await open(id);
  // Typed while nothing can be asked: whatever is sent first finds that the session has ended.
  await context.setOffline(true);
  await field('Invoice number').fill('TYPED-1');
  await context.clearCookies();
  await context.setOffline(false);
  await page.getByText('Your session has ended.').waitFor();
  await fillLogin(page, system.admin.username, system.admin.password);
  await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
  await untilValue(id, 'document_id', 'TYPED-1');
});

it('without a network it says so, and sends what was typed when it is back, after a reload too', async () => {
  const [id] = (await upload(await invoice('INV-10'))) as [number];
  await open(id);
  await context.setOffline(true);
  await field('Invoice number').fill('OFFLINE-1');
  await page.getByText('You are offline.').waitFor();
  await page.getByText('1 value is not saved yet').waitFor();
  await page.getByText('Confirm when the connection is back').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Not confirmed: try again when the service can be reached.').waitFor();
  expect(await page.getByText('The service cannot be reached.').count()).toBe(0);
  await context.setOffline(false);
  await page.reload();
  await untilValue(id, 'document_id', 'OFFLINE-1');
});

it('a list that could not be read is there when the connection is back', async () => {
  await upload(await invoice('INV-BACK'));
  await page.goto(`${root}/queues/${system.queueId}`);
  const row = page.getByRole('row', { name: /INV-BACK/ });
  await row.waitFor();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Arrived' }).click();
  await page.getByText('The service cannot be reached.').waitFor();
  await context.setOffline(false);
  await row.waitFor();
});

it('changes are told again after the connection was lost', async () => {
  const proxy = await startTcpProxy(Number(new URL(root).port));
  const through = `http://127.0.0.1:${proxy.port}`;
  const isToldOf = (url: string) => url === `${through}/api/v1/events`;
  const told = page.waitForResponse((response) => isToldOf(response.url()) && response.ok());
  await page.goto(`${through}/queues/${system.queueId}`);
  await told;
  const again = page.waitForResponse((response) => isToldOf(response.url()) && response.ok());
  proxy.cut();
  await page.waitForEvent('requestfailed', (request) => isToldOf(request.url()));
  const [id] = (await upload(await invoice('INV-WHILE-AWAY'))) as [number];
  proxy.mend();
  await again;
  await page
    .getByRole('row', { name: /INV-WHILE-AWAY/ })
    .getByText('To review')
    .waitFor();
  // What happens from now on is told, not asked for.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await api.post(`/annotations/${id}/start`);
  await page
    .getByRole('row', { name: /INV-WHILE-AWAY/ })
    .getByText('In review')
    .waitFor();
  expect(asked.filter((url) => url.includes('/annotations?')).length).toBeLessThanOrEqual(2);
  await proxy.stop();
});

it('a document in a page of others is confirmed there, and goes on where they want', async () => {
  const [id, other] = (await upload(sample('invoice-en.pdf'), sample('invoice-de.pdf'))) as [number, number];
  const erp = await startReceiver();
  erp.answer('/done', { headers: { 'Content-Type': 'text/html' }, body: '<h1>Thank you</h1>' });
  const annotator = await system.login(COLLEAGUE);
  const { url } = await annotator.post(`/annotations/${id}/start_embedded`, { return_url: `${erp.url}/done` });
  const elsewhere = await newContext();
  const shown = await elsewhere.newPage();
  await shown.goto(url);
  const confirm = shown.getByRole('button', { name: 'Confirm' });
  await confirm.waitFor();
  expect(shown.url()).toBe(`${root}/embedded/document/${id}`);
  const image = shown.getByAltText('Page 1 of the document');
  await waitFor('the page', () => image.evaluate((element: HTMLImageElement) => element.naturalWidth > 0));
  expect(await shown.getByRole('link', { name: 'Queues' }).count()).toBe(0);
  await field('Order number', shown).fill('PO-1');
  await untilValue(id, 'order_id', 'PO-1');
  // Loaded again, it is still there.
  await shown.reload();
  await confirm.click();
  await shown.getByText('Thank you').waitFor();
  expect((await api.get(`/annotations/${id}`)).status).toBe('exported');

  const { url: next } = await annotator.post(`/annotations/${other}/start_embedded`);
  await shown.goto(next);
  await shown.getByRole('button', { name: 'Postpone' }).click();
  await shown.getByText('The document is postponed. You can close this page.').waitFor();
  expect((await api.get(`/annotations/${other}`)).status).toBe('postponed');
  await elsewhere.close();
  await erp.stop();
});

/** Rows of the list: names of documents, in their order. */
const listed = () => page.locator('.documents td.name a').allTextContents();
const untilListed = (...names: string[]) =>
  waitFor(`the list of ${names.join(', ')}`, async () => (await listed()).join() === names.join());
const select = (name: string, modifiers: ('Shift' | 'Control')[] = []) =>
  page.getByLabel(`Select ${name}`, { exact: true }).click({ modifiers });

it('several documents are postponed at once, all but the one that a colleague has', async () => {
  const ids = await upload(await invoice('INV-51'), await invoice('INV-52'), await invoice('INV-53'));
  const held = ids[1] as number;
  const eva = await system.login(COLLEAGUE);
  await page.goto(`${root}/queues/${system.queueId}?show=waiting&ordering=document__original_file_name`);
  await untilListed('INV-51.pdf', 'INV-52.pdf', 'INV-53.pdf');
  await eva.post(`/annotations/${held}/start`);
  await select('INV-51.pdf');
  await select('INV-53.pdf', ['Shift']);
  const bar = page.getByRole('region', { name: 'Selected documents' });
  await bar.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Postpone' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Postpone' }).click();
  await dialog.getByText('2 done, 1 not: they stay selected.').waitFor();
  await dialog
    .getByRole('listitem')
    .filter({ hasText: 'INV-52.pdf' })
    .getByText('Eva Nowak is reviewing it.')
    .waitFor();
  await page.keyboard.press('Escape');
  await bar.getByText('1 selected').waitFor();
  const statuses = async () => Promise.all(ids.map(async (id) => (await api.get(`/annotations/${id}`)).status));
  expect(await statuses()).toEqual(['postponed', 'reviewing', 'postponed']);
  await eva.post(`/annotations/${held}/cancel`);
  await page.getByRole('row', { name: /INV-52\.pdf To review/ }).waitFor();

  // By keys alone.
  const everyone = page.getByLabel('Select all documents on this page');
  await everyone.focus();
  await page.keyboard.press('Space');
  await bar.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Back to review' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Back to review' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Not done: its state is “To review”.').waitFor();
  await waitFor('its end to have the focus', () =>
    dialog
      .getByRole('button', { name: 'Close' })
      .last()
      .evaluate((button) => button === document.activeElement),
  );
  await page.keyboard.press('Enter');
  expect(await statuses()).toEqual(['to_review', 'to_review', 'to_review']);
});

it('several documents are confirmed at once, and one that is wrong waits as before', async () => {
  const ids = await upload(await invoice('INV-54'), await invoice('INV-55'));
  const [right, wrong] = ids as [number, number];
  const date = (await nodes(wrong)).find(({ schema_id }) => schema_id === 'date_issue') as Json;
  await api.patch(`/annotations/${wrong}/content/${date.id}`, { content: { value: 'no date' } });
  await page.goto(`${root}/queues/${system.queueId}?show=to_review`);
  await page.getByRole('link', { name: 'INV-54.pdf' }).waitFor();
  await page.getByLabel('Select all documents on this page').check();
  await page.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const refused = dialog.getByRole('listitem').filter({ hasText: 'INV-55.pdf' });
  await refused.getByText(/Annotation contains validation errors\. .*not a date/).waitFor();
  await untilStatus(right, 'exported');
  expect((await api.get(`/annotations/${wrong}`)).status).toBe('to_review');
  await refused.getByRole('link', { name: 'INV-55.pdf' }).click();
  await page.getByText('not a date').waitFor();
});

it('several documents are moved, deleted, and had as files and as a spreadsheet', async () => {
  const ids = await upload(await invoice('INV-56'), await invoice('INV-57'));
  const { workspace, schema } = await api.get(`/queues/${system.queueId}`);
  const other = await api.post('/queues', { name: 'Credit notes', workspace, schema });
  await page.goto(`${root}/queues/${system.queueId}?show=to_review`);
  await page.getByRole('link', { name: 'INV-56.pdf' }).waitFor();
  await page.getByLabel('Select all documents on this page').check();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Originals' }).click(),
  ]);
  expect(archive.suggestedFilename()).toBe('documents.zip');
  const bar = page.getByRole('region', { name: 'Selected documents' });
  const sheet = new URL((await bar.getByRole('link', { name: 'Spreadsheet' }).getAttribute('href')) as string, root);
  expect(sheet.searchParams.get('id')?.split(',').map(Number)).toEqual(ids.toReversed());

  await bar.getByRole('button', { name: 'Move' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To the queue').selectOption({ label: 'Credit notes' });
  await dialog.getByRole('button', { name: 'Move' }).click();
  await page.getByText('2 documents moved.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await untilListed();
  for (const id of ids) expect((await api.get(`/annotations/${id}`)).queue).toBe(other.url);

  // There, and in the list of all queues.
  await page.getByRole('combobox', { name: 'Queue' }).selectOption({ label: 'All queues' });
  await page.getByRole('row', { name: /INV-56\.pdf Credit notes To review/ }).waitFor();
  await select('INV-56.pdf');
  await select('INV-57.pdf');
  await bar.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 documents deleted.').waitFor();
  for (const id of ids) expect((await api.get(`/annotations/${id}`)).status).toBe('deleted');
  await api.delete(`${other.url}?delete_after=0`);
});

it('who may only look is offered no more than that', async () => {
  await upload(await invoice('INV-58'));
  const viewer = { username: 'vera@example.com', password: COLLEAGUE.password };
  await api.post('/users', {
    ...viewer,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/1`],
    queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
  });
  const other = await newContext();
  const shown = await logIn(other, viewer);
  await shown.goto(`${root}/queues/${system.queueId}`);
  await shown.getByLabel('Select INV-58.pdf').check();
  const bar = shown.getByRole('region', { name: 'Selected documents' });
  await bar.getByRole('link', { name: 'Spreadsheet' }).waitFor();
  expect(await bar.getByRole('button').allTextContents()).toEqual(['', ' Originals']);
  await other.close();
});

it('what is listed is told by the address, which a link and Back bring again', async () => {
  const ids = await upload(await invoice('INV-59'), await invoice('INV-60'));
  const [labelled] = ids as [number, number];
  const label = await api.post('/labels', { name: 'Urgent' });
  const annotations = [`${system.baseUrl}/v1/annotations/${labelled}`];
  await api.post('/labels/apply', { operations: { add: [label.url] }, objects: { annotations } });
  await page.goto(`${root}/queues/${system.queueId}?show=to_review&ordering=document__original_file_name`);
  await untilListed('INV-59.pdf', 'INV-60.pdf');
  await page.getByRole('button', { name: 'Document', exact: true }).click();
  await untilListed('INV-60.pdf', 'INV-59.pdf');
  await page.getByLabel('Label').selectOption({ label: 'Urgent' });
  await untilListed('INV-59.pdf');
  await page.getByText('1 document', { exact: true }).waitFor();
  const day = (later: number) => {
    const at = new Date();
    at.setDate(at.getDate() + later);
    return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
  };
  await page.getByLabel('Arrived from').fill(day(1));
  await untilListed();
  await page.getByLabel('Arrived from').fill(day(-1));
  await page.getByLabel('to', { exact: true }).fill(day(1));
  await page.getByLabel('Search').fill('INV-59');
  await waitFor('the address', () => page.url().includes('search=INV-59'));
  await untilListed('INV-59.pdf');
  const address = page.url();
  await page.goBack();
  await untilListed('INV-60.pdf', 'INV-59.pdf');
  expect(await page.getByLabel('Search').inputValue()).toBe('');
  await page.goto(address);
  await untilListed('INV-59.pdf');
  expect(await page.getByLabel('Arrived from').inputValue()).toBe(day(-1));
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'INV-60.pdf' }).waitFor();
  await api.delete(label.url);
});

it('pages of the list are gone to, and their size is chosen', async () => {
  const [id] = (await upload(await invoice('INV-61'))) as [number];
  const target_queue = `${system.baseUrl}/v1/queues/${system.queueId}`;
  for (let i = 0; i < 26; i++) await api.post(`/annotations/${id}/copy`, { target_queue });
  await page.goto(`${root}/queues/${system.queueId}?show=to_review`);
  await page.getByText('27 documents', { exact: true }).waitFor();
  const jump = page.getByLabel('Page', { exact: true });
  await jump.fill('2');
  await jump.press('Enter');
  await waitFor('the second page', async () => (await listed()).length === 2);
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  await page.goBack();
  await waitFor('the first page', async () => (await listed()).length === 25);
  await page.getByLabel('Documents on a page').selectOption('50');
  await waitFor('all of them', async () => (await listed()).length === 27);
});

it('who opened a document from a filtered list goes on in it, and comes back to it', async () => {
  await upload(await invoice('LIST-1'), await invoice('OTHER-1'), await invoice('LIST-2'), await invoice('LIST-3'));
  const list = `${root}/queues/${system.queueId}?show=to_review&search=LIST&ordering=document__original_file_name`;
  await page.goto(list);
  await page.getByRole('link', { name: 'LIST-1.pdf' }).click();
  const isShown = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor({ state: 'attached' });
  const confirm = page.getByRole('button', { name: 'Confirm' });
  await isShown('LIST-1.pdf');
  await page.keyboard.press('Alt+PageUp');
  await page.getByText('This is the first document of the list.').waitFor();
  await page.keyboard.press('Alt+PageDown');
  await isShown('LIST-2.pdf');
  await confirm.waitFor();
  await page.getByRole('button', { name: 'Previous in the list' }).click();
  await isShown('LIST-1.pdf');
  await confirm.click();
  await isShown('LIST-2.pdf');
  await confirm.click();
  await isShown('LIST-3.pdf');
  await confirm.waitFor();
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await untilListed('LIST-3.pdf');
  expect(page.url()).toBe(list);
  await page.getByRole('link', { name: 'LIST-3.pdf' }).click();
  await confirm.click();
  await page.getByText('Nothing left to review in this list.').waitFor();
  expect(page.url()).toBe(list);
});

it('a document in a frame of others is given back when the frame goes, with what was typed last', async () => {
  const [id] = (await upload(await invoice('INV-62'))) as [number];
  const annotator = await system.login(COLLEAGUE);
  const { url } = await annotator.post(`/annotations/${id}/start_embedded`);
  const elsewhere = await newContext();
  const shown = await elsewhere.newPage();
  const body = `<iframe src="${url}" width="1200" height="700"></iframe>`;
  embedding.answer('/invoices', { headers: { 'Content-Type': 'text/html' }, body });
  await shown.goto(`${embedding.url}/invoices`);
  const frame = shown.frameLocator('iframe');
  await frame.getByRole('button', { name: 'Confirm' }).waitFor();
  await frame.getByLabel('Order number', { exact: true }).fill('PO-FRAME');
  await shown.evaluate(() => document.querySelector('iframe')?.remove());
  await untilStatus(id, 'to_review');
  await untilValue(id, 'order_id', 'PO-FRAME');
  await elsewhere.close();
});

it('what is listed is had as a spreadsheet', async () => {
  const ids = await upload(await invoice('INV-44'), await invoice('INV-45'));
  await page.goto(`${root}/queues/${system.queueId}?show=to_review&search=INV-45`);
  await page.getByRole('link', { name: 'INV-45.pdf' }).waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Spreadsheet' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('export.xlsx');
  const asked = new URL(saved.url());
  expect(asked.searchParams.get('format')).toBe('xlsx');
  asked.searchParams.set('format', 'json');
  const { results } = await api.get(asked.href);
  expect((results as Json[]).map(({ url }) => idOf(url))).toEqual([ids[1]]);
});

it('a page of the list that has nothing any more gives way to the first one', async () => {
  await upload(await invoice('INV-24'));
  await page.goto(`${root}/queues/${system.queueId}?page=7&show=to_review`);
  await page.getByRole('link', { name: 'INV-24.pdf' }).waitFor();
  expect(new URL(page.url()).search).toBe('?show=to_review');
});

it('postponed, rejected and deleted documents leave the list of what waits', async () => {
  const ids = await upload(await invoice('INV-11'), await invoice('INV-12'), await invoice('INV-13'));
  const [postponed, rejected, deleted] = ids as [number, number, number];
  await open(postponed);
  await page.keyboard.press('Alt+p');
  await untilStatus(postponed, 'postponed');
  await open(rejected);
  await page.keyboard.press('Alt+r');
  await page.getByLabel('A note for your colleagues').fill('wrong company');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await untilStatus(rejected, 'rejected');
  const { results } = await api.get(`/notes?annotation=${rejected}`);
  expect(results[0].content).toBe('wrong company');
  await open(deleted);
  await page.keyboard.press('Alt+Backspace');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await untilStatus(deleted, 'deleted');
});

it('what a document says is text, never markup', async () => {
  const text = '<img src=x onerror=alert(1)>';
  const [id] = (await upload({ ...(await invoice('INV-14')), fileName: `${text}.pdf` })) as [number];
  await open(id);
  await field('Invoice number').fill(text);
  await untilValue(id, 'document_id', text);
  expect(await page.locator('img[src="x"]').count()).toBe(0);
});

const PLACES = [
  '/',
  '/queues/:queue',
  '/documents',
  '/annotations/:annotation',
  '/settings',
  '/settings/users',
  '/settings/lessons',
  '/settings/problems',
  '/settings/queues/:queue',
  '/usage',
];
it.each(['light', 'dark'] as const)(
  'nothing serious is wrong for people with disabilities, %s',
  async (colorScheme) => {
    const [id] = (await upload(sample('invoice-en.pdf'))) as [number];
    const themed = await newContext({ colorScheme });
    const opened = await logIn(themed, system.admin);
    const found: string[] = [];
    for (const place of PLACES) {
      await opened.goto(root + place.replace(':queue', String(system.queueId)).replace(':annotation', String(id)));
      await opened.locator('h1').first().waitFor({ state: 'attached' });
      if (place.includes('annotation')) {
        await opened.getByRole('button', { name: 'Confirm' }).waitFor();
        await opened.getByRole('button', { name: /^Line items/ }).click();
        await opened.getByRole('button', { name: 'Lines on the page' }).click();
      }
      if (place.startsWith('/queues/')) {
        await opened.getByLabel('Select all documents on this page').check();
        await opened.getByRole('region', { name: 'Selected documents' }).waitFor();
      }
      await opened.evaluate(AXE);
      const violations = await opened.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: Json[] }> } };
        return (await axe.run()).violations;
      });
      for (const { id: rule, impact, nodes: at } of violations) {
        if (impact === 'serious' || impact === 'critical') found.push(`${place} ${rule}: ${at[0].html}`);
      }
    }
    expect(found).toEqual([]);
    await themed.close();
  },
);

it('admins set a queue, its schema and its users, and see what was done', async () => {
  await upload(await invoice('INV-USAGE'));
  await page.goto(`${root}/settings/queues/${system.queueId}`);
  const before = await api.get(`/queues/${system.queueId}`);
  await page.getByLabel('Confidence that is enough').fill('90');
  await page.getByRole('form', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
  await waitFor('the threshold', async () => (await api.get(before.url)).default_score_threshold === 0.9);
  await page.getByLabel('Suggest a cut where a PDF seems to hold several documents').check();
  await page.getByRole('form', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
  const suggesting = { ...before.settings, suggested_edit: 'suggest' };
  await waitFor('the setting', async () => (await api.get(before.url)).settings.suggested_edit === 'suggest');
  expect((await api.get(before.url)).settings).toEqual(suggesting);
  await api.patch(before.url, { settings: before.settings });
  const json = page.getByLabel('Content (JSON)');
  const content = JSON.parse(await json.inputValue());
  const changed = structuredClone(content);
  changed[0].children.push({ category: 'datapoint', id: 'project', label: 'Project', type: 'float' });
  await json.fill(JSON.stringify(changed));
  await page.getByText('"float" is not a valid choice.').waitFor();
  expect(await page.getByRole('button', { name: 'Save the schema' }).isDisabled()).toBe(true);
  changed[0].children.at(-1).type = 'string';
  await json.fill(JSON.stringify(changed));
  await page.getByText('The schema is correct.').waitFor();
  const preview = page.getByRole('region', { name: 'Schema' }).locator('.changes');
  expect(await preview.textContent()).toBe('New Project projectChanged Basic information basic_info_section');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await waitFor('the schema', async () => JSON.stringify((await api.get(before.schema)).content).includes('project'));
  await api.patch(before.schema, { content });
  await page.goto(`${root}/settings/users`);
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name').fill('jan@example.com');
  await dialog.getByText('Leave it empty to send an invitation by e-mail.').waitFor();
  await dialog.getByLabel('Password').fill('correct horse battery');
  await dialog.getByLabel('Invoices').check();
  await dialog.getByRole('button', { name: 'Create the user' }).click();
  await page.getByRole('button', { name: 'jan@example.com' }).waitFor();
  const [jan] = (await api.get('/users?username=jan@example.com')).results;
  expect(jan.queues.map(idOf)).toEqual([system.queueId]);
  await page.goto(`${root}/usage`);
  await page.getByRole('img', { name: 'Documents over time' }).waitFor();
  await page.getByLabel(/^Queue/).selectOption({ label: 'Invoices' });
  const [asked, saved] = await Promise.all([
    page.waitForRequest(/usage_report\?format=csv/),
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(asked.postDataJSON().filter.queues.map(idOf)).toEqual([system.queueId]);
  expect(readFileSync(await saved.path(), 'utf8')).toContain('Invoices');
});

it('admins add a queue and an extension, change and delete them', async () => {
  await page.goto(`${root}/settings/queues`);
  await page.getByRole('button', { name: 'Add a queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Delivery notes');
  await dialog.getByLabel('Fields to begin with').selectOption({ label: 'Delivery note' });
  await dialog.getByLabel('Or a new workspace, named').fill('Warehouse');
  await dialog.getByRole('button', { name: 'Create the queue' }).click();
  await page.getByRole('link', { name: 'Delivery notes' }).waitFor();
  const [queue] = (await api.get('/queues?name=Delivery%20notes')).results;
  expect((await api.get(queue.workspace)).name).toBe('Warehouse');
  expect((await api.get(queue.schema)).content.length).toBeGreaterThan(0);

  const receiver = await startReceiver();
  await page.goto(`${root}/settings/hooks`);
  await page.getByRole('button', { name: 'Add an extension' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Stock');
  await dialog.getByLabel('Address').fill(`${receiver.url}/stock`);
  await dialog.getByLabel('Secret').fill('whsec-of-the-warehouse');
  await dialog.getByLabel(/annotation_content\.confirm/).check();
  await dialog.getByLabel('Delivery notes').check();
  await dialog.getByRole('button', { name: 'Create the extension' }).click();
  await page.getByRole('button', { name: 'Stock', exact: true }).click();
  const [hook] = (await api.get('/hooks?name=Stock')).results;
  expect(hook).toMatchObject({ events: ['annotation_content.confirm'], queues: [queue.url], active: true });
  await dialog.getByLabel('Address').fill('no address');
  await dialog.getByRole('button', { name: 'Save' }).click();
  expect(await dialog.getByLabel('Address').evaluate((input: HTMLInputElement) => input.validity.valid)).toBe(false);
  await dialog.getByLabel('Address').fill(`${receiver.url}/stock/2`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await waitFor('the address', async () => (await api.get(hook.url)).config.url === `${receiver.url}/stock/2`);
  await page.getByRole('button', { name: 'Stock', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Really delete' }).click();
  await waitFor('no extension', async () => (await api.get('/hooks?name=Stock')).pagination.total === 0);
  await api.delete(`${queue.url}?delete_after=0`);
  await receiver.stop();
});

it('admins see what was learned and forget it, and what a threshold would have automated', async () => {
  const [id] = (await upload(sample('invoice-de.pdf'))) as [number];
  await api.post(`/annotations/${id}/start`);
  const number = (await nodes(id)).find(({ schema_id }) => schema_id === 'document_id') as Json;
  const corrected = { content: { value: 'CORRECTED-1' }, validation_sources: ['human'] };
  await api.post(`/annotations/${id}/content/operations`, {
    operations: [{ op: 'replace', id: number.id, value: corrected }],
  });
  await api.post(`/annotations/${id}/confirm`);
  const learned = async () => (await api.get(`/lessons?annotation=${id}`)).results as Json[];
  const [lesson] = await waitFor('the lesson', async () => ((await learned()).length > 0 ? learned() : null));

  await page.goto(`${root}/settings/queues/${system.queueId}`);
  const slider = page.getByLabel('Confidence that is enough');
  await page.getByRole('img', { name: 'Confidence and what it would have meant' }).waitFor();
  await slider.fill('0');
  await page.getByText(/^100 % of the last \d+ documents? that people confirmed would have needed nobody/).waitFor();
  await page.getByText(/% of them \(\d+\) had a value that was corrected\./).waitFor();
  await slider.fill('100');
  await page.getByText(/^0 % of the last \d+ documents? that people confirmed would have needed nobody/).waitFor();

  await page.goto(`${root}/settings/lessons`);
  const row = page.getByRole('row', { name: new RegExp(lesson?.sender_name) });
  await row.getByRole('cell', { name: 'document id', exact: true }).waitFor();
  await row.getByRole('button', { name: /^Forget the sender/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget the sender' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await learned()).toEqual([]);
});

it('what failed is shown with its reason, and tried again', async () => {
  const task = await api.upload(system.queueId, [sample('encrypted.pdf')]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const [id] = annotationIds as [number];
  await untilStatus(id, 'failed_import');
  await page.goto(`${root}/settings/problems`);
  const row = page.getByRole('row', { name: /encrypted\.pdf/ });
  await row.getByText('The PDF is protected by a password').waitFor();
  await row.getByRole('button', { name: 'Try again: encrypted.pdf' }).click();
  await waitFor('it to fail once more', async () => {
    const { results } = await api.get(`/annotations/${id}/history`);
    return (results as Json[]).filter(({ status }) => status === 'failed_import').length === 2;
  });
  await api.post(`/annotations/${id}/delete`);
});

it('calls of extensions are listed, with what went wrong', async () => {
  const [port] = await freePorts(1);
  const hook = await api.post('/hooks', {
    name: 'Nobody there',
    type: 'webhook',
    events: ['annotation_status'],
    queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
    config: { url: `http://127.0.0.1:${port}/` },
  });
  const [id] = (await upload(await invoice('INV-15'))) as [number];
  await page.goto(`${root}/settings/hooks`);
  const calls = page.getByRole('region', { name: 'Calls of the last seven days' });
  await calls
    .getByRole('link', { name: `#${id}` })
    .first()
    .waitFor();
  expect(await calls.getByRole('row', { name: /Nobody there annotation_status\.changed/ }).count()).toBeGreaterThan(0);
  await page.getByLabel('Active: Nobody there').uncheck();
  await waitFor('the hook to be off', async () => (await api.get(hook.url)).active === false);
  await api.delete(hook.url);
});

it('notifications that a receiver refused are delivered again', async () => {
  const receiver = await startReceiver();
  receiver.answer('/', { status: 400 });
  const hook = await api.post('/hooks', {
    name: 'Ledger',
    type: 'webhook',
    events: ['annotation_status'],
    queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
    config: { url: `${receiver.url}/` },
  });
  const [id] = (await upload(await invoice('INV-16'))) as [number];
  const failed = async () => (await api.get(`/hooks/${hook.id}/deliveries?status=failed`)).pagination.total as number;
  await waitFor('the refusals', async () => (await failed()) >= 2);
  receiver.answer('/', { status: 200 });
  await page.goto(`${root}/settings/hooks`);
  const calls = page.getByRole('region', { name: 'Calls of the last seven days' });
  const before = await failed();
  await page.getByText(/given up/).waitFor();
  await calls
    .getByRole('row', { name: new RegExp(`Ledger annotation_status\\.changed #${id} failed`) })
    .first()
    .getByRole('button', { name: 'Deliver again' })
    .click();
  await waitFor('the one', async () => (await failed()) === before - 1);
  const row = page.getByRole('row', { name: /^Ledger .*given up/ });
  await row.getByRole('button', { name: 'Deliver again' }).click();
  await waitFor('the others', async () => (await failed()) === 0);
  await row.waitFor({ state: 'detached' });
  await api.delete(hook.url);
  await receiver.stop();
});

it('the history of a value, a duplicate and the e-mail it came with are there', async () => {
  const raw = await buildMail({
    to: system.inboxEmail,
    subject: 'Our invoice',
    text: 'Please pay <b>soon</b>.',
    attachments: [{ filename: 'mailed.pdf', content: sample('invoice-en.pdf').content }],
  });
  await upload(sample('invoice-en.pdf'));
  await sendMail(system.smtp, { raw, to: system.inboxEmail });
  const list = `/annotations?queue=${system.queueId}&status=to_review&sideload=documents`;
  const { id } = await waitFor(
    'the document of the e-mail',
    async () => {
      const { results, documents } = await api.get(list);
      const mailed = (documents as Json[]).find(({ original_file_name: name }) => name === 'mailed.pdf');
      return (results as Json[]).find(({ document }) => document === mailed?.url) ?? null;
    },
    { timeoutMs: 60_000 },
  );
  await open(id);
  await field('Invoice number').fill('CHANGED-1');
  await untilValue(id, 'document_id', 'CHANGED-1');
  await field('Invoice number').press('Alt+h');
  const dialog = page.getByRole('dialog');
  await dialog.locator('del', { hasText: 'HF-2024-0117' }).waitFor();
  await dialog.locator('ins', { hasText: 'CHANGED-1' }).waitFor();
  await page.keyboard.press('Escape');
  await waitFor('the field to have the focus again', () =>
    field('Invoice number').evaluate((input) => input === document.activeElement),
  );
  await page.getByRole('button', { name: 'E-mail it came with' }).click();
  await dialog.getByText('Our invoice').waitFor();
  await dialog.getByText('Please pay <b>soon</b>.').waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: /^Show beside/ })
    .first()
    .click();
  await page.getByRole('region', { name: 'Document beside it' }).getByAltText('Page 1 of the document').waitFor();
});

it('all documents that seem to be the same can be reached', async () => {
  const ids: number[] = [];
  for (let at = 0; at < 8; at++) ids.push(...(await upload(sample('invoice-en.pdf'))));
  await open(ids.at(-1)!);
  const beside = page.getByRole('button', { name: /^Show beside/ });
  const all = page.getByRole('button', { name: /^Show all/ });
  await all.waitFor();
  expect(await beside.count()).toBe(6);
  await all.click();
  await all.waitFor({ state: 'detached' });
  for (const id of ids.slice(0, -1))
    await page.getByRole('button', { name: `Show beside #${id}`, exact: true }).waitFor();
});

it('a document is cut into two, and a page left out', async () => {
  const pages = ['INV-21', 'INV-22', 'INV-23', 'INV-24'].map(invoiceLines);
  const [id] = (await upload({ fileName: 'batch.pdf', content: await buildPdf({ pages }) })) as [number];
  await open(id);
  await page.getByRole('button', { name: 'Pages', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cut before page 3' }).click();
  await dialog.getByRole('button', { name: 'Leave out page 2' }).click();
  await dialog.getByText('It becomes 2 documents.').waitFor();
  await dialog.getByRole('button', { name: 'Save the pages' }).click();
  await untilStatus(id, 'split');
  const parts = await waitFor(
    'the parts',
    async () => {
      const { results } = await api.get(`/annotations?queue=${system.queueId}&status=to_review&ordering=id`);
      return results.length === 2 ? (results as Json[]) : null;
    },
    { timeoutMs: 60_000 },
  );
  expect(parts.map((part) => part.pages.length)).toEqual([1, 2]);
  await page.getByRole('link', { name: /batch_1/ }).click();
  await page.getByText('It was cut from another document.').waitFor();
  await page.getByRole('button', { name: `Show beside #${id}` }).click();
  const original = page.getByRole('region', { name: 'Document beside it' });
  await original.getByRole('link', { name: 'batch.pdf' }).click();
  await page.getByText('It was cut into 2 documents.').waitFor();
});

it('a page is turned', async () => {
  const [id] = (await upload(await invoice('INV-25'))) as [number];
  await open(id);
  const isWide = () =>
    page
      .getByAltText('Page 1 of the document')
      .evaluate((image: HTMLImageElement) => image.naturalWidth > image.naturalHeight);
  await placeOnPage(0, 0);
  expect(await isWide()).toBe(false);
  await page.getByRole('button', { name: 'Pages', exact: true }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Save the pages' }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Turn page 1' }).click();
  await dialog.getByRole('button', { name: 'Save the pages' }).click();
  await dialog.waitFor({ state: 'detached' });
  await waitFor('the page to lie', () => isWide().catch(() => false), { timeoutMs: 60_000 });
});

it('a cut that is suggested is dismissed, or looked at and done', async () => {
  const content = await buildPdf({ pages: ['INV-31', 'INV-32', 'INV-33'].map(invoiceLines) });
  const [id] = (await upload({ fileName: 'suggested.pdf', content })) as [number];
  const { url, queue, pages, schema } = await api.get(`/annotations/${id}`);
  const [one, two, three] = pages as [string, string, string];
  const other = await api.post('/queues', {
    name: 'Credit notes',
    workspace: (await api.get(queue)).workspace,
    schema,
  });
  const suggest = () =>
    api.post('/suggested_edits', {
      annotation: url,
      documents: [
        { pages: [{ page: one }, { page: two, deleted: true }], target_queue: queue },
        { pages: [{ page: three, rotation: 90 }], target_queue: other.url, values: { 'edit:kind': 'credit' } },
      ],
    });
  await suggest();
  await open(id);
  const notice = page.getByText('It is suggested to cut this into 2 documents.');
  await notice.waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });
  expect((await api.get(url)).suggested_edit).toBeNull();

  // The page is told of a new one, and of its end.
  const first = await suggest();
  await notice.waitFor();
  await api.delete(first.url);
  await notice.waitFor({ state: 'detached' });
  const again = await suggest();
  await page.getByRole('button', { name: 'Look at it' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It becomes 2 documents.').waitFor();
  await dialog.getByText('Goes to Credit notes').waitFor();
  const isPressed = (name: string) => dialog.getByRole('button', { name }).getAttribute('aria-pressed');
  expect([await isPressed('Leave out page 2'), await isPressed('Cut before page 3')]).toEqual(['true', 'true']);
  await dialog.getByRole('button', { name: 'Save the pages' }).click();
  await untilStatus(id, 'split');
  const { results } = await api.get(`/relations?parent=${id}`);
  const parts = (await Promise.all((results as Json[])[0]?.annotations.map((part: string) => api.get(part)))) as Json[];
  expect(parts.map((part) => part.queue)).toEqual([queue, other.url]);
  for (const part of parts) await untilStatus(part.id, 'to_review');
  expect((await api.get(`/pages?annotation=${parts[1]?.id}`)).results).toHaveLength(1);
  await page.goto(`${root}/annotations/${id}`);
  await page.getByText('It was cut into 2 documents.').waitFor();
  expect(await page.getByText('It is suggested').count()).toBe(0);
  await api.delete(again.url);
  await api.post(`${parts[1]?.url}/delete`);
  await api.delete(`${other.url}?delete_after=0`);
});
