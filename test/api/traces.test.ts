import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildMail,
  receiveTraces,
  sendMail,
  startSystem,
  type TestSystem,
  type TraceReceiver,
  toForm,
  waitFor,
} from '@intake/testkit';

const SAMPLE = join(__dirname, '../samples/invoice-en.pdf');

let receiver: TraceReceiver;
let system: TestSystem;

beforeAll(async () => {
  receiver = await receiveTraces();
  system = await startSystem({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint } });
});

afterAll(async () => {
  await system?.stop();
  await receiver?.stop();
});

it('one request id and one trace go from the upload through rpcs, events and the job to the finished extraction', async () => {
  const api = await system.login();
  const body = toForm([{ fileName: 'invoice.pdf', content: readFileSync(SAMPLE) }]);
  const response = await api.request('POST', `/uploads?queue=${system.queueId}`, { body });
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  const { url } = (await response.json()) as { url: string };
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(url), { timeoutMs: 60_000 });
  await waitFor(
    'the extraction',
    async () => (await api.get(`/annotations/${annotationIds[0]}`)).status === 'to_review',
    { timeoutMs: 60_000 },
  );

  const ownSpans = () => receiver.spans.filter(({ attributes }) => attributes['intake.request_id'] === requestId);
  const finish = 'rpc /intake.annotation.v1.AnnotationService/FinishExtraction';
  await waitFor('the span of the last rpc', () => ownSpans().some(({ name }) => name === finish));
  const services = ['gateway', 'document-storage', 'annotation', 'extraction'].map((name) => `intake-${name}`);
  await waitFor('spans of all services on the way', () => {
    const seen = new Set(ownSpans().map(({ service }) => service));
    const missing = services.filter((service) => !seen.has(service));
    if (missing.length > 0) throw new Error(`there is none of ${missing.join(', ')}`);
    return true;
  });
  const names = ownSpans().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['consume upload.created', 'consume document.stored', 'consume annotation.importing']),
  );
  expect(new Set(ownSpans().map(({ traceId }) => traceId)).size).toBe(1);
});

it('those of a mail go from SMTP to the finished extraction', async () => {
  const attachments = [{ filename: 'invoice.pdf', content: readFileSync(SAMPLE) }];
  const raw = await buildMail({ to: system.inboxEmail, subject: 'Invoice', text: 'Hello', attachments });
  expect(await sendMail(system.smtp, { raw, to: system.inboxEmail })).toMatch(/^250/);
  const first = await waitFor('the span of the mail', () => receiver.spans.find(({ name }) => name === 'smtp message'));
  const ownSpans = () => receiver.spans.filter(({ traceId }) => traceId === first.traceId);
  const wanted = ['email.received', 'upload.created', 'document.stored', 'annotation.importing'];
  await waitFor('the spans of the events', () => {
    const names = ownSpans().map(({ name }) => name);
    const missing = wanted.filter((subject) => !names.includes(`consume ${subject}`));
    if (missing.length > 0) throw new Error(`there is none of ${missing.join(', ')}`);
    return true;
  });
  expect(new Set(ownSpans().map(({ attributes }) => attributes['intake.request_id'])).size).toBe(1);
});
