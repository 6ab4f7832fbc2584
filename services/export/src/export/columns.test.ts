import type { SchemaContent } from '@intake/schema';
import { schemaContent } from '../testing/golden';
import { areColumnsKnown, type ColumnRequest, chooseColumns } from './columns';

const none: ColumnRequest = { columns: [], prependColumns: [], appendColumns: [] };
const names = (request: Partial<ColumnRequest>, schemas: SchemaContent[] = [schemaContent]) =>
  chooseColumns({ ...none, ...request }, schemas).map(({ name }) => name);
const refuse = (request: Partial<ColumnRequest>) => {
  try {
    chooseColumns({ ...none, ...request }, [schemaContent]);
  } catch (error) {
    return error;
  }
  throw new Error('was not refused');
};

/** As it was before: other labels, a field that is gone, one that was not exportable. */
const olderSchema: SchemaContent = [
  {
    category: 'section',
    id: 'basic',
    label: 'Basic',
    children: [
      { category: 'datapoint', id: 'document_id', label: 'Number', type: 'string' },
      { category: 'datapoint', id: 'order_id', label: 'Order number', type: 'string' },
      { category: 'datapoint', id: 'secret', label: 'Once public', type: 'string' },
    ],
  },
];

describe('chooseColumns', () => {
  it('takes all exportable fields in schema order, labelled', () => {
    expect(chooseColumns(none, [schemaContent])).toEqual([
      { name: 'document_id', label: 'Invoice number' },
      { name: 'date_issue', label: 'Invoice Date' },
      { name: 'note', label: 'Note' },
      { name: 'item_qty', label: 'Quantity' },
      { name: 'item_total', label: 'Total' },
    ]);
  });

  it('adds fields that only older schemas have behind, with the label of the first schema that has the id', () => {
    const columns = chooseColumns(none, [schemaContent, olderSchema]);
    expect(columns.slice(5)).toEqual([
      { name: 'order_id', label: 'Order number' },
      { name: 'secret', label: 'Once public' },
    ]);
    expect(columns[0]?.label).toBe('Invoice number');
  });

  it('keeps the order given, duplicates too, and labels meta columns by their name', () => {
    expect(
      chooseColumns({ ...none, columns: ['item_total', 'meta_url', 'document_id', 'item_total'] }, [schemaContent]),
    ).toEqual([
      { name: 'item_total', label: 'Total' },
      { name: 'meta_url', label: 'meta_url' },
      { name: 'document_id', label: 'Invoice number' },
      { name: 'item_total', label: 'Total' },
    ]);
  });

  it.each([
    ['line_items', ['item_qty', 'item_total']],
    ['line_item', ['item_qty', 'item_total']],
    ['notes', ['note']],
    ['basic', ['document_id', 'date_issue']],
  ])('expands %s', (group, expected) => {
    expect(names({ columns: [group] })).toEqual(expected);
  });

  it('puts columns before and behind, with and without columns', () => {
    const around = { prependColumns: ['meta_file_name', 'meta_status'], appendColumns: ['meta_automated'] };
    expect(names({ columns: ['note'], ...around })).toEqual([
      'meta_file_name',
      'meta_status',
      'note',
      'meta_automated',
    ]);
    expect(names(around)).toHaveLength(8);
  });

  it('refuses unknown names, fields that are not exported and buttons, all at once and by parameter', () => {
    expect(refuse({ columns: ['nothing', 'secret', 'note'], appendColumns: ['press'] })).toMatchObject({
      reason: 'INVALID',
      fields: {
        columns: ['Unknown column "nothing".', 'Unknown column "secret".'],
        append_columns: ['Unknown column "press".'],
      },
    });
    expect(refuse({ prependColumns: ['constructor'] })).toMatchObject({
      fields: { prepend_columns: ['Unknown column "constructor".'] },
    });
  });
});

describe('areColumnsKnown', () => {
  it('is false for the default columns, which older schemas may extend', () => {
    expect(areColumnsKnown(none, [schemaContent])).toBe(false);
  });
  it('tells whether every name is known', () => {
    expect(areColumnsKnown({ ...none, columns: ['note'], prependColumns: ['meta_url'] }, [schemaContent])).toBe(true);
    expect(areColumnsKnown({ ...none, columns: ['note'], appendColumns: ['order_id'] }, [schemaContent])).toBe(false);
  });
});
