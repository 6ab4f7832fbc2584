import { isChanged, type PagePlan, partsOf } from './page-plan';

const page = (name: string, to: Partial<PagePlan> = {}): PagePlan => ({
  page: name,
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
  expect(partsOf([page('a', { turned: 270 })])).toEqual([{ pages: [{ page: 'a', rotation_deg: 270 }] }]);
});

it('knows when nothing is to be done', () => {
  expect(isChanged([page('a'), page('b', { turned: 90, wasTurned: 90 })])).toBe(false);
  expect(isChanged([page('a'), page('b', { isCut: true })])).toBe(true);
});
