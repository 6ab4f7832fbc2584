import fc from 'fast-check';
import { cleanSchemaContent } from '../clean-schema';
import { aggregateContent } from '../content/aggregations';
import { buildNodes } from '../content/build-nodes';
import { checkContent } from '../content/check-content';
import { renderTree } from '../content/content-tree';
import { exportTree } from '../content/export-tree';
import { patchTree } from '../content/patch';
import { NUMBER_FORMATS } from '../formats/number-format';
import { checkSchemaContent } from './check-schema';

const datapoint = (attributes: object = {}) => ({
  category: 'datapoint',
  id: 'f',
  label: 'F',
  type: 'string',
  ...attributes,
});
const section = (children: unknown, attributes: object = {}) => ({
  category: 'section',
  id: 's',
  label: 'S',
  children,
  ...attributes,
});
const multivalue = (children: unknown, attributes: object = {}) => ({
  category: 'multivalue',
  id: 'm',
  label: 'M',
  children,
  ...attributes,
});
const tuple = (children: unknown, attributes: object = {}) => ({
  category: 'tuple',
  id: 't',
  label: 'T',
  children,
  ...attributes,
});

/** What is nested in errors at a path; null only where there are no errors at all. */
const dig = (errors: unknown, ...path: (string | number)[]): unknown =>
  errors === null
    ? null
    : path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], errors);

/** Errors of a datapoint in a section. */
const fieldErrors = (attributes: object) =>
  dig(checkSchemaContent([section([datapoint(attributes)])]), 'content', 0, 'children', 0);
/** Errors of a datapoint in a tuple. */
const cellErrors = (attributes: object) => {
  const errors = checkSchemaContent([section([multivalue(tuple([datapoint(attributes)]))])]);
  return dig(errors, 'content', 0, 'children', 0, 'children', 'children', 0);
};
const multivalueErrors = (children: unknown, attributes: object = {}) =>
  dig(checkSchemaContent([section([multivalue(children, attributes)])]), 'content', 0, 'children', 0);

describe('content as a whole', () => {
  it.each<[string, unknown, unknown]>([
    ['missing', undefined, ['This field is required.']],
    ['null', null, ['This field may not be null.']],
    ['an object', {}, ['Expected a list of items but got type "dict".']],
    ['a text', 'x', ['Expected a list of items but got type "str".']],
    ['empty', [], ['At least one section is required.']],
    ['a list of texts', ['x'], [{ non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] }]],
    ['a list with null', [null], [{ non_field_errors: ['Invalid data. Expected a dictionary, but got NoneType.'] }]],
    [
      'an empty object',
      [{}],
      [{ id: ['This field is required.'], label: ['This field is required.'], category: ['This field is required.'] }],
    ],
  ])('is refused when %s', (_what, content, expected) => {
    expect(checkSchemaContent(content)).toEqual({ content: expected });
  });

  it('may be empty where that is allowed', () => {
    expect(checkSchemaContent([], { allowEmpty: true })).toBeNull();
    expect(checkSchemaContent(undefined, { allowEmpty: true })).not.toBeNull();
  });

  it('nests errors in the shape of the content', () => {
    const content = [
      section([]),
      section([datapoint({ id: undefined }), multivalue(datapoint({ type: 'float', id: 'x' }))], { id: 's2' }),
    ];
    expect(checkSchemaContent(content)).toEqual({
      content: [
        {},
        { children: [{ id: ['This field is required.'] }, { children: { type: ['"float" is not a valid choice.'] } }] },
      ],
    });
    const table = [section([multivalue(tuple([datapoint(), datapoint({ id: 'g', type: null })]))])];
    expect(checkSchemaContent(table)).toEqual({
      content: [{ children: [{ children: { children: [{}, { type: ['This field may not be null.'] }] } }] }],
    });
  });

  it('names the first node that repeats an id, over all categories', () => {
    const content = [
      section([datapoint({ id: 'a' }), datapoint({ id: 'a' }), datapoint({ id: 'a' }), datapoint({ id: 's' })]),
    ];
    expect(checkSchemaContent(content)).toEqual({
      content: [
        {
          children: [
            {},
            { non_field_errors: ['Schema ids must be unique: a'] },
            {},
            { non_field_errors: ['Schema ids must be unique: s'] },
          ],
        },
      ],
    });
    expect(checkSchemaContent([section([multivalue(tuple([datapoint({ id: 'm' })]))])])).not.toBeNull();
  });
});

