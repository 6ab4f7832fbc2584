import { createPasswords, type Passwords } from './password';

let now = 0;
let passwords: Passwords;
let stored: string;

beforeAll(async () => {
  passwords = await createPasswords(() => now);
  stored = await passwords.hash('correct horse');
});

/** Shortest of five runs in milliseconds: what the machine does beside does not count. */
async function timeOf(task: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    await task();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

it('hashes by argon2id with 19 MiB and two passes, salted', async () => {
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.hash('correct horse')).not.toBe(stored);
});

it.each(['verify', 'verifyAgain'] as const)('%s tells the right password from others', async (method) => {
  expect(await passwords[method](stored, 'correct horse')).toBe(true);
  expect(await passwords[method](stored, 'Correct horse')).toBe(false);
  expect(await passwords[method](stored, '')).toBe(false);
  expect(await passwords[method](null, 'correct horse')).toBe(false);
});

it('takes as long for nobody as for a wrong password', async () => {
  const wrong = await timeOf(() => passwords.verify(stored, 'wrong'));
  const nobody = await timeOf(() => passwords.verify(null, 'wrong'));
  expect(nobody).toBeGreaterThan(wrong * 0.5);
  expect(nobody).toBeLessThan(wrong * 2);
});

it('remembers a right password for 30 seconds, and no wrong one', async () => {
  const computed = await timeOf(() => passwords.verify(stored, 'correct horse'));
  await passwords.verifyAgain(stored, 'correct horse');
  expect(await timeOf(() => passwords.verifyAgain(stored, 'correct horse'))).toBeLessThan(computed / 5);
  expect(await timeOf(() => passwords.verifyAgain(stored, 'wrong'))).toBeGreaterThan(computed / 2);
  const afterwards = await timeOf(() => {
    now += 30_001;
    return passwords.verifyAgain(stored, 'correct horse');
  });
  expect(afterwards).toBeGreaterThan(computed / 2);
});

it('does not accept a remembered password after it was changed', async () => {
  expect(await passwords.verifyAgain(stored, 'correct horse')).toBe(true);
  const changed = await passwords.hash('battery staple');
  expect(await passwords.verifyAgain(changed, 'correct horse')).toBe(false);
});
