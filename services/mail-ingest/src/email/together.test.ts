import { createTogether } from './together';

describe('work done together', () => {
  /** Work that ends when it is told to. */
  const makeWork = () => {
    const runs: { items: readonly number[]; end: (error?: Error) => void }[] = [];
    const work = (items: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        runs.push({ items, end: (error) => (error ? reject(error) : resolve(items.map((item) => item * 10))) });
      });
    return { runs, work };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('the first goes at once, those that come meanwhile share the next run', async () => {
    const { runs, work } = makeWork();
    const together = createTogether(work);
    const results = Promise.all([1, 2, 3].map(together));
    expect(runs.map(({ items }) => items)).toEqual([[1]]);
    runs[0]?.end();
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    runs[1]?.end();
    expect(await results).toEqual([10, 20, 30]);
  });

  test('a failure is that of its item alone', async () => {
    const together = createTogether(async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('no twos');
      return items;
    });
    const results = await Promise.allSettled([1, 2, 3, 4].map(together));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
