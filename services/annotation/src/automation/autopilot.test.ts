import { buildNodes, type Datapoint, type SchemaContent } from '@intake/schema';
import { readAutopilot, searchedValues, validateByHistory } from './autopilot';

const field = (id: string, names: string[] = [id]): Datapoint => ({
  ...{ category: 'datapoint', id, label: id, type: 'string', rir_field_names: names },
});
const SCHEMA: SchemaContent = [
  {
    ...{ category: 'section', id: 'all', label: 'All' },
    children: [
      field('name', ['sender_name']),
      field('number', ['upload:number', 'rir:sender_ic']),
      field('iban'),
      {
        ...{ category: 'multivalue', id: 'lines', label: 'Lines' },
        children: { category: 'tuple', id: 'line', label: 'Line', children: [field('cell', ['sender_name'])] },
      },
    ],
  },
];
const settings = (search: object, validate: object) => ({
  autopilot: {
    enabled: true,
    search_history: { rir_field_names: ['sender_name', 'sender_ic'], ...search },
    automate_fields: { rir_field_names: ['iban'], ...validate },
  },
});
const known = (values: Record<string, string>) => Object.entries(values).map(([id, text]) => ({ id, text }));

function nodesOf(values: Record<string, string>) {
  let id = 0;
  const fields = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      [{ value, rawText: value, page: 1, position: null, confidence: 0.5 }],
    ]),
  );
  const row = { type: 'data', cells: { sender_name: fields.sender_name![0]! }, page: 1, position: null };
  const sources = { fields, tables: { line_items: [row] }, values: {}, defaultScoreThreshold: 0.8 };
  return buildNodes(SCHEMA, sources, () => ++id);
}

const NODES = nodesOf({ sender_name: 'ACME', sender_ic: '123', iban: 'X1' });
const sourcesOf = (given: object, past: Record<string, string>[]) =>
  validateByHistory(readAutopilot(given)!, SCHEMA, NODES, past.map(known))
    .filter(({ validationSources }) => validationSources.includes('history'))
    .map(({ schemaId }) => schemaId);

it.each([[undefined], [{}], [{ autopilot: null }], [{ autopilot: { search_history: {} } }]])(
  'is off with %j',
  (given) => {
    expect(readAutopilot(given)).toBeNull();
  },
);

it('takes one for what its settings do not say', () => {
  expect(readAutopilot({ autopilot: { enabled: true, search_history: null } })).toEqual({
    ...{ searchedNames: [], fewestMatching: 1, validatedNames: [], fewestRepeated: 1 },
  });
});

it('looks for annotations by the fields of these names that are in no table', () => {
  const autopilot = readAutopilot(settings({}, {}))!;
  expect(searchedValues(autopilot, SCHEMA, NODES)).toEqual(known({ name: 'ACME', number: '123' }));
});

it('validates values that enough annotations with enough of the same fields have', () => {
  const [alike, half, other] = [
    { name: 'ACME', number: '123', iban: 'X1' },
    { name: 'ACME', number: '456', iban: 'X1' },
    { name: 'Else', number: '456', iban: 'X1' },
  ];
  expect(sourcesOf(settings({}, {}), [half])).toEqual(['iban']);
  expect(sourcesOf(settings({}, {}), [other])).toEqual([]);
  expect(sourcesOf(settings({}, {}), [{ ...alike, iban: 'Y2' }])).toEqual([]);
  const both = { matching_fields_threshold: 2 };
  expect(sourcesOf(settings(both, {}), [half])).toEqual([]);
  expect(sourcesOf(settings(both, {}), [half, alike])).toEqual(['iban']);
  const twice = { field_repeated_min: 2, rir_field_names: ['iban', 'sender_ic'] };
  expect(sourcesOf(settings({}, twice), [alike, half])).toEqual(['iban']);
  expect(sourcesOf(settings({}, twice), [alike, alike, half])).toEqual(['number', 'iban']);
});

it('adds to what validates a value already, and touches nothing else', () => {
  const past = [known({ name: 'ACME', iban: 'X1' })];
  const after = validateByHistory(readAutopilot(settings({}, {}))!, SCHEMA, NODES, past);
  const changed = after.filter((node, i) => node !== NODES[i]);
  expect(changed.map(({ schemaId, validationSources }) => [schemaId, validationSources])).toEqual([
    ['iban', ['history']],
  ]);
  const sure = NODES.map((node) => (node.schemaId === 'iban' ? { ...node, validationSources: ['score'] } : node));
  const [iban] = validateByHistory(readAutopilot(settings({}, {}))!, SCHEMA, sure, past).filter(
    ({ schemaId }) => schemaId === 'iban',
  );
  expect(iban?.validationSources).toEqual(['score', 'history']);
});
