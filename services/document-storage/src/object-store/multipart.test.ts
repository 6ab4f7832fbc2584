import { createPart } from './multipart';

const MB = 1024 * 1024;

describe('part', () => {
  it('keeps what it is given, in order', () => {
    const part = createPart();
    for (const text of ['a', 'bc', '', 'def']) expect(part.add(Buffer.from(text))).toBe(text.length);
    expect(part.bytes().toString()).toBe('abcdef');
    expect(part.isFull()).toBe(false);
  });
  it('takes 5 MB and not a byte more', () => {
    const part = createPart();
    expect(part.add(Buffer.alloc(3 * MB, 1))).toBe(3 * MB);
    expect(part.add(Buffer.alloc(3 * MB, 2))).toBe(2 * MB);
    expect(part.isFull()).toBe(true);
    expect(part.add(Buffer.alloc(1))).toBe(0);
    expect(part.bytes().equals(Buffer.concat([Buffer.alloc(3 * MB, 1), Buffer.alloc(2 * MB, 2)]))).toBe(true);
  });
  it('is empty again after a reset', () => {
    const part = createPart();
    part.add(Buffer.from('old bytes'));
    part.reset();
    part.add(Buffer.from('new'));
    expect(part.bytes().toString()).toBe('new');
  });
});
