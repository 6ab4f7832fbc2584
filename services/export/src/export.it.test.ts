import { annotation, auth, documentStorage, exporting, queue } from '@intake/contracts';
import { type Caller, connectRpc, type Definition, type Handlers, Refusal, serveRpc } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { freePorts, waitFor } from '@intake/testkit';
import Papa from 'papaparse';
import { start } from './main';
import { BASE, goldenAnnotation, goldenRecord, schemaContent } from './testing/golden';

/** The service on real rpc connections; its neighbours are played by servers of this test, which note what they are asked. */
const TOTAL = 120;
const CURRENT_SCHEMA = 31336;
const OLDER_SCHEMA = 31000;
const olderContent = [
  {
    category: 'section',
    id: 'basic',
    label: 'Basic',
    children: [{ category: 'datapoint', id: 'order_id', label: 'Order number', type: 'string' }],
  },
];
const items = Array.from({ length: TOTAL }, (_, i) =>
  annotation.ExportAnnotation.fromPartial({
    annotation: {
      ...goldenAnnotation.annotation,
      id: i + 1,
      documentId: 1000 + i,
      schemaId: i === 100 ? OLDER_SCHEMA : CURRENT_SCHEMA,
      modifierId: 11 + (i % 2),
    },
    contentJson: i === 0 ? goldenAnnotation.contentJson : '[]',
  }),
);
const asked: {
  streams: annotation.ListAnnotationsRequest[];
  documents: number[][];
  users: number[][];
  schemas: number[];
} = {
  streams: [],
  documents: [],
  users: [],
  schemas: [],
};
let sent = 0;
let endedStreams = 0;
let failAfter = Number.POSITIVE_INFINITY;
let listed = TOTAL;

const caller: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: 1,
  username: 'jane@example.com',
  roles: ['annotator'],
  queueIds: [8199],
};
const SECRET = 'secret of this test';
const running: RunningService[] = [];
let client: ReturnType<typeof connectRpc<typeof exporting.ExportServiceService>>;

const windowOf = ({ page, pageSize }: annotation.ListAnnotationsRequest) => {
  const all = items.slice(0, listed);
  return page > 0 ? all.slice((page - 1) * pageSize, page * pageSize) : all;
};

beforeAll(async () => {
  const ports = await freePorts(5);
  const addressOf = (i: number) => `127.0.0.1:${ports[i]}`;
  const serve = <D extends Definition>(i: number, name: string, definition: D, proto: string, handlers: Handlers<D>) =>
    runService(name, { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
      await serveRpc(runtime, { definition, proto, handlers, host: '127.0.0.1', port: ports[i] ?? 0, secret: SECRET });
      if (i === 0) client = connectRpc(runtime, exporting.ExportServiceService, addressOf(4), { secret: SECRET });
    });

  const { streamForExport } = annotation.AnnotationServiceService;
  const { getQueues, getSchema } = queue.QueueServiceService;
  const { getDocuments } = documentStorage.DocumentStorageServiceService;
  const { getUsers } = auth.AuthServiceService;
  running.push(
    await serve(0, 'annotation', { streamForExport }, 'intake/annotation/v1/annotation.proto', {
      async *streamForExport(request) {
        asked.streams.push(request);
        try {
          yield { header: { total: listed, schemaIds: [OLDER_SCHEMA, CURRENT_SCHEMA], queueIds: [8199] } };
          for (const item of windowOf(request)) {
            if (sent >= failAfter) throw new Refusal('SERVICE_UNAVAILABLE');
            sent += 1;
            yield { annotation: item };
          }
        } finally {
          endedStreams += 1;
        }
      },
    }),
    await serve(1, 'queue', { getQueues, getSchema }, 'intake/queue/v1/queue.proto', {
      getQueues: async ({ ids }) =>
        queue.GetQueuesResponse.fromPartial({ queues: ids.map((id) => ({ id, schemaId: CURRENT_SCHEMA })) }),
      async getSchema({ id }) {
        asked.schemas.push(id);
        const contentJson = JSON.stringify(id === CURRENT_SCHEMA ? schemaContent : olderContent);
        return queue.Schema.fromPartial({ id, version: 1, contentJson });
      },
    }),
    await serve(2, 'document-storage', { getDocuments }, 'intake/document_storage/v1/document_storage.proto', {
      async getDocuments({ ids }, by) {
        asked.documents.push(ids);
        expect(by).toMatchObject({ kind: 'system', username: 'export', organizationId: 1 });
        const documents = ids.map((id) => ({ id, originalFileName: `invoice-${id}.pdf` }));
        return documentStorage.ListDocumentsResponse.fromPartial({ documents, total: ids.length });
      },
    }),
    await serve(3, 'auth', { getUsers }, 'intake/auth/v1/auth.proto', {
      async getUsers({ ids }) {
        asked.users.push(ids);
        return auth.GetUsersResponse.fromPartial({
          users: ids.map((id) => ({ id, username: `user-${id}@example.com` })),
        });
      },
    }),
    await start({
      INTAKE_LOG_LEVEL: 'silent',
      INTAKE_RPC_SECRET: SECRET,
      INTAKE_RPC_PORT: String(ports[4]),
      INTAKE_ANNOTATION_ADDRESS: addressOf(0),
      INTAKE_QUEUE_ADDRESS: addressOf(1),
      INTAKE_DOCUMENT_STORAGE_ADDRESS: addressOf(2),
      INTAKE_AUTH_ADDRESS: addressOf(3),
    }),
  );
});

