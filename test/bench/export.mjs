/** Exports of many annotations, against a bare cursor of MongoDB with papaparse or JSON.stringify; memory and first byte of the large one. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const BLOCK = 500;
const BARE_BATCH = 50;
const JSON_PAGE = 100;
/** JSON goes by pages: so many of them are read, from the first on. */
const JSON_PAGES = 20;
/** How often memory is looked at. */
const LOOK_MS = 100;
const HEADER = Array.from({ length: 10 }, (_, i) => `field_${i}`);
const COLUMNS = ['description', 'quantity', 'price', 'total'];
const ROWS = 2;

const datapoint = (id) => ({ category: 'datapoint', id, label: id, type: 'string', constraints: { required: false } });
const SCHEMA = [
  {
    category: 'section',
    id: 'all',
    label: 'All',
    children: [
      ...HEADER.map(datapoint),
      {
        category: 'multivalue',
        id: 'lines',
        label: 'Lines',
        children: { category: 'tuple', id: 'line', label: 'Line', children: COLUMNS.map(datapoint) },
      },
    ],
  },
];

const json = (body) => [JSON.stringify(body), { 'content-type': 'application/json' }];
const idOf = (url) => Number(url.split('/').pop());

/** A queue with one annotation of ten fields and two rows; answers their ids. */
async function makeExample({ call, upload, queue }) {
  const { workspace } = await call('GET', `/queues/${queue}`);
  const schema = await call('POST', '/schemas', ...json({ name: 'bench export', content: SCHEMA }));
  const own = await call('POST', '/queues', ...json({ name: 'bench export', workspace, schema: schema.url }));
  const annotation = await upload(own.id);
  const { content } = await call('GET', `${annotation}/content`);
  const nodes = content[0].children;
  const table = nodes.find(({ schema_id: id }) => id === 'lines');
  const operations = [
    ...nodes
      .filter(({ category }) => category === 'datapoint')
      .map(({ id }, i) => ({ op: 'replace', id, value: { content: { value: `value "${i}", with more` } } })),
    ...Array.from({ length: ROWS }, (_, row) => ({
      op: 'add',
      id: table.id,
      value: COLUMNS.map((id, i) => ({ schema_id: id, content: { value: `${row * 10 + i}.25` } })),
    })),
  ];
  await call('POST', `${annotation}/content/operations`, ...json({ operations }));
  return { queueId: own.id, annotationId: idOf(annotation) };
}

/** Annotations like the example, each with content and document of its own; answers the function that removes them. */
async function multiply({ annotation, documentStorage, firstId, count }, { annotationId }) {
  const [annotations, nodes] = [annotation.collection('annotations'), annotation.collection('nodes')];
  const documents = documentStorage.collection('documents');
  const example = await annotations.findOne({ _id: annotationId });
  const tree = await nodes.find({ annotationId }).sort({ _id: 1 }).toArray();
  const document = await documents.findOne({ _id: example.documentId });
  const places = new Map(tree.map(({ _id }, i) => [_id, i]));
  const now = Date.now();
  for (let start = 0; start < count; start += BLOCK) {
    const ids = Array.from({ length: Math.min(BLOCK, count - start) }, (_, i) => firstId + start + i);
    const rowsOf = (make) => ids.map(make);
    const annotationRows = rowsOf((id) => ({
      ...example,
      ...{ _id: id, uploadId: id, documentId: id, status: 'exported', contentWords: [], contentFields: [] },
      createdAt: new Date(now - (firstId + count - id) * 1000),
    }));
    const documentRows = rowsOf((id) => ({ ...document, _id: id, s3Name: `bench-${id}`, annotationIds: [id] }));
    const nodeRows = ids.flatMap((id) => {
      const first = firstId + (id - firstId) * tree.length;
      const idFor = (old) => (old === null ? null : first + places.get(old));
      return tree.map((node) => ({
        ...node,
        ...{ _id: idFor(node._id), parentId: idFor(node.parentId), annotationId: id },
      }));
    });
    await Promise.all([
      annotations.insertMany(annotationRows, { ordered: false }),
      documents.insertMany(documentRows, { ordered: false }),
      nodes.insertMany(nodeRows, { ordered: false }),
    ]);
  }
  const added = { _id: { $gte: firstId } };
  return async () => {
    for (const collection of [annotations, documents, nodes]) await collection.deleteMany(added);
  };
}

