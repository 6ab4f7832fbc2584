import { AWAY_DELAY_MS, afterFailure, RETRY_DELAYS_MS } from './retry';

describe('afterFailure', () => {
  it.each(RETRY_DELAYS_MS.map((delayMs, i) => [i + 1, delayMs]))(
    'waits after failure %i for %i ms',
    (tries, delayMs) => {
      expect(afterFailure(tries, false)).toEqual({ kind: 'retry', delayMs });
    },
  );

  it('parks after the last one', () => {
    expect(afterFailure(RETRY_DELAYS_MS.length + 1, false)).toEqual({ kind: 'park' });
  });

  it('never parks for what is away', () => {
    for (const tries of [0, 1, 6, 1000])
      expect(afterFailure(tries, true)).toEqual({ kind: 'retry', delayMs: AWAY_DELAY_MS });
  });

  it('takes other waits', () => {
    const delays = { failures: [5], away: 7, lost: 9 };
    expect(afterFailure(1, false, delays)).toEqual({ kind: 'retry', delayMs: 5 });
    expect(afterFailure(2, false, delays)).toEqual({ kind: 'park' });
    expect(afterFailure(2, true, delays)).toEqual({ kind: 'retry', delayMs: 7 });
  });

  it('waits longer each time', () => {
    expect([...RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual([...RETRY_DELAYS_MS]);
  });
});
