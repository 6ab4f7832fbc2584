import fc from 'fast-check';
import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import type { ContentNode } from './content-node';
import type { SourceCandidate, SourceRow, Sources } from './sources';

const field = (id: string, attributes: Partial<Datapoint> = {}): Datapoint => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'string',
  rir_field_names: [id],
  ...attributes,
});
const amount = (id: string, attributes: Partial<Datapoint> = {}) => field(id, { type: 'number', ...attributes });
const withFields = (...fields: Datapoint[]): SchemaContent => [
  { category: 'section', id: 'section', label: 'Section', children: fields },
];

const candidate = (value: string, confidence = 0.9): SourceCandidate => ({
  value,
  rawText: `raw ${value}`,
  page: 1,
  position: [1, 2, 3, 4],
  confidence,
});
const row = (cells: Record<string, string>, type = 'data'): SourceRow => ({
  type,
  cells: Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, candidate(value)])),
  page: 1,
  position: null,
});
const found = (fields: Record<string, SourceCandidate[]>, others: Partial<Sources> = {}): Sources => ({
  fields,
  tables: {},
  values: {},
  defaultScoreThreshold: 0.8,
  ...others,
});

const build = (schema: SchemaContent, sources: Sources | null = found({})) => {
  let lastId = 100;
  return buildNodes(schema, sources, () => ++lastId);
};
const bySchemaId = (nodes: ContentNode[], id: string) => nodes.filter((node) => node.schemaId === id);
const only = (nodes: ContentNode[], id: string) => {
  const matching = bySchemaId(nodes, id);
  expect(matching).toHaveLength(1);
  return matching[0]!;
};
const buildOne = (datapoint: Datapoint, sources: Sources | null = found({})) =>
  only(build(withFields(datapoint), sources), datapoint.id);

describe('first value of a field', () => {
  it('is the best candidate, with its place and confidence', () => {
    const node = buildOne(field('document_id'), found({ document_id: [candidate('A 1'), candidate('B 2')] }));
    expect(node.content).toEqual({
      value: 'A1',
      normalizedValue: 'A1',
      page: 1,
      position: [1, 2, 3, 4],
      rirText: 'A1',
      rirRawText: 'raw A 1',
      rirPage: 1,
      rirPosition: [1, 2, 3, 4],
      rirConfidence: 0.9,
      connectorText: null,
      connectorPosition: null,
      ocrText: null,
      ocrRawText: null,
      ocrPosition: null,
    });
  });

  it('is written in the format of the field', () => {
    const total = amount('amount_total', { format: '#.##0,#' });
    const node = buildOne(total, found({ amount_total: [candidate('1234.50')] }));
    expect(node.content).toMatchObject({ value: '1.234,50', normalizedValue: '1234.50', rirText: '1.234,50' });
  });

  it.each<[string, Partial<Datapoint>, Partial<Sources>, string]>([
    [
      'the first source that has one',
      { rir_field_names: ['upload:a', 'x'] },
      { values: { 'upload:a': 'given' } },
      'given',
    ],
    [
      'the next one when a value is empty',
      { rir_field_names: ['upload:a', 'x'] },
      { values: { 'upload:a': '' } },
      'read',
    ],
    [
      'the next one when the engine has none',
      { rir_field_names: ['y', 'upload:a'] },
      { values: { 'upload:a': 'given' } },
      'given',
    ],
    [
      'the engine before a later source',
      { rir_field_names: ['x', 'upload:a'] },
      { values: { 'upload:a': 'given' } },
      'read',
    ],
    ['the engine by its prefix', { rir_field_names: ['rir:x'] }, {}, 'read'],
    [
      'a header of the mail',
      { rir_field_names: ['email_header:from'] },
      { values: { 'email_header:from': 'a@b' } },
      'a@b',
    ],
    ['the default when nothing is found', { rir_field_names: ['y'], default_value: 'usual' }, {}, 'usual'],
    ['the default when no source is named', { rir_field_names: null, default_value: 'usual' }, {}, 'usual'],
    ['nothing otherwise', { rir_field_names: ['y'] }, {}, ''],
    ['nothing of the engine without prediction', { rir_field_names: ['x'], disable_prediction: true }, {}, ''],
    ['nothing for names of the language', { rir_field_names: ['__proto__', 'constructor', 'upload:toString'] }, {}, ''],
  ])('is %s', (_what, attributes, others, expected) => {
    const node = buildOne(field('f', attributes), found({ x: [candidate('read')] }, others));
    expect(node.content?.value).toBe(expected);
    if (expected !== 'read') expect(node.content).toMatchObject({ rirText: null, rirConfidence: null, position: null });
  });

  it.each([
    ['account_num', ' 12 34 ', '1234'],
    ['customer_id', 'C 1', 'C1'],
    ['order_id', 'PO 77\u00a08', 'PO778'],
    ['recipient_dic', 'CZ 123', 'CZ123'],
    ['var_sym', 'VS: 12-34', '1234'],
    ['sender_ic', 'IC 123 456 78', '12345678'],
    ['sender_address', ' Long  Street\t1 \n 110 00  Prague ', 'Long Street 1\n110 00 Prague'],
    ['sender_vat_id', ' CZ  123 ', 'CZ 123'],
  ])('of %s: %j is %j', (name, read, expected) => {
    const node = buildOne(field('f', { rir_field_names: [name] }), found({ [name]: [candidate(read)] }));
    expect(node.content?.value).toBe(expected);
  });

  it('is the spelling of the option', () => {
    const currency = field('currency', { type: 'enum', options: [{ value: 'eur', label: 'EUR' }] });
    expect(buildOne(currency, found({ currency: [candidate('EUR')] })).content?.value).toBe('eur');
  });

  it('is cut at 1500 characters', () => {
    const node = buildOne(field('terms'), found({ terms: [candidate('x'.repeat(1501))] }));
    expect(node.content?.value).toHaveLength(1500);
  });

  it('is missing where a whole section is not predicted', () => {
    const schema = withFields(field('document_id'));
    schema[0]!.disable_prediction = true;
    expect(only(build(schema, found({ document_id: [candidate('1')] })), 'document_id').content?.value).toBe('');
  });
});

