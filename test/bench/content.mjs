/** Writing and checking content, against the bare update and the bare formulas. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const ROUNDS = 200;
const VALIDATIONS = 50;
const ROWS = 300;
const NUMBERS = ['quantity', 'price', 'tax', 'base', 'total'];

const number = (id, more) => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'number',
  constraints: { required: false },
  ...more,
});

/** Ten formulas over a table whose columns are summed. */
const SCHEMA = [
  {
    category: 'section',
    id: 'all',
    label: 'All',
    children: [
      ...Array.from({ length: 10 }, (_, i) => {
        const column = NUMBERS[i % NUMBERS.length];
        return number(`sum_${i}`, {
          formula: `sum(default_to(field.${column}.all_values, 0)) + ${i}`,
          ui_configuration: { type: 'formula', edit: 'disabled' },
        });
      }),
      {
        category: 'multivalue',
        id: 'lines',
        label: 'Lines',
        children: {
          category: 'tuple',
          id: 'line',
          label: 'Line',
          children: NUMBERS.map((id) => number(id, { aggregations: { sum: {} } })),
        },
      },
    ],
  },
];

/** Milliseconds: the median of some calls, one after the other. */
async function medianMs(rounds, task) {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await task(i);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

const json = (body) => [JSON.stringify(body), { 'content-type': 'application/json' }];

/** PATCH of one value of an annotation, against the update of its row in MongoDB, acknowledged and journaled as ours. */
export async function measurePatch({ call, queue, database }) {
  const { results } = await call('GET', `/annotations?queue=${queue}&status=to_review&page_size=1`);
  const { content } = await call('GET', results[0].content);
  const { id, url } = content.flatMap(({ children }) => children).find(({ category }) => category === 'datapoint');
  const nodes = database.collection('nodes', { writeConcern: { w: 'majority', journal: true } });
  const viaApi = (i) => call('PATCH', url, ...json({ content: { value: `bench ${i}` } }));
  const bare = (i) => nodes.updateOne({ _id: id }, { $set: { 'content.value': `bare ${i}` } });
  await medianMs(ROUNDS, viaApi);
  await medianMs(ROUNDS, bare);
  return {
    ours: 1000 / (await medianMs(ROUNDS, viaApi)),
    bare: 1000 / (await medianMs(ROUNDS, bare)),
    unit: 'values/s',
  };
}

/** `content/validate` of a table of 300 rows, against checks, sums and formulas alone. */
export async function measureValidate({ call, upload, queue }) {
  const { workspace } = await call('GET', `/queues/${queue}`);
  const schema = await call('POST', '/schemas', ...json({ name: 'bench', content: SCHEMA }));
  const own = await call('POST', '/queues', ...json({ name: 'bench', workspace, schema: schema.url }));
  const annotation = await upload(own.id);
  const { content } = await call('GET', `${annotation}/content`);
  const table = content[0].children.find(({ schema_id: id }) => id === 'lines');
  const operations = Array.from({ length: ROWS }, (_, row) => ({
    op: 'add',
    id: table.id,
    value: NUMBERS.map((id, i) => ({ schema_id: id, content: { value: row + i + 0.25 } })),
  }));
  await call('POST', `${annotation}/content/operations`, ...json({ operations }));
  await call('POST', `${annotation}/start`);
  const viaApi = async () => {
    const { messages } = await call('POST', `${annotation}/content/validate`, ...json({}));
    if (messages.length !== NUMBERS.length) throw new Error(`validate: ${messages.length} messages`);
  };

  const language = require(path.join(root, 'packages/schema'));
  let last = 0;
  const context = { allocateId: () => ++last, source: 'user' };
  const empty = language.buildNodes(SCHEMA, null, context.allocateId);
  const { id } = empty.find(({ schemaId }) => schemaId === 'lines');
  const added = operations.map((operation) => ({ ...operation, id }));
  const { nodes } = language.applyOperations(SCHEMA, empty, added, context);
  const bare = () => {
    language.evaluateFormulas(SCHEMA, nodes, { today: '2026-01-31' });
    language.checkContent(SCHEMA, nodes);
    language.aggregateContent(SCHEMA, nodes);
  };
  await medianMs(VALIDATIONS, viaApi);
  await medianMs(VALIDATIONS, bare);
  const [ours, alone] = [await medianMs(VALIDATIONS, viaApi), await medianMs(VALIDATIONS, bare)];
  await call('POST', `${annotation}/delete`);
  return { ours: 1000 / ours, bare: 1000 / alone, unit: 'calls/s' };
}
