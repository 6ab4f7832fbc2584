import { createBursts } from './bursts';

describe('bursts of messages', () => {
  let time = 100_000;
  const make = () => createBursts(() => time);
  /** Messages that come in at the same time, and are received one after the other. */
  const receive = async (bursts: ReturnType<typeof make>, count: number) => {
    const ends: (() => void)[] = [];
    const all = Array.from({ length: count }, () => bursts.receive(() => new Promise<void>((end) => ends.push(end))));
    for (const end of ends) end();
    await Promise.all(all);
  };
  const mayRead = async (bursts: ReturnType<typeof make>) => {
    let may = false;
    const turn = bursts.turnToRead().then(() => {
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

  test('messages that come one after the other, or two at a time, are read at once', async () => {
    const bursts = make();
    expect(await mayRead(bursts)).toBe(true);
    for (let i = 0; i < 20; i++) await receive(bursts, 1 + (i % 2));
    expect(await mayRead(bursts)).toBe(true);
  });

  test('many at the same time wait until no more have come for a second', async () => {
    const bursts = make();
    await receive(bursts, 8);
    expect(await mayRead(bursts)).toBe(false);
    time += 999;
    expect(await mayRead(bursts)).toBe(false);
    time += 1;
    expect(await mayRead(bursts)).toBe(true);
  });

  test('a burst without end leaves reading every other turn', async () => {
    const bursts = make();
    const turns: boolean[] = [];
    for (let half = 0; half < 40; half++) {
      await receive(bursts, 8);
      turns.push(await mayRead(bursts));
      time += 500;
    }
    expect(turns.map((may) => (may ? 'r' : '-')).join('')).toBe(`${'-'.repeat(10)}${'r'.repeat(10)}`.repeat(2));
  });

  test('one that cannot be received is not under way for ever', async () => {
    const bursts = make();
    for (let i = 0; i < 5; i++) await expect(bursts.receive(() => Promise.reject(new Error('away')))).rejects.toThrow();
    await receive(bursts, 1);
    expect(await mayRead(bursts)).toBe(true);
  });
});
