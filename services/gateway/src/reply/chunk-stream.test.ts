import { buffer } from 'node:stream/consumers';
import { openFile } from './chunk-stream';

interface Part {
  readonly header?: { readonly size: number };
  readonly chunk?: Buffer;
}

/** A file of two chunks that notes its end. */
function createFile(fail?: Error) {
  const state = { ended: false };
  async function* parts(): AsyncGenerator<Part> {
    try {
      yield { header: { size: 4 } };
      yield { chunk: Buffer.from('ab') };
      if (fail) throw fail;
      yield { chunk: Buffer.from('cd') };
    } finally {
      state.ended = true;
    }
  }
  return { state, parts: parts() };
}

it('gives the header first, then the bytes', async () => {
  const { state, parts } = createFile();
  const file = await openFile(parts);
  expect(file.header).toEqual({ size: 4 });
  expect((await buffer(file.stream())).toString()).toBe('abcd');
  expect(state.ended).toBe(true);
});

it('ends the rpc when nobody wants the bytes', async () => {
  const unread = createFile();
  (await openFile(unread.parts)).cancel();
  const dropped = createFile();
  const stream = (await openFile(dropped.parts)).stream();
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect([unread.state.ended, dropped.state.ended]).toEqual([true, true]);
});

it('breaks off when the rpc does', async () => {
  const file = await openFile(createFile(new Error('gone')).parts);
  await expect(buffer(file.stream())).rejects.toThrow('gone');
});

it('throws what is refused before there is a header', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it gives anything
  async function* refused(): AsyncGenerator<Part> {
    throw new Error('not found');
  }
  async function* headless(): AsyncGenerator<Part> {
    yield { chunk: Buffer.from('x') };
  }
  await expect(openFile(refused())).rejects.toThrow('not found');
  await expect(openFile(headless())).rejects.toThrow(expect.objectContaining({ reason: 'INTERNAL' }));
});
