import { createFailedFirst } from './failed-first';

let now = 0;
const at = (aggregate: string, version: number) => ({ aggregate, version });

beforeEach(() => {
  now = 1_000_000;
});

it('what comes after an event that failed waits until that one comes again, in its order', () => {
  const order = createFailedFirst(() => now);
  order.failed(at('a', 1), 250);
  const [second, third] = [order.waitFor(at('a', 2)), order.waitFor(at('a', 3))];
  expect(second).toBeGreaterThan(250);
  expect(third).toBeGreaterThan(second);
  now += 300;
  expect(order.waitFor(at('a', 2))).toBeGreaterThan(0);
  order.passed(at('a', 1));
  expect(order.waitFor(at('a', 2))).toBe(0);
});

it('the failed one itself, what was before it, and other aggregates do not wait', () => {
  const order = createFailedFirst(() => now);
  order.failed(at('a', 5), 250);
  expect([order.waitFor(at('a', 5)), order.waitFor(at('a', 4)), order.waitFor(at('b', 6))]).toEqual([0, 0, 0]);
});

it('the first of several that failed counts', () => {
  const order = createFailedFirst(() => now);
  order.failed(at('a', 5), 250);
  order.failed(at('a', 6), 250);
  order.passed(at('a', 6));
  expect(order.waitFor(at('a', 7))).toBeGreaterThan(0);
});

it('nobody waits for ever for one that another replica was given', () => {
  const order = createFailedFirst(() => now);
  order.failed(at('a', 1), 250);
  now += 5000;
  expect(order.waitFor(at('a', 2))).toBe(0);
});
