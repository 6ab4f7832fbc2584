import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOutlookMessage, type OutlookContent } from '@intake/testkit';
import sharp from 'sharp';
import { readOutlookMessage } from './outlook-message';
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
  expect(message.headers.from).toBe('Jürgen <Sales@Example.com>');
  expect(message.headers.to).toBe('"Office, Main" <office@example.org>, second@example.org');
});

it('reads headers whose bytes stand as they are, in UTF-8 or Windows-1252', async () => {
  const headers = (bytes: string) => parse(`From: J${bytes}rgen <j@b.c>`, `Subject: f${bytes}r Sie`, '', 'x');
  for (const bytes of ['\u00fc', Buffer.from('\u00fc').toString('latin1')]) {
    const message = await headers(bytes);
    expect(message).toMatchObject({ subject: 'f\u00fcr Sie', from: { email: 'j@b.c', name: 'J\u00fcrgen' } });
    expect(message.headers).toMatchObject({ from: 'J\u00fcrgen <j@b.c>', subject: 'f\u00fcr Sie' });
  }
  // A dash, whose byte is none of Latin-1.
  expect((await headers('\u0096')).subject).toBe('f–r Sie');
});

it('reads texts that do not say what their bytes are, in UTF-8 or Windows-1252', async () => {
  const utf8 = Buffer.from('für 5 €').toString('latin1');
  for (const charset of ['', '; charset=us-ascii', '; charset=x-unheard-of']) {
    for (const body of [utf8, 'f\u00fcr 5 \u0080']) {
      const { textPlain } = await parse('From: a@b.c', `Content-Type: text/plain${charset}`, '', body);
      expect(textPlain.trim()).toBe('für 5 €');
    }
  }
  // What says that it is UTF-8 is read so: a character that was cut off is one, and the others stay.
  const cut = await parse('From: a@b.c', 'Content-Type: text/plain; charset=utf-8', '', `${utf8}\u00c3`);
  expect(cut.textPlain.trim()).toBe('für 5 €\ufffd');
});

it('decodes parts whose encoding is named as it should not be', async () => {
  const pdf = '%PDF-1.4 something, with \u00fc';
  const bytes = Buffer.from(pdf, 'latin1');
  const length = String.fromCharCode(32 + bytes.length);
  const digits = [...bytes.toString('base64').replace(/=+$/, '')].map((digit) =>
    String.fromCharCode(32 + 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(digit)),
  );
  const uuencoded = ['begin 644 a.pdf', length + digits.join(''), '`', 'end'].join('\r\n');
  const encoded = (encoding: string, body: string) =>
    part(['Content-Type: application/pdf; name=a.pdf', `Content-Transfer-Encoding: ${encoding}`], body);
  const { attachments } = await mixed(
    encoded('x-uuencode', uuencoded),
    encoded('UUENCODE', uuencoded),
    encoded('x-uue', uuencoded),
    encoded('"base64"', bytes.toString('base64')),
    encoded('x-uuencode', pdf),
  );
  expect(attachments.map((one) => readFileSync(one.path, 'latin1').trim())).toEqual(Array(5).fill(pdf));
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
      fileName: '_rechnung ä.pdf',
      mimeType: 'application/pdf',
      declaredType: 'application/pdf',
      image: null,
      isExecutable: false,
      size: pdf.length,
      sha256: createHash('sha256').update(pdf).digest('hex'),
    },
    expect.objectContaining({ fileName: 'attachment-2.pdf', mimeType: 'application/pdf', size: pdf.length + 2 }),
  ]);
  expect(readFileSync(attachments[0]?.path ?? '', 'utf8')).toBe(pdf);
});

it('takes every text with a name for an attachment, but no form of the body', async () => {
  const named = (type: string, ...headers: string[]) => part([`Content-Type: ${type}; name="a b.x"`, ...headers], 'x');
  const inline = 'Content-Disposition: inline; filename="c.x"';
  const alternatives = [
    'Content-Type: multipart/alternative; boundary=C',
    '',
    '--C',
    'Content-Type: text/html; name=body.html',
  ];
  const message = await mixed(
    ['--B', ...alternatives, '', 'body', '--C--'],
    named('text/plain'),
    named('text/html', inline),
    part(['Content-Type: text/plain', inline, 'Content-Transfer-Encoding: base64'], base64('%PDF-1.4 x')),
    part(['Content-Type: text/plain', 'Content-Disposition: inline'], 'more'),
  );
  expect(message.attachments).toMatchObject([
    { fileName: 'a b.x', mimeType: 'text/plain' },
    { fileName: 'c.x', mimeType: 'text/html' },
    { fileName: 'c.x', mimeType: 'application/pdf' },
  ]);
  expect(message.textPlain).toMatch(/^more\s*$/);
  expect(message.textHtml).toContain('body');
});

