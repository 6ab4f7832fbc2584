/** An outgoing mail that is still to be handed to the relay. */
export interface Delivery {
  readonly emailId: number;
  readonly organizationId: number;
  readonly rawKey: string;
  /** Of MAIL FROM; empty: the null sender. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly createdAt: Date;
  /** How often it was tried, this time included. */
  readonly attempts: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const GIVE_UP_MS = 3 * 24 * 3600 * 1000;

/** When a mail that could not be handed over is tried again; null: never, because the relay refuses it or it is too old. */
export function nextAttempt(delivery: Delivery, error: unknown, now: Date): Date | null {
  const code = (error as { responseCode?: number }).responseCode ?? 0;
  if (code >= 500 && code < 600) return null;
  if (isTooOld(delivery, now)) return null;
  return new Date(now.getTime() + Math.min(FIRST_PAUSE_MS * 2 ** (delivery.attempts - 1), LONGEST_PAUSE_MS));
}

/** Nobody waits for it any more. */
export function isTooOld({ createdAt }: Delivery, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > GIVE_UP_MS;
}
