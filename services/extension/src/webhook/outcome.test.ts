import { OutgoingError, type OutgoingReason } from '@intake/untrusted';
import { readFailure, readOutcome } from './outcome';

const answer = (status: number, text = '', headers = {}) => ({ status, headers, body: Buffer.from(text) });
const used = { expectsJson: true, mayPoll: false };

describe('the answer of a webhook', () => {
  it.each([
    [200, '{"messages": []}', { messages: [] }],
    [200, '\uFEFF{"messages": []}\n', { messages: [] }],
    [204, '', {}],
    [299, ' \n', {}],
  ])('%i with "%s" is an answer', (status, text, body) => {
    expect(readOutcome(answer(status, text), used)).toMatchObject({ kind: 'answered', status, body, message: '' });
  });

  it.each(['ok', '[1]', '"text"', 'null', '<html>'])('%s is none, where it is used', (text) => {
    expect(readOutcome(answer(200, text), used)).toMatchObject({ kind: 'failed', retryable: false });
    expect(readOutcome(answer(200, text), { ...used, expectsJson: false })).toMatchObject({ kind: 'answered' });
  });

  it.each([
    [408, true],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [504, true],
    [400, false],
    [404, false],
    [410, false],
    [501, false],
    [301, false],
    [307, false],
  ])('%i fails; worth another attempt: %s', (status, retryable) => {
    const outcome = readOutcome(answer(status, '{"messages": []}', { location: 'http://elsewhere/' }), used);
    expect(outcome).toMatchObject({ kind: 'failed', status, retryable, body: { messages: [] } });
    expect(readOutcome(answer(status), { ...used, retryOnAnyNon2xx: true }).retryable).toBe(true);
  });

  it('is asked for later only where nobody waits for it', () => {
    const later = answer(202, '', { location: '/jobs/1' });
    expect(readOutcome(later, { ...used, mayPoll: true })).toMatchObject({ kind: 'accepted', location: '/jobs/1' });
    expect(readOutcome(later, used)).toMatchObject({ kind: 'failed', retryable: false });
    expect(readOutcome(later, { expectsJson: false, mayPoll: false })).toMatchObject({ kind: 'answered', message: '' });
    expect(readOutcome(answer(202), { ...used, mayPoll: true })).toMatchObject({ kind: 'answered' });
  });

  it('may ask to be left alone for a while', () => {
    expect(readOutcome(answer(429, '', { 'retry-after': '120' }), used).retryAfterMs).toBe(120_000);
    expect(readOutcome(answer(503, '', { 'retry-after': '999999999' }), used).retryAfterMs).toBe(3_600_000);
    expect(readOutcome(answer(503, '', { 'retry-after': 'soon' }), used).retryAfterMs).toBeUndefined();
  });
});

it.each<[OutgoingReason, boolean]>([
  ['TIMEOUT', true],
  ['UNREACHABLE', true],
  ['UNKNOWN_NAME', true],
  ['TLS_FAILED', true],
  ['BROKEN_ANSWER', true],
  ['REFUSED_ADDRESS', false],
  ['INVALID_REQUEST', false],
  ['TOO_LARGE', false],
])('no answer: %s; worth another attempt: %s', (reason, retryable) => {
  expect(readFailure(new OutgoingError(reason, 'what happened'))).toMatchObject({
    kind: 'failed',
    message: 'what happened',
    retryable,
  });
});
