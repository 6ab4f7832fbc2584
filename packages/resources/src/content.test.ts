import { apiUrls } from '@intake/urls';
import { contentToJson, findNodes, readNodes } from './content';

const TREE = [
  {
    id: 1,
    schema_id: 'basic',
    category: 'section',
    children: [
      { id: 2, schema_id: 'number', category: 'datapoint', content: { value: 'x' } },
      {
        id: 3,
        schema_id: 'lines',
        category: 'multivalue',
        children: [
          {
            id: 4,
            schema_id: 'line',
            category: 'tuple',
            children: [{ id: 5, schema_id: 'total', category: 'datapoint' }],
          },
        ],
      },
    ],
  },
];
const urls = apiUrls('http://h/api');

it('gives every node its URL and the list under both names', () => {
  const { content, results } = contentToJson(JSON.stringify(TREE), 9, urls);
  expect(results).toBe(content);
  expect(JSON.stringify(content).match(/"url":"http:\/\/h\/api\/v1\/annotations\/9\/content\/\d"/g)).toHaveLength(5);
  expect(content[0]).toMatchObject({ id: 1, schema_id: 'basic', children: [{ content: { value: 'x' } }, { id: 3 }] });
  expect(contentToJson('', 9, urls)).toEqual({ content: [], results: [] });
});

it('finds nodes by schema id: datapoints flat, tables with what is in them', () => {
  const found = findNodes(TREE, new Set(['number', 'lines', 'total', 'unknown']));
  expect(found.map(({ id }) => id)).toEqual([2, 3, 5]);
  expect(found[1]?.children).toHaveLength(1);
});

it('reads one node as well as a list', () => {
  expect(readNodes('{"id": 5}')).toEqual([{ id: 5 }]);
});
