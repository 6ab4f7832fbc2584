/** How long after a change of state a receiver is told of it, while many other receivers of the same changes never answer. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const DOCUMENTS = 5;
/** Between two reviews: changes come one by one, so that what is measured is not how long a burst of them takes. */
const PAUSE_MS = 500;
const WAIT_MS = 120_000;
const json = (body) => [JSON.stringify(body), { 'content-type': 'application/json' }];

/** `answer`: false for a receiver that takes the call and never says anything. */
async function startReceiver(onCall, answer) {
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    onCall(JSON.parse(Buffer.concat(chunks).toString()), at);
    if (answer) response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Milliseconds from change to call, below which 95 of 100 are. */
function percentile95(delays) {
  return [...delays].sort((a, b) => a - b)[Math.ceil(delays.length * 0.95) - 1];
}

/** Begins and gives up reviews, and waits until the receiver was told of each change; answers their delays. */
async function changeAndWait({ call, annotations, events, told }) {
  told.length = 0;
  for (let i = 0; i < events; i += 2) {
    const annotation = annotations[(i / 2) % annotations.length];
    await call('POST', `${annotation}/start`);
    await call('POST', `${annotation}/cancel`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const expected = Math.ceil(events / 2) * 2;
  const end = Date.now() + WAIT_MS;
  while (told.length < expected) {
    if (Date.now() > end) throw new Error(`only ${told.length} of ${expected} changes were told`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return percentile95(told);
}

/**
 * The 95th percentile of the delays, with dead endpoints and without.
 * @param {{call: Function, upload: Function, queue: number, dead: number, events: number}} options
 */
export async function measureDispatch({ call, upload, queue, dead, events }) {
  const { workspace, schema } = await call('GET', `/queues/${queue}`);
  const own = await call('POST', '/queues', ...json({ name: 'bench dispatch', workspace, schema }));
  const hooks = [];
  const told = [];
  const alive = await startReceiver(({ timestamp }, at) => told.push(at - Date.parse(timestamp)), true);
  let reached = 0;
  const silent = await startReceiver(() => reached++, false);
  const addHook = async (name, { url }) =>
    hooks.push(
      await call(
        'POST',
        '/hooks',
        ...json({ name, queues: [own.url], events: ['annotation_status'], config: { url } }),
      ),
    );
  try {
    for (let i = 0; i < DOCUMENTS; i++) await upload(own.id, i + 1);
    const { results } = await call('GET', `/annotations?queue=${own.id}&status=to_review`);
    const annotations = results.map(({ url }) => url);
    await addHook('bench alive', alive);
    const alone = await changeAndWait({ call, annotations, events, told });
    for (let i = 0; i < dead; i++) await addHook(`bench dead ${i}`, silent);
    const beside = await changeAndWait({ call, annotations, events, told });
    if (reached === 0) throw new Error('none of the dead endpoints was called');
    return { alone, beside };
  } finally {
    for (const { url } of hooks) await call('DELETE', url);
    alive.stop();
    silent.stop();
  }
}
