import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<boolean>} whether this process could listen there
 */
export function isPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * The port a backing service of this data folder uses: the one it had before, else the preferred one, else any free one.
 * Kept in `ports.json`.
 * @param {string} dataDir
 * @param {string} name
 * @param {number} preferred
 * @param {(line: string) => void} log
 */
export async function choosePort(dataDir, name, preferred, log) {
  const file = join(dataDir, 'ports.json');
  const remembered = readPorts(file);
  let port = remembered[name] ?? preferred;
  if (!(await isPortFree(port))) {
    const taken = port;
    port = await findFreePort();
    log(`Port ${taken} for ${name} is taken by another program; using ${port}`);
  }
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readPorts(file), [name]: port }, null, 2)}\n`);
  return port;
}

/**
 * Ports for the backing services of a test run. Beside them is one on which this process listens as long as it lives, so that no other run is
 * given the same. They are not among those of `npm start`, of the tests' own servers, and of outgoing connections.
 * @returns {Promise<{mongodb: number, nats: number, minio: number}>}
 */
export async function holdPorts() {
  for (let guard = 29_000; guard < 32_000; guard += 10) {
    const server = createServer().unref();
    const isHeld = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port: guard, host: '127.0.0.1', exclusive: true }, () => resolve(true));
    });
    if (isHeld) return { mongodb: guard + 1, nats: guard + 2, minio: guard + 3 };
  }
  throw new Error('No ports from 29000 to 32000 are free');
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<boolean>} whether somebody accepts connections there
 */
export function canConnect(host, port, timeoutMs = 2000) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => finish(false));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

function readPorts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