describe('categories', () => {
  it.each<[string, unknown, object]>([
    [
      'a datapoint at the top',
      [datapoint()],
      { content: [{ category: ['Schema may contain only section objects.'] }] },
    ],
    [
      'a section in a section',
      [section([section([], { id: 'x' })])],
      { content: [{ children: [{ category: ['Section may contain only multivalue or datapoint objects.'] }] }] },
    ],
    [
      'a tuple in a section',
      [section([tuple([])])],
      { content: [{ children: [{ category: ['Section may contain only multivalue or datapoint objects.'] }] }] },
    ],
    [
      'a multivalue in a multivalue',
      [section([multivalue(multivalue(datapoint(), { id: 'x' }))])],
      {
        content: [
          { children: [{ children: { category: ['Multivalue may contain only tuple or datapoint objects.'] } }] },
        ],
      },
    ],
    [
      'a multivalue in a tuple',
      [section([multivalue(tuple([multivalue(datapoint(), { id: 'x' })]))])],
      {
        content: [
          { children: [{ children: { children: [{ category: ['Tuple may contain only datapoint objects.'] }] } }] },
        ],
      },
    ],
    [
      'an unknown category',
      [section([datapoint({ category: 'table' })])],
      { content: [{ children: [{ category: ['"table" is not a valid choice.'] }] }] },
    ],
    [
      'a list as children of a multivalue',
      [section([multivalue([datapoint()])])],
      { content: [{ children: [{ children: ['Expected one tuple or datapoint object.'] }] }] },
    ],
    [
      'an object as children of a section',
      [section(datapoint())],
      { content: [{ children: ['Expected a list of items but got type "dict".'] }] },
    ],
    ['no children', [section(undefined)], { content: [{ children: ['This field is required.'] }] }],
    ['null as children', [section(null)], { content: [{ children: ['This field may not be null.'] }] }],
  ])('refuse %s', (_what, content, expected) => {
    expect(checkSchemaContent(content)).toEqual(expected);
  });

  it('allow empty sections and tuples', () => {
    expect(
      checkSchemaContent([section([], { icon: null }), section([multivalue(tuple([]))], { id: 's2' })]),
    ).toBeNull();
  });
});

