import { readFields } from './fields';
import { Query } from './query';

const OBJECT = { id: 1, url: 'u', name: 'n' };

it('keeps what is named, or drops it', () => {
  expect(readFields(new Query('fields=id,name'))?.(OBJECT)).toEqual({ id: 1, name: 'n' });
  expect(readFields(new Query('fields!=id,unknown'))?.(OBJECT)).toEqual({ url: 'u', name: 'n' });
  expect(readFields(new Query('fields=nothing'))?.(OBJECT)).toEqual({});
});

it('does nothing when it is empty or not given', () => {
  expect([readFields(new Query('fields=')), readFields(new Query('a=b'))]).toEqual([null, null]);
});
