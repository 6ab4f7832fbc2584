/**
 * `npm run load [-- part ...]`: the running system under load, as a table and a picture in the data folder. Parts: uploads, mails,
 * reads, latency, throughput, scale, fairness, export. Start the system with `INTAKE_RATE_LIMIT_PER_MINUTE=0 npm start -- --processes`, for `scale`
 * with `INTAKE_EXTRACTION_CONCURRENCY=1` too.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { portsOf, SERVICES } from '../../deploy/local/services.mjs';
import { connect, inParallel, makeInvoice, makeScan, pause, quantile, ROOT } from './client.mjs';
import { draw } from './picture.mjs';

const require = createRequire(import.meta.url);
const autocannon = require('autocannon');
const { createTransport } = require('nodemailer');
const { env } = process;
const SECONDS = Number(env.INTAKE_LOAD_SECONDS ?? 600);
const BACKLOG = Number(env.INTAKE_LOAD_BACKLOG ?? 2000);
const DOCUMENTS = Number(env.INTAKE_LOAD_DOCUMENTS ?? 300);
const PER_SECOND = 20;
const DOCUMENT_BYTES = 200_000;
const SENDERS = 20;
const LONG_MS = 3_600_000;
const cores = availableParallelism();
/** How many documents one worker reads at a time. */
const EACH = env.INTAKE_EXTRACTION_CONCURRENCY ?? `${cores}`;

/** Megabytes that the process of a service holds. */
async function memoryOf(service) {
  const { ops } = portsOf(service, Number(env.INTAKE_LOCAL_BASE_PORT));
  const text = await (await fetch(`http://127.0.0.1:${ops}/metrics`)).text();
  return Number(/^process_resident_memory_bytes\S* (\S+)/m.exec(text)?.[1] ?? Number.NaN) / 1e6;
}

/** p99 of the delay of the event loop, the worst of all services, in milliseconds. */
async function eventLoopDelay() {
  const delays = await Promise.all(
    SERVICES.map(async (service) => {
      const { ops } = portsOf(service, Number(env.INTAKE_LOCAL_BASE_PORT));
      const text = await (await fetch(`http://127.0.0.1:${ops}/metrics`)).text();
      return 1000 * Number(/^nodejs_eventloop_lag_p99_seconds\S* (\S+)/m.exec(text)?.[1] ?? 0);
    }),
  );
  return Math.max(...delays);
}

