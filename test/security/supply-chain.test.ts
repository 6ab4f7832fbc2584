import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Json } from '@intake/testkit';

/** What Intake is made of comes as it was chosen. `npm run audit` asks the registry for advisories, where it has them. */

jest.setTimeout(120_000);

const ROOT = join(__dirname, '../..');
const readJson = (path: string): Json => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const lock: Record<string, Json> = readJson('package-lock.json').packages;
const installed = Object.entries(lock).filter(([path, { link }]) => path.includes('node_modules/') && !link);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Faults that anybody can reach by a document, a mail or a request, and where they are mended. */
const MENDED: Readonly<Record<string, string>> = {
  mongoose: '9.9.2', // GHSA-pcrw-h46h-c93h: operators in filters
  nodemailer: '7.0.11', // CVE-2025-14874: endless recursion in addresses
  'fast-xml-parser': '5.5.6', // CVE-2026-26278, CVE-2026-33036: entities
};
/**
 * Packages that may run a program of theirs when they are installed; the images are built without any (`--ignore-scripts`).
 * koffi would compile itself where none of its optional packages brings a built library.
 */
const MAY_RUN = ['@bufbuild/buf', '@parcel/watcher', '@scarf/scarf', '@swc/core', 'koffi', 'protobufjs'];

it('every package that is installed has the bytes that were chosen', () => {
  const unsure = installed.filter(([, { integrity, optional }]) => !integrity && !optional).map(([path]) => path);
  expect(unsure).toEqual([]);
  const weak = installed.filter(([, { integrity }]) => integrity && !integrity.startsWith('sha512-'));
  expect(weak.map(([path]) => path)).toEqual([]);
});

it('every dependency is of one version', () => {
  const members = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}/package.json`),
  );
  const loose = ['package.json', 'test/package.json', ...members].flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = readJson(path);
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name, version]) => !name.startsWith('@intake/') && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
      .map(([name, version]) => `${path}: ${name} ${version}`);
  });
  expect(loose).toEqual([]);
});

it('everything that a package or service loads is among its own dependencies: its image has nothing else', () => {
  const foreign = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(ROOT, group))
      .filter((member) => !['testkit', 'review'].includes(member))
      .flatMap((member) => {
        const folder = join(group, member);
        const { name, dependencies = {} } = readJson(`${folder}/package.json`);
        const own = new Set([name, ...Object.keys(dependencies), ...builtinModules]);
        return [...loadedIn(join(ROOT, folder, 'src'))]
          .filter((one) => !own.has(one))
          .map((one) => `${folder}: ${one}`);
      }),
  );
  expect(foreign).toEqual([]);
});

it.each(Object.entries(MENDED))('%s is %s or newer, wherever it is', (name, least) => {
  const versions = installed.filter(([path]) => nameOf(path) === name).map(([, { version }]) => version as string);
  expect(versions.length).toBeGreaterThan(0);
  expect(versions.filter((version) => compare(version, least) < 0)).toEqual([]);
});

it('no package runs a program when it is installed, but those that are known', () => {
  const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(running.filter((name) => !MAY_RUN.includes(name))).toEqual([]);
  expect(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')).toMatch(/npm ci --omit=dev --ignore-scripts/);
});

it('the bill of materials names everything that runs', () => {
  const { stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  });
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: Json[] };
  expect(bomFormat).toBe('CycloneDX');
  const named = new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`));
  const missing = installed
    .filter(([, { dev, optional, devOptional, peer }]) => !dev && !optional && !devOptional && !peer)
    .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    .filter((one) => !named.has(one));
  expect(missing).toEqual([]);
});

it('images run as nobody', () => {
  const stages = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .slice(2);
  for (const stage of stages) {
    const users = [...stage.matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    if (users.length > 0) expect(users.at(-1)).toBe('10001:10001');
  }
});

/** The packages that sources load when they run: imports of types and tests are none. */
function loadedIn(folder: string): Set<string> {
  const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.[mc]?[tj]s$/.test(entry.name) && !/\.(?:test|d)\.ts$/.test(entry.name),
  );
  const loads =
    /^(?:import|export) (?!type )(?:[^'";]*? from )?'([^'.][^']*)'|\b(?:import|require|require\.resolve)\('([^'.][^']*)'\)/gm;
  return new Set(
    sources.flatMap((entry) =>
      [...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(loads)]
        .map(([, from, called]) => from ?? called ?? '')
        .filter((id) => !id.startsWith('node:'))
        .map((id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/')),
    ),
  );
}

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]];
  return a.map((part, i) => part - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