/** Annotations of a queue with their nodes: what a cursor gives. */
async function* readBare(database, query, { skip = 0, limit = 0 } = {}) {
  const cursor = database.collection('annotations').find(query).sort({ _id: 1 }).skip(skip).limit(limit);
  const nodesOf = async (batch) => {
    const ids = batch.map(({ _id }) => _id);
    const found = await database
      .collection('nodes')
      .find({ annotationId: { $in: ids } })
      .toArray();
    const byAnnotation = new Map(ids.map((id) => [id, []]));
    for (const node of found) byAnnotation.get(node.annotationId).push(node);
    return batch.map((annotation) => ({ annotation, nodes: byAnnotation.get(annotation._id) }));
  };
  let batch = [];
  for await (const annotation of cursor) {
    batch.push(annotation);
    if (batch.length < BARE_BATCH) continue;
    yield* await nodesOf(batch);
    batch = [];
  }
  if (batch.length > 0) yield* await nodesOf(batch);
}

/** The rows of an annotation as CSV, and nothing else: the least that the answer takes. */
function bareCsv(papaparse, { nodes }) {
  const fields = new Map();
  const rows = new Map();
  for (const { _id, category, parentId, schemaId, content } of nodes) {
    if (category === 'tuple') rows.set(_id, new Map());
    else if (category !== 'datapoint') continue;
    else if (rows.has(parentId)) rows.get(parentId).set(schemaId, content?.value ?? '');
    else fields.set(schemaId, content?.value ?? '');
  }
  const cells = [...rows.values()].map((row) => [
    ...HEADER.map((id) => fields.get(id) ?? ''),
    ...COLUMNS.map((id) => row.get(id) ?? ''),
  ]);
  return papaparse.unparse(cells);
}

async function bareCsvRate(database, query, count) {
  const papaparse = require('papaparse');
  const started = performance.now();
  let read = 0;
  for await (const one of readBare(database, query)) if (bareCsv(papaparse, one)) read++;
  if (read !== count) throw new Error(`the bare cursor gave ${read} annotations instead of ${count}`);
  return count / ((performance.now() - started) / 1000);
}

async function bareJsonRate(database, query, pages) {
  const started = performance.now();
  let read = 0;
  for (let page = 0; page < pages; page++) {
    await database.collection('annotations').countDocuments(query);
    for await (const one of readBare(database, query, { skip: page * JSON_PAGE, limit: JSON_PAGE }))
      if (JSON.stringify(one)) read++;
  }
  return read / ((performance.now() - started) / 1000);
}

/** Resident memory of a process, in MB. */
function memoryOf(pid) {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024;
}

/** Reads a whole CSV export: annotations a second, milliseconds to its first byte, and by how much the process grew. */
async function exportCsv({ url, headers, pid, count }) {
  const before = memoryOf(pid);
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, LOOK_MS);
  try {
    const started = performance.now();
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    let firstByteMs;
    let lines = 0;
    for await (const chunk of response.body) {
      firstByteMs ??= performance.now() - started;
      for (const byte of chunk) if (byte === 10) lines++;
    }
    const seconds = (performance.now() - started) / 1000;
    if (lines < count * ROWS) throw new Error(`the export has ${lines} lines instead of ${count * ROWS}`);
    return { rate: count / seconds, firstByteMs, grownMb: most - before };
  } finally {
    clearInterval(looking);
  }
}

/**
 * CSV of all and JSON page by page.
 * @param {{call: Function, upload: Function, queue: number, base: string, authorization: () => string, annotation: object,
 *   documentStorage: object, pid: number, firstId: number, count: number}} options `pid`: of the process that exports
 */
export async function measureExport({ measure, note, ...options }) {
  const { call, base, annotation: database, authorization, pid, count } = options;
  const example = await makeExample(options);
  process.stderr.write(`writing ${count} annotations ...\n`);
  const remove = await multiply(options, example);
  try {
    const { organizationId } = await database.collection('annotations').findOne({ _id: example.annotationId });
    const query = { organizationId, queueId: { $in: [example.queueId] }, status: { $in: ['exported'] } };
    const path = `/queues/${example.queueId}/export?status=exported`;
    const large = { url: `${base}/v1${path}&format=csv`, headers: { authorization: authorization() }, pid, count };
    let seen;
    await measure(`CSV export of ${count} annotations`, 0.5, async () => {
      await call('GET', `${path}&format=json&page_size=${JSON_PAGE}`);
      seen = await exportCsv(large);
      return { ours: seen.rate, bare: await bareCsvRate(database, query, count), unit: 'annotations/s' };
    });
    note('its first byte', seen.firstByteMs, 'ms', '< 1000');
    note('growth of the exporting process (RSS)', seen.grownMb, 'MB', '< 150');
    const pages = Math.min(JSON_PAGES, Math.floor(count / JSON_PAGE));
    await measure('JSON export, pages of 100', 0.5, async () => {
      const started = performance.now();
      let read = 0;
      for (let page = 1; page <= pages; page++)
        read += (await call('GET', `${path}&format=json&page_size=${JSON_PAGE}&page=${page}`)).results.length;
      const ours = read / ((performance.now() - started) / 1000);
      return { ours, bare: await bareJsonRate(database, query, pages), unit: 'annotations/s' };
    });
  } finally {
    await remove();
  }
}
