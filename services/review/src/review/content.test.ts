import type { Content, ContentNode, Message, SchemaNode } from '../api/types';
import {
  changedNodes,
  columnOperations,
  columnsOf,
  fieldsOf,
  generalMessages,
  indexSchema,
  linesOf,
  mergeNodes,
  movedRows,
  needsPerson,
  nextField,
  operationsBetween,
  pasteOperations,
  rowOperations,
  rowsOf,
  tablesOf,
} from './content';

const field = (id: string, more: Partial<SchemaNode> = {}): SchemaNode => ({
  id,
  label: id,
  category: 'datapoint',
  type: 'string',
  ...more,
});
const SCHEMA: SchemaNode[] = [
  {
    id: 'basic',
    label: 'Basic',
    category: 'section',
    children: [
      field('number'),
      field('secret', { hidden: true }),
      field('send', { type: 'button' }),
      { id: 'orders', label: 'Orders', category: 'multivalue', children: field('order') },
    ],
  },
  {
    id: 'lines',
    label: 'Lines',
    category: 'section',
    children: [
      {
        id: 'items',
        label: 'Items',
        category: 'multivalue',
        children: {
          id: 'item',
          label: 'Item',
          category: 'tuple',
          children: [field('what'), field('sum', { ui_configuration: { type: 'formula' } })],
        },
      },
    ],
  },
];
const index = indexSchema(SCHEMA);

const value = (id: number, schema_id: string, text: string, sources: string[] = []): ContentNode => ({
  id,
  url: `/${id}`,
  schema_id,
  category: 'datapoint',
  content: { value: text, position: [1, 2, 3, 4], page: 1 } as unknown as Content,
  validation_sources: sources,
});
const row = (id: number, what: string): ContentNode => ({
  id,
  url: `/${id}`,
  schema_id: 'item',
  category: 'tuple',
  children: [value(id + 1, 'what', what), value(id + 2, 'sum', '')],
});
const table = (rows: ContentNode[]): ContentNode => ({
  id: 90,
  url: '/90',
  schema_id: 'items',
  category: 'multivalue',
  children: rows,
});
const tree = (rows: ContentNode[], number = 'A-1'): ContentNode[] => [
  {
    id: 1,
    url: '/1',
    schema_id: 'basic',
    category: 'section',
    children: [
      value(2, 'number', number, ['score']),
      value(3, 'secret', 's'),
      value(4, 'send', ''),
      { id: 5, url: '/5', schema_id: 'orders', category: 'multivalue', children: [value(6, 'order', 'O')] },
    ],
  },
  { id: 80, url: '/80', schema_id: 'lines', category: 'section', children: [table(rows)] },
];
const names = (rows: readonly ContentNode[] = []) => rows.map(({ children }) => children?.[0]?.content?.value);

/** What the service makes of operations on the rows of the table. */
function apply(rows: ContentNode[], operations: ReturnType<typeof rowOperations>): (string | undefined)[] {
  const cells = new Map(rows.map((one) => [one.children?.[0]?.id, one]));
  const texts = new Map(rows.map((one) => [one.id, one.children?.[0]?.content?.value]));
  let next = 1000;
  for (const operation of operations) {
    if (operation.op === 'remove') texts.delete(operation.id);
    if (operation.op === 'replace') texts.set(cells.get(operation.id)?.id ?? -1, operation.value.content?.value);
    if (operation.op === 'add') texts.set(++next, operation.value[0]?.content?.value);
  }
  return [...texts.values()];
}

it('goes through fields and lists, then through tables, without what is hidden and buttons', () => {
  const fields = fieldsOf(tree([row(10, 'a'), row(20, 'b')]), index);
  expect(fields.map(({ id, row: at }) => [id, at])).toEqual([
    [2, undefined],
    [6, 0],
    [11, 0],
    [12, 0],
    [21, 1],
    [22, 1],
  ]);
  expect(tablesOf(tree([]), index).map(({ id }) => id)).toEqual([90]);
  expect(columnsOf(table([]), index).map(({ id }) => id)).toEqual(['what', 'sum']);
});

