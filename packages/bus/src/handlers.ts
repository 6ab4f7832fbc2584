import type { ClientSession } from '@intake/mongo';
import type { BusEvent } from './event';
import type { Subject } from './subjects';

/** The part of acting on an event that happens in one transaction, together with the note that the event was seen. */
export type Effect = (session: ClientSession) => Promise<void>;

/** An event among others. */
export interface Arrival<S extends Subject = Subject> {
  readonly event: BusEvent<S>;
  /** Runs something as a part of the event's own request, such as emitting what follows from it. */
  within<T>(fn: () => T): T;
}

/** The effect of several events, each of another aggregate, in one transaction. */
export interface JointEffect<S extends Subject = Subject> {
  together(session: ClientSession, arrivals: readonly Arrival<S>[]): Promise<void>;
}

/** What a service does about one kind of event. */
export type EventHandler<S extends Subject> = {
  /** After the last try: makes the failure visible to the user. Runs in the transaction that notes the event. */
  readonly giveUp?: (event: BusEvent<S>, error: Error, session: ClientSession) => Promise<void>;
} & (
  | {
      /** Reads what it needs (rpcs included) and answers the effect. May run more than once; only the effect counts once. */
      readonly on: (event: BusEvent<S>) => Promise<Effect> | Effect;
    }
  /** Where nothing but the service's own database is needed: fewer operations while many events come. */
  | JointEffect<S>
);

/** Subject -> what to do. */
export type EventHandlers = { readonly [S in Subject]?: EventHandler<S> };
