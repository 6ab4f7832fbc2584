import type { ParsedAttachment } from '../mail/parse-message';
import { judgeAttachments } from './attachment-rules';
import { type InboxRules, readInboxRules } from './inbox-rules';
import { senderProblemOf } from './sender-rules';
import { matchesWildcard } from './wildcard';

const MB = 1024 * 1024;
const rules = (filters: Record<string, unknown> = {}, notifications: Record<string, unknown> = {}): InboxRules =>
  readInboxRules(
    { email: 'in@example.org', filters, dmarcCheckAction: 'accept', emailNotifications: notifications },
    { name: 'Invoices', status: 'active' },
    (type) => type === 'application/pdf' || type.startsWith('image/'),
  );
const conditions = (more: Record<string, unknown>) =>
  rules({ document_rejection_conditions: { enabled: true, ...more } });
const attachment = (more: Partial<ParsedAttachment>): ParsedAttachment => ({
  ...{ path: '/x', fileName: 'a.pdf', mimeType: 'application/pdf', declaredType: 'application/pdf', size: 10 },
  ...{ sha256: more.fileName ?? 'a.pdf', image: null, isExecutable: false },
  ...more,
});
const picture = (width: number, height: number, more: Partial<ParsedAttachment> = {}) =>
  attachment({ fileName: 'a.png', mimeType: 'image/png', image: { width, height }, ...more });
const statusOf = (one: ParsedAttachment, by: InboxRules = rules()) => judgeAttachments([one], by)[0]?.status;

describe('patterns of senders', () => {
  it.each([
    ['a@b.c', 'A@B.C', true],
    ['*@example.org', 'me@example.org', true],
    ['*@example.org', 'me@example.org.evil', false],
    ['*@*.example.org', 'me@x.example.org', true],
    ['j?n@b.c', 'jan@b.c', true],
    ['j?n@b.c', 'jn@b.c', false],
    ['*', '', true],
    ['', '', true],
    ['a.c', 'abc', false],
  ])('%j matches %j: %s', (pattern, text, matches) => {
    expect(matchesWildcard(pattern, text)).toBe(matches);
  });
  it('take no longer than pattern times text', () => {
    const started = Date.now();
    expect(matchesWildcard(`${'a*'.repeat(150)}b`, 'a'.repeat(2000))).toBe(false);
    expect(Date.now() - started).toBeLessThan(1000);
  });
});

it.each([
  [{}, 'a@b.c', ''],
  [{ denied_senders: ['*@b.c'] }, 'a@b.c', 'The sender is denied by the inbox.'],
  [{ allowed_senders: ['*@b.c'] }, 'a@b.c', ''],
  [{ allowed_senders: ['*@b.c'] }, 'a@other.c', 'The sender is not allowed by the inbox.'],
  [{ allowed_senders: ['*'], denied_senders: ['a@*'] }, 'a@b.c', 'The sender is denied by the inbox.'],
])('filters %j say of %s: %j', (filters, sender, problem) => {
  expect(senderProblemOf(rules(filters), sender)).toBe(problem);
});

