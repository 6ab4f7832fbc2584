import type { ParsedAttachment, ParsedMessage } from '../mail/parse-message';
import { cutToBytes, sortAttachments, valuesOf } from './read-email';

const MB = 1024 * 1024;
const attachment = (more: Partial<ParsedAttachment>): ParsedAttachment => ({
  path: '/x',
  fileName: 'a.pdf',
  mimeType: 'application/pdf',
  size: 1,
  sha256: more.fileName ?? 'a.pdf',
  ...more,
});
const accepts = (type: string) => type === 'application/pdf';

describe('attachments', () => {
  it('are taken when the queue accepts them, in order', () => {
    const { taken, leftOut } = sortAttachments([attachment({ fileName: 'b' }), attachment({ fileName: 'a' })], accepts);
    expect(taken.map((one) => one.fileName)).toEqual(['b', 'a']);
    expect(leftOut).toEqual([]);
  });
  it.each([
    ['of another type', { mimeType: 'text/plain' }, 'filtered_by_queue_mime_type'],
    ['that are empty', { size: 0 }, 'filtered_by_inbox_size'],
    ['above 40 MB', { size: 40 * MB + 1 }, 'filtered_by_inbox_size'],
  ])('%s are left out with the reason', (_, more, status) => {
    const { taken, leftOut } = sortAttachments([attachment(more)], accepts);
    expect(taken).toEqual([]);
    expect(leftOut).toMatchObject([{ fileName: 'a.pdf', status }]);
  });
  it('of 40 MB together are taken, what comes on top is not', () => {
    const sizes = [30 * MB, 10 * MB, 1];
    const { taken, leftOut } = sortAttachments(
      sizes.map((size, i) => attachment({ size, fileName: String(i) })),
      accepts,
    );
    expect(taken.map((one) => one.fileName)).toEqual(['0', '1']);
    expect(leftOut.map((one) => one.fileName)).toEqual(['2']);
  });
  it('with the same bytes are taken once', () => {
    const twice = [attachment({ sha256: 's' }), attachment({ sha256: 's', fileName: 'copy.pdf' })];
    const { taken, leftOut } = sortAttachments(twice, accepts);
    expect(taken).toHaveLength(1);
    expect(leftOut).toMatchObject([{ fileName: 'copy.pdf', status: '' }]);
  });
});

it.each([
  ['plain', 10, 'plain'],
  ['ää', 3, 'ä'],
  ['a€b', 4, 'a€'],
  ['a€b', 3, 'a'],
  ['😀', 3, ''],
])('%j cut to %d bytes is %j', (text, limit, cut) => {
  expect(cutToBytes(text, limit)).toBe(cut);
});

it('makes values of headers and bodies, without empty ones, cut to the length of a value', () => {
  const message = {
    headers: { from: 'a@b.c', subject: '', date: 'today' },
    textPlain: '😀'.repeat(2000),
    textHtml: '',
  } as unknown as ParsedMessage;
  expect(valuesOf(message)).toEqual({
    'email_header:from': 'a@b.c',
    'email_header:date': 'today',
    'email_body:text_plain': '😀'.repeat(1500),
  });
});
