import { type ContentNode, emptyContent } from './content-node';
import { findSizeProblem, MAX_CHARACTERS, MAX_NODES, sizeOf } from './content-size';

const node = (over: Partial<ContentNode> = {}): ContentNode => ({
  id: 1,
  parentId: null,
  index: 0,
  category: 'datapoint',
  schemaId: 'a',
  content: emptyContent(),
  validationSources: [],
  hidden: false,
  timeSpent: 0,
  timeSpentOverall: 0,
  ...over,
});

it('counts all texts that a node holds', () => {
  const content = { ...emptyContent(), value: '1 000', normalizedValue: '1000', rirText: '1 000', ocrText: 'x' };
  const options = [{ value: 'a', label: 'b' }];
  expect(sizeOf([node({ content }), node({ options, validationSources: ['human'] })])).toEqual({
    nodes: 2,
    characters: 15 + JSON.stringify(options).length + 5,
  });
  expect(sizeOf([node({ category: 'multivalue', content: null, grid: { parts: [] } })]).characters).toBe(12);
});

it('says what is too much', () => {
  expect(findSizeProblem({ nodes: MAX_NODES, characters: MAX_CHARACTERS })).toBeNull();
  expect(findSizeProblem({ nodes: MAX_NODES + 1, characters: 0 })).toMatch(/100001 nodes/);
  expect(findSizeProblem({ nodes: 1, characters: MAX_CHARACTERS + 1 })).toMatch(/20000001 characters/);
});
