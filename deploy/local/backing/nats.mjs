import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PROGRAMS } from './programs.mjs';

const CONTAINER_PORT = 4222;

/** NATS with JetStream and the settings of `deploy/nats.conf`. */
export const nats = {
  name: 'nats',
  program: PROGRAMS.nats,
  defaultPort: 4322,

  /** @param {NodeJS.ProcessEnv} env */
  fromEnvironment(env) {
    return env.INTAKE_NATS_URL ? { url: env.INTAKE_NATS_URL } : undefined;
  },

  /** @param {import('./local.mjs').Place} place */
  describeRun({ port, dataDir, root, inContainer }) {
    const store = join(dataDir, 'nats');
    const config = join(root, 'deploy/nats.conf');
    mkdirSync(store, { recursive: true });
    return {
      args: [
        ...['-c', inContainer ? '/etc/intake-nats.conf' : config],
        ...['-a', inContainer ? '0.0.0.0' : '127.0.0.1'],
        ...['-p', String(inContainer ? CONTAINER_PORT : port)],
        ...['-js', '-sd', inContainer ? '/data' : store],
      ],
      env: {},
      volumes: [
        [store, '/data'],
        [config, '/etc/intake-nats.conf'],
      ],
      containerPort: CONTAINER_PORT,
    };
  },

  /** @param {{port: number}} place */
  isListening: ({ port }) => greetsWithJetStream(port),

  /** @param {{port: number}} place */
  async finish({ port }) {
    return { url: `nats://127.0.0.1:${port}` };
  },
};

/** The server greets every connection with one INFO line (NATS client protocol), which says whether JetStream is on. */
function greetsWithJetStream(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let greeting = '';
    const finish = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('end', () => finish(false));
    socket.on('data', (chunk) => {
      greeting += chunk;
      if (greeting.includes('\r\n')) finish(/^INFO .*"jetstream":\s*true/.test(greeting));
    });
  });
}
