import { createConnectionLimits, MAX_CONNECTION_MS, MAX_REFUSED_RECIPIENTS } from './connection-limits';

const connection = (id: string, remoteAddress = '192.0.2.1') => ({ id, remoteAddress });

it('an address gets so many connections at the same time, whoever else there is', () => {
  const limits = createConnectionLimits(2);
  expect(['a', 'b', 'c'].map((id) => limits.open(connection(id)))).toEqual([true, true, false]);
  expect(limits.open(connection('d', '192.0.2.2'))).toBe(true);
  limits.close(connection('c'));
  limits.close(connection('a'));
  expect(limits.open(connection('e'))).toBe(true);
});

it('a connection gets so many refused recipients', () => {
  const limits = createConnectionLimits(2);
  limits.open(connection('a'));
  limits.open(connection('b'));
  const answers = Array.from({ length: MAX_REFUSED_RECIPIENTS }, () => limits.refuseRecipient(connection('a')));
  expect(answers.indexOf(true)).toBe(MAX_REFUSED_RECIPIENTS - 1);
  expect(limits.refuseRecipient(connection('b'))).toBe(false);
});

it('a connection lives for half an hour', () => {
  const limits = createConnectionLimits(2);
  limits.open(connection('a'));
  expect(limits.findOld(Date.now() + MAX_CONNECTION_MS - 1000)).toEqual([]);
  expect(limits.findOld(Date.now() + MAX_CONNECTION_MS + 1000)).toEqual(['a']);
});
