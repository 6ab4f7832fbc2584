import { annotation } from '@intake/contracts';
import type { ExportNode, SchemaContent } from '@intake/schema';
import type { ExportRecord } from '../export/record';

/** Builders for the tests of this service: the example of API: export.md sections 6 and 7. */
export const BASE = 'https://docs.example.com/api';

export const goldenContent: ExportNode[] = [
  {
    category: 'section',
    schema_id: 'invoice_details_section',
    children: [
      { category: 'datapoint', schema_id: 'document_id', rir_confidence: 0.99, value: '12345', type: 'string' },
    ],
  },
  {
    category: 'section',
    schema_id: 'line_items_section',
    children: [
      {
        category: 'multivalue',
        schema_id: 'line_items',
        children: [
          {
            category: 'tuple',
            schema_id: 'line_item',
            children: [
              { category: 'datapoint', schema_id: 'item_qty', rir_confidence: null, value: '2', type: 'number' },
            ],
          },
        ],
      },
    ],
  },
];

/** The annotation of the example as the annotation service sends it. */
export const goldenAnnotation = annotation.ExportAnnotation.fromPartial({
  annotation: {
    id: 315777,
    organizationId: 1,
    queueId: 8199,
    schemaId: 31336,
    documentId: 315877,
    status: 'exported',
    arrivedAt: new Date('2024-10-13T21:33:01.509Z'),
    exportedAt: new Date('2024-10-14T12:00:01.000Z'),
    modifierId: 11,
    modifiedAt: new Date('2024-10-13T21:40:00.000Z'),
    metadata: { project: 'A1' },
  },
  contentJson: JSON.stringify(goldenContent),
});

export const goldenRecord: ExportRecord = {
  url: `${BASE}/v1/annotations/315777`,
  status: 'exported',
  arrived_at: '2024-10-13T21:33:01.509000Z',
  exported_at: '2024-10-14T12:00:01.000000Z',
  document: {
    url: `${BASE}/v1/documents/315877`,
    file_name: 'invoice.pdf',
    file: `${BASE}/v1/documents/315877/content`,
  },
  modifier: { url: `${BASE}/v1/users/11`, username: 'jane@example.com' },
  schema: { url: `${BASE}/v1/schemas/31336` },
  metadata: { project: 'A1' },
  content: goldenContent,
  automated: false,
  modified_at: '2024-10-13T21:40:00.000000Z',
  assigned_at: null,
};

/** A schema with a header field of each kind, a simple list and a table. */
export const schemaContent: SchemaContent = [
  {
    category: 'section',
    id: 'basic',
    label: 'Basic',
    children: [
      { category: 'datapoint', id: 'document_id', label: 'Invoice number', type: 'string' },
      { category: 'datapoint', id: 'secret', label: 'Secret', type: 'string', can_export: false },
      { category: 'datapoint', id: 'press', label: 'Press', type: 'button' },
      { category: 'datapoint', id: 'date_issue', label: 'Invoice Date', type: 'date', hidden: true },
    ],
  },
  {
    category: 'section',
    id: 'lines',
    label: 'Lines',
    children: [
      {
        category: 'multivalue',
        id: 'notes',
        label: 'Notes',
        children: { category: 'datapoint', id: 'note', label: 'Note', type: 'string' },
      },
      {
        category: 'multivalue',
        id: 'line_items',
        label: 'Line items',
        children: {
          category: 'tuple',
          id: 'line_item',
          label: 'Line item',
          children: [
            { category: 'datapoint', id: 'item_qty', label: 'Quantity', type: 'number' },
            { category: 'datapoint', id: 'item_total', label: 'Total', type: 'number' },
          ],
        },
      },
    ],
  },
];

/** An async iterable over given things. */
export async function* each<T>(things: Iterable<T>): AsyncGenerator<T> {
  yield* things;
}

/** All that an async iterable yields. */
export async function collect<T>(things: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const thing of things) all.push(thing);
  return all;
}
