import type { ParsedMessage } from '../mail/parse-message';
import { completeAttachments } from './conclude-email';
import { cutToBytes, isAutomatic, valuesOf } from './read-email';

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

describe('mails of programs', () => {
  const none = { autoSubmitted: '', precedence: '', suppress: '', autoreply: '' };
  const automation = { ...none, loops: [] as string[], isReport: false };
  it.each([
    [{}, false],
    [{ autoSubmitted: 'no' }, false],
    [{ autoSubmitted: 'auto-replied' }, true],
    [{ autoSubmitted: 'auto-generated (vacation)' }, true],
    [{ precedence: 'Bulk' }, true],
    [{ precedence: 'list' }, true],
    [{ precedence: 'auto_reply' }, true],
    [{ precedence: 'first-class' }, false],
    [{ suppress: 'All' }, true],
    [{ suppress: 'DR, RN, NRN, OOF, AutoReply' }, true],
    [{ suppress: 'OOF' }, false],
    [{ autoreply: 'yes' }, true],
    [{ autoreply: 'no' }, false],
    [{ loops: ['other.org', 'Example.org'] }, true],
    [{ loops: ['other.org'] }, false],
    [{ isReport: true }, true],
  ])('%j: %s', (more, automatic) => {
    const message = { automation: { ...automation, ...more }, from: null };
    expect(isAutomatic(message, 'example.org')).toBe(automatic);
  });
  it.each([
    ['MAILER-DAEMON@mx.example.net', true],
    ['mailer@example.net', false],
  ])('from %s: %s', (email, automatic) => {
    expect(isAutomatic({ automation, from: { email, name: '' } }, 'example.org')).toBe(automatic);
  });
});

it('what became of archives and their members completes the record', () => {
  const attachment = (documentId: number, fileName: string) => ({
    ...{ documentId, fileName, mimeType: 'application/zip', size: 1, status: 'processed', reason: '' },
  });
  const document = (id: number, attachmentStatus: string, originalFileName = 'x', message = '') =>
    ({ id, attachmentStatus, originalFileName, mimeType: 'text/plain', size: 2, message }) as never;
  const completed = completeAttachments({ attachments: [attachment(1, 'a.zip'), attachment(2, 'b.zip')] }, [
    document(
      1,
      'extracted_archive',
      'a.zip',
      'Left out: "x/y.pdf" (it is in a folder within the folder, and only one is opened).',
    ),
    document(2, 'password_protected_archive', 'b.zip', 'The archive is protected by a password.'),
    document(4, 'filtered_by_queue_mime_type', 'n.txt', 'The queue does not take text/plain.'),
    document(3, 'processed', 'm.pdf'),
  ]);
  expect(completed.map(({ documentId, status, reason }) => [documentId, status, reason])).toEqual([
    [1, 'extracted_archive', 'Left out: "x/y.pdf" (it is in a folder within the folder, and only one is opened).'],
    [2, 'password_protected_archive', 'The archive is protected by a password.'],
    [3, 'processed', ''],
    [4, 'filtered_by_queue_mime_type', 'The queue does not take text/plain.'],
  ]);
});