it('takes no text without a name for an attachment, unless it is said to be one', async () => {
  const message = await mixed(
    part(['Content-Type: text/calendar; method=REQUEST'], 'BEGIN:VCALENDAR'),
    part(['Content-Type: application/pgp-encrypted'], 'Version: 1'),
    part(['Content-Type: text/rfc822-headers'], 'Subject: x'),
    part(['Content-Type: text/x-amp-html'], '<!doctype html><html></html>'),
    part(['Content-Type: text/calendar', 'Content-Disposition: attachment'], 'BEGIN:VCALENDAR'),
    part(['Content-Type: text/xml'], '<Invoice/>'),
    part(['Content-Type: application/octet-stream'], '%PDF-1.4 x'),
  );
  expect(message.attachments).toMatchObject([
    { mimeType: 'text/calendar' },
    { mimeType: 'text/xml' },
    { mimeType: 'application/pdf' },
  ]);
});

it('an image that is none is a broken image, whatever stands in it', async () => {
  const { attachments } = await mixed(
    part(['Content-Type: image/png', 'Content-Disposition: attachment; filename=scan/1.png'], 'This is no picture.'),
  );
  expect(attachments).toMatchObject([{ fileName: 'scan_1.png', mimeType: 'image/png', image: 'broken' }]);
});

it('reads none of the attachments of a message with more than 100 parts', async () => {
  const many = Array.from({ length: 101 }, (_, i) => part([`Content-Disposition: attachment; filename=${i}.txt`], 'x'));
  expect(await mixed(...many)).toMatchObject({
    from: { email: 'a@b.c' },
    attachments: [],
    problem: expect.stringMatching(/more than 100 parts/),
  });
  expect((await mixed(...many.slice(1))).attachments).toHaveLength(100);
});

describe('forwarded messages', () => {
  const pdfPart = part(['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64'], base64('%PDF-1.4 x'));
  const message = (depth: number): string[] => [
    'From: inner@b.c',
    'Subject: inner',
    'Content-Type: multipart/mixed; boundary=B',
    '',
    ...part(['Content-Type: text/plain'], 'inner text'),
    ...(depth === 1 ? pdfPart : part([`Content-Type: message/rfc822`], nested(depth - 1))),
    '--B--',
  ];
  const nested = (depth: number) => message(depth).join('\r\n').replace(/\bB\b/g, `B${depth}`);
  const forwarded = (depth: number, ...headers: string[]) =>
    mixed(
      part(['Content-Type: text/plain'], 'outer text'),
      part(['Content-Type: message/rfc822', ...headers], nested(depth)),
    );

  it.each([[[]], [['Content-Disposition: inline']], [['Content-Disposition: attachment; filename=f.eml']]])(
    'give their attachments (%j), not their text',
    async (headers) => {
      const { attachments, textPlain, subject } = await forwarded(1, ...headers);
      expect(attachments).toMatchObject([{ mimeType: 'application/pdf' }]);
      expect(textPlain.trim()).toBe('outer text');
      expect(subject).toBe('');
    },
  );
  it('are opened five deep', async () => {
    expect((await forwarded(5)).attachments).toHaveLength(1);
    expect(await forwarded(6)).toMatchObject({ attachments: [], problem: expect.stringMatching(/nested too deep/) });
  });
});

