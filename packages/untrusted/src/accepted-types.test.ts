import { acceptsMimeType } from './accepted-types';

describe('accepted types', () => {
  it.each([
    [['application/pdf'], 'application/pdf', true],
    [['application/pdf'], 'application/pdfx', false],
    [['image/*'], 'image/png', true],
    [['image/*'], 'imagex/png', false],
    [[' IMAGE/* '], 'image/jpeg', true],
    [['application/xml'], 'text/xml', true],
    [['text/xml'], 'text/plain', false],
    [[], 'application/pdf', false],
  ])('%j and %s: %s', (accepted, type, answer) => {
    expect(acceptsMimeType(accepted, type)).toBe(answer);
  });
});