afterAll(async () => {
  for (const service of running.reverse()) await service.stop();
});

beforeEach(() => {
  for (const calls of Object.values(asked)) calls.length = 0;
  sent = 0;
  endedStreams = 0;
  failAfter = Number.POSITIVE_INFINITY;
  listed = TOTAL;
});

interface Request {
  readonly format?: string;
  readonly filter?: Partial<annotation.ListAnnotationsRequest>;
  readonly columns?: string[];
  readonly prependColumns?: string[];
  readonly dialect?: Partial<exporting.CsvDialect>;
}
const open = (request: Request) =>
  client.export(
    exporting.ExportRequest.fromPartial({
      format: 'json',
      baseUrl: BASE,
      requestUrl: `${BASE}/v1/queues/8199/export?format=json`,
      ...request,
      filter: { queueIds: [8199], ...request.filter },
    }),
    caller,
  );
const read = async (request: Request) => {
  const parts: exporting.ExportChunk[] = [];
  for await (const part of open(request)) parts.push(part);
  const [first, ...rest] = parts;
  return { header: first?.header, bytes: Buffer.concat(rest.map(({ chunk }) => chunk as Buffer)) };
};

describe('JSON', () => {
  it('is paged, names the neighbours and reads documents and users in batches', async () => {
    const { header, bytes } = await read({ filter: { page: 1, pageSize: 100 } });
    expect(header).toEqual({
      contentType: 'application/json; charset=utf-8',
      fileName: '',
      total: TOTAL,
      totalPages: 2,
    });
    const { pagination, results } = JSON.parse(bytes.toString());
    expect(pagination).toEqual({
      total: TOTAL,
      total_pages: 2,
      next: `${BASE}/v1/queues/8199/export?format=json&page=2`,
      previous: null,
    });
    expect(results).toHaveLength(100);
    expect(results[0]).toEqual({
      ...goldenRecord,
      url: `${BASE}/v1/annotations/1`,
      document: {
        url: `${BASE}/v1/documents/1000`,
        file_name: 'invoice-1000.pdf',
        file: `${BASE}/v1/documents/1000/content`,
      },
      modifier: { url: `${BASE}/v1/users/11`, username: 'user-11@example.com' },
    });
    expect(asked.documents.map(({ length }) => length)).toEqual([50, 50]);
    expect(asked.users).toEqual([[11, 12]]);
    expect(asked.streams[0]).toMatchObject({ queueIds: [8199], page: 1, pageSize: 100, ordering: ['id'] });
  });

  it('refuses a page that is not there, before the header', async () => {
    await expect(read({ filter: { page: 3, pageSize: 100 } })).rejects.toMatchObject({ reason: 'INVALID_PAGE' });
    await waitFor('the end of the stream of annotations', () => endedStreams === 1);
  });

  it('is one page when there is nothing', async () => {
    listed = 0;
    const { header, bytes } = await read({});
    expect(header).toMatchObject({ total: 0, totalPages: 1 });
    expect(JSON.parse(bytes.toString())).toMatchObject({ pagination: { total: 0, total_pages: 1 }, results: [] });
  });
});

