import { invalidField, Refusal } from '@intake/rpc';
import { toErrorReply } from './errors';

it('shows field errors as they are', () => {
  expect(toErrorReply(invalidField('name', 'This field is required.'), 'id')).toEqual({
    status: 400,
    headers: {},
    body: { name: ['This field is required.'] },
  });
});

it('shows every other refusal as detail and code, with what it carries', () => {
  const refusal = new Refusal('INVALID_ANNOTATION', { extra: { messages: [] }, cause: 'secret' });
  expect(toErrorReply(refusal, 'id')).toEqual({
    status: 400,
    headers: {},
    body: { detail: 'Annotation contains validation errors.', code: 'bad_request', messages: [] },
  });
});

it('tells the client nothing of an unknown error but the id under which the log has it', () => {
  expect(toErrorReply(new TypeError('password is hunter2'), '4711')).toEqual({
    status: 500,
    headers: {},
    body: { detail: 'Server error.', code: 'error', request_id: '4711' },
  });
});

it('says how to authenticate and when to come again', () => {
  expect(toErrorReply(new Refusal('INVALID_TOKEN'), 'id').headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
  expect(toErrorReply(new Refusal('INVALID_BASIC_AUTH'), 'id', true).headers).toEqual({
    'WWW-Authenticate': 'Bearer, Basic realm="api"',
  });
  expect(toErrorReply(new Refusal('SERVICE_UNAVAILABLE'), 'id')).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
  });
});
