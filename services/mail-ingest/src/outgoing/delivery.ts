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
  /** What the relay said about those that it never takes. */
  readonly refusals?: readonly string[];
  /** It took the mail for somebody. */
  readonly wasTaken?: boolean;
}

/** A recipient that the relay does not take, now or ever. */
export interface Rejection {
  readonly recipient: string;
  /** The code of its answer; 0: there was none. */
  readonly responseCode: number;
  readonly text: string;
}

/** What the relay did with a mail. */
export interface Handover {
  readonly wasTaken: boolean;
  readonly rejections: readonly Rejection[];
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const GIVE_UP_MS = 3 * 24 * 3600 * 1000;

/** The mail after it was handed over: for whom it is tried again, and when; null: for nobody, because they have it, never get it, or it is too old. */
export function remainderOf(
  delivery: Delivery,
  { wasTaken, rejections }: Handover,
  now: Date,
): { readonly again: Date | null; readonly rest: Required<Pick<Delivery, 'recipients' | 'refusals' | 'wasTaken'>> } {
  const isOver = isTooOld(delivery, now);
  const isForGood = ({ responseCode }: Rejection) => isOver || (responseCode >= 500 && responseCode < 600);
  const waiting = rejections.filter((one) => !isForGood(one));
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (delivery.attempts - 1), LONGEST_PAUSE_MS);
  return {
    again: waiting.length > 0 ? new Date(now.getTime() + pauseMs) : null,
    rest: {
      recipients: waiting.map(({ recipient }) => recipient),
      refusals: [...new Set([...(delivery.refusals ?? []), ...rejections.filter(isForGood).map(({ text }) => text)])],
      wasTaken: wasTaken || delivery.wasTaken === true,
    },
  };
}

/** Nobody waits for it any more. */
export function isTooOld({ createdAt }: Delivery, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > GIVE_UP_MS;
}
