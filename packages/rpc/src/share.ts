import { isTraced, withoutEnd } from './shared-work';

/** Asks a question, or shares the answer of another one with the same key. */
export type Share<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

interface Asked<T> {
  readonly over: Promise<unknown>;
  next?: Promise<T>;
}

/**
 * Shares answers among those who ask the same at the same time: while one is on its way, all who ask meanwhile wait for the
 * next one. So nobody gets an answer that was asked for before, and a question is on its way once, however many ask. A
 * shared answer does not end with the request that was first; requests whose trace is recorded ask for themselves, so that
 * the trace is whole.
 */
export function createShare<T>(): Share<T> {
  const underWay = new Map<string, Asked<T>>();

  const begin = (key: string, ask: () => Promise<T>): Promise<T> => {
    const answer = withoutEnd(ask);
    const asked: Asked<T> = {
      over: answer.then(
        () => undefined,
        () => undefined,
      ),
    };
    underWay.set(key, asked);
    asked.over.then(() => {
      if (!asked.next) underWay.delete(key);
    });
    return answer;
  };

  return (key, ask) => {
    if (isTraced()) return ask();
    const asked = underWay.get(key);
    if (!asked) return begin(key, ask);
    asked.next ??= asked.over.then(() => begin(key, ask));
    return asked.next;
  };
}