describe('attributes of a datapoint', () => {
  it.each<[string, object]>([
    ['an id of 50 characters', { id: 'x'.repeat(50) }],
    ['an id of the language', { id: '__proto__' }],
    [
      'everything that is off',
      {
        hidden: null,
        disable_prediction: null,
        can_export: null,
        can_collapse: null,
        stretch: null,
        constraints: null,
        ui_configuration: null,
        rir_field_names: null,
        default_value: null,
        score_threshold: null,
        formula: null,
        width: null,
        description: null,
      },
    ],
    ['unknown attributes', { prompt: 'x', context: {}, matching: null, constructor: 1 }],
    ['thresholds at the ends', { score_threshold: 0 }],
    ['thresholds at the other end', { score_threshold: 1 }],
    [
      'all constraints',
      {
        constraints: {
          length: { min: 0, max: 5, exact: null },
          regexp: { pattern: '^(?i)\\p{L}+$' },
          required: false,
          other: 1,
        },
      },
    ],
    ['an empty ui configuration', { ui_configuration: { type: null, edit: null } }],
    ['newer ui types', { ui_configuration: { type: 'lookup', edit: 'enabled_without_warning' } }],
    ['a formula field', { ui_configuration: { type: 'formula' }, formula: '', rir_field_names: [] }],
    ['a formula that is not used', { formula: 'field.x', rir_field_names: ['x'] }],
    ['a formula of 500 characters', { formula: 'x'.repeat(500) }],
    ['a date', { type: 'date', format: 'D. M. YYYY' }],
    ['an enum without options', { type: 'enum', options: [] }],
    [
      'an enum',
      {
        type: 'enum',
        options: [
          { value: '', label: '' },
          { value: 'a', label: 'A' },
          { value: 'A', label: 'A' },
        ],
        enum_value_type: 'date',
      },
    ],
    ['a button', { type: 'button', popup_url: 'https://example.com', can_obtain_token: true }],
    ['a format that the type does not have', { type: 'string', format: 5 }],
  ])('allow %s', (_what, attributes) => {
    expect(fieldErrors(attributes)).toBeNull();
  });

  it.each(NUMBER_FORMATS)('allow the number format %j', (format) => {
    expect(fieldErrors({ type: 'number', format })).toBeNull();
  });

  it.each<[object, object]>([
    [{ id: 'x'.repeat(51) }, { id: ['Ensure this field has no more than 50 characters.'] }],
    [{ id: '' }, { id: ['This field may not be blank.'] }],
    [{ id: 5 }, { id: ['Not a valid string.'] }],
    [{ id: null }, { id: ['This field may not be null.'] }],
    [{ label: undefined }, { label: ['This field is required.'] }],
    [{ label: {} }, { label: ['Not a valid string.'] }],
    [{ hidden: 'true' }, { hidden: ['Must be a valid boolean.'] }],
    [{ disable_prediction: 0 }, { disable_prediction: ['Must be a valid boolean.'] }],
    [{ description: 5 }, { description: ['Not a valid string.'] }],
    [{ type: undefined }, { type: ['This field is required.'] }],
    [{ type: 'String' }, { type: ['"String" is not a valid choice.'] }],
    [{ type: ['string'] }, { type: ['"["string"]" is not a valid choice.'] }],
    [{ can_export: 1 }, { can_export: ['Must be a valid boolean.'] }],
    [{ can_collapse: 'no' }, { can_collapse: ['Must be a valid boolean.'] }],
    [{ stretch: {} }, { stretch: ['Must be a valid boolean.'] }],
    [{ rir_field_names: 'x' }, { rir_field_names: ['Expected a list of items but got type "str".'] }],
    [{ rir_field_names: [1] }, { rir_field_names: ['Not a valid string.'] }],
    [{ default_value: 5 }, { default_value: ['Not a valid string.'] }],
    [{ width: 1.5 }, { width: ['A valid integer is required.'] }],
    [{ width: -1 }, { width: ['Ensure this value is greater than or equal to 0.'] }],
    [{ width_chars: '5' }, { width_chars: ['A valid integer is required.'] }],
    [{ score_threshold: 1.01 }, { score_threshold: ['Ensure this value is less than or equal to 1.'] }],
    [{ score_threshold: -0.01 }, { score_threshold: ['Ensure this value is greater than or equal to 0.'] }],
    [{ score_threshold: '0.5' }, { score_threshold: ['A valid number is required.'] }],
    [{ formula: 'x'.repeat(501) }, { formula: ['Ensure this field has no more than 500 characters.'] }],
    [{ ui_configuration: { type: 'formula' } }, { formula: ['This field is required.'] }],
    [{ ui_configuration: { type: 'formula' }, formula: null }, { formula: ['This field may not be null.'] }],
    [
      { ui_configuration: { type: 'formula' }, formula: '', rir_field_names: ['x'] },
      { rir_field_names: ['A formula field may not have rir_field_names.'] },
    ],
    [
      { ui_configuration: [] },
      { ui_configuration: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] } },
    ],
    [{ ui_configuration: { type: 'auto' } }, { ui_configuration: { type: ['"auto" is not a valid choice.'] } }],
    [{ ui_configuration: { edit: true } }, { ui_configuration: { edit: ['"true" is not a valid choice.'] } }],
    [
      { constraints: 'x' },
      { constraints: { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] } },
    ],
    [{ constraints: { required: 'yes' } }, { constraints: { required: ['Must be a valid boolean.'] } }],
    [
      { constraints: { length: { min: -1, max: 'a', exact: 1.5 } } },
      {
        constraints: {
          length: {
            min: ['Ensure this value is greater than or equal to 0.'],
            max: ['A valid integer is required.'],
            exact: ['A valid integer is required.'],
          },
        },
      },
    ],
    [
      { constraints: { length: { min: 5, max: 4 } } },
      { constraints: { length: { non_field_errors: ['min must not be greater than max.'] } } },
    ],
    [
      { constraints: { regexp: { pattern: '(' } } },
      {
        constraints: { regexp: { pattern: ['Not a valid regular expression in RE2 syntax: missing closing ): `(`.'] } },
      },
    ],
    [
      { constraints: { regexp: { pattern: '(?=a)' } } },
      { constraints: { regexp: { pattern: [expect.stringContaining('RE2 syntax')] } } },
    ],
    [
      { constraints: { regexp: { pattern: '(a)\\1' } } },
      { constraints: { regexp: { pattern: [expect.stringContaining('RE2 syntax')] } } },
    ],
    [
      { constraints: { regexp: { pattern: '((a{100}){100}){100}' } } },
      { constraints: { regexp: { pattern: [expect.stringContaining('RE2 syntax')] } } },
    ],
    [
      { constraints: { regexp: { pattern: '(?:\\pL{30}){30}'.repeat(8) } } },
      { constraints: { regexp: { pattern: ['The regular expression is too large.'] } } },
    ],
    [
      { constraints: { regexp: { pattern: 'x'.repeat(1001) } } },
      { constraints: { regexp: { pattern: ['Ensure this field has no more than 1000 characters.'] } } },
    ],
    [{ constraints: { regexp: { pattern: 5 } } }, { constraints: { regexp: { pattern: ['Not a valid string.'] } } }],
    [{ type: 'number', format: '#.##' }, { format: ['"#.##" is not a valid choice.'] }],
    [{ type: 'number', format: 5 }, { format: ['"5" is not a valid choice.'] }],
    [
      { type: 'number', aggregations: { sum: {} } },
      { aggregations: ['Only a datapoint of a tuple may have aggregations.'] },
    ],
    [{ type: 'date', format: '' }, { format: ['This field may not be blank.'] }],
    [{ type: 'date', format: null }, { format: ['This field may not be null.'] }],
    [{ type: 'date', format: 'x'.repeat(101) }, { format: ['Ensure this field has no more than 100 characters.'] }],
    [{ type: 'enum' }, { options: ['This field is required.'] }],
    [{ type: 'enum', options: null }, { options: ['This field may not be null.'] }],
    [{ type: 'enum', options: {} }, { options: ['Expected a list of items but got type "dict".'] }],
    [
      { type: 'enum', options: [{ value: 'a', label: 'A' }, 'b', { value: 1 }] },
      {
        options: [
          {},
          { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] },
          { value: ['Not a valid string.'], label: ['This field is required.'] },
        ],
      },
    ],
    [
      {
        type: 'enum',
        options: [
          { value: 'a', label: 'A' },
          { value: 'a', label: 'B' },
        ],
      },
      { options: [{}, { value: ['Option values must be unique: a'] }] },
    ],
    [{ type: 'enum', options: [], enum_value_type: 'enum' }, { enum_value_type: ['"enum" is not a valid choice.'] }],
    [
      { type: 'button', popup_url: 5, can_obtain_token: 'x' },
      { popup_url: ['Not a valid string.'], can_obtain_token: ['Must be a valid boolean.'] },
    ],
  ])('refuse %j', (attributes, expected) => {
    expect(fieldErrors(attributes)).toEqual(expected);
  });
});

