/**
 * `npm run torture -- DIR`: sends every file of a folder through the running system and demands that each is refused at once with
 * a reason, or ends in `to_review` (`split`), or in `failed_import` with a reason that is about the file; within a minute; and that
 * the system still reads a good document afterwards; all the while a neighbour sends good documents, each of which must be read within
 * a minute, too. Ends with 1 and names the files where that is not so. `node test/torture/make-files.mjs DIR` makes such files.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { env } = process;
const base = env.INTAKE_BASE_URL;
/** API: limits.md has no time for a document; design: none takes longer. */
const LIMIT_MS = 60_000;
/** What takes longer than this is given up. */
const GIVE_UP_MS = 180_000;
const LOOK_MS = 150;
const PARALLEL = Number(env.INTAKE_TORTURE_PARALLEL ?? 1);
/** What a queue must list so that nothing is refused for its type alone. */
const EVERYTHING = ['application/*', 'image/*', 'text/*', 'message/*', 'audio/*', 'video/*', 'font/*', 'model/*'];
const PASSING = ['created', 'importing'];
const GOOD = ['to_review', 'split', 'exported', 'confirmed', 'exporting'];
/** Messages that say only that something broke. */
const NO_REASON = /error of the service|broke down|could not be processed/i;

/** How long a good document of the neighbour waits for the next one. */
const NEIGHBOUR_MS = 5000;
/** An overloaded system is asked again, as clients do. */
const TRIES = 6;

let authorization = '';
let putOff = 0;

/** One request, repeated while the system says that it cannot now. */
async function request(method, url, options) {
  for (let tried = 1; ; tried += 1) {
    const response = await fetch(url.startsWith('http') ? url : `${base}/v1${url}`, { method, ...options });
    if (![429, 503].includes(response.status) || tried === TRIES) return response;
    putOff += 1;
    await response.body?.cancel();
    await pause(1000 * Number(response.headers.get('retry-after') ?? 2));
  }
}

async function call(method, url, body, headers = {}) {
  const response = await request(method, url, {
    headers: { ...(authorization && { authorization }), ...headers },
    body,
  });
  const text = await response.text();
  if (!response.ok)
    throw Object.assign(new Error(`${response.status} ${text.slice(0, 300)}`), { status: response.status });
  return text ? JSON.parse(text) : null;
}

const post = (url, body) => call('POST', url, JSON.stringify(body), { 'content-type': 'application/json' });
const pause = (ms = LOOK_MS) => new Promise((resolve) => setTimeout(resolve, ms));

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** A queue like the first one that takes every type. */
async function makeQueue() {
  const { workspace, schema } = (await call('GET', '/queues')).results[0];
  const settings = { accepted_mime_types: EVERYTHING };
  return post('/queues', { name: `Torture ${new Date().toISOString()}`, workspace, schema, settings });
}

/** Waits until nothing of an upload is on its way any more, parts of separator pages too. */
async function settle(task, giveUpAt) {
  let ended = await call('GET', `${task}?no_redirect=true`);
  while (ended.status === 'running' && Date.now() < giveUpAt) {
    await pause();
    ended = await call('GET', `${task}?no_redirect=true`);
  }
  for (;;) {
    const upload = await call('GET', ended.content.upload);
    const annotations = await Promise.all(upload.annotations.map((url) => call('GET', url)));
    const isOver = ended.status !== 'running' && annotations.length > 0;
    const atRest = isOver && annotations.every(({ status }) => !PASSING.includes(status));
    if (atRest || Date.now() > giveUpAt) return { ended, annotations };
    await pause();
  }
}

