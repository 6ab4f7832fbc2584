import { nextAttempt } from './retry';

const waits = (retryCount: number, goesOn: boolean): number[] => {
  const found: number[] = [];
  for (let attempts = 1; ; attempts++) {
    const next = nextAttempt(attempts, { retryCount, goesOn });
    if (!next) return found;
    found.push(next.delayMs / 1000);
  }
};

describe('the attempts of a call', () => {
  it('are five within about half a minute', () => expect(waits(4, false)).toEqual([2, 4, 8, 16]));
  it('are as many as the hook allows', () => {
    expect(waits(0, false)).toEqual([]);
    expect(waits(2, false)).toEqual([2, 4]);
  });
  it('of a notification go on for about three days', () => {
    const hours = [2, 5, 10, 14, 20, 24].map((h) => h * 3600);
    expect(waits(4, true)).toEqual([2, 4, 8, 16, 300, 1800, ...hours]);
    expect(waits(1, true)).toEqual([2, 300, 1800, ...hours]);
  });
  it('do not go on for a hook that wants one attempt', () => expect(waits(0, true)).toEqual([]));
  it('wait longer when the receiver asks for it', () => {
    const wishes = { retryCount: 4, goesOn: true, retryAfterMs: 60_000 };
    expect(nextAttempt(1, wishes)).toEqual({ delayMs: 60_000, isLate: false });
    expect(nextAttempt(5, wishes)).toEqual({ delayMs: 300_000, isLate: true });
  });
});
