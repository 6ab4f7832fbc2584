import { commandOf, type Pressed, SHORTCUTS } from './keys';

const press = (to: Partial<Pressed>): Pressed => ({
  key: '',
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  inField: true,
  ...to,
});

it('Enter and Tab go from field to field, and nowhere else', () => {
  expect(commandOf(press({ key: 'Enter', code: 'Enter' }))).toBe('nextNeeded');
  expect(commandOf(press({ key: 'Enter', shiftKey: true }))).toBe('previousNeeded');
  expect(commandOf(press({ key: 'Tab' }))).toBe('nextField');
  expect(commandOf(press({ key: 'Enter', inField: false }))).toBeUndefined();
  expect(commandOf(press({ key: 'Tab', inField: false }))).toBeUndefined();
});

it('confirms by Ctrl and by Cmd', () => {
  expect(commandOf(press({ key: 'Enter', ctrlKey: true }))).toBe('confirm');
  expect(commandOf(press({ key: 'Enter', metaKey: true, inField: false }))).toBe('confirm');
});

it('knows letters by their place when Alt changes what they write', () => {
  expect(commandOf(press({ key: 'π', code: 'KeyP', altKey: true }))).toBe('postpone');
});

it('leaves typing alone', () => {
  for (const key of ['a', 'Z', '?', '1', ' ']) expect(commandOf(press({ key }))).toBeUndefined();
  expect(commandOf(press({ key: '@', code: 'KeyQ', ctrlKey: true, altKey: true }))).toBeUndefined();
});

it('a key that is held down moves on, and decides nothing', () => {
  const hold = (to: Partial<Pressed>) => commandOf(press({ ...to, repeat: true }));
  expect(hold({ key: 'Tab' })).toBe('nextField');
  expect(hold({ code: 'KeyZ', ctrlKey: true })).toBe('undo');
  expect(hold({ key: 'Enter' })).toBeNull();
  expect(hold({ key: 'Enter', ctrlKey: true })).toBeNull();
  expect(hold({ key: 'Enter', inField: false })).toBeNull();
  expect(hold({ code: 'KeyP', altKey: true })).toBeNull();
  expect(hold({ key: 'Escape' })).toBeNull();
  expect(hold({ key: 'a' })).toBeUndefined();
});

it('has every command once', () => {
  const commands = SHORTCUTS.map(({ command }) => command);
  expect(new Set(commands).size).toBe(commands.length);
});