describe('validation sources at import', () => {
  const optional = { constraints: { required: false } };

  it.each<[string, Datapoint, Sources | null, string[]]>([
    ['score at the threshold of the queue', field('x'), found({ x: [candidate('1', 0.8)] }), ['score']],
    ['none below it', field('x'), found({ x: [candidate('1', 0.79)] }), []],
    [
      'score at the threshold of the field',
      field('x', { score_threshold: 0.5 }),
      found({ x: [candidate('1', 0.5)] }),
      ['score'],
    ],
    ['none below that of the field', field('x', { score_threshold: 0.95 }), found({ x: [candidate('1', 0.9)] }), []],
    ['score for a threshold of zero', field('x', { score_threshold: 0 }), found({ x: [candidate('1', 0)] }), ['score']],
    ['not_found', field('x'), found({}), ['not_found']],
    ['not_found beside the default value', field('x', { default_value: 'd' }), found({}), ['not_found']],
    [
      'none for a value given',
      field('x', { rir_field_names: ['x', 'upload:a'] }),
      found({}, { values: { 'upload:a': '1' } }),
      [],
    ],
    ['none when only a value was expected', field('x', { rir_field_names: ['upload:a'] }), found({}), []],
    ['none when nothing was extracted', field('x'), null, []],
    ['non_required', field('x', { rir_field_names: [], ...optional }), found({}), ['non_required']],
    ['non_required without an extraction', field('x', { rir_field_names: null, ...optional }), null, ['non_required']],
    [
      'non_required without prediction',
      field('x', { disable_prediction: true, ...optional }),
      found({}),
      ['non_required'],
    ],
    ['none for a required field without source', field('x', { rir_field_names: [] }), found({}), []],
    ['none for a default value', field('x', { rir_field_names: [], default_value: 'd', ...optional }), found({}), []],
    ['NA for buttons', field('x', { type: 'button' }), found({ x: [candidate('1')] }), ['NA']],
  ])('are %s', (_what, datapoint, sources, expected) => {
    const node = buildOne(datapoint, sources);
    expect(node.validationSources).toEqual(expected);
    if (datapoint.type === 'button') expect(node.content).toBeNull();
  });

  const amounts = withFields(amount('amount_total'), amount('amount_total_base'), amount('amount_total_tax'));
  const checked = (base: string, tax: string, total: string) =>
    build(
      amounts,
      found({
        amount_total: [candidate(total, 0.1)],
        amount_total_base: [candidate(base, 0.1)],
        amount_total_tax: [candidate(tax, 0.1)],
      }),
    )
      .filter((node) => node.validationSources.includes('checks'))
      .map((node) => node.schemaId);

  it.each([
    ['100', '21', '121', true],
    ['100', '21', '121.02', true],
    ['100', '21', '121.03', false],
    ['0.1', '0.2', '0.3', true],
    ['-100', '-21', '-121', true],
    ['100', '21', 'much', false],
  ])('are checks for %s + %s = %s: %s', (base, tax, total, agree) => {
    expect(checked(base, tax, total)).toEqual(agree ? ['amount_total', 'amount_total_base', 'amount_total_tax'] : []);
  });

  const taxTable: SchemaContent = [
    {
      category: 'section',
      id: 'section',
      label: 'Section',
      children: [
        amount('base', { rir_field_names: ['amount_total_base'] }),
        {
          category: 'multivalue',
          id: 'taxes',
          label: 'Taxes',
          rir_field_names: ['tax_details'],
          children: {
            category: 'tuple',
            id: 'tax',
            label: 'Tax',
            children: [amount('tax_base', { rir_field_names: ['tax_detail_base'] }), field('other')],
          },
        },
      ],
    },
  ];

  it('are checks for the sum of a column and the amount that it makes', () => {
    const sources = found(
      { amount_total_base: [candidate('30', 0.1)] },
      { tables: { tax_details: [row({ tax_detail_base: '10' }), row({ tax_detail_base: '20.02' })] } },
    );
    const nodes = build(taxTable, sources);
    expect(only(nodes, 'base').validationSources).toEqual(['checks']);
    expect(bySchemaId(nodes, 'tax_base').map((node) => node.validationSources)).toEqual([
      ['score', 'checks'],
      ['score', 'checks'],
    ]);
  });

  it('are no checks when a row lacks its amount', () => {
    const sources = found(
      { amount_total_base: [candidate('10')] },
      { tables: { tax_details: [row({ tax_detail_base: '10' }), row({ other: 'x' })] } },
    );
    const nodes = build(taxTable, sources);
    expect(bySchemaId(nodes, 'tax_base')).toHaveLength(2);
    expect(nodes.flatMap((node) => node.validationSources)).not.toContain('checks');
  });
});

