import type { SchemaNode } from '../api/types';
import { changesBetween, parseContent, problemsOf } from './schema-text';

const field = (id: string, label = id): SchemaNode => ({ id, label, category: 'datapoint', type: 'string' });
const section = (...children: SchemaNode[]): SchemaNode => ({ id: 's', label: 'S', category: 'section', children });

it.each(['{}', '[1]', '[{"children": [null]}]', '[{', 'null'])('says what is no content of a schema: %s', (text) => {
  expect(parseContent(text)).toEqual({ problem: expect.any(String) });
});

it('takes what the service can check', () => {
  expect(parseContent('[{"category": "section", "children": {"id": "x"}}]')).toHaveProperty('content');
});

it('names the place of each error', () => {
  const answer = { content: [{}, { children: [{ id: ['This field is required.'] }] }] };
  expect(problemsOf(answer)).toEqual(['content 2 › children 1 › id: This field is required.']);
  expect(problemsOf({ content: ['At least one section is required.'] })).toEqual([
    'content: At least one section is required.',
  ]);
  expect(problemsOf({})).toEqual([]);
});

it('tells what is new, gone and changed', () => {
  expect(changesBetween([section(field('a'), field('b'))], [section(field('b', 'B'), field('c'))])).toEqual([
    { kind: 'added', id: 'c', label: 'c' },
    { kind: 'removed', id: 'a', label: 'a' },
    { kind: 'changed', id: 's', label: 'S' },
    { kind: 'changed', id: 'b', label: 'B' },
  ]);
  expect(changesBetween([section(field('a'))], [section(field('a'))])).toEqual([]);
});
