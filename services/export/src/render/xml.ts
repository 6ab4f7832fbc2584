import type { ExportNode } from '@intake/schema';
import type { Pagination } from '../export/paging';
import type { ExportRecord } from '../export/record';
import { escapeAttribute, escapeText } from './xml-text';

/** The XML file: results, then pagination; no indentation, no self-closing tags (API: export.md section 7). */
export async function* renderXml(pagination: Pagination, records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="utf-8"?>\n<export><results>';
  for await (const record of records) yield renderRecord(record);
  const { next, previous, total, total_pages } = pagination;
  const neighbours = element('next', next ?? '') + element('previous', previous ?? '');
  const counts = element('total', String(total)) + element('total_pages', String(total_pages));
  yield `</results><pagination>${neighbours}${counts}</pagination></export>`;
}

function renderRecord(record: ExportRecord): string {
  const { document, modifier, schema } = record;
  return wrap('annotation', { url: record.url }, [
    element('status', record.status),
    optional('arrived_at', record.arrived_at),
    optional('exported_at', record.exported_at),
    wrap('document', { url: document.url }, [element('file_name', document.file_name), element('file', document.file)]),
    modifier
      ? wrap('modifier', { url: modifier.url }, [element('username', modifier.username)])
      : wrap('modifier', {}, []),
    wrap('schema', { url: schema.url }, []),
    wrap('metadata', {}, [renderItems(record.metadata)]),
    wrap('content', {}, record.content.map(renderNode)),
    element('automated', String(record.automated)),
    optional('modified_at', record.modified_at),
    optional('assigned_at', record.assigned_at),
  ]);
}

function renderNode(node: ExportNode): string {
  const { category, schema_id } = node;
  if (node.category !== 'datapoint') return wrap(category, { schema_id }, node.children.map(renderNode));
  const rir_confidence = node.rir_confidence === null ? undefined : String(node.rir_confidence);
  return wrap('datapoint', { rir_confidence, schema_id, type: node.type }, [escapeText(node.value)]);
}

/** Metadata: an entry is an `item` with its key, an entry of a list an `item` without. */
function renderItems(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => wrap('item', {}, [renderItems(item)])).join('');
  if (typeof value !== 'object') return escapeText(String(value));
  return Object.entries(value)
    .map(([key, item]) => wrap('item', { key }, [renderItems(item)]))
    .join('');
}

function optional(name: string, text: string | null): string {
  return text === null ? '' : element(name, text);
}

function element(name: string, text: string): string {
  return wrap(name, {}, [escapeText(text)]);
}

/** An element around ready XML; attributes that are undefined are left out. */
function wrap(name: string, attributes: Readonly<Record<string, string | undefined>>, children: readonly string[]) {
  const head = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escapeAttribute(value)}"`,
  );
  return `<${name}${head.join('')}>${children.join('')}</${name}>`;
}
