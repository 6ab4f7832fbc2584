import { watchMessage } from './message-stream';

const watch = (...chunks: string[]) => {
  const watcher = watchMessage();
  for (const chunk of chunks) watcher.see(Buffer.from(chunk, 'latin1'));
  return watcher;
};

describe('message id', () => {
  it.each([
    ['Message-ID: <a@b>\r\n\r\nbody', 'a@b'],
    ['Subject: x\r\nmessage-id:\r\n <folded@b>\r\n\r\n', 'folded@b'],
    ['Message-ID: no-brackets@b\r\n\r\n', 'no-brackets@b'],
    ['Subject: x\r\n\r\nMessage-ID: <in-the-body@b>\r\n', ''],
    ['', ''],
  ])('of %j is %j', (message, id) => {
    expect(watch(message).messageId()).toBe(id);
  });
  it('is found when the header comes in pieces', () => {
    expect(watch('Message-', 'ID: <a', '@b>\r', '\n\r\nbody').messageId()).toBe('a@b');
  });
  it('is looked for in the first 64 kB only', () => {
    const far = `X: ${'x'.repeat(70_000)}\r\nMessage-ID: <far@b>\r\n\r\n`;
    expect(watch(far).messageId()).toBe('');
  });
});

describe('line ends', () => {
  it.each([
    ['a\r\nb\r\n', false],
    ['a\nb\r\n', true],
    ['\nb\r\n', true],
    ['a\rb\r\n', true],
    ['a\r\n\r\n.\r\n', false],
    ['a\r\r\n', true],
    ['ends with\r', true],
  ])('%j has a bare one: %s', (message, bare) => {
    expect(watch(message).hasBareLineEnd()).toBe(bare);
    expect(watch(...message).hasBareLineEnd()).toBe(bare);
  });
  it('counts bytes', () => {
    expect(watch('abc', 'de').size).toBe(5);
  });
});
