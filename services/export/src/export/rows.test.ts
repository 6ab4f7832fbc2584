import type { ExportNode } from '@intake/schema';
import { goldenRecord } from '../testing/golden';
import { toRows } from './rows';

const field = (schema_id: string, value: string): ExportNode => ({
  category: 'datapoint',
  schema_id,
  rir_confidence: null,
  value,
  type: 'string',
});
const list = (schema_id: string, children: ExportNode[]): ExportNode => ({
  category: 'multivalue',
  schema_id,
  children,
});
const line = (...children: ExportNode[]): ExportNode => ({ category: 'tuple', schema_id: 'line_item', children });
const section = (...children: ExportNode[]): ExportNode => ({ category: 'section', schema_id: 's', children });

const content = [
  section(field('document_id', '12345')),
  section(
    list('notes', [field('note', 'one'), field('note', 'two'), field('note', 'three')]),
    list('line_items', [
      line(field('item_qty', '1'), field('item_total', '10')),
      line(field('item_qty', '2'), field('item_total', '20')),
    ]),
  ),
];
const rows = (names: string[], nodes = content) =>
  [
    ...toRows(
      { ...goldenRecord, content: nodes },
      names.map((name) => ({ name, label: name })),
    ),
  ].map((row) => row.map(({ value }) => value));

describe('toRows', () => {
  it('is one row when no selected column lies in a multivalue', () => {
    expect(rows(['document_id', 'meta_status'])).toEqual([['12345', 'exported']]);
  });

  it('has a row for each item and repeats header fields and meta columns', () => {
    expect(rows(['meta_status', 'document_id', 'item_qty', 'item_total'])).toEqual([
      ['exported', '12345', '1', '10'],
      ['exported', '12345', '2', '20'],
    ]);
  });

  it('is as long as the longest selected multivalue, with empty cells for the others', () => {
    expect(rows(['note', 'item_qty'])).toEqual([
      ['one', '1'],
      ['two', '2'],
      ['three', ''],
    ]);
  });

  it('is one row with empty cells when the tables are empty, or the schema lacks the column', () => {
    const empty = [section(field('document_id', '12345'), list('line_items', []))];
    expect(rows(['document_id', 'item_qty'], empty)).toEqual([['12345', '']]);
    expect(rows(['order_id'])).toEqual([['']]);
    expect(rows(['document_id'], [])).toEqual([['']]);
  });

  it('fills every meta column', () => {
    expect(
      rows([
        'meta_arrived_at',
        'meta_file',
        'meta_file_name',
        'meta_status',
        'meta_url',
        'meta_automated',
        'meta_modified_at',
        'meta_assigned_at',
      ]),
    ).toEqual([
      [
        '2024-10-13T21:33:01.509000Z',
        'https://docs.example.com/api/v1/documents/315877/content',
        'invoice.pdf',
        'exported',
        'https://docs.example.com/api/v1/annotations/315777',
        'false',
        '2024-10-13T21:40:00.000000Z',
        '',
      ],
    ]);
  });
});
