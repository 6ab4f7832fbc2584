import type { Relation } from '../api/types';
import { relatedOf } from './related';

const url = (id: number) => `http://intake/api/v1/annotations/${id}`;
const relation = (type: Relation['type'], parent: number | null, ids: number[]): Relation => ({
  id: 1,
  type,
  parent: parent === null ? null : url(parent),
  annotations: ids.map(url),
});

it('tells duplicates, originals and parts from each other, each once and never the document itself', () => {
  const relations = [
    relation('duplicate', null, [7, 8, 9]),
    relation('duplicate', null, [7, 9, 5, 10]),
    relation('edit', 5, [7, 6]),
    relation('edit', 7, [10, 11]),
    relation('attachment', 3, [7]),
  ];
  expect(relatedOf(relations, 7)).toEqual({ duplicates: [8, 9], originals: [5], parts: [10, 11] });
  expect(relatedOf([], 7)).toEqual({ duplicates: [], originals: [], parts: [] });
});
