import {
  collectProblems,
  findEmailProblem,
  findPasswordProblem,
  findTextProblem,
  isUsable,
  toUsernameKey,
} from './user';

it('compares user names with an @ regardless of case, others exactly', () => {
  expect(toUsernameKey('Jan.Novak@Example.com')).toBe('jan.novak@example.com');
  expect(toUsernameKey('JanNovak')).toBe('JanNovak');
});

it.each([
  ['', 'This field may not be blank.'],
  ['  ', 'This field may not be blank.'],
  ['x'.repeat(256), 'Ensure this field has no more than 255 characters.'],
  ['😀'.repeat(255), null],
  ['Jan', null],
])('text %#', (text, problem) => expect(findTextProblem(text)).toBe(problem));

it.each([
  ['', 'This field may not be blank.'],
  ['nobody', 'Enter a valid email address.'],
  ['a b@example.com', 'Enter a valid email address.'],
  ['a@b@c', 'Enter a valid email address.'],
  ['admin@localhost', null],
])('e-mail address %j', (email, problem) => expect(findEmailProblem(email)).toBe(problem));

it('asks for eight characters of a password', () => {
  expect(findPasswordProblem('1234567')).toMatch(/at least 8 characters/);
  expect(findPasswordProblem('12345678')).toBeNull();
});

it('keeps the fields that have a problem', () => {
  expect(collectProblems({ name: 'wrong', email: null })).toEqual({ name: ['wrong'] });
  expect(collectProblems({ name: null })).toBeNull();
});

it.each([
  [true, false, true],
  [false, false, false],
  [true, true, false],
])('active %s, deleted %s: usable %s', (isActive, deleted, usable) => {
  expect(isUsable({ isActive, deleted })).toBe(usable);
});
