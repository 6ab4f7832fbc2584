import { Readable } from 'node:stream';
import { Refusal } from '@intake/rpc';

/** A message of a streaming rpc that carries a file: first a header, then bytes. */
interface Part<Header> {
  readonly header?: Header | undefined;
  readonly chunk?: Buffer | undefined;
}

/** A file that has begun to arrive. */
export interface OpenFile<Header> {
  readonly header: Header;
  /** The bytes as a stream; destroying it ends the rpc. */
  stream(): Readable;
  /** Ends the rpc without reading the bytes. */
  cancel(): void;
}

/** Waits for the header of a file; what the rpc refuses is thrown here, before anything is answered. */
export async function openFile<Header>(parts: AsyncIterable<Part<Header>>): Promise<OpenFile<Header>> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  const header = first.done ? undefined : first.value.header;
  if (header === undefined) {
    void iterator.return?.();
    throw new Refusal('INTERNAL', { cause: new Error('a file stream began without its header') });
  }
  const cancel = () => void iterator.return?.()?.catch(() => undefined);
  return {
    header,
    cancel,
    stream: () =>
      new Readable({
        read() {
          iterator.next().then(
            ({ done, value }) => this.push(done ? null : (value.chunk ?? Buffer.alloc(0))),
            (error) => this.destroy(error),
          );
        },
        destroy(error, callback) {
          cancel();
          callback(error);
        },
      }),
  };
}
