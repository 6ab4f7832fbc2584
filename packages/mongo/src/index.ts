/** MongoDB as every service uses it: connection, integer ids, transactions, outbox, inbox, leases, paging. */
export type { ClientSession } from 'mongoose';
export {
  connectDatabase,
  createIndexes,
  type Database,
  type DatabaseOptions,
  FILLED,
  isDuplicateKey,
  isMongoUnavailable,
  rowsOf,
  type TransactionOptions,
  transaction,
} from './database';
export { createIds, type Ids } from './ids';
export { createInbox, type Inbox } from './inbox';
export { createLeases, type Lease, type Leases } from './lease';
export {
  among,
  findPage,
  inQueues,
  type Orderings,
  type PageRequest,
  type RelatedRows,
  toOrder,
  toWindow,
} from './listing';
export { createOutbox, type NewOutboxRow, type Outbox, type OutboxRow } from './outbox';
export { escapePattern } from './pattern';
export { startSweep } from './sweep';