/** Sends one file; answers what became of it, and what is wrong with that. */
async function torment(queue, file) {
  const form = new FormData();
  form.append('content', new Blob([readFileSync(file)]), path.basename(file));
  const started = Date.now();
  let url;
  try {
    ({ url } = await call('POST', `/uploads?queue=${queue.id}`, form, { 'idempotency-key': randomUUID() }));
  } catch (error) {
    const wrong = error.status >= 400 && error.status < 500 ? [] : ['the upload failed'];
    return { outcome: 'refused', reasons: [error.message], wrong, ms: Date.now() - started };
  }
  const { ended, annotations } = await settle(url, started + GIVE_UP_MS);
  const ms = Date.now() - started;
  const failed = annotations.filter(({ status }) => status === 'failed_import');
  const reasons = failed.map(({ messages }) => messages?.[0]?.content ?? '');
  const stuck = annotations.filter(({ status }) => status !== 'failed_import' && !GOOD.includes(status));
  const wrong = [
    ...(annotations.length === 0 ? ['no annotation'] : []),
    ...(ended.status === 'running' ? ['the task did not end'] : []),
    ...stuck.map(({ status }) => `an annotation ended in ${status}`),
    ...reasons.filter((reason) => reason === '' || NO_REASON.test(reason)).map((reason) => `no reason: "${reason}"`),
    ...(ms > LIMIT_MS ? [`took ${Math.round(ms / 1000)} s`] : []),
  ];
  return { outcome: failed.length > 0 ? 'failed_import' : (annotations[0]?.status ?? 'nothing'), reasons, wrong, ms };
}

async function main() {
  const folder = process.argv[2];
  if (!folder) throw new Error('Usage: npm run torture -- DIR');
  if (!base)
    throw new Error(
      'No running system found: run "INTAKE_RATE_LIMIT_PER_MINUTE=0 npm start" in another terminal first.',
    );
  const { key } = await post('/auth/login', { username: env.INTAKE_ADMIN_EMAIL, password: env.INTAKE_ADMIN_PASSWORD });
  authorization = `Bearer ${key}`;
  const queue = await makeQueue();
  const files = listFiles(folder);
  const results = [];
  const waiting = [...files];
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const name = path.relative(folder, file);
      const result = await torment(queue, file).catch((error) => ({
        outcome: 'error',
        reasons: [],
        wrong: [error.message],
        ms: 0,
      }));
      results.push({ name, ...result });
      const reason = result.reasons[0] ? `  ${result.reasons[0].slice(0, 120)}` : '';
      console.log(`${String(Math.round(result.ms)).padStart(6)} ms  ${result.outcome.padEnd(13)} ${name}${reason}`);
    }
  };
  const good = async (name) => {
    const result = await torment(queue, path.join(root, 'test/samples/invoice-en.pdf'));
    if (result.outcome !== 'to_review') result.wrong.push('a good document is not read');
    return { name, ...result };
  };
  let isOver = false;
  const neighbour = async () => {
    const sent = [];
    while (!isOver) {
      sent.push(await good(`good document ${sent.length + 1} meanwhile`));
      await pause(NEIGHBOUR_MS);
    }
    return sent;
  };
  const meanwhile = neighbour();
  await Promise.all(Array.from({ length: PARALLEL }, work));
  isOver = true;
  const neighbours = await meanwhile;
  results.push(await good('a good document afterwards'));

  const counts = countBy(results);
  console.log(
    `\n${files.length} files: ${Object.entries(counts)
      .map(([outcome, n]) => `${n} ${outcome}`)
      .join(', ')}`,
  );
  console.log(timesOf(results));
  console.log(`${neighbours.length} good documents meanwhile: ${timesOf(neighbours)}`);
  console.log(`${putOff} requests were put off and repeated`);
  const bad = [...results, ...neighbours].filter(({ wrong }) => wrong.length > 0);
  for (const { name, wrong } of bad) console.log(`WRONG  ${name}: ${wrong.join('; ')}`);
  if (bad.length > 0) process.exit(1);
  console.log('Every file ended as it must.');
}

function timesOf(results) {
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b);
  const seconds = (share) => ((times[Math.floor(share * (times.length - 1))] ?? 0) / 1000).toFixed(1);
  return `median ${seconds(0.5)} s, 95 % within ${seconds(0.95)} s, slowest ${seconds(1)} s`;
}

function countBy(results) {
  const counts = {};
  for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