describe('tables', () => {
  const schema = (attributes: object = {}, tuple: object = {}): SchemaContent => [
    {
      category: 'section',
      id: 'section',
      label: 'Section',
      children: [
        {
          category: 'multivalue',
          id: 'items',
          label: 'Items',
          ...attributes,
          children: {
            category: 'tuple',
            id: 'item',
            label: 'Item',
            ...tuple,
            children: [
              field('description', { rir_field_names: ['table_column_description'] }),
              amount('quantity', { rir_field_names: ['table_column_quantity'], default_value: '1' }),
            ],
          },
        },
      ],
    },
  ];
  const lines = [
    row({ table_column_description: 'Head' }, 'header'),
    row({ table_column_description: 'Bottle', table_column_quantity: '2' }),
    row({ table_column_description: 'Glass' }),
    row({ table_column_other: 'not a column of the schema' }),
  ];
  const taxes = [row({ table_column_description: 'from taxes' })];
  const sources = found(
    { table_column_description: [candidate('not a row')] },
    { tables: { line_items: lines, tax_details: taxes } },
  );
  const descriptions = (content: SchemaContent) =>
    bySchemaId(build(content, sources), 'description').map((node) => node.content!.value);

  it('are a tree of rows and cells', () => {
    const nodes = build(schema(), sources);
    expect(
      nodes.map(({ id, parentId, index, category, schemaId }) => [id, parentId, index, category, schemaId]),
    ).toEqual([
      [101, null, 0, 'section', 'section'],
      [102, 101, 0, 'multivalue', 'items'],
      [103, 102, 0, 'tuple', 'item'],
      [104, 103, 0, 'datapoint', 'description'],
      [105, 103, 1, 'datapoint', 'quantity'],
      [106, 102, 1, 'tuple', 'item'],
      [107, 106, 0, 'datapoint', 'description'],
      [108, 106, 1, 'datapoint', 'quantity'],
    ]);
    expect(bySchemaId(nodes, 'quantity').map((node) => node.content!.value)).toEqual(['2', '1']);
    expect(only(nodes, 'items').grid).toBeNull();
  });

  const grid = { row_types: ['data', 'header'], default_row_type: 'data', row_types_to_extract: ['header', 'data'] };

  it.each<[string, SchemaContent, string[]]>([
    ['line_items unless named', schema(), ['Bottle', 'Glass']],
    ['the first table named', schema({ rir_field_names: ['tax_details', 'line_items'] }), ['from taxes']],
    ['the table named with prefix', schema({ rir_field_names: ['rir:tax_details'] }), ['from taxes']],
    ['the table that the tuple names', schema({}, { rir_field_names: ['tax_details'] }), ['from taxes']],
    ['no table when the list is empty', schema({ rir_field_names: [] }), []],
    ['no table of an unknown name', schema({ rir_field_names: ['__proto__'] }), []],
    ['no more rows than allowed', schema({ max_occurrences: 1 }), ['Bottle']],
    ['the row types to extract', schema({ grid }), ['Head', 'Bottle', 'Glass']],
    ['nothing without prediction', schema({ disable_prediction: true }), []],
    ['nothing when the row has no prediction', schema({}, { disable_prediction: true }), []],
  ])('take %s', (_what, content, expected) => {
    expect(descriptions(content)).toEqual(expected);
  });

  it('have no rows when nothing was extracted', () => {
    expect(build(schema(), null).map((node) => node.schemaId)).toEqual(['section', 'items']);
  });
});

