/**
 * Hosts services in this process: `node deploy/local/host.mjs auth queue`. The launcher starts it with the shared
 * environment. It drains and ends on SIGTERM, and when the launcher that started it is gone.
 */
import { createRequire } from 'node:module';
import { describeServiceEnvironment } from './services.mjs';

const require = createRequire(import.meta.url);
const names = process.argv.slice(2);
/** @type {{name: string, stop(): Promise<void>}[]} */
const running = [];
let ending = false;

async function end() {
  if (ending) return;
  ending = true;
  const results = await Promise.allSettled(running.map((service) => service.stop()));
  const failures = results.filter((result) => result.status === 'rejected');
  for (const { reason } of failures) console.error('A service did not stop cleanly:', reason);
  process.exit(failures.length > 0 ? 1 : 0);
}

process.on('SIGTERM', end);
process.on('SIGINT', end);
process.on('disconnect', end);

async function startService(name) {
  try {
    const { start } = require(`../../services/${name}/dist/main.js`);
    return await start(describeServiceEnvironment(process.env, name));
  } catch (error) {
    throw new Error(`${name} did not start`, { cause: error });
  }
}

async function host(name) {
  const { stop } = await startService(name);
  running.push({ name, stop });
  if (ending) await stop(); // told to end while this one was starting
}

try {
  await Promise.all(names.map(host));
} catch (error) {
  const { cause } = error;
  console.error(`${error.message}:`, cause?.name === 'ConfigError' ? cause.message : cause);
  const timer = setTimeout(() => process.exit(1), 5000);
  await Promise.allSettled(running.map((service) => service.stop()));
  clearTimeout(timer);
  process.exit(1);
}