describe('XML', () => {
  it('holds everything', async () => {
    const { header, bytes } = await read({ format: 'xml' });
    expect(header).toMatchObject({ contentType: 'application/xml; charset=utf-8', fileName: '', totalPages: 1 });
    expect(bytes.toString().match(/<annotation /g)).toHaveLength(TOTAL);
    expect(bytes.toString()).toContain('<total>120</total><total_pages>1</total_pages>');
  });
});

describe('CSV', () => {
  it('holds everything, with the columns of the current and of older schemas', async () => {
    const { header, bytes } = await read({ format: 'csv', prependColumns: ['meta_file_name'] });
    expect(header).toEqual({
      contentType: 'text/csv; charset=utf-8',
      fileName: 'export.csv',
      total: TOTAL,
      totalPages: 1,
    });
    const rows = Papa.parse<string[]>(bytes.toString(), { skipEmptyLines: true }).data;
    const labels = ['meta_file_name', 'Invoice number', 'Invoice Date', 'Note', 'Quantity', 'Total', 'Order number'];
    expect(rows[0]).toEqual(labels);
    expect(rows[1]).toEqual(['invoice-1000.pdf', '12345', '', '', '2', '', '']);
    expect(rows).toHaveLength(TOTAL + 1);
    expect(asked.schemas.sort()).toEqual([OLDER_SCHEMA, CURRENT_SCHEMA]);
  });

  it('looks at no older schema when the current one has every column', async () => {
    const { bytes } = await read({ format: 'csv', columns: ['document_id'], dialect: { delimiter: ';' } });
    expect(bytes.toString().slice(0, 23)).toBe('Invoice number\r\n12345\r\n');
    expect(asked.schemas).toEqual([CURRENT_SCHEMA]);
  });

  it('takes the queues from the result when none are named, and has the same columns on every page', async () => {
    for (const page of [1, 2]) {
      const { bytes } = await read({ format: 'csv', filter: { queueIds: [], page, pageSize: 2 } });
      expect(bytes.toString().split('\r\n')[0]).toBe('Invoice number,Invoice Date,Note,Quantity,Total,Order number');
    }
  });

  it.each([
    [{ columns: ['nothing'] }, { columns: ['Unknown column "nothing".'] }],
    [{ dialect: { quoting: 'quote_none' } }, { escape_char: ['This parameter is required with quote_none.'] }],
    [{ format: 'pdf' }, { format: ['Select a valid choice. pdf is not one of the available choices.'] }],
  ] as [Request, object][])('refuses %j before the header', async (request, fields) => {
    await expect(read({ format: 'csv', ...request })).rejects.toMatchObject({ reason: 'INVALID', fields });
    await waitFor('the end of the stream of annotations', () => endedStreams === asked.streams.length);
  });
});

describe('XLSX', () => {
  it('is a zip file with its name', async () => {
    const { header, bytes } = await read({ format: 'xlsx' });
    expect(header).toMatchObject({
      contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      fileName: 'export.xlsx',
    });
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'));
  });
});

describe('streaming', () => {
  it('ends with an error when the annotations end with one', async () => {
    failAfter = 60;
    await expect(read({ format: 'xml' })).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  });

  it('lets go of the annotations when the client goes away after the header', async () => {
    for await (const part of open({ format: 'xml' })) {
      expect(part.header).toBeDefined();
      break;
    }
    await waitFor('the end of the stream of annotations', () => endedStreams === 1);
  });
});
