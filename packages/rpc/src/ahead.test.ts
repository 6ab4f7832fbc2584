import { ahead } from './ahead';

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

it('gives every item in order', async () => {
  async function* source() {
    yield* [1, 2, 3];
  }
  expect(await collect(ahead(source()))).toEqual([1, 2, 3]);
});

it('asks for the next item while one is used, and for no other', async () => {
  const asked: number[] = [];
  async function* source() {
    for (const one of [1, 2, 3, 4]) {
      asked.push(one);
      yield one;
    }
  }
  const items = ahead(source());
  expect(await items.next()).toEqual({ done: false, value: 1 });
  expect(asked).toEqual([1, 2]);
  expect(await items.next()).toEqual({ done: false, value: 2 });
  expect(asked).toEqual([1, 2, 3]);
});

it('throws the error of the source after the items before it', async () => {
  async function* source() {
    yield 1;
    throw new Error('the second');
  }
  const items = ahead(source());
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await expect(items.next()).rejects.toThrow('the second');
});

it('closes the source when it is not read to its end', async () => {
  let closed = false;
  async function* source() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      closed = true;
    }
  }
  for await (const one of ahead(source())) if (one === 2) break;
  expect(closed).toBe(true);
});
