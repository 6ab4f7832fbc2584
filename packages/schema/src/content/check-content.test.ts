import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import { checkContent } from './check-content';
import type { ContentNode } from './content-node';

const checkValue = (attributes: Partial<Datapoint>, value: string, changes: Partial<ContentNode> = {}) => {
  const schema: SchemaContent = [
    {
      category: 'section',
      id: 'section',
      label: 'Section',
      children: [
        { category: 'datapoint', id: 'f', label: 'F', type: 'string', rir_field_names: ['upload:f'], ...attributes },
      ],
    },
  ];
  let lastId = 0;
  const sources = { fields: {}, tables: {}, values: { 'upload:f': value }, defaultScoreThreshold: 0.8 };
  const nodes = buildNodes(schema, sources, () => ++lastId).map((node) =>
    node.id === 2 ? { ...node, ...changes } : node,
  );
  return checkContent(schema, nodes);
};
const errors = (attributes: Partial<Datapoint>, value: string, changes: Partial<ContentNode> = {}) =>
  checkValue(attributes, value, changes).map((message) => message.content);

describe('checkContent', () => {
  it('answers messages with the id of the datapoint as text', () => {
    expect(checkValue({}, '')).toEqual([{ id: '2', type: 'error', content: 'required' }]);
  });

  it.each<[string, Partial<Datapoint>, string, string[]]>([
    ['required by default', {}, '', ['required']],
    ['required null', { constraints: { required: null } }, '', ['required']],
    ['not required', { constraints: { required: false } }, '', []],
    [
      'empty, other constraints off',
      { constraints: { required: false, length: { min: 3 }, regexp: { pattern: 'a' } } },
      '',
      [],
    ],
    ['empty number', { type: 'number', constraints: { required: false } }, '', []],
    ['min', { constraints: { length: { min: 3 } } }, 'ab', ['shorter than 3 characters']],
    ['min reached', { constraints: { length: { min: 3 } } }, 'abc', []],
    ['max', { constraints: { length: { max: 3 } } }, 'abcd', ['longer than 3 characters']],
    ['max reached', { constraints: { length: { max: 3 } } }, 'abc', []],
    ['max in characters', { constraints: { length: { max: 3 } } }, '\u{1F600}\u{1F600}\u{1F600}', []],
    ['exact', { constraints: { length: { exact: 3 } } }, 'ab', ['not exactly 3 characters long']],
    ['limits that are null', { constraints: { length: { min: null, max: null, exact: null } } }, 'ab', []],
    ['max zero', { constraints: { length: { max: 0 } } }, 'a', ['longer than 0 characters']],
    ['a pattern found inside', { constraints: { regexp: { pattern: '\\d{2}' } } }, 'ab12cd', []],
    [
      'a pattern for the whole',
      { constraints: { regexp: { pattern: '^\\d{2}$' } } },
      'ab12cd',
      ['does not match the pattern'],
    ],
    ['a number', { type: 'number' }, '12.5', []],
    ['no number', { type: 'number' }, 'about 12', ['not a number']],
    ['a fraction in whole numbers', { type: 'number', format: '# ##0' }, '12.5', ['not a number']],
    ['a date', { type: 'date' }, '2024-02-29', []],
    ['no date', { type: 'date' }, '2023-02-29', ['not a date']],
    ['an option', { type: 'enum', options: [{ value: 'a', label: 'A' }] }, 'A', []],
    ['no option', { type: 'enum', options: [{ value: 'a', label: 'A' }] }, 'b', ['not one of the options']],
    ['no options at all', { type: 'enum', options: [] }, 'b', ['not one of the options']],
    [
      'several at once',
      { type: 'number', constraints: { length: { max: 2 }, regexp: { pattern: 'x' } } },
      'abc',
      ['not a number', 'longer than 2 characters', 'does not match the pattern'],
    ],
    ['a button', { type: 'button' }, 'x', []],
    ['a hidden field', { hidden: true }, '', ['required']],
  ])('checks %s', (_what, attributes, value, expected) => {
    expect(errors(attributes, value)).toEqual(expected);
  });

  it('takes the options that were changed for the annotation', () => {
    const currency: Partial<Datapoint> = { type: 'enum', options: [{ value: 'a', label: 'A' }] };
    expect(errors(currency, 'a', { options: [{ value: 'b', label: 'B' }] })).toEqual(['not one of the options']);
  });

  it('checks a hostile pattern in linear time', () => {
    const started = performance.now();
    errors({ constraints: { regexp: { pattern: '^(a+)+$' } } }, `${'a'.repeat(1400)}!`);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  const TABLE: SchemaContent = [
    {
      category: 'section',
      id: 'section',
      label: 'Section',
      children: [
        {
          category: 'multivalue',
          id: 'items',
          label: 'Items',
          min_occurrences: 2,
          children: {
            category: 'tuple',
            id: 'item',
            label: 'Item',
            children: [
              { category: 'datapoint', id: 'name', label: 'Name', type: 'string', rir_field_names: ['name', 'code'] },
            ],
          },
        },
      ],
    },
  ];
  const rowsOf = (...names: string[]) => {
    let lastId = 0;
    const cell = (value: string) => ({ value, rawText: null, page: null, position: null, confidence: 1 });
    const rows = names.map((name) => ({ type: 'data', cells: { name: cell(name) }, page: 1, position: null }));
    return buildNodes(
      TABLE,
      { fields: {}, tables: { line_items: rows }, values: {}, defaultScoreThreshold: 0 },
      () => ++lastId,
    );
  };

  it('warns about missing rows and checks each row', () => {
    expect(checkContent(TABLE, rowsOf())).toEqual([{ id: '2', type: 'warning', content: 'at least 2 rows expected' }]);
    expect(checkContent(TABLE, rowsOf('a', 'b'))).toEqual([]);
    const emptied = rowsOf('a', 'b', 'c').map((node) =>
      node.category === 'datapoint' && node.content!.value !== 'a'
        ? { ...node, content: { ...node.content!, value: '' } }
        : node,
    );
    expect(checkContent(TABLE, emptied).map(({ id, content }) => [id, content])).toEqual([
      ['6', 'required'],
      ['8', 'required'],
    ]);
  });

  it('leaves out what is hidden only when asked to', () => {
    const hide = (id: number) =>
      rowsOf('a').map((node) => ({
        ...node,
        hidden: node.id === id,
        content: node.content && { ...node.content, value: '' },
      }));
    const texts = (id: number, skipHidden: boolean) =>
      checkContent(TABLE, hide(id), { skipHidden }).map(({ content }) => content);
    expect(texts(4, false)).toEqual(['at least 2 rows expected', 'required']);
    expect(texts(4, true)).toEqual(['at least 2 rows expected']);
    expect(texts(3, true)).toEqual(['at least 2 rows expected']);
    expect(texts(2, true)).toEqual([]);
  });
});
