import { useSyncExternalStore } from 'react';

/** A value that components follow. */
export function createStore<T>(first: T) {
  let value = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };
  const read = () => value;
  return {
    read,
    set(next: T) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, read),
    subscribe,
  };
}

/** Whether the session ended while the page was open: what was typed stays, and the login is asked for on top of it. */
export const sessionLost = createStore(false);

/** Notes that a call was answered as if nobody were logged in. */
export function noteSessionLost(): void {
  sessionLost.set(true);
}

/** What is to be done before somebody logs out, while the session is there. */
export const beforeLogout = new Set<() => Promise<void>>();