describe('attributes of a cell', () => {
  it.each([
    { aggregations: { sum: {} } },
    { aggregations: { sum: { label: 'All' } } },
    { aggregations: {} },
    { aggregations: null },
  ])('allow %j', (attributes) => {
    expect(cellErrors({ type: 'number', ...attributes })).toBeNull();
  });

  it.each<[object, object]>([
    [{ type: 'number', aggregations: { avg: {} } }, { aggregations: ['"avg" is not a valid choice.'] }],
    [
      { type: 'number', aggregations: [] },
      { aggregations: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] } },
    ],
    [
      { type: 'number', aggregations: { sum: 'x' } },
      { aggregations: { sum: { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] } } },
    ],
    [
      { type: 'number', aggregations: { sum: { label: 5 } } },
      { aggregations: { sum: { label: ['Not a valid string.'] } } },
    ],
  ])('refuse %j', (attributes, expected) => {
    expect(cellErrors(attributes)).toEqual(expected);
  });

  it('allow buttons, which a list may not hold', () => {
    expect(cellErrors({ type: 'button' })).toBeNull();
    expect(multivalueErrors(datapoint({ type: 'button' }))).toEqual({
      children: { type: ['A button may not be a child of a multivalue.'] },
    });
  });
});

describe('attributes of a multivalue', () => {
  const grid = { row_types: ['data', 'sum'], default_row_type: 'data', row_types_to_extract: ['data', 'sum'] };

  it.each<[string, unknown, object]>([
    ['the least', tuple([]), {}],
    [
      'everything',
      tuple([], { rir_field_names: ['line_items'] }),
      { min_occurrences: 0, max_occurrences: 1, grid, show_grid_by_default: true, rir_field_names: ['tax_details'] },
    ],
    [
      'nulls',
      tuple([], { rir_field_names: null }),
      { min_occurrences: null, max_occurrences: null, grid: null, show_grid_by_default: null, rir_field_names: null },
    ],
    ['no names on a list', datapoint(), { rir_field_names: [] }],
    ['equal limits', datapoint(), { min_occurrences: 3, max_occurrences: 3 }],
  ])('allow %s', (_what, children, attributes) => {
    expect(multivalueErrors(children, attributes)).toBeNull();
  });

  it.each<[unknown, object, object]>([
    [tuple([]), { min_occurrences: -1 }, { min_occurrences: ['Ensure this value is greater than or equal to 0.'] }],
    [tuple([]), { max_occurrences: 0 }, { max_occurrences: ['Ensure this value is greater than or equal to 1.'] }],
    [tuple([]), { max_occurrences: 1e20 }, { max_occurrences: ['A valid integer is required.'] }],
    [
      tuple([]),
      { min_occurrences: 3, max_occurrences: 2 },
      { max_occurrences: ['Ensure this value is greater than or equal to 3.'] },
    ],
    [tuple([]), { show_grid_by_default: 'x' }, { show_grid_by_default: ['Must be a valid boolean.'] }],
    [
      datapoint(),
      { rir_field_names: ['x'] },
      { rir_field_names: ['Only a multivalue of tuples takes rir_field_names; set them on the datapoint.'] },
    ],
    [
      tuple([]),
      { grid: {} },
      {
        grid: {
          row_types: ['This field is required.'],
          default_row_type: ['This field is required.'],
          row_types_to_extract: ['This field is required.'],
        },
      },
    ],
    [
      tuple([]),
      { grid: { ...grid, default_row_type: 'head' } },
      { grid: { non_field_errors: ['Row type "head" is not in row_types.'] } },
    ],
    [
      tuple([]),
      { grid: { ...grid, row_types_to_extract: ['data', 'head'] } },
      { grid: { non_field_errors: ['Row type "head" is not in row_types.'] } },
    ],
    [
      tuple([], { rir_field_names: {} }),
      {},
      { children: { rir_field_names: ['Expected a list of items but got type "dict".'] } },
    ],
    [null, {}, { children: ['This field may not be null.'] }],
    [undefined, {}, { children: ['This field is required.'] }],
  ])('refuse %j with %j', (children, attributes, expected) => {
    expect(multivalueErrors(children, attributes)).toEqual(expected);
  });
});

