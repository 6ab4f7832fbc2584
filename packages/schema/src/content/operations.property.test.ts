import fc from 'fast-check';
import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import type { ContentNode } from './content-node';
import { migrateContent } from './migrate';
import { applyOperations } from './operations';

const field = (id: string): Datapoint => ({ category: 'datapoint', id, label: id, type: 'string' });
const schema: SchemaContent = [
  {
    category: 'section',
    id: 'all',
    label: 'All',
    children: [
      field('a'),
      { category: 'multivalue', id: 'list', label: 'List', children: field('item') },
      {
        category: 'multivalue',
        id: 'table',
        label: 'Table',
        children: {
          category: 'tuple',
          id: 'row',
          label: 'Row',
          children: [field('x'), { ...field('y'), type: 'number' }],
        },
      },
    ],
  },
];
/** The parent that the schema demands, and the children that a node must have; lists may have any number. */
const PARENT: Record<string, string | null> = {
  all: null,
  a: 'all',
  list: 'all',
  table: 'all',
  item: 'list',
  row: 'table',
  x: 'row',
  y: 'row',
};
const CHILDREN: Record<string, string[]> = { all: ['a', 'list', 'table'], row: ['x', 'y'] };

function problemsOf(nodes: readonly ContentNode[]): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const problems = byId.size === nodes.length ? [] : ['an id is there twice'];
  for (const node of nodes) {
    const parent = node.parentId === null ? null : byId.get(node.parentId)?.schemaId;
    if (parent !== PARENT[node.schemaId]) problems.push(`${node.schemaId} lies in ${parent}`);
    const children = nodes.filter(({ parentId }) => parentId === node.id);
    const wanted = CHILDREN[node.schemaId];
    if (
      wanted &&
      children
        .map(({ schemaId }) => schemaId)
        .sort()
        .join() !== wanted.join()
    ) {
      problems.push(`${node.schemaId} holds ${children.map(({ schemaId }) => schemaId)}`);
    }
    if (new Set(children.map(({ index }) => index)).size !== children.length) problems.push('two have one place');
  }
  return problems;
}

/** Which node is meant is chosen among those that are there; some ids are of none. */
const operation = fc.record({
  op: fc.constantFrom('replace', 'add', 'remove'),
  target: fc.nat(40),
  text: fc.string({ maxLength: 5 }),
  column: fc.constantFrom('x', 'y', 'item', 'other'),
  asList: fc.boolean(),
});

it('no list of operations breaks the tree, and a refused one changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 6 }), (batches) => {
      let next = 0;
      const allocateId = () => ++next;
      let nodes = buildNodes(schema, null, allocateId);
      for (const batch of batches) {
        const before = structuredClone(nodes);
        const operations = batch.map(({ op, target, text, column, asList }) => {
          const id = nodes[target % (nodes.length + 2)]?.id ?? 99_999;
          const cell = { schema_id: column, content: { value: text } };
          if (op === 'remove') return { op, id };
          return { op, id, value: op === 'add' && asList ? [cell] : cell };
        });
        const result = applyOperations(schema, nodes, operations, { allocateId, source: 'user' });
        expect(nodes).toEqual(before);
        if (result.errors) continue;
        nodes = result.nodes;
        expect(problemsOf(nodes)).toEqual([]);
        const same = migrateContent(schema, nodes, { from: schema, allocateId });
        expect(problemsOf(same)).toEqual([]);
        expect(new Set(same.map(({ id }) => id))).toEqual(new Set(nodes.map(({ id }) => id)));
      }
    }),
    { numRuns: 300 },
  );
});