describe('a message that Outlook has stored', () => {
  const PDF = Buffer.from('%PDF-1.4 small');
  const LARGE = Buffer.concat([Buffer.from('%PDF-1.4 '), Buffer.alloc(70_000, 'x')]);
  const CONTENT: OutlookContent = {
    text: 'Fällig in 30 Tagen',
    files: [
      { filename: 'Größe.pdf', content: PDF },
      { filename: 'message', content: { text: 'inner', files: [{ filename: 'large.pdf', content: LARGE }] } },
    ],
  };
  const TYPE = 'application/vnd.ms-outlook; name=a.msg';
  const sent = (bytes: Buffer, type = TYPE, ...before: string[][]) =>
    mixed(...before, part([`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64'], bytes.toString('base64')));
  const storedIn = (depth: number): OutlookContent => ({
    files: [{ filename: 'x.pdf', content: depth === 1 ? PDF : storedIn(depth - 1) }],
  });

  it('comes in as attachments', async () => {
    for (const type of [TYPE, 'application/octet-stream; name=x']) {
      const own = part(['Content-Type: text/plain'], 'outer text');
      const { attachments, textPlain } = await sent(buildOutlookMessage(CONTENT), type, own);
      expect(textPlain.trim()).toBe('outer text');
      expect(attachments).toMatchObject([
        { fileName: 'Größe.pdf', mimeType: 'application/pdf', size: PDF.length },
        { fileName: 'large.pdf', mimeType: 'application/pdf', size: LARGE.length },
      ]);
      expect(readFileSync(attachments[0]?.path ?? '').equals(PDF)).toBe(true);
      expect(readFileSync(attachments[1]?.path ?? '').equals(LARGE)).toBe(true);
    }
  });

  it('is opened five deep, and counted like parts', async () => {
    expect((await sent(buildOutlookMessage(storedIn(5)))).attachments).toHaveLength(1);
    const deep = await sent(buildOutlookMessage(storedIn(6)));
    expect(deep).toMatchObject({ attachments: [], problem: expect.stringMatching(/nested too deep/) });
    const many = await sent(buildOutlookMessage({ files: Array(101).fill({ filename: 'a.pdf', content: PDF }) }));
    expect(many).toMatchObject({ attachments: [], problem: expect.stringMatching(/more than 100 parts/) });
  });

  it('stays an attachment when it is cut off', async () => {
    const { attachments } = await sent(buildOutlookMessage(CONTENT).subarray(0, 1500));
    expect(attachments).toMatchObject([{ size: 1500, mimeType: 'application/vnd.ms-outlook' }]);
  });

  it('does no harm when it is damaged', () => {
    const whole = buildOutlookMessage(CONTENT);
    // A generator of its own: the same damages each time.
    let state = 1;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 3000; round += 1) {
      const bytes = Buffer.from(whole);
      for (let i = random(6); i >= 0; i -= 1) {
        const near = random(2) === 0 ? random(600) : random(bytes.length);
        if (random(2) === 0) bytes[near] = random(256);
        else
          bytes.writeUInt32LE(
            [0, 1, 2, 0xffffffff, 0x7fffffff, random(200)][random(6)] ?? 0,
            near % (bytes.length - 4),
          );
      }
      let files: readonly { content: Buffer }[] = [];
      try {
        files = readOutlookMessage(bytes, 5) ?? [];
      } catch (error) {
        expect((error as Error).name).toBe('MessagesTooDeep');
      }
      expect(files.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(bytes.length);
    }
  });
});

it('opens messages with headers in UTF-8, which have a type of their own', async () => {
  const inner = ['From: a@b.c', 'Content-Type: application/pdf; name=a.pdf', '', '%PDF-1.4 x'].join('\r\n');
  const { attachments } = await mixed(part(['Content-Type: message/global'], inner));
  expect(attachments).toMatchObject([{ fileName: 'a.pdf', mimeType: 'application/pdf' }]);
});

it('takes no signature for an attachment', async () => {
  const { attachments } = await mixed(
    ...['pgp', 'pkcs7', 'x-pkcs7'].map((kind) =>
      part([`Content-Type: application/${kind}-signature; name=a.p7s`, 'Content-Disposition: attachment'], 'x'),
    ),
    part(['Content-Type: application/pdf; name=a.pdf'], '%PDF-1.4 x'),
  );
  expect(attachments).toMatchObject([{ fileName: 'a.pdf' }]);
});

it('opens the messages of a digest, which say no type', async () => {
  const inner = [
    'From: i@b.c',
    'Content-Type: application/pdf; name=inner.pdf',
    'Content-Transfer-Encoding: base64',
    '',
  ];
  const { attachments, textPlain } = await mixed(part([], 'The digest.'), [
    ...['--B', 'Content-Type: multipart/digest; boundary=D', '', '--D', '', ...inner, base64('%PDF-1.4 x')],
    ...['--D', '', 'From: j@b.c', '', 'only words', '--D--'],
  ]);
  expect(attachments).toMatchObject([{ fileName: 'inner.pdf', mimeType: 'application/pdf', size: 10 }]);
  expect(textPlain.trim()).toBe('The digest.');
});

describe('uuencoded files', () => {
  const encode = (bytes: Buffer) =>
    bytes
      .toString('latin1')
      .match(/[\s\S]{1,45}/g)
      ?.map((chunk) => {
        const padded = Buffer.concat([Buffer.from(chunk, 'latin1'), Buffer.alloc(2)]);
        const groups = Array.from({ length: Math.ceil(chunk.length / 3) }, (_, i) => padded.readUIntBE(i * 3, 3));
        const letters = groups.flatMap((bits) =>
          [18, 12, 6, 0].map((by) => String.fromCharCode(((bits >> by) & 63) + 32)),
        );
        return String.fromCharCode(chunk.length + 32) + letters.join('');
      }) ?? [];
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.4 '),
    Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256)),
  ]);

  it('in the text of a mail are attachments', async () => {
    const lines = encode(pdf);
    for (const written of [
      lines,
      lines.map((line) => line.trimEnd()),
      lines.map((line) => line.replaceAll(' ', '`')),
    ]) {
      const { attachments, textPlain } = await parse(
        ...['From: a@b.c', 'Content-Type: text/plain', '', 'Your invoice:', ''],
        ...['begin 644 invoice 1.pdf', ...written, '`', 'end', '', 'Regards'],
      );
      expect(attachments).toMatchObject([{ fileName: 'invoice 1.pdf', mimeType: 'application/pdf', size: pdf.length }]);
      expect(readFileSync(attachments[0]?.path ?? '').equals(pdf)).toBe(true);
      expect(textPlain.split(/\s+/).filter(Boolean)).toEqual(['Your', 'invoice:', 'Regards']);
    }
  });

  it.each([
    ['that do not end', ['begin 644 a.pdf', ...encode(pdf)]],
    ['that are words', ['begin 100 miles', 'from here, and', 'end']],
  ])('%s are text', async (_, lines) => {
    const { attachments, textPlain } = await parse('From: a@b.c', '', ...lines);
    expect(attachments).toEqual([]);
    expect(textPlain).toContain(lines[0]);
  });

  it('are at most a hundred', async () => {
    const file = (_: unknown, i: number) => ['begin 644 a', ...encode(Buffer.from(`${i}`)), '`', 'end'];
    const { attachments, textPlain } = await parse('From: a@b.c', '', ...Array.from({ length: 101 }, file).flat());
    expect([attachments.length, textPlain.match(/begin/g)]).toEqual([100, ['begin']]);
  });
});

