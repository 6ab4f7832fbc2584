/** Lets what belongs together happen one after the other, in this process. */
export function createTurns() {
  const last = new Map<number, Promise<unknown>>();
  return {
    take<T>(key: number, task: () => Promise<T>): Promise<T> {
      const turn = (last.get(key) ?? Promise.resolve()).then(task, task);
      last.set(key, turn);
      const forget = () => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
  };
}
