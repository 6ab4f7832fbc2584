import { createTracing, currentContext, runInContext } from '@intake/service';
import { ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { systemCaller } from './caller';
import { createReader } from './reader';

const [one, other] = [systemCaller('test', 1), systemCaller('test', 2)];

/** A reader of things that are there for even ids, and what it was asked. */
function sample(fail = false) {
  const calls: { ids: number[]; organizationId: number | null; requestId: string }[] = [];
  const read = createReader(async (ids, caller) => {
    calls.push({ ids, organizationId: caller.organizationId, requestId: currentContext().requestId });
    if (currentContext().signal?.aborted) throw new Error('cancelled');
    if (fail) throw new Error('away');
    return ids.filter((id) => id % 2 === 0).map((id) => ({ id, of: caller.organizationId }));
  });
  return { calls, read };
}

const inRequest = <T>(requestId: string, fn: () => T, signal?: AbortSignal, span?: Span): T =>
  runInContext({ requestId, signal, otel: span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT }, fn);

it('reads together what one caller asks for at the same time, and each finds its own', async () => {
  const { calls, read } = sample();
  const found = await Promise.all([4, 2, 3, 4].map((id, i) => inRequest(`r${i}`, () => read(id, one))));
  expect(found.map((row) => row?.id)).toEqual([4, 2, undefined, 4]);
  expect(calls).toEqual([{ ids: [4, 2, 3], organizationId: 1, requestId: 'r0' }]);
});

it('never reads for one caller what another asked for', async () => {
  const { calls, read } = sample();
  expect(await Promise.all([read(2, one), read(2, other)])).toEqual([
    { id: 2, of: 1 },
    { id: 2, of: 2 },
  ]);
  expect(calls.map(({ organizationId }) => organizationId)).toEqual([1, 2]);
});

it('keeps nothing: what is asked for after a read has begun is read again', async () => {
  const { calls, read } = sample();
  await read(2, one);
  await read(2, one);
  expect(calls).toHaveLength(2);
});

it('asks for no more than 100 at once', async () => {
  const { calls, read } = sample();
  const ids = Array.from({ length: 250 }, (_, i) => i * 2);
  const found = await Promise.all(ids.map((id) => read(id, one)));
  expect(found.map((row) => row?.id)).toEqual(ids);
  expect(calls.map((call) => call.ids.length)).toEqual([100, 100, 50]);
});

it('goes on for the others when the first request is given up', async () => {
  const { read } = sample();
  const gone = new AbortController();
  const first = inRequest('gone', () => read(2, one), gone.signal);
  const second = inRequest('there', () => read(4, one));
  gone.abort();
  expect(await Promise.all([first, second])).toMatchObject([{ id: 2 }, { id: 4 }]);
});

it('fails for all who asked, and reads anew for the next', async () => {
  const { calls, read } = sample(true);
  const results = await Promise.allSettled([read(2, one), read(4, one)]);
  expect(results).toMatchObject([{ reason: { message: 'away' } }, { reason: { message: 'away' } }]);
  await expect(read(2, one)).rejects.toThrow('away');
  expect(calls).toHaveLength(2);
});

it('reads alone for a request whose trace is recorded', async () => {
  const { calls, read } = sample();
  const span = createTracing('test', 'http://127.0.0.1:9').tracer.startSpan('recorded'); // never ended, so never sent
  const found = await Promise.all([2, 4].map((id) => inRequest(`r${id}`, () => read(id, one), undefined, span)));
  expect(found).toMatchObject([{ id: 2 }, { id: 4 }]);
  expect(calls.map(({ requestId }) => requestId)).toEqual(['r2', 'r4']);
});
