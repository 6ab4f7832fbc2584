import type { Pagination } from '../export/paging';
import type { ExportRecord } from '../export/record';

/** The JSON file: `pagination`, then `results` (API: export.md section 6). */
export async function* renderJson(
  pagination: Pagination,
  records: AsyncIterable<ExportRecord>,
): AsyncGenerator<string> {
  yield `{"pagination":${JSON.stringify(pagination)},"results":[`;
  let separator = '';
  for await (const record of records) {
    yield `${separator}${JSON.stringify(record)}`;
    separator = ',';
  }
  yield ']}';
}
