import { measureGrain, smoothGrain } from './grain';

/** A page with black lines of text on paper whose gray differs by up to `grain`. */
function makePage(grain: number) {
  const [width, height] = [400, 300];
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const data = Buffer.alloc(width * height);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isInk = y % 40 < 12 && x % 8 < 4;
    data[at] = isInk ? 20 : 250 - Math.round(grain * random());
  }
  return { data, width, height };
}

test('text on even paper has no grain', async () => {
  const page = makePage(0);
  expect(measureGrain(page)).toBe(0);
  expect(await smoothGrain(page)).toBe(page);
});

test('grain is smoothed, and the letters stay', async () => {
  const page = makePage(60);
  const smooth = await smoothGrain(page);
  expect(measureGrain(page)).toBeGreaterThan(10);
  expect(measureGrain(smooth)).toBeLessThan(0.6 * measureGrain(page));
  expect(smooth).toMatchObject({ width: 400, height: 300 });
  expect(smooth.data).toHaveLength(400 * 300);
  const [ink, paper] = [smooth.data[6 * 400 + 18]!, smooth.data[30 * 400 + 18]!];
  expect(paper - ink).toBeGreaterThan(120);
});
