import { findMetadataProblem, findNameProblem, refuseProblems } from './fields';

it.each([
  ['', 'This field may not be blank.'],
  [' \t', 'This field may not be blank.'],
  ['😀'.repeat(255), null],
  ['x'.repeat(256), 'Ensure this field has no more than 255 characters.'],
])('name %#', (name, problem) => expect(findNameProblem(name)).toBe(problem));

it('limits metadata to 4096 bytes of compact JSON, counted in UTF-8', () => {
  const frame = JSON.stringify({ a: '' }).length;
  expect(findMetadataProblem(undefined)).toBeNull();
  expect(findMetadataProblem({ a: 'x'.repeat(4096 - frame) })).toBeNull();
  expect(findMetadataProblem({ a: 'x'.repeat(4097 - frame) })).toMatch(/4096 bytes/);
  expect(findMetadataProblem({ a: 'é'.repeat(2048) })).toMatch(/4096 bytes/);
});

it('names every field with a problem, and refuses nothing else', () => {
  expect(() => refuseProblems({ name: 'wrong', locale: null, schema: 'missing' })).toThrow(
    expect.objectContaining({ reason: 'INVALID', fields: { name: ['wrong'], schema: ['missing'] } }),
  );
  expect(() => refuseProblems({ name: null })).not.toThrow();
});