describe('images', () => {
  const image = (bytes: Buffer, type: string) =>
    mixed(
      part(
        [
          `Content-Type: ${type}`,
          'Content-ID: <logo>',
          'Content-Disposition: inline',
          'Content-Transfer-Encoding: base64',
        ],
        bytes.toString('base64'),
      ),
    );
  it('are measured', async () => {
    const png = await sharp({ create: { width: 90, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect((await image(png, 'image/png')).attachments).toMatchObject([{ image: { width: 90, height: 30 } }]);
    const cut = png.subarray(0, png.length - 20);
    expect((await image(cut, 'image/png')).attachments).toMatchObject([{ image: 'broken' }]);
  });
});

it('says what the message answers, and what programs say of themselves', async () => {
  const message = await parse(
    'In-Reply-To: <b@x>',
    'References: <a@x> <b@x>',
    'Auto-Submitted: auto-replied',
    'X-Auto-Response-Suppress: All',
    'X-Autoreply: yes',
    'X-Loop: one',
    'X-Loop: two',
    'Authentication-Results: mx.example.org;',
    ' dmarc=pass',
    '',
    'x',
  );
  expect(message.references).toEqual(['b@x', 'a@x']);
  expect(message.automation).toEqual({
    ...{ autoSubmitted: 'auto-replied', precedence: '', suppress: 'All', autoreply: 'yes', loops: ['one', 'two'] },
    isReport: false,
  });
  expect(message.authenticationResults).toEqual(['mx.example.org; dmarc=pass']);
});

it('knows the report that a mail was read', async () => {
  const { automation } = await parse(
    'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Your message was displayed.',
    '--b--',
  );
  expect(automation.isReport).toBe(true);
});

it.each([
  ['<a@x> <b@x>', ['a@x', 'b@x']],
  ['Your message of "Mon, 4 Mar" <a@x>', ['a@x']],
  ['a@x', ['a@x']],
  ['', []],
])('finds what it answers in %j', async (header, references) => {
  expect((await parse(`In-Reply-To: ${header}`, '', 'x')).references).toEqual(references);
});

it('knows programs by their content', async () => {
  const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)]).toString('base64');
  const { attachments } = await mixed(
    part(['Content-Disposition: attachment; filename=invoice.pdf', 'Content-Transfer-Encoding: base64'], program),
  );
  expect(attachments).toMatchObject([{ isExecutable: true }]);
});

