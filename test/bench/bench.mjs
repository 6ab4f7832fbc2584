/**
 * `npm run bench`: measures a running system against the bare parts it is made of, in one run, and prints ratios: absolute
 * figures depend on the machine and its mood, ratios hardly. Writes the table as JSON too.
 *
 * 1. documents/minute: upload to `to_review` through the whole system, against the bare engine in one process, same files
 * 2. GET /v1/annotations/<id>: requests/s through gateway and rpc, against a Koa route reading the same MongoDB documents
 * 3. upload MB/s: POST /v1/uploads, against a bare put into the same object store
 * 4. mails/s with an attachment of 200 kB, against a bare smtp-server that stores into the same object store
 * 5. PATCH of one value, against the same update in MongoDB; `content/validate` of 300 rows and 10 formulas, against these alone
 * 6. lists of 100 among many queues and annotations, against the same query sent straight to MongoDB (page and count)
 * 7. exports of many annotations, against a bare cursor with papaparse; first byte, and growth of the process that exports
 * 8. how soon webhooks are told of changes of state beside endpoints that never answer, against none of these
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '../load/client.mjs';
import { measurePatch, measureValidate } from './content.mjs';
import { measureDispatch } from './dispatch.mjs';
import { measureExport } from './export.mjs';
import { measureMail } from './mail.mjs';

const require = createRequire(import.meta.url);
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const autocannon = require('autocannon');

const { env } = process;
const base = env.INTAKE_BASE_URL;
const DIGITAL = ['invoice-en.pdf', 'invoice-de.pdf', 'invoice-fr.pdf', 'invoice-cs.pdf', 'credit-note-en.pdf'];
const ROUNDS = Number(env.INTAKE_BENCH_ROUNDS ?? 30);
const SECONDS = Number(env.INTAKE_BENCH_SECONDS ?? 8);
/** A server that has just done other work takes some seconds until its hot code is compiled for this one. */
const WARM_UP_SECONDS = 6;
const WARM_UP_ROUNDS = 10;
const UPLOADERS = 8;
const WAIT_MS = 300_000;
const MANY_QUEUES = Number(env.INTAKE_BENCH_QUEUES ?? 10_000);
const MANY_ANNOTATIONS = Number(env.INTAKE_BENCH_ANNOTATIONS ?? 100_000);
const EXPORTED = Number(env.INTAKE_BENCH_EXPORTED ?? 100_000);
const DEAD = Number(env.INTAKE_BENCH_DEAD ?? 100);
const EVENTS = Number(env.INTAKE_BENCH_EVENTS ?? 200);
/** Empty: everything; else only this part. */
const ONLY = env.INTAKE_BENCH_ONLY ?? '';
const PARTS = ['serving', 'mail', 'content', 'lists', 'export', 'dispatch'];
const LIST_ROUNDS = 25;
/** Ids far above those that the services give out. */
const FIRST_FILLER = 2 ** 40;
/** How often it is looked whether all documents have arrived: each look costs the system as much as a small part of one. */
const LOOK_MS = 200;
/** Documents that each reader reads in turn, beginning at another one, so that no two ask for the same at the same time. */
const READ_IN_TURN = 50;

/** Logged in by `main`. */
let call;
let authorization;

function formOf(name, bytes) {
  const form = new FormData();
  form.append('content', new Blob([bytes]), name);
  return form;
}

const idOf = (url) => Number(url.split('/').pop());
const perMinute = (count, ms) => (count / ms) * 60_000;

/** Runs `work` over items, some at a time. */
async function each(items, width, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (queue.length > 0) await work(queue.shift());
    }),
  );
}

async function countWithStatus(queue, status) {
  return (await call('GET', `/annotations?queue=${queue}&status=${status}&page_size=1`)).pagination.total;
}

