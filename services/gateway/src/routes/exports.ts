import type { IncomingMessage } from 'node:http';
import { annotation, type exporting } from '@intake/contracts';
import { type Caller, Refusal } from '@intake/rpc';
import accepts from 'accepts';
import { answersFile } from '../openapi/named-schema';
import { openFile } from '../reply/chunk-stream';
import { ANNOTATION_PARAMETERS, readAnnotationFilter } from '../request/annotation-filter';
import { documentFilters, documentFlags, documentPaging, texts } from '../request/filters';
import { MAX_PAGE_SIZE, readPage } from '../request/pagination';
import type { Query } from '../request/query';
import { may } from '../roles';
import { Answer, type ApiRequest, type QueryParameter, route } from '../route';
import type { RouteContext } from './index';

/** How long an export may take to be made and fetched. */
export const TRANSFER_MS = 600_000;

const FORMATS = ['json', 'csv', 'xml', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

/** API: limits.md. */
const PAGE_SIZE_MAXIMUM: Record<Format, number> = {
  csv: 1000,
  json: MAX_PAGE_SIZE,
  xml: MAX_PAGE_SIZE,
  xlsx: MAX_PAGE_SIZE,
};

const ACCEPTED: Record<string, Format> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

const TO_STATUSES = ['exporting', 'exported'];

const QUOTINGS = ['quote_minimal', 'quote_none', 'quote_all', 'quote_non_numeric'];

const CSV: QueryParameter = {
  name: 'format',
  schema: { type: 'string', enum: ['csv'] },
  description: 'The CSV of an export instead of a page of JSON.',
};
const COLUMNS = documentFilters({ columns: texts, prepend_columns: texts, append_columns: texts });
const DIALECT: readonly QueryParameter[] = [
  ...['delimiter', 'quote_char', 'escape_char'].map((name) => ({ name, schema: { type: 'string', maxLength: 1 } })),
  { name: 'quoting', schema: { type: 'string', enum: QUOTINGS, default: QUOTINGS[0] } },
  ...documentFlags('formula_guard'),
];

/** What a list says in the OpenAPI document that is answered as CSV, too. */
export const CSV_PARAMETERS: readonly QueryParameter[] = [CSV, ...COLUMNS, ...DIALECT];

const EXPORT_PARAMETERS: readonly QueryParameter[] = [
  { name: 'format', schema: { type: 'string', enum: FORMATS, default: 'json' }, description: 'Instead of `Accept`.' },
  ...documentPaging(PAGE_SIZE_MAXIMUM.csv),
  ...ANNOTATION_PARAMETERS,
  ...COLUMNS,
  ...DIALECT,
];
const TO_STATUS: QueryParameter = {
  name: 'to_status',
  schema: { type: 'string', enum: TO_STATUSES },
  description: 'The state that what is exported changes to.',
};
const parametersOf = (method: 'GET' | 'POST') =>
  method === 'POST' ? [...EXPORT_PARAMETERS, TO_STATUS] : EXPORT_PARAMETERS;

/** Exports of annotations. API: export.md section 1. Parameters stand in the query, also with POST; a body is not read. */
export function exportRoutes(context: RouteContext) {
  const options = { allow: 'export', timeoutMs: TRANSFER_MS } as const;
  const ofQueue = (method: 'GET' | 'POST') =>
    route(method, '/queues/:id/export', {
      ...options,
      doc: answersFile('Export the annotations of a queue as json, csv, xml or xlsx', '*/*', {
        query: parametersOf(method),
      }),
      basic: true,
      call: (request, caller) => exportAnnotations(context, request, caller, request.parameters.id),
      reply: (answer) => answer,
    });
  const ofAll = (method: 'GET' | 'POST') =>
    route(method, '/annotations/export', {
      ...options,
      doc: answersFile('Export annotations as json, csv, xml or xlsx', '*/*', { query: parametersOf(method) }),
      call: (request, caller) => exportAnnotations(context, request, caller),
      reply: (answer) => answer,
    });
  return [ofQueue('GET'), ofQueue('POST'), ofAll('GET'), ofAll('POST')];
}

/** The exported file of the matching annotations, as a stream. */
export async function exportAnnotations(
  { services, lookups }: Pick<RouteContext, 'services' | 'lookups'>,
  request: ApiRequest,
  caller: Caller,
  queueId?: number,
): Promise<Answer> {
  const { query, urls, url } = request;
  const toStatus = readToStatus(request, caller);
  const format = readFormat(query, request.header('accept'));
  const page = readExportPage(query, format);
  const dialect = format === 'csv' ? readDialect(query) : undefined;
  const [, filter] = await Promise.all([
    queueId === undefined ? undefined : lookups.queue(queueId, caller),
    readAnnotationFilter(query, caller, lookups, queueId),
  ]);
  const file = await openFile(
    services.exporting.export(
      {
        format,
        filter: { ...(filter ?? NOTHING), ...page },
        baseUrl: urls.root.slice(0, -'/v1'.length),
        requestUrl: `${url}?${query.with({ page: undefined })}`,
        columns: query.list('columns'),
        prependColumns: query.list('prepend_columns'),
        appendColumns: query.list('append_columns'),
        dialect,
        toStatus,
      },
      caller,
      { timeoutMs: TRANSFER_MS },
    ),
  );
  const { contentType, fileName, total, totalPages } = file.header;
  return new Answer(
    200,
    {
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'X-Total-Count': String(total),
      'X-Total-Pages': String(totalPages),
      ...(fileName && { 'Content-Disposition': `attachment; filename="${fileName}"` }),
    },
    file.stream(),
  );
}

/** Whether a call of the annotation list asks for its CSV. API: export.md section 1. */
export function wantsCsv({ query }: ApiRequest): boolean {
  return query.get('format')?.toLowerCase() === 'csv';
}

/** A filter that no annotation passes: ids begin with 1. */
const { page: _, pageSize: __, ...NOTHING } = annotation.ListAnnotationsRequest.fromPartial({ ids: [0] });

/** Empty without one. API: export.md section 3. */
function readToStatus({ query, http }: ApiRequest, caller: Caller): string {
  const toStatus = query.get('to_status') ?? '';
  if (toStatus === '') return toStatus;
  if (http.method !== 'POST') query.refuse('to_status', 'Only allowed with POST.');
  else if (!may(caller.roles, 'exportToStatus')) throw new Refusal('PERMISSION_DENIED');
  else if (!TO_STATUSES.includes(toStatus)) query.refuse('to_status', `"${toStatus}" is not a valid choice.`);
  return toStatus;
}

/** `format` wins over `Accept`; what is not known there is JSON. */
export function readFormat(query: Query, accept: string | undefined): Format {
  const given = query.get('format');
  if (given !== undefined) {
    const format = FORMATS.find((known) => known === given.toLowerCase());
    if (!format) query.refuse('format', `"${given}" is not a valid choice.`);
    return format ?? 'json';
  }
  const type = accepts({ headers: { accept } } as IncomingMessage).types(Object.keys(ACCEPTED));
  return ACCEPTED[String(type)] ?? 'json';
}

/** JSON comes in pages; the other formats only when a page is asked for, else whole (page 0). API: export.md section 1.2. */
export function readExportPage(query: Query, format: Format) {
  if (format !== 'json' && !query.has('page') && !query.has('page_size')) return { page: 0, pageSize: 0 };
  return readPage(query, PAGE_SIZE_MAXIMUM[format]);
}

/** API: export.md section 4.4. */
export function readDialect(query: Query): exporting.CsvDialect {
  const character = (name: string): string => {
    const value = query.get(name) ?? '';
    if (value !== '' && [...value].length !== 1) query.refuse(name, 'Exactly one character is required.');
    return value;
  };
  const quoting = query.get('quoting') ?? 'quote_minimal';
  if (!QUOTINGS.includes(quoting)) query.refuse('quoting', `"${quoting}" is not a valid choice.`);
  const escapeChar = character('escape_char');
  if (quoting === 'quote_none' && escapeChar === '') {
    query.refuse('escape_char', 'This field is required with quote_none.');
  }
  return {
    delimiter: character('delimiter') || ',',
    quoteChar: character('quote_char') || '"',
    quoting,
    escapeChar,
    formulaGuard: query.boolean('formula_guard') ?? false,
  };
}
