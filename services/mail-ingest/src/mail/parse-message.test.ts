import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedMessage, parseMessage } from './parse-message';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'intake-parse-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parse = (...lines: string[]): Promise<ParsedMessage> => {
  const raw = join(folder, 'raw');
  writeFileSync(raw, lines.join('\r\n'), 'latin1');
  return parseMessage(raw, folder);
};
const part = (headers: string[], body: string) => ['--B', ...headers, '', body];
const mixed = (...parts: string[][]) =>
  parse('From: a@b.c', 'Content-Type: multipart/mixed; boundary=B', '', ...parts.flat(), '--B--', '');
const base64 = (text: string) => Buffer.from(text).toString('base64');

it('reads headers, decoded to Unicode', async () => {
  const message = await parse(
    'From: =?utf-8?q?J=C3=BCrgen?= <Sales@Example.com>',
    'To: "Office, Main" <office@example.org>, second@example.org',
    'Cc: Group: one@example.org, two@example.org;',
    'Reply-To: reply@example.com',
    'Subject: =?iso-8859-1?q?Rechnung_N=B0?=',
    ' 7',
    'Message-ID: <id-1@example.com>',
    'Date: Fri, 15 Mar 2024 10:00:00 +0100 (CET)',
    '',
    'Hello.',
  );
  expect(message).toMatchObject({
    subject: 'Rechnung N° 7',
    from: { email: 'Sales@Example.com', name: 'Jürgen' },
    to: [
      { email: 'office@example.org', name: 'Office, Main' },
      { email: 'second@example.org', name: '' },
    ],
    cc: [
      { email: 'one@example.org', name: '' },
      { email: 'two@example.org', name: '' },
    ],
    messageId: 'id-1@example.com',
    textPlain: expect.stringMatching(/^Hello\.\s*$/),
    textHtml: '',
    attachments: [],
  });
  expect(message.headers).toMatchObject({
    'reply-to': 'reply@example.com',
    'message-id': 'id-1@example.com',
    date: 'Fri, 15 Mar 2024 10:00:00 +0100 (CET)',
    subject: 'Rechnung N° 7',
  });
  expect(message.headers.from).toContain('Jürgen');
});

it('derives the text of an HTML mail from its HTML', async () => {
  const message = await parse(
    'From: a@b.c',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>One</p><p>Two &amp; three</p>',
  );
  expect(message.textHtml).toContain('<p>One</p>');
  expect(message.textPlain).toBe('One\nTwo & three');
});

it('writes attachments out and finds their types by content', async () => {
  const pdf = '%PDF-1.4 something';
  const { attachments, textPlain } = await mixed(
    part(['Content-Type: text/plain'], 'The invoice is attached.'),
    part(
      [
        'Content-Type: application/octet-stream',
        "Content-Disposition: attachment; filename*=utf-8''..%2Frechnung%20%C3%A4.pdf",
        'Content-Transfer-Encoding: base64',
      ],
      base64(pdf),
    ),
    part(['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64'], base64(`${pdf} 2`)),
  );
  expect(textPlain).toContain('The invoice is attached.');
  expect(attachments).toEqual([
    {
      path: expect.stringContaining(folder),
      fileName: 'rechnung ä.pdf',
      mimeType: 'application/pdf',
      size: pdf.length,
      sha256: createHash('sha256').update(pdf).digest('hex'),
    },
    expect.objectContaining({ fileName: 'attachment-2.pdf', mimeType: 'application/pdf', size: pdf.length + 2 }),
  ]);
  expect(readFileSync(attachments[0]?.path ?? '', 'utf8')).toBe(pdf);
});

it('refuses more than 100 parts', async () => {
  const many = Array.from({ length: 101 }, (_, i) => part([`Content-Disposition: attachment; filename=${i}.txt`], 'x'));
  await expect(mixed(...many)).rejects.toMatchObject({ name: 'TooManyParts' });
  expect((await mixed(...many.slice(1))).attachments).toHaveLength(100);
});

it.each([
  ['', ''],
  ['no header at all', ''],
  [`Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n${'--B\r\n'.repeat(50)}`, ''],
])('reads what there is of %j', async (raw) => {
  expect(await parse(raw)).toMatchObject({ subject: '', attachments: [] });
});
