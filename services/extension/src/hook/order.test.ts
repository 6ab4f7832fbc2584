import { predecessorsOf, wavesOf } from './order';

const hook = (id: number, ...runAfterIds: number[]) => ({ id, runAfterIds });
const idsOf = (waves: { id: number }[][]) => waves.map((wave) => wave.map(({ id }) => id));

describe('waves of hooks', () => {
  it.each<[string, ReturnType<typeof hook>[], number[][]]>([
    ['nobody waits', [hook(2), hook(1)], [[1, 2]]],
    ['one after the other', [hook(1, 2), hook(2, 3), hook(3)], [[3], [2], [1]]],
    ['two roads to one', [hook(4, 2, 3), hook(2, 1), hook(3), hook(1)], [[1, 3], [2], [4]]],
    ['who is not called is not waited for', [hook(1), hook(3, 2)], [[1, 3]]],
    ['a circle is called together', [hook(1, 2), hook(2, 1)], [[1, 2]]],
    ['nobody', [], []],
  ])('%s', (_, hooks, expected) => expect(idsOf(wavesOf(hooks))).toEqual(expected));

  it('knows the predecessors that are called too', () => {
    const first = hook(1);
    expect(predecessorsOf(hook(3, 1, 2), [first, hook(4)])).toEqual([first]);
  });
});
