import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Reads secrets that were generated once, or makes and keeps them in a file only its owner can read.
 * @template {Record<string, string>} T
 * @param {string} file
 * @param {() => T} make called for what is missing
 * @param {Partial<T>} [given] wins over what was kept, and is kept
 * @returns {T}
 */
export function keepSecrets(file, make, given = {}) {
  let kept = {};
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw new Error(`${file} cannot be read (${error.message}); repair or delete it`);
  }
  const secrets = { ...make(), ...kept, ...given };
  if (Object.keys(secrets).some((name) => secrets[name] !== kept[name])) writePrivately(file, secrets);
  return secrets;
}

/**
 * @param {string} file written whole or not at all, mode 0600
 * @param {unknown} value
 */
export function writePrivately(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
