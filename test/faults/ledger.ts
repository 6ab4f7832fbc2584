import { createHash, randomUUID } from 'node:crypto';
import {
  type Api,
  ApiError,
  buildMail,
  buildPdf,
  countMessages,
  countWaiting,
  findStored,
  idOf,
  invoiceLines,
  type Json,
  listDatabases,
  listObjects,
  type Receiver,
  sendMail,
  type TestSystem,
  type UploadFile,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import JSZip from 'jszip';

/** Whether this is `npm run faults`: all faults, and more documents; otherwise what fits into `npm test`. */
export const ALL_FAULTS = process.env.INTAKE_FAULTS === 'all';
/** `describe` of a fault that only `npm run faults` shows. */
export const describeLong = ALL_FAULTS ? describe : describe.skip;

/** What is sent while something goes wrong. */
export interface Load {
  /** Uploads; some of them have 20 pages, some are archives of five documents. */
  readonly uploads: number;
  readonly mails: number;
  /** How many of the documents are reviewed and exported meanwhile. */
  readonly reviews: number;
}

/** The load of the design: 200 uploads, 50 mails, 50 reviews; in `npm test` a part of it. */
export const LOAD: Load = ALL_FAULTS ? { uploads: 200, mails: 50, reviews: 50 } : { uploads: 12, mails: 3, reviews: 3 };

/** A document that was sent and acknowledged; its invoice number is in its file name. */
interface Entry {
  readonly marker: string;
  readonly fileName: string;
  readonly sha256: string;
}

/** How an upload was answered. */
export interface Answer {
  /** HTTP status, or 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

const ARRIVAL_MS = 120_000;
/** How long a client keeps trying the same upload, mail or review. */
const CLIENT_MS = 120_000;
const PARALLEL = 5;
const PAGES = 20;
const MEMBERS = 5;
const AT_REST = ['to_review', 'reviewing', 'exported', 'failed_import', 'failed_export'];
/** What may follow on what. API: states.md. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  created: ['importing'],
  importing: ['to_review', 'failed_import'],
  to_review: ['reviewing'],
  reviewing: ['exporting', 'exported', 'to_review'],
  exporting: ['exported', 'failed_export'],
};
const SINK = '/ledger';

/**
 * Sends documents and remembers which of them the system took. What it took must be there in the end, once, whole and
 * extracted, whatever happened in between.
 */
export class Ledger {
  readonly entries: Entry[] = [];
  /** What clients had to send again. */
  retries = 0;
  private readonly reviewed = new Set<number>();
  private sink: Receiver | undefined;

  constructor(
    private readonly system: TestSystem,
    private readonly api: Api,
  ) {}

  /** With a sink, every change of an annotation is to be told to it. The system must be allowed to call it. */
  static async open(system: TestSystem, sink?: Receiver): Promise<Ledger> {
    const ledger = new Ledger(system, await system.login());
    if (sink) await ledger.addHook(sink);
    return ledger;
  }

  private async addHook(sink: Receiver): Promise<void> {
    this.sink = sink;
    const queues = [`${this.system.baseUrl}/v1/queues/${this.system.queueId}`];
    const config = { url: `${sink.url}${SINK}` };
    await this.api.post('/hooks', { name: 'Ledger', queues, events: ['annotation_status'], config });
  }

  /** Uploads one document with a number of its own. */
  async send(): Promise<Answer> {
    const { files, entries } = await makeUpload(1);
    const started = Date.now();
    try {
      await this.api.upload(this.system.queueId, files);
      this.entries.push(...entries);
      return { status: 202, ms: Date.now() - started };
    } catch (error) {
      return { status: error instanceof ApiError ? error.status : 0, ms: Date.now() - started };
    }
  }

  /** Uploads `count` documents, `parallel` at a time. */
  async sendMany(count: number, parallel = PARALLEL): Promise<Answer[]> {
    const answers: Answer[] = [];
    await inParallel(count, parallel, async () => void answers.push(await this.send()));
    return answers;
  }

  /** Uploads, mails and reviews as clients do that try again until they are heard. */
  async sendLoad({ uploads, mails, reviews }: Load): Promise<void> {
    await Promise.all([
      inParallel(uploads, PARALLEL, (i) => this.sendUntilTaken(i)),
      inParallel(mails, 2, () => this.mailUntilTaken()),
      this.reviewUntilExported(reviews),
    ]);
  }

  private async sendUntilTaken(i: number): Promise<void> {
    const { files, entries } = await makeUpload(i);
    const headers = { 'Idempotency-Key': randomUUID() };
    await this.retry(`the upload ${i} to be taken`, () => this.api.upload(this.system.queueId, files, headers));
    this.entries.push(...entries);
  }

  private async mailUntilTaken(): Promise<void> {
    const { files, entries } = await makeUpload(1);
    const to = this.system.inboxEmail;
    const attachments = files.map(({ fileName, content }) => ({ filename: fileName, content }));
    const raw = await buildMail({ to, subject: files[0]?.fileName, text: 'An invoice.', attachments });
    const send = async () => /^250 /.test(await sendMail(this.system.smtp, { raw, to }));
    await this.retry('a mail to be taken', send);
    this.entries.push(...entries);
  }

  /** Reviews as many of the annotations that come to review, one after the other. */
  private async reviewUntilExported(count: number): Promise<void> {
    while (this.reviewed.size < count) {
      const list = `/annotations?queue=${this.system.queueId}&status=to_review&page_size=5`;
      const { results } = await this.retry('something to review', async () => {
        const page = await this.api.get(list);
        return page.results.length > 0 && page;
      });
      for (const { url } of results.slice(0, count - this.reviewed.size)) await this.export(url);
    }
  }

  private async export(url: string): Promise<void> {
    await this.retry(`${url} to be exported`, async () => {
      const { status } = await this.api.get(url);
      if (status === 'to_review') await this.api.post(`${url}/start`);
      if (status === 'reviewing') await this.api.post(`${url}/confirm`);
      return status === 'exported';
    });
    this.reviewed.add(idOf(url));
  }

  private retry<T>(what: string, attempt: () => Promise<T>) {
    return waitFor(
      what,
      () =>
        attempt().catch((error) => {
          this.retries += 1;
          throw error;
        }),
      { timeoutMs: CLIENT_MS },
    );
  }

  /** How many annotations are in a state now. */
  async count(status: string): Promise<number> {
    const { pagination } = await this.api.get(`/annotations?queue=${this.system.queueId}&status=${status}&page_size=1`);
    return pagination.total;
  }

  /** Waits until this many were extracted. */
  async waitForSome(count: number): Promise<void> {
    const arrived = async () => (await this.count('to_review')) + (await this.count('exported')) >= count;
    await waitFor(`${count} to be extracted`, arrived, { timeoutMs: ARRIVAL_MS });
  }

  /** All annotations of the queue with their documents, by file name. */
  private async listArrived(): Promise<Map<string, Json[]>> {
    const byName = new Map<string, Json[]>();
    for (let page = 1; ; page += 1) {
      const path = `/annotations?queue=${this.system.queueId}&page=${page}&page_size=100&sideload=documents`;
      const { results, documents, pagination } = await this.api.get(path);
      const known = new Map<string, Json>(documents.map((document: Json) => [document.url, document]));
      for (const annotation of results) {
        const document = known.get(annotation.document);
        const name = document?.original_file_name ?? '';
        byName.set(name, [...(byName.get(name) ?? []), { annotation, document }]);
      }
      if (page >= pagination.total_pages) return byName;
    }
  }

  /** Everything acknowledged arrives, once, as it was sent, and with its own number found. */
  async expectAllArrived(timeoutMs = ARRIVAL_MS): Promise<void> {
    const arrived = await waitFor(
      'all to have arrived',
      async () => {
        const found = await this.listArrived();
        const missing = this.entries.flatMap(({ fileName }) => {
          const statuses = (found.get(fileName) ?? []).map(({ annotation }) => annotation.status);
          const isDone = statuses.length > 0 && statuses.every((status) => AT_REST.includes(status));
          return isDone ? [] : [`${fileName} (${statuses.join(', ') || 'no annotation'})`];
        });
        if (missing.length > 0)
          throw new Error(`${missing.length} of ${this.entries.length} missing: ${missing.join(', ')}`);
        return found;
      },
      { timeoutMs },
    );
    await inParallel(this.entries.length, PARALLEL, async (i) => {
      const { fileName, marker, sha256: sent } = this.entries[i] as Entry;
      const rows = arrived.get(fileName) ?? [];
      expect([fileName, rows.length]).toEqual([fileName, 1]);
      const [{ annotation, document }] = rows;
      const { status, messages } = annotation;
      expect([fileName, status, messages]).toEqual([
        fileName,
        expect.stringMatching(/^(to_review|exported)$/),
        messages,
      ]);
      const bytes = await this.api.download(`/documents/${idOf(document.url)}/content`);
      expect([fileName, sha256(bytes)]).toEqual([fileName, sent]);
      const { content } = await this.api.get(`/annotations/${annotation.id}/content`);
      expect(JSON.stringify(content)).toContain(marker);
    });
  }

  /** There is nothing beside what was acknowledged and at most `uncertain` documents whose answer was lost. */
  async expectNothingElse(uncertain = 0): Promise<void> {
    const { pagination } = await this.api.get(`/annotations?queue=${this.system.queueId}&page_size=1`);
    expect(pagination.total).toBeGreaterThanOrEqual(this.entries.length);
    expect(pagination.total).toBeLessThanOrEqual(this.entries.length + uncertain);
  }

  /** All of the above, and that nothing rests anywhere, that every step was told to the sink, once and in order, and counted. */
  async expectAllWell(): Promise<void> {
    await this.expectAllArrived();
    await this.expectNothingElse();
    await expectAtRest(this.system);
    await this.expectExportedOnce();
    await this.expectToldInOrder();
    await waitFor('the usage report to be the ledger', async () => {
      const { totals } = await this.api.post('/annotations/usage_report', { group_by: ['queue'] });
      const counted = [totals.imported_count, totals.exported_count];
      expect(counted).toEqual([this.entries.length, this.reviewed.size]);
      return true;
    });
  }

  private async expectExportedOnce(): Promise<void> {
    for (const [id, steps] of await readSteps(this.system)) {
      const exports = steps.filter((status) => status === 'exported').length;
      expect([id, exports]).toEqual([id, this.reviewed.has(id) ? 1 : 0]);
    }
  }

  /** Each notification has one id, whatever it takes to get it through, and those of an annotation come as they happened. */
  private async expectToldInOrder(): Promise<void> {
    const { sink } = this;
    if (!sink) return;
    const steps = await readSteps(this.system);
    await waitFor(
      'the sink to have been told everything',
      () => {
        const told = new Map<number, string[]>();
        const seen = new Set<string>();
        for (const { body } of sink.at(SINK)) {
          if (seen.has(body.request_id)) continue;
          seen.add(body.request_id);
          const id = Number(body.annotation.id);
          told.set(id, [...(told.get(id) ?? []), body.annotation.status]);
        }
        for (const [id, happened] of steps)
          expect([id, told.get(id)]).toEqual([id, happened.filter((status) => status !== 'created')]);
        return true;
      },
      { timeoutMs: 60_000 },
    );
  }
}

/** Files to upload, and what must become of them. Every tenth is an archive, every tenth is long. */
async function makeUpload(i: number): Promise<{ files: UploadFile[]; entries: Entry[] }> {
  const makeOne = async (pages = 1) => {
    const marker = uniqueName('INV').replaceAll('_', '-').toUpperCase();
    const more = Array.from({ length: pages - 1 }, (_, page) => [`Page ${page + 2} of ${pages}`]);
    const content = await buildPdf({ lines: invoiceLines(marker), pages: more });
    const fileName = `${marker}.pdf`;
    return { file: { fileName, content }, entry: { marker, fileName, sha256: sha256(content) } };
  };
  if (i % 10 !== 7) {
    const { file, entry } = await makeOne(i % 10 === 3 ? PAGES : 1);
    return { files: [file], entries: [entry] };
  }
  const members = await Promise.all(Array.from({ length: MEMBERS }, () => makeOne()));
  const zip = new JSZip();
  for (const { file } of members) zip.file(file.fileName, file.content);
  const content = await zip.generateAsync({ type: 'nodebuffer' });
  const archive = { fileName: `${members[0]?.entry.marker}.zip`, content, contentType: 'application/zip' };
  return { files: [archive], entries: members.map(({ entry }) => entry) };
}

async function inParallel(count: number, parallel: number, task: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count; i = next++) await task(i);
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** Nothing is on its way any more, nothing was given up, and nothing is half made. */
export async function expectAtRest(system: TestSystem): Promise<void> {
  const url = read(system, 'INTAKE_MONGODB_URL');
  const prefix = read(system, 'INTAKE_MONGODB_PREFIX');
  const nats = [read(system, 'INTAKE_NATS_URL'), read(system, 'INTAKE_NATS_PREFIX')] as const;
  await waitFor(
    'all outboxes to be empty',
    async () => {
      const waiting: string[] = [];
      for (const database of await listDatabases(url, `${prefix}_`))
        for (const row of await findStored(url, database, 'outbox', { sentAt: null }))
          waiting.push(`${database}: ${row._id}`);
      if (waiting.length > 0) throw new Error(waiting.join(', '));
      return true;
    },
    { timeoutMs: 60_000 },
  );
  const passing = { status: { $in: ['importing', 'exporting'] } };
  await waitFor(
    'no annotation to be in a passing state',
    async () => (await findStored(url, `${prefix}_annotation`, 'annotations', passing)).length === 0,
    { timeoutMs: 60_000 },
  );
  await waitFor('no message to wait', async () => (await countWaiting(nats[0], `${nats[1]}-`)) === 0, {
    timeoutMs: 60_000,
  });
  expect(await countMessages(nats[0], `${nats[1]}-DEAD`)).toBe(0);

  const storage = `${prefix}_document_storage`;
  const [uploads, documents] = [await findStored(url, storage, 'uploads'), await findStored(url, storage, 'documents')];
  const known = new Set(documents.map(({ _id }) => _id));
  for (const { _id, documentIds, state } of uploads) {
    expect([_id, state]).toEqual([_id, 'finished']);
    expect((documentIds as number[]).length).toBeGreaterThan(0);
    for (const id of documentIds as number[]) expect(known.has(id)).toBe(true);
  }
  const objects = await listObjects(
    {
      url: read(system, 'INTAKE_S3_URL'),
      accessKey: read(system, 'INTAKE_S3_ACCESS_KEY'),
      secretKey: read(system, 'INTAKE_S3_SECRET_KEY'),
    },
    read(system, 'INTAKE_S3_BUCKET'),
  );
  for (const { _id, s3Name } of documents)
    expect([_id, objects.some((key) => key.endsWith(s3Name as string))]).toEqual([_id, true]);
}

/** Each annotation came to review once. */
export async function expectReviewedOnce(system: TestSystem): Promise<void> {
  for (const [id, steps] of await readSteps(system))
    expect([id, steps.filter((status) => status === 'to_review').length]).toEqual([id, 1]);
}

/**
 * The states that each annotation went through. Demands that the audit trail has every version once, that each step begins where
 * the one before ended, and that it is one of the life of annotations.
 */
async function readSteps(system: TestSystem): Promise<Map<number, string[]>> {
  const url = read(system, 'INTAKE_MONGODB_URL');
  const database = `${read(system, 'INTAKE_MONGODB_PREFIX')}_annotation`;
  const rows = await findStored(url, database, 'history');
  const steps = new Map<number, string[]>();
  for (const { _id } of await findStored(url, database, 'annotations')) {
    const own = rows.filter(({ annotationId }) => annotationId === _id);
    own.sort((one, other) => Number(one.version) - Number(other.version));
    expect([_id, own.map(({ version }) => version)]).toEqual([_id, own.map((_, i) => i + 1)]);
    const passed: string[] = [];
    for (const { from, to } of own) {
      if (passed.length > 0) expect([_id, from]).toEqual([_id, passed.at(-1)]);
      if (to === passed.at(-1)) continue;
      if (passed.length > 0) expect([_id, from, NEXT[String(from)]]).toEqual([_id, from, expect.arrayContaining([to])]);
      passed.push(String(to));
    }
    steps.set(_id as number, passed);
  }
  return steps;
}

/** Figures of a fault, for whoever reads the output of `npm run faults`. */
export function report(fault: string, figures: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${fault}: ${JSON.stringify(figures)}\n`);
}

function read({ env }: TestSystem, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
