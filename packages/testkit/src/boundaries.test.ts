import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The import rules of CONTRIBUTING.md, checked over every source file. */

const root = path.resolve(__dirname, '../../..');
const services = readdirSync(path.join(root, 'services'));

interface Import {
  readonly file: string;
  readonly from: string;
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => /^(services|packages)\/[^/]+\/src\//.test(file) && !file.includes('/gen/'));
}

const files = [...sourcesBelow('services'), ...sourcesBelow('packages')];
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import|require\()\s*['"]([^'"]+)['"]/g)].map((match) => ({
    file,
    from: match[1] as string,
  }));
});

const isTest = (file: string) => /\.test\.ts$/.test(file);
const violations = (rule: (one: Import) => boolean) =>
  imports.filter(rule).map(({ file, from }) => `${file} imports ${from}`);

describe('import boundaries', () => {
  it('finds the sources of all services and packages', () => {
    expect(services).toEqual(expect.arrayContaining(['gateway', 'auth', 'annotation']));
    expect(files.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('no service imports another service', () => {
    expect(
      violations(
        ({ file, from }) => file.startsWith('services/') && services.some((name) => from === `@intake/${name}`),
      ),
    ).toEqual([]);
  });

  it('nobody reaches into another package or service by a relative path', () => {
    const home = (file: string) => file.split('/').slice(0, 2).join('/');
    expect(
      violations(
        ({ file, from }) =>
          from.startsWith('.') && home(path.normalize(path.join(path.dirname(file), from))) !== home(file),
      ),
    ).toEqual([]);
  });

  it('only stores and packages/mongo know mongoose', () => {
    expect(
      violations(
        ({ file, from }) =>
          /^(mongoose|mongodb)$/.test(from) &&
          !file.endsWith('.store.ts') &&
          !file.startsWith('packages/mongo/') &&
          !isTest(file) &&
          !file.startsWith('packages/testkit/'),
      ),
    ).toEqual([]);
  });

  it('only packages/bus knows NATS, only packages/rpc knows gRPC', () => {
    const allowed: Record<string, RegExp> = {
      nats: /^packages\/(bus|testkit)\//,
      '@grpc/grpc-js': /^packages\/(rpc|contracts|testkit)\//,
    };
    expect(violations(({ file, from }) => from in allowed && !allowed[from]?.test(file) && !isTest(file))).toEqual([]);
  });

  it('only the gateway knows Koa', () => {
    expect(
      violations(
        ({ file, from }) => /^(koa|@koa\/router|koa-body)$/.test(from) && !file.startsWith('services/gateway/'),
      ),
    ).toEqual([]);
  });

  it('pure packages do no input or output', () => {
    const pure = /^packages\/(schema|urls)\/src\//;
    expect(
      violations(
        ({ file, from }) =>
          pure.test(file) && !isTest(file) && /^(node:)?(fs|net|http|child_process|os|worker_threads)(\/|$)/.test(from),
      ),
    ).toEqual([]);
  });
});
