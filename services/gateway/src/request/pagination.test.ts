import { paginate, readPage } from './pagination';
import { Query } from './query';

const URL = 'http://host/api/v1/queues';
const at = (text: string, total: number, maximum?: number) => {
  const query = new Query(text);
  return paginate(query, readPage(query, maximum), total, URL);
};

it('is one page of nothing', () => {
  expect(at('', 0)).toEqual({ total: 0, total_pages: 1, next: null, previous: null });
});

it('keeps every parameter in next and previous', () => {
  expect(at('page_size=10&status=a&page=2&x=', 25)).toEqual({
    total: 25,
    total_pages: 3,
    next: `${URL}?page_size=10&status=a&page=3&x=`,
    previous: `${URL}?page_size=10&status=a&page=1&x=`,
  });
  expect(at('', 21).next).toBe(`${URL}?page=2`);
  expect(at('page=2', 21).next).toBeNull();
});

it.each([
  ['', 20],
  ['page_size=1', 1],
  ['page_size=100', 100],
  ['page_size=101', 100],
  ['page_size=99999999999', 100],
  [`page_size=${'9'.repeat(400)}`, 100],
  ['page_size=0', 20],
  ['page_size=-5', 20],
  ['page_size=x', 20],
  ['page_size=', 20],
])('reads the size of a page from %j', (text, pageSize) => {
  expect(readPage(new Query(text)).pageSize).toBe(pageSize);
});

it('has another maximum where a list says so', () => {
  expect(readPage(new Query('page_size=5000'), 1000).pageSize).toBe(1000);
});

it.each(['page=0', 'page=-1', 'page=x', 'page=1.5', 'page=99999999999999', 'page=3'])('has no %s', (text) => {
  expect(() => at(text, 40)).toThrow(expect.objectContaining({ reason: 'INVALID_PAGE', detail: 'Invalid page.' }));
});