describe('hostile messages are read in bounded time', () => {
  const SOON_MS = 20_000;
  it.each([
    ['10,000 parts', () => mixed(...Array.from({ length: 10_000 }, () => part(['Content-Type: text/plain'], 'x')))],
    [
      '10,000 multiparts in each other',
      () =>
        parse(
          'From: a@b.c',
          ...Array.from({ length: 10_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`),
          '',
        ),
    ],
    ['a header of 1 MB', () => parse('From: a@b.c', `X-Long: ${'x'.repeat(1_000_000)}`, '', 'x')],
    ['100,000 headers', () => parse(...Array.from({ length: 100_000 }, (_, i) => `X-${i}: y`), '', 'x')],
    ['50,000 recipients', () => parse(`To: ${'a@b.c, '.repeat(50_000)}`, '', 'x')],
  ])('%s', async (_, build) => {
    const started = Date.now();
    const { attachments, problem } = await build();
    expect(attachments).toEqual([]);
    expect(problem === '' || /read|long/.test(problem)).toBe(true);
    expect(Date.now() - started).toBeLessThan(SOON_MS);
  });
  it('one line of 50 MB', async () => {
    const raw = join(folder, 'raw');
    writeFileSync(raw, Buffer.concat([Buffer.from('From: a@b.c\r\n\r\n'), Buffer.alloc(50 * 1024 * 1024, 'x')]));
    const started = Date.now();
    expect((await parseMessage(raw, folder)).attachments).toEqual([]);
    expect(Date.now() - started).toBeLessThan(SOON_MS);
  });
});

it.each([
  ['', ''],
  ['no header at all', ''],
  [`Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n${'--B\r\n'.repeat(50)}`, ''],
])('reads what there is of %j', async (raw) => {
  expect(await parse(raw)).toMatchObject({ subject: '', attachments: [] });
});

/** `openssl cms -sign -nodetach` of a multipart with a text and a PDF. */
const SIGNED = [
  'MIIBtQYJKoZIhvcNAQcCoIIBpjCCAaICAQExDTALBglghkgBZQMEAgEwgfEGCSqGSIb3DQEHAaCB4wSB4ENvbnRlbnQtVHlwZTog',
  'bXVsdGlwYXJ0L21peGVkOyBib3VuZGFyeT1JDQoNCi0tSQ0KQ29udGVudC1UeXBlOiB0ZXh0L3BsYWluDQoNClRoZSBpbnZvaWNl',
  'IGlzIGluc2lkZS4NCi0tSQ0KQ29udGVudC1UeXBlOiBhcHBsaWNhdGlvbi9wZGY7IG5hbWU9Imludm9pY2UucGRmIg0KQ29udGVu',
  'dC1UcmFuc2Zlci1FbmNvZGluZzogYmFzZTY0DQoNCkpWQkVSaTB4TGpRZ2MybG5ibVZrDQotLUktLQ0KMYGZMIGWAgEBMDAwGDEW',
  'MBQGA1UEAwwNYUBleGFtcGxlLmNvbQIUO2eae3xnBegOq+7pN0ZDSYWTDPQwCwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEYwRAIg',
  'XApreHUrRyw8iinGol0rLszIfNaOryBDb5xKfjmD3jICIHFruJ1K28pwzR2YQ+BhBOsp6O96cMl2K1hMd1ehRSXq',
];
const signedMail = (body: readonly string[]) =>
  parse(
    'From: a@b.c',
    'Content-Type: application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment; filename="smime.p7m"',
    '',
    ...body,
    '',
  );

it('reads what lies in the signature of a mail (S/MIME)', async () => {
  const message = await signedMail(SIGNED);
  expect(message.from).toEqual({ email: 'a@b.c', name: '' });
  expect(message.textPlain).toContain('The invoice is inside.');
  expect(message.attachments).toMatchObject([{ fileName: 'invoice.pdf', mimeType: 'application/pdf', size: 15 }]);
});

it('takes a signed mail that is cut off for an attachment', async () => {
  const { attachments } = await signedMail(SIGNED.slice(0, 3));
  expect(attachments).toMatchObject([{ fileName: 'smime.p7m', mimeType: 'application/pkcs7-mime' }]);
});
