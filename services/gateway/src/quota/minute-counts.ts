/** Seconds that a minute is counted in. */
const SECONDS = 60;
const MOST_KEYS = 20_000;

/** What happened in one second of the last minute. */
export type Happened = readonly [key: string, age: number, count: number];

class Minute {
  private readonly counts = new Uint32Array(SECONDS);
  private latest: number;
  total = 0;

  constructor(second: number) {
    this.latest = second;
  }

  /** Forgets what is older than a minute. */
  advance(second: number): void {
    for (let gone = Math.max(this.latest + 1, second - SECONDS + 1); gone <= second; gone++) {
      this.total -= this.counts[gone % SECONDS]!;
      this.counts[gone % SECONDS] = 0;
    }
    this.latest = Math.max(this.latest, second);
  }

  add(age: number, count: number): void {
    if (age >= SECONDS) return;
    const index = (((this.latest - age) % SECONDS) + SECONDS) % SECONDS;
    this.counts[index] = this.counts[index]! + count;
    this.total += count;
  }

  /** Age of the youngest second without which, and all before it, less than `limit` is left. */
  ageToWaitFor(limit: number): number {
    let left = this.total;
    for (let age = SECONDS - 1; age >= 0; age--) {
      left -= this.at(age);
      if (left < limit) return age;
    }
    return 0;
  }

  at(age: number): number {
    return this.counts[(((this.latest - age) % SECONDS) + SECONDS) % SECONDS]!;
  }
}

/** Counts by key what happened in the last minute, second by second. Of very many keys it forgets some. */
export class MinuteCounts {
  private readonly minutes = new Map<string, Minute>();

  /** @param now clock in milliseconds that never goes back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param age in seconds */
  add(key: string, count = 1, age = 0): void {
    this.minuteOf(key).add(age, count);
  }

  total(key: string): number {
    const minute = this.minutes.get(key);
    minute?.advance(this.second());
    return minute?.total ?? 0;
  }

  /** Whole seconds until less than `limit` is left of what happened, 1 or more. */
  secondsUntilBelow(key: string, limit: number): number {
    return Math.max(
      1,
      Math.ceil(SECONDS - this.minuteOf(key).ageToWaitFor(limit) - (this.now() / 1000 - this.second())),
    );
  }

  /** Everything that is remembered. */
  *entries(): Generator<Happened> {
    const second = this.second();
    for (const [key, minute] of this.minutes) {
      minute.advance(second);
      for (let age = 0; age < SECONDS; age++) if (minute.at(age) > 0) yield [key, age, minute.at(age)];
    }
  }

  private minuteOf(key: string): Minute {
    const second = this.second();
    let minute = this.minutes.get(key);
    if (!minute) {
      if (this.minutes.size >= MOST_KEYS) this.forgetSome(second);
      minute = new Minute(second);
      this.minutes.set(key, minute);
    }
    minute.advance(second);
    return minute;
  }

  /** First what is over, then what is oldest. */
  private forgetSome(second: number): void {
    for (const [key, minute] of this.minutes) {
      minute.advance(second);
      if (minute.total === 0) this.minutes.delete(key);
    }
    for (const key of this.minutes.keys()) {
      if (this.minutes.size < MOST_KEYS * 0.9) break;
      this.minutes.delete(key);
    }
  }

  private second(): number {
    return Math.floor(this.now() / 1000);
  }
}
