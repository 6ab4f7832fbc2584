import { createReceivingFirst } from './receiving-first';

describe('receiving comes first', () => {
  let time = 100_000;
  /** One that has received before, as quickly as usual. */
  const make = (usualMs = 20) => {
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

  test('as long as it is quick, work goes on at once', async () => {
    const first = make();
    for (let i = 0; i < 20; i++) {
      await receive(first, 99);
      expect(await mayGoOn(first)).toBe(true);
    }
  });

  test('when it was slow, work goes on one by one, for two seconds', async () => {
    const first = make();
    await receive(first, 100);
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, false]);
    time += 1999;
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, false]);
    time += 1;
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, true]);
  });

  test('slowness without end lets one go on every second', async () => {
    const first = make();
    const turns: boolean[] = [];
    for (let i = 0; i < 20; i++) {
      await receive(first, 1000);
      time -= 1000 - 125;
      turns.push(await mayGoOn(first));
    }
    expect(turns.map((may) => (may ? 'g' : '-')).join('')).toBe('g-------g-------g---');
  });

  test('what waits for its longest goes on, however many others wait', async () => {
    const first = make();
    const stillSlow = () => receive(first, 100);
    await stillSlow();
    expect(await mayGoOn(first)).toBe(true);
    let gone = 0;
    const all = Array.from({ length: 30 }, () => first.turnToGoOn(2000).then(() => gone++));
    for (let i = 0; i < 20; i++) await stillSlow();
    await Promise.all(all);
    expect(gone).toBe(30);
  });

  test('while it is slow each organization has turns of its own', async () => {
    const first = make();
    expect([first.isTurnOf(1), first.isTurnOf(1), first.isSlow()]).toEqual([true, true, false]);
    await receive(first, 100);
    expect([first.isTurnOf(1), first.isTurnOf(1), first.isTurnOf(2), first.isSlow()]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    time += 1000;
    expect([first.isTurnOf(1), first.isTurnOf(1)]).toEqual([true, false]);
    time += 1000;
    expect([first.isTurnOf(1), first.isTurnOf(1), first.isSlow()]).toEqual([true, true, false]);
  });

  test('what counts is work of our own, not how long a sender takes', async () => {
    const first = make();
    time += 60_000;
    first.received(99);
    expect(first.isSlow()).toBe(false);
    first.received(100);
    expect(first.isSlow()).toBe(true);
  });

  test('what stands on something far away is slow only when it takes longer than it does otherwise', async () => {
    const first = make(150);
    for (const ms of [200, 449]) {
      first.received(ms);
      expect(first.isSlow()).toBe(false);
    }
    first.received(450);
    expect(first.isSlow()).toBe(true);
  });

  test('a busy hour does not become what is usual, and a longer way does in ten minutes', async () => {
    const first = make();
    for (let minute = 0; minute < 60; minute++) {
      time += 60_000;
      first.received(120);
      first.received(30);
      first.received(120);
      expect(first.isSlow()).toBe(true);
    }
    const slow: boolean[] = [];
    for (let minute = 0; minute < 12; minute++) {
      time += 60_000;
      first.received(150);
      slow.push(first.isSlow());
    }
    expect([slow[0], slow.at(-1)]).toEqual([true, false]);
  });

  test('one that fails is not received for ever', async () => {
    const first = make();
    await expect(first.receive(() => Promise.reject(new Error('away')))).rejects.toThrow();
    expect([await mayGoOn(first), await mayGoOn(first)]).toEqual([true, true]);
  });
});
