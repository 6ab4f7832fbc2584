/** What is kept for clients that come back. */
export interface Kept {
  readonly id: string;
}

/** How long an event is kept for clients whose connection broke. */
const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 5000;
/** Replicas hear events of different services in different orders: so much before the last one may be unknown to the client. */
const OVERLAP_MS = 5000;

/** The events of the last minutes, each once. */
export class EventLog<E extends Kept> {
  /** In the order in which they were heard. */
  private readonly heard = new Map<string, { readonly event: E; readonly at: number }>();

  /** @returns whether it is new */
  add(event: E, now = Date.now()): boolean {
    if (this.heard.has(event.id)) return false;
    this.heard.set(event.id, { event, at: now });
    for (const [id, { at }] of this.heard) {
      if (this.heard.size <= MOST_KEPT && now - at <= KEPT_MS) break;
      this.heard.delete(id);
    }
    return true;
  }

  /** What came after an event, and again what came shortly before it; null when it is not known (any more). */
  since(id: string): E[] | null {
    const last = this.heard.get(id);
    if (!last) return null;
    const all = [...this.heard.values()];
    return all.filter(({ event, at }) => event.id !== id && at >= last.at - OVERLAP_MS).map(({ event }) => event);
  }

  /** Events were missed: what is here is not complete. */
  clear(): void {
    this.heard.clear();
  }
}
