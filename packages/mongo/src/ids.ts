import { Schema } from 'mongoose';
import type { Database } from './database';

/** Hands out integer ids: positive, never used twice, increasing within a process; a failed transaction or an ended
 * process leaves a gap. */
export interface Ids {
  /** Takes `count` ids in a row and answers the first. */
  next(sequence: string, count?: number): Promise<number>;
}

/** Rows of ids taken in advance while many are asked for: at most so many are lost when a process ends. */
const LARGEST_BLOCK = 64;
/** A sequence that is asked for again within this time gets a larger block, in milliseconds. */
const BUSY_MS = 500;

/** Ids of one service's objects, one sequence each. API: README.md section 7. */
export function createIds(database: Database): Ids {
  const counters = database.connection.model(
    'Counter',
    new Schema({ _id: String, value: { type: Number, required: true } }, { collection: 'counters', versionKey: false }),
  );
  interface Block {
    next: number;
    end: number;
    size: number;
    usedAt: number;
  }
  const blocks = new Map<string, Block>();
  const taking = new Map<string, Promise<void>>();

  const take = async (sequence: string, atLeast: number): Promise<void> => {
    const before = blocks.get(sequence);
    const isBusy = before !== undefined && Date.now() - before.usedAt < BUSY_MS;
    const size = isBusy ? Math.min(before.size * 2, LARGEST_BLOCK) : 1;
    const count = size * atLeast;
    const after = await counters
      .findOneAndUpdate({ _id: sequence }, { $inc: { value: count } }, { upsert: true, returnDocument: 'after' })
      .lean();
    const end = (after?.value ?? 0) + 1;
    blocks.set(sequence, { next: end - count, end, size, usedAt: Date.now() });
  };

  return {
    async next(sequence, count = 1) {
      for (;;) {
        const block = blocks.get(sequence);
        if (block && block.end - block.next >= count) {
          block.next += count;
          block.usedAt = Date.now();
          return block.next - count;
        }
        const running = taking.get(sequence);
        if (running) {
          await running;
          continue;
        }
        const task = take(sequence, count).finally(() => taking.delete(sequence));
        taking.set(sequence, task);
        await task;
      }
    },
  };
}
