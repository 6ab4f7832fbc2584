import { parseTime, Query } from './query';

const fieldsOf = (task: () => unknown) => {
  try {
    task();
  } catch (error) {
    return (error as { fields?: unknown }).fields;
  }
  return undefined;
};

it('takes an empty value as not given, and the last of several', () => {
  const query = new Query('ordering=&status=&id=&a=1&a=2');
  expect([query.has('ordering'), query.list('status'), query.ids('id'), query.get('a')]).toEqual([false, [], [], '2']);
});

it('takes repeated parameters and commas as several values', () => {
  expect(new Query('users=1&users=2,3&users=').ids('users')).toEqual([1, 2, 3]);
});

it('knows every spelling of yes and no', () => {
  for (const value of ['true', 'True', '1', 't', 'yes', 'on']) expect(new Query(`a=${value}`).boolean('a')).toBe(true);
  for (const value of ['false', 'FALSE', '0', 'f', 'no', 'off']) {
    expect(new Query(`a=${value}`).boolean('a')).toBe(false);
  }
  expect(new Query('').boolean('a')).toBeUndefined();
});

it('refuses everything that is wrong at once', () => {
  const query = new Query('id=1,x&status=new,odd&created_at_after=soon&automated=maybe&queue=-1');
  query.ids('id');
  query.ids('queue');
  query.choices('status', ['new', 'old']);
  query.timeRange('created_at');
  query.boolean('automated');
  expect(fieldsOf(() => query.check())).toEqual({
    id: ['Enter a valid value.'],
    queue: ['Enter a valid value.'],
    status: ['Select a valid choice. odd is not one of the available choices.'],
    created_at_after: ['Enter a valid date/time.'],
    automated: ['Must be a valid boolean.'],
  });
});

it('drops unsupported ordering keys and keeps the direction of the others', () => {
  expect(new Query('ordering=-id,nix,,name').ordering((key) => key !== 'nix')).toEqual(['-id', 'name']);
});

it('refuses more ordering keys than a list is sorted by', () => {
  const keys = Array.from({ length: 11 }, (_, i) => `key${i}`);
  const query = new Query(`ordering=${keys}`);
  expect(query.ordering((key) => key !== 'key0')).toHaveLength(10);
  expect(() => query.check()).not.toThrow();
  query.ordering(() => true);
  expect(() => query.check()).toThrow('INVALID');
});

it('keeps all parameters but the ones that change', () => {
  const query = new Query('status=a,b&page=2&q=x%20y&q=z');
  expect(query.with({ page: '3' })).toBe('status=a%2Cb&page=3&q=x+y&q=z');
  expect(query.with({ page: undefined })).toBe('status=a%2Cb&q=x+y&q=z');
});

it.each([
  ['2019-11-14', '2019-11-14T00:00:00.000Z'],
  ['2019-11-14 12:00:00', '2019-11-14T12:00:00.000Z'],
  ['2019-11-14T12:00:00Z', '2019-11-14T12:00:00.000Z'],
  ['2019-11-14T12:00:00.123456Z', '2019-11-14T12:00:00.123Z'],
  ['2019-11-14T12:00:00+02:00', '2019-11-14T10:00:00.000Z'],
  ['2019-11-14T12:00:00 02:00', '2019-11-14T10:00:00.000Z'],
  ['2019-11-14T12:00:00-0130', '2019-11-14T13:30:00.000Z'],
  ['2019-11-14T12:30', '2019-11-14T12:30:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('reads the time %s', (text, iso) => {
  expect(parseTime(text)?.toISOString()).toBe(iso);
});

it.each([
  '',
  'soon',
  '2019',
  '2019-13-01',
  '2019-00-01',
  '2023-02-29',
  '2019-11-31',
  '14.11.2019',
  '2019-11-14T25:00:00',
])('does not take %j for a time', (text) => {
  expect(parseTime(text)).toBeNull();
});
