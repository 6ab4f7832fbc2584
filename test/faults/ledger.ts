import { createHash } from 'node:crypto';
import {
  type Api,
  ApiError,
  buildPdf,
  countMessages,
  findStored,
  idOf,
  invoiceLines,
  listDatabases,
  listObjects,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';

/** A document that was sent and acknowledged. */
interface Entry {
  /** Invoice number, which only this document has. */
  readonly marker: string;
  readonly content: Buffer;
  readonly taskUrl: string;
}

/** How an upload was answered. */
export interface Answer {
  /** HTTP status, or 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

const ARRIVAL_MS = 120_000;

/**
 * Sends documents and remembers which of them the system took. What it took must be there in the end, once, whole and
 * extracted, whatever happened in between.
 */
export class Ledger {
  readonly entries: Entry[] = [];

  constructor(
    private readonly system: TestSystem,
    private readonly api: Api,
  ) {}

  static async open(system: TestSystem): Promise<Ledger> {
    return new Ledger(system, await system.login());
  }

  /** Uploads one document with a number of its own. */
  async send(): Promise<Answer> {
    const marker = uniqueName('INV').replaceAll('_', '-').toUpperCase();
    const content = await buildPdf({ lines: invoiceLines(marker) });
    const started = Date.now();
    try {
      const taskUrl = await this.api.upload(this.system.queueId, [{ fileName: `${marker}.pdf`, content }]);
      this.entries.push({ marker, content, taskUrl });
      return { status: 202, ms: Date.now() - started };
    } catch (error) {
      return { status: error instanceof ApiError ? error.status : 0, ms: Date.now() - started };
    }
  }

  /** Uploads `count` documents, `parallel` at a time. */
  async sendMany(count: number, parallel = 5): Promise<Answer[]> {
    const answers: Answer[] = [];
    let started = 0;
    const sendSome = async () => {
      while (started < count) {
        started += 1;
        answers.push(await this.send());
      }
    };
    await Promise.all(Array.from({ length: parallel }, sendSome));
    return answers;
  }

  /** How many annotations are in a state now. */
  async count(status: string): Promise<number> {
    const { pagination } = await this.api.get(`/annotations?queue=${this.system.queueId}&status=${status}&page_size=1`);
    return pagination.total;
  }

  /** Everything acknowledged arrives, once, as it was sent, and with its own number found. */
  async expectAllArrived(): Promise<void> {
    const seen = new Set<number>();
    for (const { marker, content, taskUrl } of this.entries) {
      const options = { timeoutMs: ARRIVAL_MS };
      const upload = await waitFor(`the upload of ${marker}`, () => this.api.findUploaded(taskUrl), options);
      expect([upload.annotationIds.length, upload.documentIds.length]).toEqual([1, 1]);
      const [id = 0] = upload.annotationIds;
      seen.add(id);
      const annotation = await waitFor(
        `${marker} (annotation ${id}) to be extracted`,
        async () => {
          const found = await this.api.get(`/annotations/${id}`);
          if (found.status === 'importing') throw new Error('it is still in importing');
          return found;
        },
        options,
      );
      expect([marker, annotation.status]).toEqual([marker, 'to_review']);
      const bytes = await this.api.download(`/documents/${idOf(annotation.document)}/content`);
      expect(sha256(bytes)).toBe(sha256(content));
      expect(JSON.stringify((await this.api.get(`/annotations/${id}/content`)).content)).toContain(marker);
    }
    expect(seen.size).toBe(this.entries.length);
  }

  /** There is nothing beside what was acknowledged and at most `uncertain` documents whose answer was lost. */
  async expectNothingElse(uncertain = 0): Promise<void> {
    const { pagination } = await this.api.get(`/annotations?queue=${this.system.queueId}&page_size=1`);
    expect(pagination.total).toBeGreaterThanOrEqual(this.entries.length);
    expect(pagination.total).toBeLessThanOrEqual(this.entries.length + uncertain);
  }
}

/** Nothing is on its way any more, nothing was given up, and nothing is half made. */
export async function expectAtRest(system: TestSystem): Promise<void> {
  const url = read(system, 'INTAKE_MONGODB_URL');
  const prefix = read(system, 'INTAKE_MONGODB_PREFIX');
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
  const dead = await countMessages(read(system, 'INTAKE_NATS_URL'), `${read(system, 'INTAKE_NATS_PREFIX')}-DEAD`);
  expect(dead).toBe(0);

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
  const url = read(system, 'INTAKE_MONGODB_URL');
  const database = `${read(system, 'INTAKE_MONGODB_PREFIX')}_annotation`;
  const annotations = await findStored(url, database, 'annotations');
  const history = await findStored(url, database, 'history');
  for (const { _id } of annotations) {
    const own = history.filter(({ annotationId }) => annotationId === _id);
    const arrivals = own.filter(({ to }) => to === 'to_review');
    expect([_id, arrivals.length]).toEqual([_id, 1]);
  }
}

function read({ env }: TestSystem, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
