/** The bus: what happened and what is to be done, on NATS JetStream, with MongoDB as the truth. */
export { type Backbone, connectBackbone } from './backbone';
export { BUS_SETTINGS, type Bus, type BusOptions, connectBus } from './connection';
export { type ConsumerOptions, startConsumer } from './consumer';
export { type DeadLetter, listDeadLetters, replayDeadLetter } from './dead-letters';
export { type BusEvent, type NewEvent, toOutboxRow } from './event';
export type { Arrival, Effect, EventHandler, EventHandlers, JointEffect } from './handlers';
export { startWorkers } from './jobs';
export { startRelay } from './relay';
export { LOST_DELAY_MS } from './retry';
export { ANNOTATION_STATUSES, type Payload, type Subject } from './subjects';
