import { type Caller, Refusal } from '@intake/rpc';
import { currentContext, runInContext } from '@intake/service';
import { createLeavingQueues } from './leaving-queues';

const callerOf = (userId: number) => ({ kind: 'user', organizationId: 1, userId }) as Caller;

/** The queue service as it answers from now on, and what it is asked. */
function queueService(answer: () => Promise<number[]>) {
  const asked: (AbortSignal | undefined)[] = [];
  const listQueues = async () => {
    asked.push(currentContext().signal);
    return { queues: (await answer()).map((id) => ({ id })), total: 0 };
  };
  return { asked, leaving: createLeavingQueues({ queue: { listQueues } as never }) };
}

it('are asked for once in a while, for each user; again after a deletion', async () => {
  let ids = [7];
  const { asked, leaving } = queueService(async () => ids);
  expect(await leaving.find(callerOf(1))).toEqual([7]);
  ids = [7, 8];
  expect(await leaving.find(callerOf(1))).toEqual([7]);
  expect(await leaving.find(callerOf(2))).toEqual([7, 8]);
  leaving.forget();
  expect(await leaving.find(callerOf(1))).toEqual([7, 8]);
  expect(asked).toHaveLength(3);
});

it('are none while the queue service is away', async () => {
  const { leaving } = queueService(() => Promise.reject(new Refusal('SERVICE_UNAVAILABLE')));
  expect(await leaving.find(callerOf(1))).toEqual([]);
});

it('are told to others although the request that asked first has gone away', async () => {
  const { asked, leaving } = queueService(async () => [7]);
  const gone = { ...currentContext(), signal: AbortSignal.abort() };
  expect(await runInContext(gone, () => leaving.find(callerOf(1)))).toEqual([7]);
  expect(asked).toEqual([undefined]);
});
