/**
 * `npm run demo`: walks the whole flow against the system that runs here and leaves the exported files in the data folder:
 * log in, choose a queue, upload the samples, wait for extraction, review, edit, confirm, export, log out.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, readSettings } from './settings.mjs';

const SAMPLES = [
  'invoice-en.pdf',
  'invoice-de.pdf',
  'invoice-fr.pdf',
  'invoice-cs.pdf',
  'scan-en.png',
  'credit-note-en.pdf',
];
const STEPS = 9;
const WAIT_MS = 180_000;

const { INTAKE_BASE_URL: base, INTAKE_ADMIN_EMAIL: username, INTAKE_ADMIN_PASSWORD: password } = process.env;
const tty = process.stdout.isTTY;
let step = 0;
let token = '';

function begin(text) {
  step++;
  const bar = '='.repeat(Math.round((step / STEPS) * 20)).padEnd(20, '.');
  console.log(`[${bar}] ${step}/${STEPS} ${text}`);
}

function note(text) {
  console.log(`${' '.repeat(24)}${text}`);
}

async function call(method, path, { body, raw, expect = [200, 201, 202, 204] } = {}) {
  const url = path.startsWith('http') ? path : `${base}/v1${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : raw,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!expect.includes(response.status))
    throw new Error(`${method} ${url}: ${response.status} ${bytes.toString().slice(0, 300)}`);
  return { bytes, json: () => JSON.parse(bytes.toString() || 'null') };
}

/** Asks until `probe` answers something, with a moving sign of life. */
async function until(what, probe) {
  const end = Date.now() + WAIT_MS;
  for (let i = 0; Date.now() < end; i++) {
    const answer = await probe();
    if (answer) return answer;
    if (tty) process.stdout.write(`\r${' '.repeat(24)}${'|/-\\'[i % 4]} ${what}\r`);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`${what}: still waiting after ${WAIT_MS / 1000} s`);
}

const idOf = (url) => Number(url.split('/').pop());

async function upload(queue, name) {
  const form = new FormData();
  form.append('content', new Blob([readFileSync(join(ROOT, 'test/samples', name))]), name);
  const task = (await call('POST', `/uploads?queue=${idOf(queue.url)}`, { raw: form })).json();
  const done = await until(name, async () => {
    const state = (await call('GET', `${task.url}?no_redirect=true`)).json();
    if (state.status === 'failed') throw new Error(`${name}: ${state.detail}`);
    return state.status === 'succeeded' && state;
  });
  return (await call('GET', done.result_url)).json().annotations[0];
}

function findDatapoint(nodes, schemaId) {
  for (const node of nodes) {
    const found =
      node.schema_id === schemaId && node.category === 'datapoint'
        ? node
        : findDatapoint(node.children ?? [], schemaId);
    if (found) return found;
  }
}

async function main() {
  if (!base || !username) throw new Error('No running system found: run "npm start" in another terminal first.');
  begin(`Log in at ${base} as ${username}`);
  token = (await call('POST', '/auth/login', { body: { username, password } })).json().key;

  begin('Choose a queue');
  const queue = (await call('GET', '/queues')).json().results[0];
  note(`${queue.name} (${queue.url})`);

  begin(`Upload ${SAMPLES.length} sample documents`);
  const annotations = new Map();
  for (const name of SAMPLES) {
    annotations.set(name, await upload(queue, name));
    note(`${name} -> annotation ${idOf(annotations.get(name))}`);
  }

  begin('Wait for the extraction');
  for (const [name, url] of annotations) {
    const annotation = await until(name, async () => {
      const seen = (await call('GET', url)).json();
      return !['created', 'importing'].includes(seen.status) && seen;
    });
    const { content } = (await call('GET', `${url}/content`)).json();
    const value = (id) => findDatapoint(content, id)?.content.value || '-';
    note(
      `${name}: ${annotation.status}, number ${value('document_id')}, total ${value('amount_total')} ${value('currency')}`,
    );
  }

  const url = annotations.get(SAMPLES[0]);
  begin(`Start the review of ${SAMPLES[0]}`);
  await call('POST', `${url}/start`);

  begin('Edit a field');
  const { content } = (await call('GET', `${url}/content`)).json();
  const field = findDatapoint(content, 'order_id') ?? findDatapoint(content, 'document_id');
  await call('PATCH', field.url, { body: { content: { value: 'DEMO-1' }, validation_sources: ['human'] } });
  note(`${field.schema_id}: "${field.content.value}" -> "DEMO-1"`);

  begin('Confirm');
  await call('POST', `${url}/confirm`);
  note(`status ${(await call('GET', url)).json().status}`);

  begin('Export as JSON, CSV, XML and XLSX');
  const folder = join(readSettings(process.env).dataDir, 'demo');
  mkdirSync(folder, { recursive: true });
  for (const format of ['json', 'csv', 'xml', 'xlsx']) {
    const { bytes } = await call('GET', `/queues/${idOf(queue.url)}/export?format=${format}&id=${idOf(url)}`);
    const file = join(folder, `export.${format}`);
    writeFileSync(file, bytes);
    note(`${relative(process.cwd(), file)} (${bytes.length} bytes)`);
  }

  begin('Log out');
  await call('POST', '/auth/logout');
}

main().catch((error) => {
  console.error(`\nThe demo stopped: ${error.message}`);
  process.exit(1);
});