describe('cleanSchemaContent', () => {
  it('leaves out the nulls that clients cannot read, and nothing else', () => {
    const nulls = {
      hidden: null,
      disable_prediction: null,
      can_export: null,
      can_collapse: null,
      stretch: null,
      constraints: null,
    };
    const kept = {
      rir_field_names: null,
      prompt: null,
      can_export: false,
      ...JSON.parse('{"__proto__": {"hidden": null}}'),
    };
    const content = [
      section([
        multivalue(tuple([datapoint({ ...nulls, rir_field_names: null })], { hidden: null }), {
          show_grid_by_default: null,
        }),
        datapoint({ ...kept, id: 'g' }),
      ]),
    ];
    const before = JSON.stringify(content);
    const cleaned = cleanSchemaContent(content);
    expect(JSON.stringify(content)).toBe(before);
    expect(JSON.stringify(cleaned)).toBe(
      JSON.stringify([
        section([multivalue(tuple([datapoint({ rir_field_names: null })])), datapoint({ ...kept, id: 'g' })]),
      ]),
    );
    expect(Object.getPrototypeOf(cleaned[0]!.children[1]!)).toBe(Object.prototype);
  });
});

/**
 * Content by the rules of the language.
 *
 * @param oddity how often, of ten times, an attribute is any JSON value instead
 */
