import { EventLog } from './event-log';

const event = (id: string) => ({ id });
const idsOf = (events: { id: string }[] | null) => events?.map(({ id }) => id);

it('knows what came after an event, and again what came shortly before', () => {
  const log = new EventLog();
  for (const [id, at] of [
    ['a', 0],
    ['b', 10_000],
    ['c', 14_000],
    ['d', 20_000],
  ] as const) {
    expect(log.add(event(id), at)).toBe(true);
  }
  expect(idsOf(log.since('a'))).toEqual(['b', 'c', 'd']);
  expect(idsOf(log.since('c'))).toEqual(['b', 'd']);
  expect(idsOf(log.since('d'))).toEqual([]);
  expect(log.since('unknown')).toBeNull();
});

it('takes an event once', () => {
  const log = new EventLog();
  expect(log.add(event('a'), 0)).toBe(true);
  expect(log.add(event('a'), 1)).toBe(false);
});

it('forgets after five minutes, and what is more than 5,000', () => {
  const log = new EventLog();
  log.add(event('old'), 0);
  log.add(event('new'), 300_001);
  expect(log.since('old')).toBeNull();
  expect(log.since('new')).toEqual([]);
  for (let i = 0; i < 5000; i++) log.add(event(`more ${i}`), 300_002);
  expect(log.since('new')).toBeNull();
  expect(log.since('more 0')).toHaveLength(4999);
});

it('knows nothing after events were missed', () => {
  const log = new EventLog();
  log.add(event('a'), 0);
  log.clear();
  expect(log.since('a')).toBeNull();
  expect(log.add(event('a'), 1)).toBe(true);
});
