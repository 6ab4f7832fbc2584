/**
 * `npm run bench-review`: measures the review page of a running system in Chromium: what the first load transfers, and how long the next
 * document takes after one is confirmed. Every document is looked at for a moment, as a person does: the page reads ahead meanwhile.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const samples = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../samples');
const {
  INTAKE_BASE_URL: base = '',
  INTAKE_QUEUE_ID: queueId = '1',
  INTAKE_ADMIN_EMAIL,
  INTAKE_ADMIN_PASSWORD,
} = process.env;
const site = base.replace(/\/api$/, '');
const DOCUMENTS = 12;
/** A practised look at a document. */
const LOOK_MS = 2000;

async function upload() {
  const authorization = `Basic ${Buffer.from(`${INTAKE_ADMIN_EMAIL}:${INTAKE_ADMIN_PASSWORD}`).toString('base64')}`;
  const invoice = readFileSync(path.join(samples, 'invoice-en.pdf'));
  for (let i = 0; i < DOCUMENTS; i++) {
    const body = new FormData();
    const marked = Buffer.concat([invoice, Buffer.from(`\n% ${Date.now()} ${i}\n`)]);
    body.append('content', new Blob([marked], { type: 'application/pdf' }), `bench-${i}.pdf`);
    const answer = await fetch(`${base}/v1/uploads?queue=${queueId}`, {
      method: 'POST',
      body,
      headers: { authorization },
    });
    if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  }
}

/** In the page: resolves when another document is there, its image drawn and its first field ready for typing. */
function waitForNext() {
  const from = location.pathname;
  const began = performance.now();
  window.nextDocument = new Promise((resolve) => {
    const look = () => {
      const image = document.querySelector('.sheet > img');
      const isThere = location.pathname !== from && image?.complete && image.naturalWidth > 0;
      if (!isThere || !document.activeElement?.dataset.field) return requestAnimationFrame(look);
      const confirmed = performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/confirm'));
      resolve({ all: performance.now() - began, opening: performance.now() - confirmed.responseEnd });
    };
    look();
  });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const report = (values) => `median ${Math.round(median(values))} ms, longest ${Math.round(Math.max(...values))} ms`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await upload();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(site);
  const loaded = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  console.log(`first load: ${Math.round(loaded / 1000)} kB compressed`);
  await page.getByLabel('User name').fill(INTAKE_ADMIN_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(INTAKE_ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  await page.goto(`${site}/queues/${queueId}?show=to_review`);
  await page.getByRole('row').nth(DOCUMENTS).waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Review next' }).click();
  await page.locator('.confirm').waitFor();
  const times = [];
  for (let i = 0; i < DOCUMENTS - 1; i++) {
    await page.waitForTimeout(LOOK_MS);
    await page.evaluate(waitForNext);
    await page.keyboard.press('Control+Enter');
    times.push(await page.evaluate(() => window.nextDocument));
  }
  // The first one fills caches, of the services too.
  const counted = times.slice(1);
  console.log(
    `the next document, from the answer to the confirmation: ${report(counted.map(({ opening }) => opening))}`,
  );
  console.log(`the next document, from the key press, confirmation included: ${report(counted.map(({ all }) => all))}`);
} finally {
  await browser.close();
}
