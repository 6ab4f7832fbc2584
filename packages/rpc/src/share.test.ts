import { currentContext, runInContext } from '@intake/service';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { createShare } from './share';

/** Questions that are answered by hand. */
function sample() {
  const share = createShare<string>();
  const asked: { key: string; end: (answer: string) => void; fail: (error: Error) => void }[] = [];
  const ask = (key: string) =>
    share(key, () => new Promise<string>((end, fail) => asked.push({ key, end, fail: (error) => fail(error) })));
  return { ask, asked, share };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('asks at once, and once for all who ask meanwhile', async () => {
  const { ask, asked } = sample();
  const first = ask('a');
  const others = [ask('a'), ask('a'), ask('a')];
  expect(asked).toHaveLength(1);
  asked[0]?.end('old');
  expect(await first).toBe('old');
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.end('new');
  expect(await Promise.all(others)).toEqual(['new', 'new', 'new']);
});

it('keeps nothing', async () => {
  const { ask, asked } = sample();
  for (const answer of ['one', 'two', 'three']) {
    const one = ask('a');
    asked.at(-1)?.end(answer);
    expect(await one).toBe(answer);
    await turn();
  }
  expect(asked).toHaveLength(3);
});

it('shares nothing between questions', () => {
  const { ask, asked } = sample();
  void ask('a');
  void ask('b');
  expect(asked.map(({ key }) => key)).toEqual(['a', 'b']);
});

it('tells all who share it when nobody answers, and asks again afterwards', async () => {
  const { ask, asked } = sample();
  const first = ask('a');
  const others = [ask('a'), ask('a')].map((one) => one.catch((error: Error) => error.message));
  asked[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  asked[1]?.fail(new Error('still away'));
  expect(await Promise.all(others)).toEqual(['still away', 'still away']);
  await turn();
  const later = ask('a');
  asked[2]?.end('back');
  expect(await later).toBe('back');
});

it('does not end with the request that asked', async () => {
  const { share } = sample();
  const context = { requestId: 'r', signal: AbortSignal.abort(), deadline: new Date(0), otel: ROOT_CONTEXT };
  const seen = await runInContext(context, () => share('a', async () => JSON.stringify(currentContext())));
  expect(JSON.parse(seen)).toEqual({ requestId: 'r', otel: expect.anything() });
});
