/** Members of one group at most. */
const LARGEST_GROUP = 32;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does a work for several at once: those that come while it runs wait, and share the next run, which begins after they came. One
 * that comes alone waits for nothing. When a run of several fails, each of them gets one of its own, so that a failure is that of
 * its item alone.
 * @param work answers as many results as it is given items, in their order
 */
export function createTogether<T, R>(work: (items: readonly T[]) => Promise<readonly R[]>): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let running = false;

  const settle = async (group: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as R);
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else await Promise.all(group.map((one) => settle([one])));
    }
  };
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, LARGEST_GROUP);
      waiting = waiting.slice(LARGEST_GROUP);
      await settle(group);
    }
    running = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
