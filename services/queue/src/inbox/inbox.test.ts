import { findPrefixProblem, makeAddress } from './inbox';

it.each([
  ['invoices', null],
  ['East.West_2+x-y', null],
  ['x'.repeat(57), null],
  ['', 'This field is required.'],
  ['x'.repeat(58), 'Ensure this field has no more than 57 characters.'],
  ['with space', 'Enter a valid email prefix.'],
  ['at@sign', 'Enter a valid email prefix.'],
  ['háček', 'Enter a valid email prefix.'],
  ['.dot', 'Enter a valid email prefix.'],
  ['two..dots', 'Enter a valid email prefix.'],
  ['line\nbreak', 'Enter a valid email prefix.'],
])('prefix %j', (prefix, problem) => expect(findPrefixProblem(prefix)).toBe(problem));

it('makes lower-case addresses of at most 64 characters before the @, each another', () => {
  const address = makeAddress('Invoices', 'mail.example.com');
  expect(address).toMatch(/^invoices-[0-9a-f]{6}@mail\.example\.com$/);
  expect(makeAddress('Invoices', 'mail.example.com')).not.toBe(address);
  expect(makeAddress('x'.repeat(57), 'localhost').split('@')[0]).toHaveLength(64);
});
