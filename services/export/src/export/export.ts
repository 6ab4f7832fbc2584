import { annotation, type exporting } from '@intake/contracts';
import { type Caller, invalidField } from '@intake/rpc';
import { apiUrls } from '@intake/urls';
import { gatherText } from '../render/chunks';
import { renderCsv } from '../render/csv';
import { readDialect } from '../render/csv-dialect';
import { renderJson } from '../render/json';
import { MAX_SHEET_COLUMNS, renderXlsx } from '../render/xlsx';
import { renderXml } from '../render/xml';
import { areColumnsKnown, type Column, chooseColumns } from './columns';
import { FORMATS, type Format, type Pagination, paginate } from './paging';
import type { ExportRecord } from './record';
import { type Cell, toRows } from './rows';
import { createSources, type Neighbours } from './sources';

/** A file that is being made: what to say of it, then its bytes. */
export interface ExportedFile {
  readonly contentType: string;
  /** Empty: shown inline. */
  readonly fileName: string;
  readonly pagination: Pagination;
  /** Made as they are read. */
  readonly chunks: AsyncIterable<Buffer>;
  /** To be called at the end, also when not everything was read. */
  close(): Promise<void>;
}

/** Ids begin with 1. */
const NO_ID = 0;

/** Content type and file name by format (API: export.md section 1.3). */
const FILES: Readonly<Record<Format, { contentType: string; fileName: string }>> = {
  json: { contentType: 'application/json; charset=utf-8', fileName: '' },
  csv: { contentType: 'text/csv; charset=utf-8', fileName: 'export.csv' },
  xml: { contentType: 'application/xml; charset=utf-8', fileName: '' },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    fileName: 'export.xlsx',
  },
};

/**
 * Opens an export. Everything that can be wrong with the request is refused here, before the first byte: INVALID with
 * field errors (format, dialect, columns), INVALID_PAGE. With `to_status`, the export of the annotations is started after that.
 */
export async function openExport(
  neighbours: Neighbours,
  request: exporting.ExportRequest,
  caller: Caller,
): Promise<ExportedFile> {
  const format = FORMATS.find((name) => name === request.format);
  if (!format)
    throw invalidField('format', `Select a valid choice. ${request.format} is not one of the available choices.`);
  const dialect = readDialect(format === 'csv' ? request.dialect : undefined);
  const asked = annotation.ListAnnotationsRequest.fromPartial(request.filter ?? {});
  // Only columns follow the schemas.
  const hasColumns = format === 'csv' || format === 'xlsx';
  const ordering = asked.ordering.length > 0 ? asked.ordering : ['id'];
  const filter = { ...asked, ordering, withoutOrigins: !hasColumns };
  const sources = createSources(neighbours, caller);

  const chooseAll = async (header: annotation.ExportHeader): Promise<Column[]> => {
    const { current, older } = await sources.readSchemas(filter.queueIds, header);
    const schemas = areColumnsKnown(request, current) ? current : [...current, ...(await older())];
    const columns = chooseColumns(request, schemas);
    if (format === 'xlsx' && columns.length > MAX_SHEET_COLUMNS)
      throw invalidField('columns', `A sheet has no more than ${MAX_SHEET_COLUMNS} columns.`);
    return columns;
  };

  let open = await sources.openAnnotations(filter);
  try {
    const pagination = paginate(open.header.total, asked, request.requestUrl);
    const columns = hasColumns ? await chooseAll(open.header) : [];
    if (request.toStatus !== '') {
      // The set is what matched before: afterwards the filter may find others, or none.
      await open.close();
      const ids = await sources.requestExports(filter, request.toStatus === 'exported');
      open = await sources.openAnnotations(toSelection(ids, filter.ordering));
    }
    const labels = columns.map(({ label }) => label);
    const records = sources.readRecords(open.items, apiUrls(request.baseUrl));
    const render = (): AsyncIterable<Buffer> => {
      switch (format) {
        case 'json':
          return gatherText(renderJson(pagination, records));
        case 'xml':
          return gatherText(renderXml(pagination, records));
        case 'csv':
          return gatherText(renderCsv(labels, readRows(records, columns), dialect));
        case 'xlsx':
          return renderXlsx(labels, readRows(records, columns));
      }
    };
    return { ...FILES[format], pagination, chunks: render(), close: () => open.close() };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/** Exactly these annotations, all on one page. */
function toSelection(ids: readonly number[], ordering: string[]): annotation.ListAnnotationsRequest {
  return annotation.ListAnnotationsRequest.fromPartial({ ids: ids.length > 0 ? [...ids] : [NO_ID], ordering });
}

async function* readRows(records: AsyncIterable<ExportRecord>, columns: readonly Column[]): AsyncGenerator<Cell[]> {
  for await (const record of records) yield* toRows(record, columns);
}
