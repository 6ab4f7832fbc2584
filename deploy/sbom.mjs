/**
 * `npm run --silent sbom > intake.cdx.json`: the bill of materials of what runs (CycloneDX). `npm sbom --omit dev` leaves out packages
 * that one member of the repository runs with and another one only tests with, so the lock file decides.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const running = new Set(
  Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { name, version }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
);

const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 256_000_000,
});
if (status !== 0) {
  console.error(stderr);
  process.exit(1);
}
const bom = JSON.parse(stdout);
const isOurs = ({ name }) => name.startsWith('@intake/');
const components = bom.components.filter((one) => isOurs(one) || running.has(`${one.name}@${one.version}`));
const refs = new Set([bom.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
process.stdout.write(`${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`);