async function waitForDocuments(queue, done) {
  const end = Date.now() + WAIT_MS;
  while (Date.now() < end) {
    if ((await countWithStatus(queue, 'to_review')) >= done) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('the documents did not all arrive in to_review');
}

async function measureDocuments(queue, names, rounds) {
  const files = names.map((name) => ({ name, bytes: readFileSync(path.join(root, 'test/samples', name)) }));
  const all = Array.from({ length: rounds }, () => files).flat();
  const mimeType = (name) => (name.endsWith('.png') ? 'image/png' : 'application/pdf');

  const { recognize } = require(path.join(root, 'packages/engine'));
  const bare = async () => {
    for (const { name, bytes } of all) await recognize(bytes, { mimeType: mimeType(name), locale: 'en_GB' });
  };
  const system = async () => {
    const before = await countWithStatus(queue, 'to_review');
    await each(all, UPLOADERS, ({ name, bytes }) => call('POST', `/uploads?queue=${queue}`, formOf(name, bytes)));
    await waitForDocuments(queue, before + all.length);
  };
  const time = async (fn) => {
    const started = performance.now();
    await fn();
    return performance.now() - started;
  };
  const warmUp = Array.from({ length: Math.min(WARM_UP_ROUNDS, rounds) }, () => files).flat();
  for (const { name, bytes } of warmUp) await recognize(bytes, { mimeType: mimeType(name) });
  const before = await countWithStatus(queue, 'to_review');
  await each(warmUp, UPLOADERS, ({ name, bytes }) => call('POST', `/uploads?queue=${queue}`, formOf(name, bytes)));
  await waitForDocuments(queue, before + warmUp.length);
  return {
    ours: perMinute(all.length, await time(system)),
    bare: perMinute(all.length, await time(bare)),
    unit: 'documents/min',
  };
}

async function requestsPerSecond(url, ids, headers) {
  let readers = 0;
  const setupClient = (client) => {
    const first = readers++ % ids.length;
    const inTurn = [...ids.slice(first), ...ids.slice(0, first)];
    client.setRequests(inTurn.map((id) => ({ method: 'GET', path: `${new URL(url).pathname}/${id}`, headers })));
  };
  const run = (duration) => autocannon({ url, connections: 50, duration, setupClient });
  await run(WARM_UP_SECONDS);
  const { requests: counted, non2xx, errors } = await run(SECONDS);
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} failed`);
  return counted.average;
}

async function measureReading(queue) {
  const { results } = await call('GET', `/annotations?queue=${queue}&status=to_review&page_size=${READ_IN_TURN}`);
  const ids = results.map(({ url }) => idOf(url));
  const bare = fork(path.join(root, 'test/bench/bare-koa.mjs'));
  try {
    const port = await new Promise((resolve, reject) => {
      bare.once('message', resolve);
      bare.once('exit', () => reject(new Error('the bare server did not start')));
    });
    return {
      bare: await requestsPerSecond(`http://127.0.0.1:${port}/annotations`, ids, {}),
      ours: await requestsPerSecond(`${base}/v1/annotations`, ids, { authorization }),
      unit: 'requests/s',
    };
  } finally {
    bare.kill();
  }
}

/** A one-page PDF that is `megabytes` large because of an attached stream of random bytes. */
async function padPdf(megabytes) {
  const { PDFDocument } = require('pdf-lib');
  const pdf = await PDFDocument.load(readFileSync(path.join(root, 'test/samples/invoice-en.pdf')));
  await pdf.attach(randomBytes(megabytes * 2 ** 20), 'padding.bin');
  return Buffer.from(await pdf.save());
}

function connectStore() {
  const { Client } = require('minio');
  const { hostname, port, protocol } = new URL(env.INTAKE_S3_URL);
  return new Client({
    endPoint: hostname,
    port: Number(port) || undefined,
    useSSL: protocol === 'https:',
    accessKey: env.INTAKE_S3_ACCESS_KEY,
    secretKey: env.INTAKE_S3_SECRET_KEY,
  });
}

async function measureUpload(queue) {
  const s3 = connectStore();
  const files = await Promise.all(Array.from({ length: 12 }, () => padPdf(20)));
  const megabytes = files.reduce((sum, { length }) => sum + length, 0) / 2 ** 20;
  const names = files.map((_, i) => `bench/${Date.now()}-${i}`);
  const rate = async (work) => {
    const started = performance.now();
    await work();
    return megabytes / ((performance.now() - started) / 1000);
  };
  await s3.putObject(env.INTAKE_S3_BUCKET, names[0], files[0]);
  const bare = await rate(() =>
    each(
      files.map((bytes, i) => [names[i], bytes]),
      3,
      ([name, bytes]) => s3.putObject(env.INTAKE_S3_BUCKET, name, bytes),
    ),
  );
  await s3.removeObjects(env.INTAKE_S3_BUCKET, names);
  const ours = await rate(() =>
    each(files, 3, (bytes) => call('POST', `/uploads?queue=${queue}`, formOf('large.pdf', bytes))),
  );
  return { ours, bare, unit: 'MB/s' };
}

