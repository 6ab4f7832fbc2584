import { readSearchQuery, resolveQuery } from './search-query';

const url = (path: string) => `https://intake.example.com/api/v1/${path}`;
const read = (...conditions: unknown[]) => readSearchQuery({ $and: conditions });

it('reads conditions, URLs as ids and times as they are meant', () => {
  expect(
    read(
      { queue: { $in: [url('queues/1'), url('queues/2')] }, status: { $eq: 'to_review' } },
      { arrived_at: { $gte: '2026-01-02', $lt: '2026-02-01T10:00:00Z' } },
      { 'field.amount_total.number': { $gt: '12.5' } },
      { 'field.item_total.number': { $gt: 1, $ne: 3, $lte: '5' } },
      { 'field.a.b.string': { $emptyOrMissing: true } },
    ),
  ).toEqual([
    { name: 'queue', operator: '$in', value: [1, 2] },
    { name: 'status', operator: '$eq', value: 'to_review' },
    { name: 'arrived_at', operator: '$gte', value: '2026-01-02T00:00:00.000Z' },
    { name: 'arrived_at', operator: '$lt', value: '2026-02-01T10:00:00.000Z' },
    { name: 'field.amount_total.number', operator: '$gt', value: 12.5 },
    { name: 'field.item_total.number', operator: '$ne', value: 3 },
    { name: 'field.item_total.number', operator: '$range', value: { $gt: 1, $lte: 5 } },
    { name: 'field.a.b.string', operator: '$emptyOrMissing', value: true },
  ]);
});

it.each([
  null,
  [],
  {},
  { $or: [] },
  { $and: {} },
  { $and: [1] },
  { $and: [], queue: {} },
  { $and: [{ nobody: { $eq: 1 } }] },
  { $and: [JSON.parse('{"__proto__": {"$eq": 1}}')] },
  { $and: [{ queue: 1 }] },
  { $and: [{ status: {} }] },
  { $and: [{ 'field.a.number': { $range: { $gt: 1 } } }] },
  { $and: [{ queue: { $eq: 1 } }] },
  { $and: [{ queue: { $eq: url('users/1') } }] },
  { $and: [{ queue: { $gt: url('queues/1') } }] },
  { $and: [{ queue: { $where: 'sleep(1)' } }] },
  { $and: [{ status: { $eq: 'other' } }] },
  { $and: [{ status: { $in: 'to_review' } }] },
  { $and: [{ automated: { $eq: 'true' } }] },
  { $and: [{ arrived_at: { $gt: 'soon' } }] },
  { $and: [{ 'field.a.number': { $eq: 'x' } }] },
  { $and: [{ 'field.a.text': { $eq: 'x' } }] },
  { $and: [{ 'field.a.string': { $eq: { $gt: '' } } }] },
  { $and: [{ 'field.a.string': { $startsWith: 'x'.repeat(257) } }] },
  { $and: Array.from({ length: 101 }, () => ({ automated: { $eq: true } })) },
])('refuses %j', (query) => {
  expect(() => readSearchQuery(query)).toThrow(expect.objectContaining({ reason: 'INVALID' }));
});

it('finds users, workspaces and relations by what annotations know of them', async () => {
  const resolvers = {
    allUsers: async () => [
      { id: 1, username: 'jan.novak' },
      { id: 2, username: 'eva' },
    ],
    allWorkspaces: async () => [
      { id: 7, queueIds: [70, 71] },
      { id: 8, queueIds: [80] },
    ],
    findAnnotated: async ({ hasReplies, threadIds = [] }: { hasReplies?: boolean; threadIds?: number[] }) => ({
      annotationIds: [...(hasReplies ? [100] : []), ...threadIds.map((id) => 100 + id)],
      emailIds: [],
    }),
  };
  const resolve = (...conditions: unknown[]) => resolveQuery(read(...conditions), resolvers);
  expect(await resolve({ modifier__username: { $anyTokenStartsWith: 'NOV' } })).toMatchObject({
    conditions: [{ name: 'modifier', operator: '$in', value: [1] }],
    isEmpty: false,
  });
  expect(await resolve({ creator__username: { $ne: 'eva' } })).toMatchObject({
    conditions: [{ name: 'creator', operator: '$nin', value: [2] }],
  });
  expect(await resolve({ workspace: { $eq: url('workspaces/7') } })).toMatchObject({
    conditions: [{ name: 'queue', operator: '$in', value: [70, 71] }],
  });
  expect(await resolve({ relations__type: { $eq: 'edit' } })).toMatchObject({ relations: { types: ['edit'] } });
  expect(await resolve({ email_thread: { $eq: url('email_threads/5') } })).toMatchObject({
    conditions: [{ name: 'mail', operator: '$in', value: { annotationIds: [105] } }],
  });
  expect(await resolve({ has_email_thread_with_replies: { $eq: false } })).toMatchObject({
    conditions: [{ name: 'mail', operator: '$nin', value: { annotationIds: [100] } }],
  });
  expect((await resolve({ restricted_access: { $eq: true } })).isEmpty).toBe(true);
  expect((await resolve({ restricted_access: { $ne: true } })).isEmpty).toBe(false);
  await expect(resolve({ relations__key: { $ne: 'x' } })).rejects.toMatchObject({ reason: 'INVALID' });
});
