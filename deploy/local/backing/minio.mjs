import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { keepSecrets } from '../secrets.mjs';
import { PROGRAMS } from './programs.mjs';

const CONTAINER_PORT = 9000;
const DEFAULT_BUCKET = 'intake';

/** MinIO on one folder, with credentials of its own per data folder. */
export const minio = {
  name: 'minio',
  program: PROGRAMS.minio,
  defaultPort: 9100,

  /** @param {NodeJS.ProcessEnv} env */
  fromEnvironment(env) {
    if (!env.INTAKE_S3_URL) return undefined;
    const { INTAKE_S3_ACCESS_KEY: accessKey, INTAKE_S3_SECRET_KEY: secretKey } = env;
    if (!accessKey || !secretKey) {
      throw new Error('INTAKE_S3_URL is set, so INTAKE_S3_ACCESS_KEY and INTAKE_S3_SECRET_KEY must be set too');
    }
    return { url: env.INTAKE_S3_URL, accessKey, secretKey, bucket: env.INTAKE_S3_BUCKET || DEFAULT_BUCKET };
  },

  /** @param {import('./local.mjs').Place} place */
  describeRun({ port, dataDir, inContainer }) {
    const store = join(dataDir, 'minio');
    mkdirSync(store, { recursive: true });
    const { accessKey, secretKey } = readCredentials(dataDir);
    return {
      args: inContainer
        ? ['server', '--address', `:${CONTAINER_PORT}`, '/data']
        : ['server', '--address', `127.0.0.1:${port}`, '--certs-dir', join(dataDir, 'minio-certs'), store],
      env: {
        MINIO_ROOT_USER: accessKey,
        MINIO_ROOT_PASSWORD: secretKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
      volumes: [[store, '/data']],
      containerPort: CONTAINER_PORT,
    };
  },

  /** @param {{port: number}} place */
  async isListening({ port }) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/minio/health/cluster`, {
        signal: AbortSignal.timeout(2000),
      });
      return answer.ok;
    } catch {
      return false;
    }
  },

  /** @param {{port: number, root: string, dataDir: string, env: NodeJS.ProcessEnv}} place */
  async finish({ port, root, dataDir, env }) {
    const credentials = readCredentials(dataDir);
    const bucket = env.INTAKE_S3_BUCKET || DEFAULT_BUCKET;
    await ensureBucket(root, port, credentials, bucket);
    return { url: `http://127.0.0.1:${port}`, ...credentials, bucket };
  },
};

function readCredentials(dataDir) {
  const make = () => ({
    accessKey: `intake-${randomBytes(4).toString('hex')}`,
    secretKey: randomBytes(24).toString('hex'),
  });
  return keepSecrets(join(dataDir, 'minio-credentials.json'), make);
}

/** The client library is the one of the services, so this runs after `npm ci`. */
async function ensureBucket(root, port, credentials, bucket) {
  const { Client } = createRequire(join(root, 'services/document-storage/package.json'))('minio');
  const client = new Client({ endPoint: '127.0.0.1', port, useSSL: false, ...credentials });
  if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket);
}