/** Rows like one that is there, with ids that nothing else has; answers the function that removes them. */
async function fill(collection, example, count, more) {
  const BLOCK = 5000;
  for (let start = 0; start < count; start += BLOCK) {
    const rows = Array.from({ length: Math.min(BLOCK, count - start) }, (_, i) => {
      const _id = FIRST_FILLER + start + i;
      return { ...example, ...more(start + i, _id), _id };
    });
    await collection.insertMany(rows, { ordered: false });
  }
  return () => collection.deleteMany({ _id: { $gte: FIRST_FILLER } });
}

/** Milliseconds of a call: the median of many, one after the other. */
async function medianMs(task) {
  const times = [];
  for (let i = 0; i < LIST_ROUNDS; i++) {
    const started = performance.now();
    await task();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** A list of 100 through the API and the same query in MongoDB, both as calls a second. */
async function measureList(url, collection, query, sort) {
  const viaApi = async () => {
    const { results } = await call('GET', `${url}page_size=100`);
    if (results.length !== 100) throw new Error(`${url}: ${results.length} results`);
  };
  const bare = async () => {
    await Promise.all([collection.find(query).sort(sort).limit(100).toArray(), collection.countDocuments(query)]);
  };
  for (const end = Date.now() + WARM_UP_SECONDS * 1000; Date.now() < end; ) await viaApi();
  await medianMs(bare);
  const [ours, straight] = [await medianMs(viaApi), await medianMs(bare)];
  return { ours: 1000 / ours, bare: 1000 / straight, unit: 'lists/s' };
}

async function measureLists(measure, queueId) {
  const mongoose = require('mongoose');
  const connection = mongoose.createConnection(env.INTAKE_MONGODB_URL);
  const open = async (service) => connection.useDb(`${env.INTAKE_MONGODB_PREFIX ?? 'intake'}_${service}`);
  await connection.asPromise();
  try {
    const queues = (await open('queue')).collection('queues');
    const queue = await queues.findOne({ _id: queueId });
    const removeQueues = await fill(queues, queue, MANY_QUEUES, (i) => ({ name: `bench ${i % 100}`, inboxId: null }));
    try {
      const query = { organizationId: queue.organizationId, status: 'active' };
      await measure(`GET /v1/queues, 100 of ${MANY_QUEUES}`, 0.33, () =>
        measureList('/queues?', queues, query, { _id: 1 }),
      );
    } finally {
      await removeQueues();
    }
    const annotations = (await open('annotation')).collection('annotations');
    const annotation = await annotations.findOne({ queueId, status: 'to_review' });
    const now = Date.now();
    const removeAnnotations = await fill(annotations, annotation, MANY_ANNOTATIONS, (i, id) => ({
      uploadId: id,
      status: i % 2 ? 'to_review' : 'exported',
      createdAt: new Date(now - (MANY_ANNOTATIONS - i) * 1000),
      // The lists do not look at them, and they take most of the time to write.
      contentWords: [],
      contentFields: [],
    }));
    try {
      const query = {
        organizationId: queue.organizationId,
        queueId: { $in: [queueId] },
        status: { $in: ['to_review'] },
      };
      await measure(`GET /v1/annotations, 100 of ${MANY_ANNOTATIONS}`, 0.33, () =>
        measureList(`/annotations?queue=${queueId}&status=to_review&`, annotations, query, { _id: 1 }),
      );
      const ofAll = { organizationId: queue.organizationId, status: { $in: ['to_review'] } };
      await measure(`GET /v1/annotations, newest 100 of ${MANY_ANNOTATIONS}`, 0.33, () =>
        measureList('/annotations?status=to_review&ordering=-created_at&', annotations, ofAll, {
          createdAt: -1,
          _id: -1,
        }),
      );
    } finally {
      await removeAnnotations();
    }
  } finally {
    await connection.close();
  }
}

async function main() {
  if (ONLY !== '' && !PARTS.includes(ONLY)) throw new Error(`INTAKE_BENCH_ONLY is one of ${PARTS.join(', ')}.`);
  if (!base)
    throw new Error(
      'No running system found: run "INTAKE_RATE_LIMIT_PER_MINUTE=0 npm start" in another terminal first.',
    );
  const login = { username: env.INTAKE_ADMIN_EMAIL, password: env.INTAKE_ADMIN_PASSWORD };
  ({ call, authorization } = await connect(base, login));
  const queue = idOf((await call('GET', '/queues')).results[0].url);

  const rows = [];
  const measure = async (name, target, fn) => {
    process.stderr.write(`${name} ...\n`);
    const { ours, bare, unit } = await fn();
    rows.push({
      name,
      unit,
      ours: Number(ours.toFixed(1)),
      bare: Number(bare.toFixed(1)),
      ratio: Number((ours / bare).toFixed(2)),
      target,
    });
  };
  /** A figure with an aim of its own, rather than a ratio. */
  const note = (name, value, unit, target) => {
    rows.push({ name, unit, ours: Number(value.toFixed(1)), bare: null, ratio: null, target });
  };
  const parts = {
    serving: () => measureServing(measure, queue),
    mail: () => measureMails(measure),
    content: () => measureContent(measure, queue),
    lists: () => measureLists(measure, queue),
    export: () => measureExports({ measure, note, queue }),
    dispatch: () => measureWebhooks({ note, queue }),
  };
  for (const name of PARTS) if (ONLY === '' || ONLY === name) await parts[name]();
  writeDown(rows);
}

async function measureServing(measure, queue) {
  await measure('digital documents', 0.6, () => measureDocuments(queue, DIGITAL, ROUNDS));
  await measure('digital documents and scans', 0.6, () =>
    measureDocuments(queue, [...DIGITAL, 'scan-en.png'], Math.ceil(ROUNDS / 5)),
  );
  await measure('GET /v1/annotations/<id>', 0.35, () => measureReading(queue));
  await measure('upload', null, () => measureUpload(queue));
}

async function measureMails(measure) {
  const [host, port] = env.INTAKE_SMTP_ADDRESS.split(':');
  const mail = { smtp: { host, port: Number(port) }, inbox: env.INTAKE_INBOX_EMAIL };
  await measure('mails of 200 kB', 0.5, () =>
    measureMail({ ...mail, s3: connectStore(), bucket: env.INTAKE_S3_BUCKET ?? 'intake' }),
  );
}

/** A document in a queue; answers an annotation. @param count so many documents the queue has then */
async function uploadOne(queue, count = 1) {
  const bytes = readFileSync(path.join(root, 'test/samples/invoice-en.pdf'));
  await call('POST', `/uploads?queue=${queue}`, formOf('invoice-en.pdf', bytes));
  await waitForDocuments(queue, count);
  return (await call('GET', `/annotations?queue=${queue}&status=to_review&page_size=1`)).results[0].url;
}

async function measureContent(measure, queue) {
  const connection = require('mongoose').createConnection(env.INTAKE_MONGODB_URL);
  await connection.asPromise();
  try {
    const database = connection.useDb(`${env.INTAKE_MONGODB_PREFIX ?? 'intake'}_annotation`);
    if (ONLY === 'content') await uploadOne(queue);
    await measure('PATCH of one value', 0.33, () => measurePatch({ call, queue, database }));
    await measure('content/validate, 300 rows, 10 formulas', null, () =>
      measureValidate({ call, queue, upload: uploadOne }),
    );
  } finally {
    await connection.close();
  }
}

async function measureExports({ measure, note, queue }) {
  const { services } = JSON.parse(readFileSync(env.INTAKE_RUN_FILE, 'utf8'));
  const connection = require('mongoose').createConnection(env.INTAKE_MONGODB_URL);
  await connection.asPromise();
  const open = (service) => connection.useDb(`${env.INTAKE_MONGODB_PREFIX ?? 'intake'}_${service}`);
  try {
    await measureExport({
      ...{ measure, note, call, upload: uploadOne, queue, base, authorization: () => authorization },
      ...{ annotation: open('annotation'), documentStorage: open('document_storage') },
      ...{ pid: services.export, firstId: FIRST_FILLER, count: EXPORTED },
    });
  } finally {
    await connection.close();
  }
}

async function measureWebhooks({ note, queue }) {
  if (!env.INTAKE_OUTGOING_ALLOW) {
    if (ONLY === '') return console.error('Webhooks: left out, as Intake was started without INTAKE_OUTGOING_ALLOW.');
    throw new Error('Start Intake with INTAKE_OUTGOING_ALLOW=127.0.0.1, so that it may call the receivers here.');
  }
  process.stderr.write('webhooks ...\n');
  const { alone, beside } = await measureDispatch({ call, upload: uploadOne, queue, dead: DEAD, events: EVENTS });
  note('webhook after a change, p95, alone', alone, 'ms', null);
  note(`webhook after a change, p95, beside ${DEAD} dead endpoints`, beside, 'ms', '< 2000');
}

function writeDown(rows) {
  console.table(rows);
  const folder = path.join(env.INTAKE_DATA_DIR ?? path.join(root, '.data'), 'bench');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'bench.json');
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), node: process.version, rows }, null, 2)}\n`);
  console.log(`Written to ${path.relative(process.cwd(), file)}`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
