import { apiUrls } from '@intake/urls';
import { contentToText, readNodes } from './content';

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
  const { content, results } = JSON.parse(contentToText(JSON.stringify(TREE), 9, urls).toString());
  expect(results).toEqual(content);
  expect(JSON.stringify(content).match(/"url":"http:\/\/h\/api\/v1\/annotations\/9\/content\/\d"/g)).toHaveLength(5);
  expect(content[0]).toMatchObject({ id: 1, schema_id: 'basic', children: [{ content: { value: 'x' } }, { id: 3 }] });
  expect(JSON.parse(contentToText('', 9, urls).toString())).toEqual({ content: [], results: [] });
});

it('gives no URL to what only looks like a node', () => {
  const value = '{"id":7,"schema_id":"x"}';
  const tree = [{ id: 2, schema_id: 'a', content: { value } }];
  const { content } = JSON.parse(contentToText(JSON.stringify(tree), 9, apiUrls('http://$1/api')).toString());
  expect(content).toEqual([{ ...tree[0], url: 'http://$1/api/v1/annotations/9/content/2' }]);
});

it('reads one node as well as a list', () => {
  expect(readNodes('{"id": 5}')).toEqual([{ id: 5 }]);
});