const PARTS = {
  async uploads({ api, queueId, figure }) {
    await inParallel(20, 4, () => api.upload(queueId, makeInvoice(DOCUMENT_BYTES)));
    await eventLoopDelay(); // each reading counts from the one before, and the start of the services is none of this
    const { times, errors } = await atRate(() => api.upload(queueId, makeInvoice(DOCUMENT_BYTES)));
    figure(`uploads of 200 kB at ${PER_SECOND}/s for ${SECONDS} s, p50`, quantile(times, 0.5), 'ms');
    figure('the same, p95', quantile(times, 0.95), 'ms', 300);
    figure('their errors', errors, '', 0);
    figure('memory of the gateway', await memoryOf('gateway'), 'MB', 250);
    figure('delay of the event loop, p99, worst service', await eventLoopDelay(), 'ms', 50);
  },

  async mails({ api, queueId, figure }) {
    const inbox = { name: 'Load', email_prefix: 'load', queues: [`${api.base}/v1/queues/${queueId}`] };
    const { email: to } = await api.call('POST', '/inboxes', JSON.stringify(inbox), {
      'content-type': 'application/json',
    });
    const before = await api.count(queueId, 'to_review');
    const [host, port] = env.INTAKE_SMTP_ADDRESS.split(':');
    const pooled = { pool: true, maxConnections: SENDERS, maxMessages: Number.POSITIVE_INFINITY };
    const transport = createTransport({ host, port: Number(port), ...pooled, ignoreTLS: true });
    const { times, errors } = await atRate(() =>
      transport.sendMail({
        ...{ from: 'load@example.org', to, subject: 'An invoice', headers: { 'Auto-Submitted': 'auto-generated' } },
        attachments: [{ filename: 'load.pdf', content: makeInvoice(DOCUMENT_BYTES) }],
      }),
    );
    transport.close();
    figure(`mails of 200 kB at ${PER_SECOND}/s for ${SECONDS} s, until 250, p95`, quantile(times, 0.95), 'ms', 500);
    figure('mails that were not taken', errors, '', 0);
    const ended = performance.now();
    await api.waitForCount(queueId, 'to_review', before + times.length, LONG_MS);
    figure('after the last mail, until all documents came to review', (performance.now() - ended) / 1000, 's');
  },

  async reads({ api, queueId, figure }) {
    await api.timeToReview(queueId, makeInvoice());
    const { results } = await api.call('GET', `/annotations?queue=${queueId}&status=to_review&page_size=1`);
    const list = `${api.base}/v1/annotations?queue=${queueId}&page_size=100`;
    const kinds = [
      ['GET annotation', results[0].url, 3, 50],
      ['list of 100', list, 20, 150],
    ];
    for (const [name, url, aloneMs, crowdMs] of kinds) {
      const headers = { authorization: api.authorization };
      const measure = (connections, duration) => autocannon({ url, headers, connections, duration });
      await measure(20, 5);
      figure(`${name}, alone, p50`, (await measure(1, 8)).latency.p50, 'ms', aloneMs);
      figure(`${name}, 20 callers, p99`, (await measure(20, 8)).latency.p99, 'ms', crowdMs);
    }
  },

  async latency({ api, queueId, figure }) {
    const times = [];
    for (let i = 0; i < 40; i++) times.push(await api.timeToReview(queueId, makeInvoice()));
    const warm = times.slice(10);
    figure('one digital document, upload to review, p50', quantile(warm, 0.5), 'ms', 500);
    figure('the same, p95', quantile(warm, 0.95), 'ms', 1500);
  },

  async throughput({ api, queueId, figure }) {
    figure(
      `digital documents on ${cores} cores`,
      await documentsPerMinute(api, queueId, DOCUMENTS),
      '/min',
      200 * cores,
      true,
    );
  },

  async scale({ api, queueId, figure }) {
    const kinds = [
      ['digital documents', DOCUMENTS, makeInvoice],
      ['scans', Math.ceil(DOCUMENTS / 10), makeScan],
    ];
    const alone = [];
    for (const [, count, make] of kinds) alone.push(await documentsPerMinute(api, queueId, count, make));
    const stop = await addExtractionWorker();
    try {
      for (const [index, [name, count, make]] of kinds.entries()) {
        const both = await documentsPerMinute(api, queueId, count, make);
        figure(`${name}, 1 extraction worker of ${EACH}`, alone[index], '/min');
        figure(`${name}, 2 extraction workers of ${EACH}`, both, '/min');
        figure(`${name}, 2 workers against 1`, both / alone[index], 'times', 1.7, true);
      }
    } finally {
      await stop();
    }
  },

  async fairness({ api, queueId, figure }) {
    const other = await makeOrganization(api.base);
    await other.api.timeToReview(other.queueId, makeInvoice());
    const before = await api.count(queueId, 'to_review');
    await inParallel(BACKLOG, 8, () => api.uploadUntilTaken(queueId, makeInvoice()));
    const times = [];
    for (let i = 0; i < 10; i++) times.push(await other.api.timeToReview(other.queueId, makeInvoice()));
    const waiting = before + BACKLOG - (await api.count(queueId, 'to_review'));
    figure(`documents of another organization that still waited (of ${BACKLOG})`, waiting, '');
    figure('upload to review beside them, slowest of 10', quantile(times, 1) / 1000, 's', 10);
    await api.waitForCount(queueId, 'to_review', before + BACKLOG, LONG_MS);
  },

  async export({ api, queueId, figure }) {
    const before = await memoryOf('export');
    const started = performance.now();
    const response = await fetch(`${api.base}/v1/queues/${queueId}/export?format=csv&status=to_review`, {
      headers: { authorization: api.authorization },
    });
    if (!response.ok) throw new Error(`export: ${response.status} ${await response.text()}`);
    let firstMs = Number.NaN;
    let lines = 0;
    for await (const chunk of response.body) {
      if (Number.isNaN(firstMs)) firstMs = performance.now() - started;
      lines += chunk.filter((byte) => byte === 10).length;
    }
    figure(`CSV of ${lines} lines, first byte`, firstMs, 'ms', 1000);
    figure('memory of export beside what it had', (await memoryOf('export')) - before, 'MB', 150);
  },
};

