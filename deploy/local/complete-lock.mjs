/**
 * `node deploy/local/complete-lock.mjs`: adds to package-lock.json the optional packages for other platforms that the
 * registry in use did not offer. npm leaves those out of the lock file, and `npm ci` then refuses it (seen with npm 11.19).
 * Run it after `npm install` of a package with binaries per platform.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './settings.mjs';

const SYSTEMS = {
  win32: /win32|windows/,
  darwin: /darwin/,
  android: /android/,
  freebsd: /freebsd/,
  openharmony: /openharmony/,
};
const PROCESSORS = {
  wasm32: /wasm32/,
  arm64: /arm64|aarch64/,
  ia32: /ia32/,
  ppc64: /ppc64/,
  s390x: /s390x/,
  loong64: /loong64/,
  riscv64: /riscv64/,
  arm: /arm/,
  x64: /x64|64/,
};

const file = join(ROOT, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!/^\d+\.\d+\.\d+/.test(version) || isLocked(path, name)) continue;
    lock.packages[`node_modules/${name}`] = describe(name, version, entry);
    added.push(`${name}@${version}`);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
if (added.length > 0)
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
console.log(added.length > 0 ? `Added ${added.join(', ')}` : 'The lock file is complete');

function isLocked(path, name) {
  return `${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages;
}

function describe(name, version, parent) {
  const variant = name.slice(name.indexOf('/'));
  const libc = /musl/.test(variant) ? ['musl'] : /gnu/.test(variant) ? ['glibc'] : undefined;
  return {
    version,
    cpu: [findKey(PROCESSORS, variant, 'x64')],
    ...(parent.dev ? { dev: true } : {}),
    ...(libc ? { libc } : {}),
    optional: true,
    os: [findKey(SYSTEMS, variant, 'linux')],
  };
}

function findKey(patterns, text, otherwise) {
  return Object.keys(patterns).find((key) => patterns[key].test(text)) ?? otherwise;
}
