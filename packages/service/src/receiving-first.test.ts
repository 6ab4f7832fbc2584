import { createReceivingFirst } from './receiving-first';

describe('receiving comes first', () => {
  let time = 100_000;
  /** One that has received before, as quickly as usual. */
  const make = (usualMs = 15) => {
    const first = createReceivingFirst(() => time);
    first.received(usualMs);
    return first;
  };
  /** Receives one, which takes so long. */
  const receive = (first: ReturnType<typeof make>, ms: number) =>
    first.receive(async () => {
      time += ms;
    });
  const mayGoOn = async (first: ReturnType<typeof make>) => {
    let may = false;
    const turn = first.turnToGoOn().then(() => {
      may = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const answer = may;
    // One that has to wait is let go, so that nothing is left behind.
    const before = time;
    time += 3_600_000;
    await turn;
    time = before;
    return answer;
  };

  /** Receives ten a second that take so long each. */
  const receiveFor = (first: ReturnType<typeof make>, seconds: number, ms: number) => {
    for (let i = 0; i < seconds * 10; i++) {
      first.received(ms);
      time += 100;
    }
  };

  test('as long as it is quick, work goes on at once', async () => {
    const first = make();
    for (let i = 0; i < 20; i++) {
      await receive(first, 29);
      expect([await mayGoOn(first), first.intervalMs()]).toEqual([true, 0]);
    }
  });

  test('the slower it is, the longer are the intervals, up to a second', () => {
    const intervals = [33, 35, 40, 50, 300].map((ms) => {
      const first = make();
      receiveFor(first, 5, ms);
      time -= 100;
      return Math.round(first.intervalMs());
    });
    expect(intervals).toEqual([150, 250, 500, 1000, 1000]);
  });

  test('when it is quick again, they shrink slowly, and then there are none', () => {
    const first = make();
    receiveFor(first, 5, 300);
    const shrunk = [0, 2, 4, 6, 8].map((seconds, i, all) => {
      receiveFor(first, seconds - (all[i - 1] ?? 0), 20);
      return first.intervalMs();
    });
    for (const [i, longest] of [1000, 700, 350, 175, 90].entries()) {
      expect(shrunk[i]).toBeLessThanOrEqual(longest);
      expect(shrunk[i]).toBeGreaterThan(longest / 3);
    }
    receiveFor(first, 6, 20);
    expect(first.intervalMs()).toBe(0);
  });

  test('when nothing has been received for three seconds, work goes on at once', async () => {
    const first = make();
    receiveFor(first, 5, 300);
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, false]);
    time += 2900;
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, true]);
  });

  test('one that is a little slow after a pause does not make the others wait', () => {
    const first = make();
    time += 60_000;
    first.received(60);
    expect(first.intervalMs()).toBe(0);
  });

  test('slowness without end lets one go on every second', async () => {
    const first = make();
    receiveFor(first, 5, 1000);
    const turns: boolean[] = [];
    for (let i = 0; i < 20; i++) {
      first.received(1000);
      time += 125;
      turns.push(await mayGoOn(first));
    }
    expect(turns.map((may) => (may ? 'g' : '-')).join('')).toBe('g-------g-------g---');
  });

  test('what waits for its longest goes on, however many others wait', async () => {
    const first = make();
    receiveFor(first, 5, 1000);
    const stillSlow = () => receive(first, 100);
    await stillSlow();
    expect(await mayGoOn(first)).toBe(true);
    let gone = 0;
    const all = Array.from({ length: 30 }, () => first.turnToGoOn(2000).then(() => gone++));
    for (let i = 0; i < 20; i++) await stillSlow();
    await Promise.all(all);
    expect(gone).toBe(30);
  });

  test('while it is slow each organization has turns of its own', () => {
    const first = make();
    expect([first.isTurnOf(1), first.isTurnOf(1), first.isTurnOf(1)]).toEqual([true, true, true]);
    receiveFor(first, 5, 1000);
    expect([first.isTurnOf(1), first.isTurnOf(1), first.isTurnOf(2)]).toEqual([true, false, true]);
    receiveFor(first, 1, 1000);
    expect([first.isTurnOf(1), first.isTurnOf(1)]).toEqual([true, false]);
    time += 3000;
    expect([first.isTurnOf(1), first.isTurnOf(1)]).toEqual([true, true]);
  });

  test('what counts is work of our own, not how long a sender takes', async () => {
    const first = make();
    time += 60_000;
    first.received(29);
    expect(first.intervalMs()).toBe(0);
    receiveFor(first, 1, 100);
    expect(first.intervalMs()).toBeGreaterThan(0);
  });

  test('what stands on something far away is slow only when it takes longer than it does otherwise', () => {
    const first = make(150);
    receiveFor(first, 5, 290);
    expect(first.intervalMs()).toBe(0);
    receiveFor(first, 5, 420);
    time -= 100;
    expect(first.intervalMs()).toBeGreaterThan(600);
  });

  test('a busy hour does not become what is usual, and a longer way does in ten minutes', () => {
    const first = make();
    for (let minute = 0; minute < 60; minute++) {
      time += 59_000;
      for (const ms of [120, 20, 120, 120, 120, 120, 120, 120, 120, 120]) {
        first.received(ms);
        time += 100;
      }
      expect(first.intervalMs()).toBeGreaterThan(400);
    }
    const after: number[] = [];
    for (let minute = 0; minute < 12; minute++) {
      time += 59_000;
      receiveFor(first, 1, 150);
      after.push(first.intervalMs());
    }
    expect(after[0]).toBeGreaterThan(400);
    expect(after.at(-1)).toBe(0);
  });

  test('one that fails is not received for ever', async () => {
    const first = make();
    await expect(first.receive(() => Promise.reject(new Error('away')))).rejects.toThrow();
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, true]);
  });
});