/** Does something `PER_SECOND` times a second for `SECONDS`: how long each took in milliseconds, and how many failed. */
async function atRate(task) {
  const times = [];
  let errors = 0;
  const running = new Set();
  const until = Date.now() + SECONDS * 1000;
  for (let at = Date.now(); at < until; at += 1000 / PER_SECOND) {
    await pause(Math.max(0, at - Date.now()));
    const started = performance.now();
    const one = task()
      .then(() => times.push(performance.now() - started))
      .catch(() => {
        errors += 1;
      })
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return { times, errors };
}

/** How many documents a minute come to review when so many are uploaded at once; some go before, so that all is warm. */
async function documentsPerMinute(api, queueId, count, make = makeInvoice) {
  const work = async (documents, width) => {
    const before = await api.count(queueId, 'to_review');
    await inParallel(documents, width, () => api.uploadUntilTaken(queueId, make()));
    await api.waitForCount(queueId, 'to_review', before + documents, LONG_MS);
  };
  await work(Math.ceil(count / 15), 4);
  const started = performance.now();
  await work(count, 8);
  return (count / (performance.now() - started)) * 60_000;
}

/** A second process of the extraction, on ports of its own. */
async function addExtractionWorker() {
  const basePort = Number(env.INTAKE_LOCAL_BASE_PORT) + 1000;
  const child = spawn(process.execPath, [path.join(ROOT, 'deploy/local/host.mjs'), 'extraction'], {
    cwd: ROOT,
    env: { ...env, INTAKE_LOCAL_BASE_PORT: String(basePort) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { ops } = portsOf('extraction', basePort);
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`http://127.0.0.1:${ops}/readyz`).catch(() => undefined);
    if (ready?.ok) break;
    if (tries > 300) throw new Error('the second worker did not start');
    await pause(200);
  }
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
}

/** Another organization with a queue of its own. */
async function makeOrganization(base) {
  const name = `Load ${randomBytes(4).toString('hex')}`;
  const login = {
    username: `${name.replace(' ', '-').toLowerCase()}@example.com`,
    password: randomBytes(12).toString('hex'),
  };
  const args = [
    'organization',
    'create',
    '--name',
    name,
    '--admin-email',
    login.username,
    '--admin-password',
    login.password,
  ];
  const out = execFileSync(process.execPath, [path.join(ROOT, 'packages/cli/dist/index.js'), ...args], {
    encoding: 'utf8',
  });
  return { api: await connect(base, login), queueId: JSON.parse(out).queueId };
}

async function main() {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length > 0)
    throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  const base = env.INTAKE_BASE_URL;
  if (!base)
    throw new Error(
      'No running system found: run "INTAKE_RATE_LIMIT_PER_MINUTE=0 npm start -- --processes" in another terminal first.',
    );
  const api = await connect(base, { username: env.INTAKE_ADMIN_EMAIL, password: env.INTAKE_ADMIN_PASSWORD });
  const { workspace, schema } = (await api.call('GET', '/queues')).results[0];
  const queue = await api.call(
    'POST',
    '/queues',
    JSON.stringify({ name: `Load ${new Date().toISOString()}`, workspace, schema }),
    {
      'content-type': 'application/json',
    },
  );
  const figures = [];
  for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
    process.stderr.write(`${name} ...\n`);
    const figure = (what, value, unit, target, least = false) => {
      const rounded = Number(value.toPrecision(3));
      figures.push({ name: what, value: rounded, unit, ...(target !== undefined && { target, least }) });
      process.stderr.write(`  ${what}: ${rounded} ${unit}\n`);
    };
    await PARTS[name]({ api, queueId: queue.id, figure });
    // One part's documents are not to slow down the next one.
    while ((await api.count(queue.id, 'importing')) > 0) await pause(500);
  }
  const folder = path.join(env.INTAKE_DATA_DIR ?? path.join(ROOT, '.data'), 'load');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    path.join(folder, 'load.json'),
    `${JSON.stringify({ at, cores, node: process.version, figures }, null, 2)}\n`,
  );
  writeFileSync(path.join(folder, 'load.svg'), draw(figures, `Intake under load, ${cores} cores, ${at.slice(0, 10)}`));
  console.table(figures);
  console.log(`Written to ${path.relative(process.cwd(), folder)}/load.json and load.svg`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
