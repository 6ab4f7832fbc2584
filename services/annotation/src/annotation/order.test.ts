import { type OrderContext, toOrder as orderBy } from './order';

const toOrder = (ordering: readonly string[], usersByName: readonly number[], more: Partial<OrderContext> = {}) =>
  orderBy(ordering, { usersByName, orderValues: {}, ...more });
const needsRelations = false;

it('translates keys, and ends with the id in the direction of the last one', () => {
  expect(toOrder([], [])).toEqual({ sort: { _id: 1 }, computed: null, needsRelations });
  const { sort, computed } = toOrder(['status', '-created_at'], []);
  expect(Object.entries(sort)).toEqual([
    ['status', 1],
    ['createdAt', -1],
    ['_id', -1],
  ]);
  expect(computed).toBeNull();
  expect(toOrder(['-id'], [])).toEqual({ sort: { _id: -1 }, computed: null, needsRelations });
});

it('puts what is empty last in both directions', () => {
  expect(toOrder(['-exported_at'], [])).toEqual({ sort: { exportedAt: -1, _id: -1 }, computed: null, needsRelations });
  const { sort, computed } = toOrder(['exported_at'], []);
  expect(Object.entries(sort)).toEqual([
    ['empty0', 1],
    ['order0', 1],
    ['_id', 1],
  ]);
  expect(computed).toHaveProperty('order0', '$exportedAt');
});

it('ignores what is no key', () => {
  const wrong = ['', '-', 'password', 'toString', '__proto__', '-constructor', 'queue__username', 'nobody__username'];
  expect(toOrder(wrong, [1])).toEqual({ sort: { _id: 1 }, computed: null, needsRelations });
});

it('knows names of users and values of the content', () => {
  const { sort, computed } = toOrder(['-modifier__username', 'field.amount_total.number'], [5, 3]);
  expect(Object.keys(sort)).toEqual(['empty0', 'order0', 'empty1', 'order1', '_id']);
  expect(sort).toMatchObject({ empty0: 1, order0: -1, empty1: 1, order1: 1 });
  expect(JSON.stringify(computed)).toContain('"$indexOfArray":[[5,3],"$modifierId"]');
});
