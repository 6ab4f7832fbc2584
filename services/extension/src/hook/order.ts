/** What the order of hooks depends on. */
export interface Ordered {
  readonly id: number;
  readonly runAfterIds: readonly number[];
}

/** The hooks among the others that a hook runs after. Whoever is not called this time is not waited for. */
export function predecessorsOf<T extends Ordered>(hook: T, hooks: readonly T[]): T[] {
  return hooks.filter(({ id }) => hook.runAfterIds.includes(id));
}

/** Hooks in the order of their calls: those of a wave run at the same time, after all earlier waves; each by ascending id. */
export function wavesOf<T extends Ordered>(hooks: readonly T[]): T[][] {
  const waves: T[][] = [];
  let left = [...hooks].sort((one, other) => one.id - other.id);
  while (left.length > 0) {
    const ready = left.filter((hook) => predecessorsOf(hook, left).length === 0);
    // A circle cannot be saved; should there be one all the same, its hooks are called together.
    const wave = ready.length > 0 ? ready : left;
    waves.push(wave);
    left = left.filter((hook) => !wave.includes(hook));
  }
  return waves;
}
