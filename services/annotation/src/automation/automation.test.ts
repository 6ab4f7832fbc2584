import { buildNodes, type Datapoint, type SchemaContent, type Sources } from '@intake/schema';
import { type AutomationRules, decideAutomation } from './automation';

const field = (id: string, over: Partial<Datapoint> = {}): Datapoint => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'string',
  rir_field_names: [id],
  ...over,
});
const rules = (over: Partial<AutomationRules> = {}): AutomationRules => ({
  enabled: true,
  level: 'confident',
  automateDuplicates: true,
  defaultScoreThreshold: 0.8,
  ...over,
});
const schemaOf = (...children: SchemaContent[number]['children']): SchemaContent => [
  { category: 'section', id: 'all', label: 'All', children },
];
const read = (values: Record<string, [string, number]>): Sources => ({
  fields: Object.fromEntries(
    Object.entries(values).map(([name, [value, confidence]]) => [
      name,
      [{ value, rawText: value, page: 1, position: [0, 0, 1, 1], confidence }],
    ]),
  ),
  tables: {},
  values: {},
  defaultScoreThreshold: 0.8,
});
const decide = (
  schema: SchemaContent,
  values: Record<string, [string, number]>,
  over: Partial<AutomationRules> = {},
  isDuplicate = false,
) => {
  let id = 0;
  const nodes = buildNodes(schema, read(values), () => ++id);
  return {
    ...decideAutomation(rules(over), schema, nodes, { isDuplicate }),
    idOf: (schemaId: string) => nodes.find((node) => node.schemaId === schemaId)?.id,
  };
};

const sure = { a: ['x', 0.95] } as Record<string, [string, number]>;

it('automates what the engine is sure of', () => {
  expect(decide(schemaOf(field('a')), sure)).toMatchObject({ automated: true, reasons: [] });
});

it.each([{ enabled: false }, { level: 'never' }])('with %o says only that automation is off', (over) => {
  expect(decide(schemaOf(field('a')), sure, over)).toMatchObject({
    automated: false,
    reasons: [{ level: 'annotation', type: 'automation_disabled' }],
  });
});

it('takes the threshold of the field, then of the queue', () => {
  const low = decide(schemaOf(field('a', { score_threshold: 0.99 })), sure);
  expect(low.reasons).toEqual([
    {
      level: 'datapoint',
      type: 'low_score',
      schema_id: 'a',
      samples: [{ datapoint_id: low.idOf('a'), details: { score: 0.95, threshold: 0.99 } }],
      samples_truncated: false,
    },
  ]);
  expect(decide(schemaOf(field('a')), { a: ['x', 0.7] }).reasons[0]).toMatchObject({
    samples: [{ details: { score: 0.7, threshold: 0.8 } }],
  });
});

it('names fields without any validation source, but not hidden ones and buttons', () => {
  const given = decide(schemaOf(field('a', { rir_field_names: [], default_value: 'x' })), {});
  expect(given.reasons).toEqual([
    expect.objectContaining({ type: 'no_validation_sources', samples: [{ datapoint_id: given.idOf('a') }] }),
  ]);
  const unseen = schemaOf(
    field('a', { rir_field_names: [], default_value: 'x', hidden: true }),
    field('b', { type: 'button', rir_field_names: [] }),
  );
  expect(decide(unseen, {}).automated).toBe(true);
});

it('lets errors block at both levels, and clears wrong values of optional fields only with always', () => {
  const number = (required: boolean) => schemaOf(field('a', { type: 'number', constraints: { required } }));
  const wrong = { a: ['twelve', 0.95] } as Record<string, [string, number]>;
  for (const level of ['confident', 'always']) {
    expect(decide(number(true), wrong, { level }).reasons).toEqual([
      expect.objectContaining({ type: 'failed_checks', schema_id: 'a' }),
    ]);
  }
  expect(decide(number(false), wrong).automated).toBe(false);
  const always = decide(number(false), wrong, { level: 'always' });
  expect(always.automated).toBe(true);
  expect(always.nodes.find(({ schemaId }) => schemaId === 'a')?.content?.value).toBe('');
  expect(decide(schemaOf(field('a')), { a: ['x', 0.1] }, { level: 'always' }).automated).toBe(true);
});

it('shows a list or table with too few rows to a person, at both levels', () => {
  const list = (min_occurrences: number): SchemaContent[number]['children'][number] => ({
    ...{ category: 'multivalue', id: 'list', label: 'List', min_occurrences },
    children: field('a'),
  });
  for (const level of ['confident', 'always']) {
    const tooFew = decide(schemaOf(list(2)), sure, { level });
    expect(tooFew.reasons).toEqual([
      {
        ...{ level: 'datapoint', type: 'failed_checks', schema_id: 'list', samples_truncated: false },
        samples: [{ datapoint_id: tooFew.idOf('list'), details: { validation: 'bad' } }],
      },
    ]);
    expect(decide(schemaOf(list(1)), sure, { level }).automated).toBe(true);
  }
});

it('shows duplicates to a person where the queue wants it', () => {
  expect(decide(schemaOf(field('a')), sure, {}, true).automated).toBe(true);
  expect(decide(schemaOf(field('a')), sure, { automateDuplicates: false }, true).reasons).toEqual([
    { level: 'annotation', type: 'is_duplicate' },
  ]);
});

it('gives at most ten samples of a field', () => {
  const list: SchemaContent[number]['children'][number] = {
    category: 'multivalue',
    id: 'list',
    label: 'List',
    children: field('a', { type: 'number' }),
  };
  let id = 0;
  const sources = read({});
  sources.fields.a = Array.from({ length: 12 }, (_, i) => ({
    value: `x${i}`,
    rawText: 'x',
    page: 1,
    position: null,
    confidence: 0.95,
  }));
  const nodes = buildNodes(schemaOf(list), sources, () => ++id);
  const [reason] = decideAutomation(rules(), schemaOf(list), nodes, { isDuplicate: false }).reasons;
  expect([reason?.samples?.length, reason?.samples_truncated]).toEqual([10, true]);
});

it('lets errors and reasons of formulas block, with their words', () => {
  const schema = schemaOf(field('a'));
  let id = 5;
  const nodes = buildNodes(schema, read(sure), () => ++id);
  const errors = [
    { id: 'all', content: 'Totals differ.' },
    { id: '7', content: 'Too high.' },
    { id: 'all', content: 'No order.' },
    { id: '7', content: 'Not the usual sum.' },
  ];
  const extensions = [{ id: 'all', content: 'Ask Jane.' }];
  const { reasons } = decideAutomation(rules({ level: 'always' }), schema, nodes, {
    isDuplicate: false,
    errors,
    extensions,
  });
  expect(reasons).toEqual([
    { level: 'annotation', type: 'error_message', details: { message_content: ['Totals differ.', 'No order.'] } },
    { level: 'annotation', type: 'extension', details: { content: ['Ask Jane.'] } },
    expect.objectContaining({
      level: 'datapoint',
      type: 'error_message',
      samples: [{ datapoint_id: 7, details: { message_content: ['Too high.', 'Not the usual sum.'] } }],
    }),
  ]);
});
