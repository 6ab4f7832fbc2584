import type { IncomingMessage } from 'node:http';
import { systemCaller } from '@intake/rpc';
import { apiUrls } from '@intake/urls';
import { cutPage, listRoute } from './list-route';
import { ids, text, times } from './request/filters';
import { ApiRequest } from './route';

const ROWS = Array.from({ length: 45 }, (_, i) => ({ id: i + 1 }));
const asked: unknown[] = [];

const list = listRoute('/things', {
  allow: 'readConfiguration',
  filters: { id: ids, name: text, created_at: times },
  unavailable: ['colour'],
  orderings: ['id'],
  fetch: async (wanted) => {
    asked.push(wanted);
    return cutPage(ROWS, wanted);
  },
  toJson: ({ id }, urls) => ({ id, url: urls.at(`things/${id}`), name: 'n' }),
});

const get = async (search: string) => {
  const request = new ApiRequest({} as IncomingMessage, '/things', search, {}, undefined, apiUrls('http://h/api'));
  const result = await list.call(request, systemCaller('test'));
  return (list.reply as (result: unknown, request: ApiRequest) => unknown)(result, request);
};

it('asks for what the query says and answers a page of it', async () => {
  expect(await get('id=1,2&name=x&created_at_after=2024-01-01&ordering=-id,odd&page=3&odd=1&fields!=name')).toEqual({
    pagination: {
      total: 45,
      total_pages: 3,
      next: null,
      previous:
        'http://h/api/v1/things?id=1%2C2&name=x&created_at_after=2024-01-01&ordering=-id%2Codd&page=2&odd=1&fields%21=name',
    },
    results: ROWS.slice(40).map(({ id }) => ({ id, url: `http://h/api/v1/things/${id}` })),
  });
  expect(asked.at(-1)).toEqual({
    filters: { id: [1, 2], name: 'x', created_at: { after: new Date('2024-01-01'), before: undefined } },
    ordering: ['-id'],
    page: 3,
    pageSize: 20,
  });
});

it('refuses all that is wrong at once, and filters it cannot apply rather than ignoring them', async () => {
  const before = asked.length;
  await expect(get('id=x&created_at_before=soon&colour=red')).rejects.toMatchObject({
    fields: {
      id: ['Enter a valid value.'],
      created_at_before: ['Enter a valid date/time.'],
      colour: ['Filtering by this is not available.'],
    },
  });
  expect(asked).toHaveLength(before);
});

it('has no page beyond the last', async () => {
  await expect(get('page=4')).rejects.toMatchObject({ reason: 'INVALID_PAGE' });
});
