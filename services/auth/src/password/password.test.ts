import * as argon2 from '@node-rs/argon2';
import { createPasswords, type Passwords } from './password';

jest.mock('@node-rs/argon2', () => {
  const real = jest.requireActual('@node-rs/argon2');
  return { ...real, verify: jest.fn(real.verify) };
});

/** Every computation of argon2 that compares, which is the real one. */
const computed = jest.mocked(argon2.verify);

let now = 0;
let passwords: Passwords;
let stored: string;

beforeAll(async () => {
  passwords = await createPasswords(() => now);
  stored = await passwords.hash('correct horse');
});

beforeEach(() => computed.mockClear());

it('hashes by argon2id with 19 MiB and two passes, salted', async () => {
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.hash('correct horse')).not.toBe(stored);
});

it('tells the right password from others', async () => {
  expect(await passwords.verify(stored, 'correct horse')).toBe(true);
  expect(await passwords.verify(stored, 'Correct horse')).toBe(false);
  expect(await passwords.verify(stored, '')).toBe(false);
  expect(await passwords.verify(null, 'correct horse')).toBe(false);
});

it('computes the same for nobody as for a wrong password', async () => {
  await passwords.verify(stored, 'wrong');
  await passwords.verify(null, 'wrong');
  const costs = computed.mock.calls.map(([hash]) => String(hash).split('$').slice(0, 4));
  expect(costs).toEqual([
    ['', 'argon2id', 'v=19', 'm=19456,t=2,p=1'],
    ['', 'argon2id', 'v=19', 'm=19456,t=2,p=1'],
  ]);
});

it('remembers a right password for 30 seconds, and no wrong one', async () => {
  now += 30_001;
  expect(passwords.wasRight(stored, 'correct horse')).toBe(false);
  await passwords.verify(stored, 'correct horse');
  now += 29_999;
  expect(passwords.wasRight(stored, 'correct horse')).toBe(true);
  now += 1;
  expect(passwords.wasRight(stored, 'correct horse')).toBe(false);

  await passwords.verify(stored, 'wrong');
  await passwords.verify(null, 'wrong');
  expect([passwords.wasRight(stored, 'wrong'), passwords.wasRight(null, 'wrong')]).toEqual([false, false]);
});

it('does not accept a remembered password after it was changed', async () => {
  await passwords.verify(stored, 'correct horse');
  const changed = await passwords.hash('battery staple');
  expect(passwords.wasRight(changed, 'correct horse')).toBe(false);
});
