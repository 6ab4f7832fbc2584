/**
 * The same items in the same order, each one asked for while the one before it is used: what waits for a database or a neighbour
 * and what computes go on at the same time. Errors of the source come in their place.
 */
export async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    asked.catch(() => undefined); // thrown where it is awaited
    return asked;
  };
  try {
    for (let next = ask(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = ask();
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
