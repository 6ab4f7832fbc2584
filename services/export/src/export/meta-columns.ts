import type { ExportRecord } from './record';

/** Meta columns and their values (API: export.md section 4.2). */
const META_COLUMNS: Readonly<Record<string, (record: ExportRecord) => string>> = {
  meta_arrived_at: (record) => record.arrived_at ?? '',
  meta_file: (record) => record.document.file,
  meta_file_name: (record) => record.document.file_name,
  meta_status: (record) => record.status,
  meta_url: (record) => record.url,
  meta_automated: (record) => String(record.automated),
  meta_modified_at: (record) => record.modified_at ?? '',
  meta_assigned_at: (record) => record.assigned_at ?? '',
};

export function isMetaColumn(name: string): boolean {
  return Object.hasOwn(META_COLUMNS, name);
}

/** Value of a meta column, undefined when there is none of this name. */
export function readMeta(name: string, record: ExportRecord): string | undefined {
  return isMetaColumn(name) ? META_COLUMNS[name]?.(record) : undefined;
}
