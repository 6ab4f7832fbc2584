import fc from 'fast-check';
import { type IndexedNode, indexContent, reindexValue } from './content-index';

const node = (schemaId: string, value: string): IndexedNode => ({
  category: 'datapoint',
  schemaId,
  content: { value, normalizedValue: value },
});
const nodes = fc.array(
  fc.tuple(fc.constantFrom('number', 'date', 'total', 'cell'), fc.constantFrom('', 'A 1', 'B', '2')),
  {
    minLength: 1,
    maxLength: 6,
  },
);

it('after one value changed, is what it is when all is indexed anew, or says that it cannot tell', () => {
  let known = 0;
  fc.assert(
    fc.property(nodes, fc.nat(5), fc.constantFrom('', 'A 1', 'C 3', '7'), (given, at, value) => {
      const before = given.map(([id, text]) => node(id, text));
      const old = before[at % before.length] as IndexedNode;
      const changed = node(old.schemaId, value);
      const index = reindexValue(indexContent(before).contentFields, old, changed);
      if (index === null) return;
      known++;
      const after = indexContent(before.map((one) => (one === old ? changed : one)));
      expect(new Set(index.contentWords)).toEqual(new Set(after.contentWords));
      const byId = (id: string) => index.contentFields.filter((field) => field.id === id);
      for (const { id } of after.contentFields)
        expect(byId(id)).toEqual(after.contentFields.filter((f) => f.id === id));
      expect(index.contentFields).toHaveLength(after.contentFields.length);
    }),
  );
  expect(known).toBeGreaterThan(10);
});

it('cannot tell which of several equal values of a column changed, nor beyond what is indexed', () => {
  const [one, two] = [node('cell', 'A'), node('cell', 'A')];
  expect(reindexValue(indexContent([one, two]).contentFields, two, node('cell', 'B'))).toBeNull();
  const many = Array.from({ length: 1000 }, (_, i) => node(`f${i}`, 'x'));
  expect(reindexValue(indexContent(many).contentFields, many[0] as IndexedNode, node('f0', 'y'))).toBeNull();
});
