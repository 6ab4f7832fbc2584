import { paginate } from './paging';

const URL = 'https://h/api/v1/queues/3/export?format=json&status=exported,exporting&sideload=';

describe('paginate', () => {
  it('says one page when there is nothing', () => {
    expect(paginate(0, { page: 1, pageSize: 20 }, URL)).toEqual({
      total: 0,
      total_pages: 1,
      next: null,
      previous: null,
    });
  });

  it('says one page for everything in one file', () => {
    expect(paginate(5000, { page: 0, pageSize: 0 }, URL)).toMatchObject({ total: 5000, total_pages: 1, next: null });
  });

  it('names both neighbours and keeps every parameter', () => {
    expect(paginate(41, { page: 2, pageSize: 20 }, `${URL}&page=2&page_size=20`)).toEqual({
      total: 41,
      total_pages: 3,
      next: `${URL}&page_size=20&page=3`,
      previous: `${URL}&page_size=20&page=1`,
    });
  });

  it('works without a query', () => {
    expect(paginate(2, { page: 1, pageSize: 1 }, 'https://h/api/v1/annotations/export').next).toBe(
      'https://h/api/v1/annotations/export?page=2',
    );
  });

  it('has no next at the end', () => {
    expect(paginate(40, { page: 2, pageSize: 20 }, URL)).toMatchObject({ total_pages: 2, next: null });
  });

  it.each([3, -1])('refuses page %d of two', (page) => {
    expect(() => paginate(40, { page, pageSize: 20 }, URL)).toThrow(
      expect.objectContaining({ reason: 'INVALID_PAGE' }),
    );
  });
});