function contents(oddity: number): fc.Arbitrary<unknown[]> {
  let lastId = 0;
  const id = fc.constant(null).map(() => `id_${++lastId}`);
  const odd = (usual: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 10 - oddity, arbitrary: usual }, { weight: oddity, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
  const some = (attributes: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, odd(value)])), {
      requiredKeys: [],
    });
  const names = fc.array(
    fc.constantFrom('amount_total', 'upload:x', 'rir:document_id', 'table_column_rate', '__proto__'),
    { maxLength: 2 },
  );
  const byType = {
    string: {},
    number: { format: fc.constantFrom(...NUMBER_FORMATS) },
    date: { format: fc.constantFrom('D.M.YYYY', 'YYYY', 'MMMM [of] YY') },
    enum: { enum_value_type: fc.constantFrom('string', 'number', 'date') },
    button: { popup_url: fc.webUrl() },
  };
  const options = fc
    .uniqueArray(fc.string({ maxLength: 3 }))
    .map((values) => values.map((value) => ({ value, label: value })));
  const anyDatapoint = (types: readonly (keyof typeof byType)[], inTuple: boolean) =>
    fc.constantFrom(...types).chain((type) =>
      fc
        .tuple(
          id,
          some({
            rir_field_names: names,
            default_value: fc.string(),
            constraints: some({
              length: some({ min: fc.nat(5), max: fc.integer({ min: 5, max: 20 }) }),
              regexp: some({ pattern: fc.constantFrom('^a', '(b|c)+$') }),
              required: fc.boolean(),
            }),
            hidden: fc.boolean(),
            can_export: fc.boolean(),
            score_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
            ui_configuration: some({ type: fc.constantFrom('manual', 'captured'), edit: fc.constant('disabled') }),
            ...(inTuple && type === 'number' ? { aggregations: fc.constantFrom({}, { sum: {} }) } : {}),
            ...byType[type],
          }),
          odd(options),
        )
        .map(([datapointId, attributes, enumOptions]) =>
          datapoint({ id: datapointId, type, ...(type === 'enum' ? { options: enumOptions } : {}), ...attributes }),
        ),
    );
  const holding = ['string', 'number', 'date', 'enum'] as const;
  const all = [...holding, 'button'] as const;
  const occurrences = { min_occurrences: fc.nat(2), max_occurrences: fc.integer({ min: 2, max: 4 }) };
  const anyList = fc
    .tuple(id, odd(anyDatapoint(holding, false)), some(occurrences))
    .map(([listId, child, attributes]) => multivalue(child, { ...attributes, id: listId }));
  const anyTuple = fc
    .tuple(id, fc.array(odd(anyDatapoint(all, true)), { maxLength: 3 }))
    .map(([tupleId, children]) => tuple(children, { id: tupleId }));
  const anyTable = fc
    .tuple(id, odd(anyTuple), some({ ...occurrences, rir_field_names: names }))
    .map(([tableId, child, attributes]) => multivalue(child, { ...attributes, id: tableId }));
  const anySection = fc
    .tuple(id, fc.array(odd(fc.oneof(anyDatapoint(all, false), anyList, anyTable)), { maxLength: 4 }))
    .map(([sectionId, children]) => section(children, { id: sectionId }));
  return fc.array(odd(anySection), { minLength: 1, maxLength: 3 });
}

describe('any content', () => {
  const candidate = (value: string) => ({ value, rawText: value, page: 1, position: [0, 0, 1, 1], confidence: 0.9 });
  const sources = {
    fields: { amount_total: [candidate('12.5')], document_id: [candidate('A'), candidate('B')] },
    tables: {
      line_items: [
        {
          type: 'data',
          cells: { table_column_rate: candidate('21'), amount_total: candidate('x') },
          page: 1,
          position: null,
        },
      ],
    },
    values: { 'upload:x': 'a' },
    defaultScoreThreshold: 0.8,
  };

  it('by the rules is accepted, and can be filled, checked, exported and sent back', () => {
    fc.assert(
      fc.property(contents(0), (content) => {
        expect(checkSchemaContent(content)).toBeNull();
        const schema = cleanSchemaContent(content);
        let lastNode = 0;
        const nodes = buildNodes(schema, sources, () => ++lastNode);
        expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
        checkContent(schema, nodes);
        aggregateContent(schema, nodes);
        expect(exportTree(schema, nodes)).toHaveLength(schema.length);
        expect(patchTree(schema, nodes, renderTree(nodes), { source: 'user' })).toMatchObject({ changed: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('is answered with errors or can be filled, and never ends in an exception', () => {
    fc.assert(
      fc.property(fc.oneof(contents(1), fc.array(fc.jsonValue()), fc.jsonValue()), (content) => {
        const errors = checkSchemaContent(content, { allowEmpty: true });
        if (errors) {
          if (Array.isArray(content)) expect(errors.content).toHaveLength(content.length);
          return;
        }
        const schema = cleanSchemaContent(content);
        expect(checkSchemaContent(schema, { allowEmpty: true })).toBeNull();
        let lastNode = 0;
        expect(
          exportTree(
            schema,
            buildNodes(schema, sources, () => ++lastNode),
          ),
        ).toHaveLength(schema.length);
      }),
      { numRuns: 300 },
    );
  });
});