it('a value needs a person without any source, and with an error', () => {
  const [number, order] = fieldsOf(tree([]), index);
  expect([number, order].map((one) => needsPerson(one!, []))).toEqual([false, true]);
  expect(needsPerson(number!, [{ id: '2', type: 'error', content: 'required' }])).toBe(true);
  expect(needsPerson(number!, [{ id: '2', type: 'warning', content: 'odd' }])).toBe(false);
});

it('the next field is searched around the end, and never the field itself', () => {
  const fields = fieldsOf(tree([row(10, 'a')]), index);
  const any = () => true;
  expect(nextField(fields, null, any)?.id).toBe(2);
  expect(nextField(fields, 12, any)?.id).toBe(2);
  expect(nextField(fields, 2, any, -1)?.id).toBe(12);
  expect(nextField(fields, null, any, -1)?.id).toBe(12);
  expect(nextField(fields, 2, ({ id }) => id === 2)).toBeUndefined();
});

it('nodes take the place of those with their ids', () => {
  const merged = mergeNodes(tree([row(10, 'a')]), [value(11, 'what', 'new')]);
  expect(names(merged[1]?.children?.[0]?.children)).toEqual(['new']);
});

it.each<[string, number[]]>([
  ['removed from the middle', [10, 30]],
  ['moved up', [20, 10, 30]],
  ['moved and removed', [30, 10]],
  ['all removed', []],
  ['doubled', [10, 20, 30, 10]],
])('rows are %s', (_, wanted) => {
  const rows = [row(10, 'a'), row(20, 'b'), row(30, 'c')];
  const goal = wanted.map((id) => rows.find((one) => one.id === id)!);
  expect(apply(rows, rowOperations(table(rows), goal, index))).toEqual(names(goal));
});

it('removing a row touches no other row', () => {
  const rows = [row(10, 'a'), row(20, 'b'), row(30, 'c')];
  expect(rowOperations(table(rows), [rows[0]!, rows[2]!], index)).toEqual([{ op: 'remove', id: 20 }]);
});

it('an undo brings back values and removed rows, in their places, and leaves what is computed', () => {
  const before = tree([row(10, 'a'), row(20, 'b')]);
  const after = tree([row(20, 'b')], 'A-2');
  const operations = operationsBetween(after, before, index);
  expect(operations[0]).toMatchObject({ op: 'replace', id: 2, value: { content: { value: 'A-1' } } });
  expect(apply([row(20, 'b')], operations.slice(1))).toEqual(['a', 'b']);
  expect(JSON.stringify(operations)).not.toContain('"sum"');
  expect(operationsBetween(before, before, index)).toEqual([]);
});

const WIDE = indexSchema([
  {
    id: 'items',
    label: 'Items',
    category: 'multivalue',
    children: {
      id: 'item',
      label: 'Item',
      category: 'tuple',
      children: [field('what'), field('code'), field('sum', { ui_configuration: { type: 'formula' } })],
    },
  },
]);
const wideRow = (id: number, what: string, code: string): ContentNode => ({
  ...row(id, what),
  children: [value(id + 1, 'what', what, ['score']), value(id + 2, 'code', code), value(id + 3, 'sum', '')],
});

it('columns change places, as a person says, and what is empty needs nobody to have said so', () => {
  const rows = [wideRow(10, 'A-1', 'Bolt'), wideRow(20, 'A-2', '')];
  const operations = columnOperations(table(rows), ['what', 'code'], WIDE);
  const written = operations.map((one) => one.op === 'replace' && [one.id, one.value.content?.value]);
  expect(written).toEqual([
    [11, 'Bolt'],
    [12, 'A-1'],
    [21, ''],
    [22, 'A-2'],
  ]);
  expect(operations.map((one) => one.op === 'replace' && one.value.validation_sources)).toEqual([
    ['human'],
    ['human'],
    [],
    ['human'],
  ]);
});