describe('attachments', () => {
  it.each([
    [{ mimeType: 'text/plain' }, 'The queue does not take text/plain.'],
    [{ mimeType: 'application/octet-stream', fileName: 'Winmail.dat' }, /^Outlook has packed the attachments/],
    [{ mimeType: 'application/ms-tnef' }, /^Outlook has packed the attachments/],
    [{ mimeType: 'application/vnd.ms-outlook' }, /^The e-mail that Outlook stored/],
    [{ mimeType: 'application/x-pkcs7-mime' }, /^The e-mail is encrypted/],
    [{ mimeType: 'text/plain', fileName: 'encrypted.asc' }, /^The e-mail is encrypted/],
  ])('%j: the reason is %s', (more, reason) => {
    const [verdict] = judgeAttachments([attachment(more)], rules());
    expect(verdict).toEqual({ status: 'filtered_by_queue_mime_type', reason: expect.stringMatching(reason) });
  });

  it.each([
    ['a PDF', attachment({}), 'processed'],
    [
      'a program by name',
      attachment({ fileName: 'a.exe', mimeType: 'application/pdf' }),
      'filtered_by_insecure_mime_type',
    ],
    [
      'a script by declared type',
      attachment({ declaredType: 'application/x-msdownload' }),
      'filtered_by_insecure_mime_type',
    ],
    ['a program by content', attachment({ isExecutable: true }), 'filtered_by_insecure_mime_type'],
    ['a broken image', attachment({ mimeType: 'image/png', image: 'broken' }), 'broken_image'],
    ['an image of 100 x 100', picture(100, 100), 'filtered_by_inbox_resolution'],
    ['an image of 101 x 100', picture(101, 100), 'processed'],
    ['a type that the queue does not take', attachment({ mimeType: 'text/plain' }), 'filtered_by_queue_mime_type'],
    ['an empty file', attachment({ size: 0 }), 'filtered_by_inbox_size'],
    ['a file of 40 MB', attachment({ size: 40 * MB }), 'processed'],
    ['a larger file', attachment({ size: 40 * MB + 1 }), 'filtered_by_inbox_size'],
  ])('%s: %s', (_, one, status) => {
    expect(statusOf(one)).toBe(status);
  });

  it.each([
    [{ resolution_lower_than_px: [1200, 600] }, picture(1199, 599), 'filtered_by_inbox_resolution'],
    [{ resolution_lower_than_px: [1200, 600] }, picture(1199, 600), 'processed'],
    [{ resolution_lower_than_px: [1200, 600], enabled: false }, picture(1199, 599), 'processed'],
    [{ file_size_less_than_b: 11 }, attachment({}), 'filtered_by_inbox_size'],
    [{ file_size_less_than_b: 10 }, attachment({}), 'processed'],
    [{ mime_types: ['application/pdf'] }, attachment({}), 'filtered_by_inbox_mime_type'],
    [{ mime_types: ['image/*'] }, picture(2000, 2000), 'filtered_by_inbox_mime_type'],
    [
      { file_name_regexes: ['^logo', 'sign'] },
      attachment({ fileName: 'my-signature.pdf' }),
      'filtered_by_inbox_file_name',
    ],
    [{ file_name_regexes: ['^logo'] }, attachment({ fileName: 'my-logo.pdf' }), 'processed'],
    [{ mime_types: null, file_name_regexes: null }, attachment({}), 'processed'],
  ])('conditions %j', (more, one, status) => {
    expect(statusOf(one, conditions(more))).toBe(status);
  });

  it('small images are taken where the inbox wants to hear of everything', () => {
    expect(statusOf(picture(50, 50), rules({}, { unprocessable_attachments: true }))).toBe('processed');
  });

  it('the first check counts', () => {
    const small = picture(10, 10, { fileName: 'a.exe', size: 1 });
    expect(statusOf(small, conditions({ file_size_less_than_b: 5, mime_types: ['image/png'] }))).toBe(
      'filtered_by_insecure_mime_type',
    );
    expect(statusOf({ ...small, fileName: 'a.png' }, conditions({ file_size_less_than_b: 5 }))).toBe(
      'filtered_by_inbox_resolution',
    );
  });

  it('archives that the queue takes are opened, whatever the inbox asks of documents', () => {
    const zip = attachment({ mimeType: 'application/zip', fileName: 'logos.zip' });
    const strict = conditions({
      mime_types: ['application/zip'],
      file_name_regexes: ['logo'],
      file_size_less_than_b: 99,
    });
    expect(statusOf(zip, { ...strict, accepts: () => true })).toBe('processed');
    expect(statusOf(zip, { ...strict, accepts: () => false })).toBe('filtered_by_inbox_size');
    expect(statusOf({ ...zip, fileName: 'a.exe' }, { ...strict, accepts: () => true })).toBe(
      'filtered_by_insecure_mime_type',
    );
  });

  it('with the same bytes are taken once', () => {
    const twice = [attachment({ sha256: 's' }), attachment({ sha256: 's', fileName: 'copy.pdf' })];
    expect(judgeAttachments(twice, rules()).map(({ status }) => status)).toEqual(['processed', '']);
    const [first, copy] = [attachment({ sha256: 's', fileName: 'terms.pdf' }), attachment({ sha256: 's' })];
    const noTerms = conditions({ file_name_regexes: ['terms'] });
    expect(judgeAttachments([first, copy, copy], noTerms).map(({ status }) => status)).toEqual([
      'filtered_by_inbox_file_name',
      'processed',
      '',
    ]);
  });

  it('of 40 MB together are taken, what comes on top is not', () => {
    const files = [30 * MB, 10 * MB, 1].map((size, i) => attachment({ size, fileName: String(i) }));
    expect(judgeAttachments(files, rules()).map(({ status }) => status)).toEqual([
      'processed',
      'processed',
      'filtered_by_inbox_size',
    ]);
  });

  it('that are left out have a reason for people', () => {
    const [verdict] = judgeAttachments([picture(20, 30)], rules());
    expect(verdict?.reason).toBe('Small images (20 x 30 pixels) are ignored.');
  });
});
