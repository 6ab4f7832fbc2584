/**
 * Runs only MongoDB, NATS and MinIO, until it is told to end: `node deploy/local/backing-up.mjs [data folder]`.
 * Their addresses are written to `<data folder>/backing.json`. Needs `npm ci` to have run.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBackingServices } from './backing/index.mjs';
import { findCacheDir } from './backing/resolve.mjs';
import { writePrivately } from './secrets.mjs';

const { env } = process;
const root = fileURLToPath(new URL('../..', import.meta.url));
const dataDir = resolve(process.argv[2] ?? env.INTAKE_DATA_DIR ?? join(root, '.data'));
const addressFile = join(dataDir, 'backing.json');
const log = (line) => console.log(line);

const backing = await ensureBackingServices({ dataDir, cacheDir: findCacheDir(env), env, log });
const { mongodbUrl, natsUrl, s3, processes } = backing;
writePrivately(addressFile, { mongodbUrl, natsUrl, s3, processes });
log(`Addresses: ${addressFile}. Ctrl-C ends them.`);
backing.onExit = (name) => log(`${name} ended by itself`);

const keepAlive = setInterval(() => {}, 3_600_000);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    clearInterval(keepAlive);
    await backing.stop();
    rmSync(addressFile, { force: true });
    process.exit(0);
  });
}