it('what was copied from a spreadsheet is written over rows, and further lines become rows', () => {
  expect(linesOf('Bolt\tB-1\r\n Nut \tN-1\r\n')).toEqual([
    ['Bolt', 'B-1'],
    ['Nut', 'N-1'],
  ]);
  // Spreadsheets put in quotes what has lines or quotes in it.
  expect(linesOf('A\t"Line 1\r\nLine ""2"""\t5\r\n"B"\t3" pipe\t\r\n')).toEqual([
    ['A', 'Line 1\nLine "2"', '5'],
    ['B', '3" pipe', ''],
  ]);
  expect(linesOf('"not closed\nnext\n\nlast')).toEqual([['"not closed'], ['next'], [''], ['last']]);
  const rows = [wideRow(10, 'a', ''), wideRow(20, 'b', '')];
  const lines = linesOf('Bolt\tB-1\t99\nNut\tN-1\t99');
  const operations = pasteOperations(table(rows), lines, { row: 1, column: 'what' }, WIDE);
  const cell = (text: string) => ({ content: { value: text }, validation_sources: ['human'] });
  // The third column is computed.
  expect(operations).toEqual([
    { op: 'replace', id: 21, value: cell('Bolt') },
    { op: 'replace', id: 22, value: cell('B-1') },
    {
      op: 'add',
      id: 90,
      value: [
        { schema_id: 'what', ...cell('Nut') },
        { schema_id: 'code', ...cell('N-1') },
      ],
    },
  ]);
  expect(pasteOperations(table(rows), [['X']], { row: 0, column: 'code' }, WIDE)).toEqual([
    { op: 'replace', id: 12, value: cell('X') },
  ]);
});

it('columns and cells are shown as the document says, where it says otherwise than the schema', () => {
  const ids = (rows: ContentNode[]) => columnsOf(table(rows), index).map(({ id }) => id);
  const withoutSum = ({ children = [], ...one }: ContentNode): ContentNode => ({
    ...one,
    children: children.map((cell) => (cell.schema_id === 'sum' ? { ...cell, hidden: true } : cell)),
  });
  const first = row(10, 'a');
  const second = row(20, 'b');
  expect(ids([])).toEqual(['what', 'sum']);
  expect(ids([withoutSum(first), withoutSum(second)])).toEqual(['what']);
  expect(ids([withoutSum(first), second])).toEqual(['what', 'sum']);
});

it('messages about what is not shown are told with its name', () => {
  const said = (id: string, type: Message['type'] = 'error') => ({ id, type, content: 'wrong' });
  const all = tree([row(10, 'a')]);
  const messages = ['2', '3', '5', '6', '11', '90', 'all', '4711'].map((id) => said(id));
  const general = generalMessages([...messages, said('3', 'aggregation')], all, fieldsOf(all, index), index);
  expect(general.map(({ id, content }) => [id, content])).toEqual([
    ['3', 'secret: wrong'],
    ['5', 'Orders: wrong'],
    ['all', 'wrong'],
    ['4711', 'wrong'],
  ]);
});

it('hidden rows keep their place, and are passed', () => {
  const [a, b, c] = [row(10, 'a'), { ...row(20, 'b'), hidden: true }, row(30, 'c')];
  const rows = [a, b, c];
  expect(rowsOf(table(rows), index)).toEqual([
    { row: a, at: 0 },
    { row: c, at: 2 },
  ]);
  expect(movedRows(rows, 2, -1, index)).toEqual({ rows: [c, a, b], to: 0 });
  expect(movedRows(rows, 0, 1, index)).toEqual({ rows: [b, c, a], to: 2 });
  expect(movedRows(rows, 2, 1, index)).toEqual({ rows, to: 2 });
  expect(fieldsOf(tree(rows), index).filter(({ multivalue }) => multivalue?.id === 90)).toHaveLength(4);
});

it('what has changed are values, or tables whose rows are others', () => {
  const before = tree([row(10, 'a'), row(20, 'b')]);
  expect(changedNodes(before, structuredClone(before))).toEqual([]);
  const cells = changedNodes(before, tree([row(10, 'a'), row(20, 'other')]));
  expect(cells.map(({ schema_id }) => schema_id)).toEqual(['what']);
  expect(changedNodes(before, tree([row(10, 'a')])).map(({ id }) => id)).toEqual([90]);
});
