import type { PageObject } from '../api/types';
import { editOf, isChanged, type PagePlan, partsOf, suggestedPlan } from './page-plan';

const page = (name: string, to: Partial<PagePlan> = {}): PagePlan => ({
  page: name,
  number: 'abcdefgh'.indexOf(name) + 1,
  turned: 0,
  wasTurned: 0,
  isOut: false,
  isCut: false,
  ...to,
});
const names = (plan: PagePlan[]) => partsOf(plan).map(({ pages }) => pages.map((one) => one.page).join(''));

it('cuts before the pages that begin a document', () => {
  expect(names([page('a'), page('b', { isCut: true }), page('c'), page('d', { isCut: true })])).toEqual([
    'a',
    'bc',
    'd',
  ]);
});

it('leaves pages out, and with all its pages a document', () => {
  expect(names([page('a', { isOut: true }), page('b', { isCut: true, isOut: true }), page('c')])).toEqual(['c']);
  expect(names([page('a', { isOut: true })])).toEqual([]);
});

it('turns pages', () => {
  expect(partsOf([page('a', { turned: 270 })])).toEqual([
    { pages: [{ page: 'a', rotation_deg: 270 }], goal: undefined },
  ]);
});

it('knows when nothing is to be done', () => {
  expect(isChanged([page('a'), page('b', { turned: 90, wasTurned: 90 })])).toBe(false);
  expect(isChanged([page('a'), page('b', { isCut: true })])).toBe(true);
});

describe('a suggestion', () => {
  const HOME = '/queues/1';
  const pages = ['a', 'b', 'c', 'd'].map(
    (url, i): PageObject => ({ id: i, url, number: i + 1, rotation_deg: 0, content: '', width: null, height: null }),
  );
  const of = (...documents: { names: string; queue?: string; values?: Record<string, string>; turned?: number }[]) =>
    suggestedPlan(
      pages,
      {
        url: '/suggested_edits/1',
        documents: documents.map(({ names: named, queue = HOME, values = {}, turned = 0 }) => ({
          pages: [...named].map((one) => ({
            page: one.toLowerCase(),
            rotation: turned,
            deleted: one !== one.toLowerCase(),
          })),
          target_queue: queue,
          values,
        })),
      },
      HOME,
    );

  it('says where to cut, what to leave out and what to turn; pages it does not name are left out', () => {
    const plan = of({ names: 'aB' }, { names: 'c', turned: 90 });
    expect(names(plan)).toEqual(['a', 'c']);
    expect(plan.map(({ number, isOut, isCut, turned }) => [number, isOut, isCut, turned])).toEqual([
      [1, false, false, 0],
      [2, true, false, 0],
      [3, false, true, 90],
      [4, true, false, 0],
    ]);
  });

  it('may have the pages in another order, or have nothing to say', () => {
    expect(isChanged(of({ names: 'bacd' }))).toBe(true);
    expect(isChanged(of({ names: 'abcd' }))).toBe(false);
    expect(isChanged(of({ names: 'xabcd' }))).toBe(false);
  });

  it('is done by the call that knows of queues and values only where there are some', () => {
    expect(editOf(partsOf(of({ names: 'ab' }, { names: 'cd' })))).toMatchObject({
      path: 'edit',
      body: { documents: [{ pages: [{ page: 'a' }, { page: 'b' }] }, { pages: [{ page: 'c' }, { page: 'd' }] }] },
    });
    expect(editOf(partsOf(of({ names: 'ab' }, { names: 'cd', queue: '/queues/2' })))).toMatchObject({
      path: 'edit_pages',
      body: { edit: [{ values: {} }, { target_queue: '/queues/2', parent_pages: [{ page: 'c' }, { page: 'd' }] }] },
    });
    expect(editOf(partsOf(of({ names: 'abcd', values: { 'edit:kind': 'x' } })))).toEqual({
      path: 'edit_pages/in_place',
      body: { parent_pages: pages.map(({ url }) => ({ page: url, rotation_deg: 0 })), values: { 'edit:kind': 'x' } },
    });
  });
});
