import { among, inQueues, toOrder, toWindow } from './listing';

describe('toWindow', () => {
  it.each([
    [
      { page: 0, pageSize: 0 },
      { skip: 0, limit: 20 },
    ],
    [
      { page: 1, pageSize: 50 },
      { skip: 0, limit: 50 },
    ],
    [
      { page: 3, pageSize: 10 },
      { skip: 20, limit: 10 },
    ],
    [
      { page: -2, pageSize: -5 },
      { skip: 0, limit: 20 },
    ],
  ])('of %j is %j', (page, window) => {
    expect(toWindow(page)).toEqual(window);
  });
});

describe('toOrder', () => {
  const allowed = { id: '_id', name: 'name', created_at: 'createdAt', seen: { mayBeEmpty: 'seenAt' } };
  const sortOf = (ordering: string[]) => toOrder(ordering, allowed).sort;

  it('translates keys, keeps their order, and ends with the id', () => {
    expect(Object.entries(sortOf(['-created_at', 'name']))).toEqual([
      ['createdAt', -1],
      ['name', 1],
      ['_id', 1],
    ]);
  });

  it('ignores unknown, empty and inherited keys', () => {
    expect(sortOf(['', '-', 'password', 'toString', '__proto__', '-constructor'])).toEqual({ _id: 1 });
  });

  it('lets the id be ordered by, and the first of two equal keys win', () => {
    expect(sortOf(['-id'])).toEqual({ _id: -1 });
    expect(sortOf(['-name', 'name'])).toEqual({ name: -1, _id: 1 });
  });

  it('takes null, what is missing, and an empty list or text for empty', () => {
    const { computed } = toOrder(['seen'], allowed);
    expect(computed.empty0).toEqual({ $in: [{ $ifNull: ['$seenAt', null] }, [null, [], '']] });
  });

  it('puts what is empty behind the rest, and computes nothing for what MongoDB sorts so by itself', () => {
    expect(Object.keys(sortOf(['seen', 'name']))).toEqual(['empty0', 'seenAt', 'name', '_id']);
    expect(toOrder(['-seen', 'name'], allowed)).toEqual({ sort: { seenAt: -1, name: 1, _id: 1 }, computed: {} });
  });
});

it('narrows to values only where some are wanted', () => {
  expect(among('type', ['edit', 'duplicate'])).toEqual({ type: { $in: ['edit', 'duplicate'] } });
  expect(among('type', [])).toEqual({});
});

it('shows of queues those of the caller, and nothing to one without queues', () => {
  expect(inQueues('all')).toEqual({});
  expect(inQueues([3, 4])).toEqual({ queueId: { $in: [3, 4] } });
  expect(inQueues([], 'queueIds')).toEqual({ queueIds: { $in: [] } });
});
