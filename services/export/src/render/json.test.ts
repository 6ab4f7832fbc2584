import { collect, each, goldenRecord } from '../testing/golden';
import { renderJson } from './json';

const pagination = { total: 2, total_pages: 1, next: null, previous: null };
const render = async (records: (typeof goldenRecord)[]) =>
  (await collect(renderJson(pagination, each(records)))).join('');

describe('renderJson', () => {
  it('writes pagination and records with keys in their order', async () => {
    expect(await render([goldenRecord, goldenRecord])).toBe(
      JSON.stringify({ pagination, results: [goldenRecord, goldenRecord] }),
    );
  });

  it('writes an empty list', async () => {
    expect(JSON.parse(await render([]))).toEqual({ pagination, results: [] });
  });

  it('keeps characters outside of ASCII as they are', async () => {
    expect(await render([{ ...goldenRecord, metadata: { name: 'Žluťoučký 🧾' } }])).toContain('"Žluťoučký 🧾"');
  });
});
