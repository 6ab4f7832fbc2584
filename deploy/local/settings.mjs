import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCacheDir } from './backing/resolve.mjs';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * What the launcher itself takes from the environment; the services read theirs on their own.
 * @param {NodeJS.ProcessEnv} env
 */
export function readSettings(env) {
  return {
    dataDir: resolve(ROOT, env.INTAKE_DATA_DIR || '.data'),
    cacheDir: resolve(findCacheDir(env)),
    host: env.INTAKE_HOST || '127.0.0.1',
    port: readPort(env, 'INTAKE_PORT', 8080),
    smtpPort: readPort(env, 'INTAKE_SMTP_PORT', 2525),
    basePort: readPort(env, 'INTAKE_LOCAL_BASE_PORT', 7400),
  };
}

function readPort(env, name, preset) {
  const value = env[name] || String(preset);
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${name} must be a port number, not "${value}"`);
  return port;
}
