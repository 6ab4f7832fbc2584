import { setImmediate } from 'node:timers/promises';
import type { Caller } from './caller';
import { isTraced, withoutEnd } from './shared-work';

/** Objects that one rpc is asked for at most. */
const LARGEST_READ = 100;

interface Read<T> {
  readonly ids: Set<number>;
  readonly found: Promise<ReadonlyMap<number, T>>;
}

/**
 * Reads single objects by an rpc that answers many: what the same caller asks for within one turn of the event loop is read
 * together. Nothing is kept: a read always begins after it was asked for. A shared read belongs to the request that was
 * first, but does not end with it; requests whose trace is recorded read for themselves, so that the trace is whole.
 */
export function createReader<T extends { readonly id: number }>(
  read: (ids: number[], caller: Caller) => Promise<readonly T[]>,
): (id: number, caller: Caller) => Promise<T | undefined> {
  const open = new WeakMap<Caller, Read<T>>();

  const begin = (caller: Caller): Read<T> => {
    const ids = new Set<number>();
    const found = (async () => {
      await setImmediate();
      if (open.get(caller)?.ids === ids) open.delete(caller);
      const rows = await withoutEnd(() => read([...ids], caller));
      return new Map(rows.map((row) => [row.id, row]));
    })();
    const one = { ids, found };
    open.set(caller, one);
    return one;
  };

  return async (id, caller) => {
    if (isTraced()) return (await read([id], caller)).find((row) => row.id === id);
    const known = open.get(caller);
    const { ids, found } = known && known.ids.size < LARGEST_READ ? known : begin(caller);
    ids.add(id);
    return (await found).get(id);
  };
}