describe('lists', () => {
  const list = (attributes: Partial<Datapoint> = {}, max: number | null = null): SchemaContent => [
    {
      category: 'section',
      id: 'section',
      label: 'Section',
      children: [
        {
          category: 'multivalue',
          id: 'orders',
          label: 'Orders',
          max_occurrences: max,
          children: field('order_id', attributes),
        },
      ],
    },
  ];
  const values = (schema: SchemaContent, sources: Sources) =>
    bySchemaId(build(schema, sources), 'order_id').map((node) => node.content!.value);
  const orders = found({
    order_id: [candidate('a', 0.6), candidate('b', 0.9), candidate('b', 0.9), candidate('c', 0.5)],
  });

  it('take the best candidate and others that are sure', () => {
    expect(values(list(), orders)).toEqual(['a', 'b']);
    expect(values(list({ score_threshold: 0.5 }), orders)).toEqual(['a', 'b', 'c']);
  });

  it('take no more items than allowed', () => {
    expect(values(list({}, 1), orders)).toEqual(['a']);
  });

  it('are empty without a value, or hold the default', () => {
    expect(values(list(), found({}))).toEqual([]);
    expect(values(list({ default_value: 'd' }), found({}))).toEqual(['d']);
  });
});

describe('attributes from the schema', () => {
  it('hide what the schema hides', () => {
    const nodes = build(withFields(field('a', { hidden: true }), field('b')));
    expect(only(nodes, 'a').hidden).toBe(true);
    expect(only(nodes, 'b').hidden).toBe(false);
  });

  it('leave the sources as they were', () => {
    const sources = found({ a: [candidate('1')] });
    const before = structuredClone(sources);
    const node = buildOne(field('a'), sources);
    node.content!.position!.push(5);
    expect(sources).toEqual(before);
    expect(node.content!.rirPosition).toEqual([1, 2, 3, 4]);
  });

  it('hold for every text that the engine may read', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2000 }),
        fc.constantFrom('string', 'number', 'date', 'enum'),
        (text, type) => {
          const node = buildOne(field('a', { type: type as 'string', options: [] }), found({ a: [candidate(text)] }));
          expect([...node.content!.value].length).toBeLessThanOrEqual(1500);
        },
      ),
    );
  });
});
