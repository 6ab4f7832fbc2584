import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildMail, insertStored, sendMail, startSystem, type TestSystem } from '@intake/testkit';

/** What Prometheus reads tells what the alert rules of the chart are made for. */

const RULES = readFileSync(join(__dirname, '../../helm/intake/files/alerts.yaml'), 'utf8');

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({
    processes: true,
    services: ['auth', 'queue', 'document-storage', 'annotation', 'extraction', 'mail-ingest'],
  });
});
afterAll(() => system?.stop());

const readMetrics = async (service: string) =>
  (await fetch(`http://127.0.0.1:${system.opsPortOf(service)}/metrics`)).text();

/** Sum of the samples of a metric whose labels pass. */
function sumOf(metrics: string, name: string, passes: (labels: string) => boolean = () => true): number {
  const samples = [...metrics.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))];
  if (samples.length === 0) throw new Error(`there is no ${name}`);
  return samples.filter(([, labels = '']) => passes(labels)).reduce((sum, [, , value]) => sum + Number(value), 0);
}

it('the age of the oldest unread document is that of the moment', async () => {
  const { INTAKE_MONGODB_URL: url = '', INTAKE_MONGODB_PREFIX: prefix } = system.env;
  const later = new Date(Date.now() + 3_600_000);
  const job = { _id: 'waits', state: 'open', createdAt: new Date(Date.now() - 900_000), dueAt: later, failures: 0 };
  await insertStored(url, `${prefix}_extraction`, 'jobs', job);
  const metrics = await readMetrics('extraction');
  expect(sumOf(metrics, 'intake_extraction_oldest_job_seconds')).toBeGreaterThanOrEqual(900);
  expect(sumOf(metrics, 'intake_extraction_jobs')).toBe(1);
});

it('the first event that is given up is an increase', async () => {
  for (const service of ['document-storage', 'annotation', 'extraction', 'mail-ingest']) {
    const metrics = await readMetrics(service);
    expect(metrics).toMatch(/^intake_bus_events_total\{.*outcome="parked".*\} 0$/m);
    expect(sumOf(metrics, 'intake_bus_events_total', (labels) => labels.includes('outcome="parked"'))).toBe(0);
  }
});

it('mails that are put off since a neighbour is away are among those of the alert', async () => {
  const [, answers] = /intake_mails_total\{answer=~"([^"]+)"/.exec(RULES)!;
  const answer = new RegExp(`answer="(?:${answers})"`);
  const putOff = async () =>
    sumOf(await readMetrics('mail-ingest'), 'intake_mails_total', (labels) => answer.test(labels));
  expect(await putOff()).toBe(0);
  await system.kill('queue');
  const raw = await buildMail({ to: system.inboxEmail, subject: 'Invoice', text: 'Hello', attachments: [] });
  await expect(sendMail(system.smtp, { raw, to: system.inboxEmail })).rejects.toThrow(/451/);
  expect(await putOff()).toBe(1);
});
