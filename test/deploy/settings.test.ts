import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an operator sets: every setting is described, and a wrong one stops the start with a text that names it. */

const ROOT = join(__dirname, '../..');

/** All TypeScript of packages and services but their tests, and the scripts of `npm start`, as one text. */
function readSources(): string {
  const folders = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((member) => join(ROOT, group, member, 'src')),
  );
  return [...folders, join(ROOT, 'deploy/local')]
    .filter((folder) => !folder.includes('/testkit/'))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !/\.test\.\w+$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

const variablesIn = (text: string) => new Set(text.match(/\bINTAKE_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []);

/** Given by the launcher to its own programs and tests; nobody sets them. */
const INTERNAL =
  /^INTAKE_(TEST_.*|BASE_URL|RUN_FILE|SMTP_ADDRESS|QUEUE_ID|INBOX_EMAIL|\w+_ADDRESS|PPOCR_PYTHON_PROBLEM|FAULTS)$/;

it('docs/settings.md describes every setting that is read, and no other', () => {
  const described = variablesIn(readFileSync(join(ROOT, 'docs/settings.md'), 'utf8'));
  const read = variablesIn(readSources());
  expect([...read].filter((name) => !described.has(name) && !INTERNAL.test(name))).toEqual([]);
  expect([...described].filter((name) => !read.has(name) && !INTERNAL.test(name))).toEqual([]);
});

it.each(['deploy/compose.yaml', 'helm/intake/templates/_helpers.tpl', 'helm/intake/values.yaml'])(
  '%s sets nothing that nobody reads',
  (file) => {
    const read = variablesIn(readSources());
    const used = [...variablesIn(readFileSync(join(ROOT, file), 'utf8'))];
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !read.has(name) && name !== 'INTAKE_LISTEN')).toEqual([]);
  },
);

it('NATS has the same settings in every installation', () => {
  const compose = readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8');
  const [, file] = /\.\/(\S+):(\/etc\/nats\/\S+):ro/.exec(compose) ?? [];
  expect(file).toBe('nats.conf');
  expect(compose).toContain('--config, /etc/nats/intake.conf');
});

it('MinIO is taken from the registry that still has it, the same image in every installation', () => {
  const [compose, local] = ['deploy/compose.yaml', 'deploy/local/backing/programs.mjs'].map(
    (file) => /image: '?(\S*minio\/minio:[^'\s]+)/.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1],
  );
  expect(local).toMatch(/^quay\.io\//);
  expect(compose).toBe(local);
});

const NEEDED = {
  INTAKE_LOG_LEVEL: 'silent',
  INTAKE_RPC_SECRET: 'secret',
  INTAKE_MONGODB_URL: 'mongodb://127.0.0.1:1/',
  INTAKE_NATS_URL: 'nats://127.0.0.1:1',
  INTAKE_S3_URL: 'http://127.0.0.1:1',
  INTAKE_S3_ACCESS_KEY: 'key',
  INTAKE_S3_SECRET_KEY: 'secret',
};

it.each([
  ['auth', 'INTAKE_LOG_LEVEL', 'verbose'],
  ['auth', 'INTAKE_OPS_PORT', '99999'],
  ['auth', 'INTAKE_RPC_PORT', '99999'],
  ['auth', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['auth', 'INTAKE_MONGODB_URL', 'localhost:27017'],
  ['auth', 'INTAKE_MONGODB_URL', 'mongodb://user:p@ss@localhost/'],
  ['auth', 'INTAKE_MONGODB_PREFIX', 'a b'],
  ['auth', 'INTAKE_NATS_URL', 'nats://'],
  ['auth', 'INTAKE_NATS_PREFIX', 'a.b'],
  ['auth', 'INTAKE_RPC_TLS_CA', '/nowhere/ca.pem'],
  ['auth', 'INTAKE_PUBLIC_URL', 'intake.example.com'],
  ['auth', 'INTAKE_MAIL_FROM', 'nobody'],
  ['gateway', 'INTAKE_AUTH_ADDRESS', 'http://auth:7400'],
  ['gateway', 'INTAKE_QUEUE_ADDRESS', 'queue'],
  ['gateway', 'INTAKE_PORT', '99999'],
  ['gateway', 'INTAKE_NATS_URL', 'nats://'],
  ['gateway', 'INTAKE_CORS_ORIGINS', 'app.example.com'],
  ['gateway', 'INTAKE_EMBED_ORIGINS', 'https://erp.example.com; script-src *'],
  ['extension', 'INTAKE_PUBLIC_URL', 'intake.example.com'],
  ['document-storage', 'INTAKE_S3_URL', 'minio:9000'],
  ['document-storage', 'INTAKE_S3_URL', 'http://minio:9000/bucket'],
  ['document-storage', 'INTAKE_S3_BUCKET', 'No Bucket'],
  ['document-storage', 'INTAKE_PAGE_WORKERS', '0'],
  ['annotation', 'INTAKE_RESTING_MS', '0'],
  ['annotation', 'INTAKE_REVIEW_SWEEP_MS', '99999999999'],
  ['extraction', 'INTAKE_EXTRACTION_CONCURRENCY', '0'],
  ['extraction', 'INTAKE_EXTRACTION_TIMEOUT_MS', '0'],
  ['extraction', 'INTAKE_OCR_LANGUAGES', 'eng,german'],
  ['mail-ingest', 'INTAKE_PUBLIC_URL', 'intake.example.com'],
  ['mail-ingest', 'INTAKE_SMTP_PORT', '99999'],
  ['mail-ingest', 'INTAKE_SMTP_CONNECTIONS', '0'],
  ['mail-ingest', 'INTAKE_SMTP_IDLE_S', '0'],
  ['mail-ingest', 'INTAKE_MAIL_DOMAIN', '@docs.example.com'],
  ['mail-ingest', 'INTAKE_MAIL_DNS_SERVERS', 'ns.example.com'],
  ['queue', 'INTAKE_MAIL_DOMAIN', 'docs.example.com.'],
])('%s does not start with a wrong %s (%s), and names it', async (service, variable, value) => {
  const { start } = require(join(ROOT, 'services', service, 'src/main'));
  const tls = /_TLS_/.test(variable) && { INTAKE_RPC_TLS_CERT: value, INTAKE_RPC_TLS_KEY: value };
  await expect(start({ ...NEEDED, ...tls, [variable]: value })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining(variable),
  });
});
