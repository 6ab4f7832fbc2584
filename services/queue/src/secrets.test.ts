import { createVault } from './secrets';

it('opens and seals anew what a passphrase of before has sealed', () => {
  const old = createVault('old');
  const sealed = old.seal('secret');
  const vault = createVault('new', ['older', 'old']);
  expect(vault.open(sealed)).toBe('secret');
  const renewed = vault.reseal(sealed) as string;
  expect(createVault('new').open(renewed)).toBe('secret');
  expect(vault.reseal(renewed)).toBeNull();
  expect(() => old.open(renewed)).toThrow();
  expect(() => createVault('new', ['older']).reseal(sealed)).toThrow();
});

it('opens what it has sealed, and nothing else', () => {
  const vault = createVault('one');
  const value = { username: 'ž', list: [1, null] };
  const sealed = vault.seal(value);
  expect(vault.open(sealed)).toEqual(value);
  expect(sealed).not.toContain('username');
  expect(vault.seal(value)).not.toBe(sealed);
  expect(() => createVault('other').open(sealed)).toThrow();
  const changed = Buffer.from(sealed.slice(2), 'base64');
  changed[changed.length - 1]! ^= 1;
  expect(() => vault.open(`1.${changed.toString('base64')}`)).toThrow();
});
