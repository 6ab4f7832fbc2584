import type { Email } from '../email/email';
import { readInboxRules } from '../rules/inbox-rules';
import { composeMail } from './compose';
import { type Delivery, type Rejection, remainderOf } from './delivery';
import { occasionsOf, writeNotice } from './notification';
import { renderHtml, renderText } from './render';

const attachment = (status: string, fileName = `${status}.pdf`) => ({
  ...{ documentId: 1, fileName, mimeType: 'application/pdf', size: 1, status },
  reason: status === 'processed' ? '' : 'It is wrong.',
});
const email = (more: Partial<Email> = {}) =>
  ({
    ...{ id: 7, type: 'incoming', state: 'imported', subject: 'Invoice\r\nBcc: x@y.z', createdAt: new Date(0) },
    ...{ from: { email: 'a@b.c', name: '' }, attachments: [], isAutomatic: false, creatorId: null, failure: '' },
    ...{ authentication: null },
    ...more,
  }) as Email;
const rules = (emailNotifications: Record<string, unknown>) =>
  readInboxRules(
    { email: 'in@example.org', dmarcCheckAction: 'accept', emailNotifications },
    { name: 'Q', status: 'active' },
    () => true,
  );
const EVERYTHING = { unprocessable_attachments: true, email_with_no_attachments: true };

describe('occasions', () => {
  it.each([
    [[], 'imported', ['email_with_no_attachments']],
    [['processed'], 'imported', []],
    [['processed', ''], 'imported', []],
    [['processed', 'extracted_archive'], 'imported', []],
    [['processed', 'filtered_by_queue_mime_type'], 'imported', ['unprocessable_attachments']],
    [['broken_image'], 'imported', ['email_with_no_attachments', 'unprocessable_attachments']],
    [[], 'failed', ['email_with_no_attachments', 'unprocessable_attachments']],
  ] as const)('%j, %s: %j', (statuses, state, occasions) => {
    expect(occasionsOf(email({ attachments: statuses.map((one) => attachment(one)), state }))).toEqual(occasions);
  });
});

describe('notifications', () => {
  const attachments = [attachment('processed'), attachment('broken_image', 'scan.png')];
  it('list the files and reasons, for the sender', () => {
    const notice = writeNotice(email({ attachments }), ['unprocessable_attachments'], rules(EVERYTHING));
    expect(notice).toMatchObject({ to: 'a@b.c', label: 'automatic_status_changed_info' });
    expect(notice?.text).toContain('- scan.png: It is wrong.');
    expect(notice?.text).not.toContain('processed.pdf');
    expect(notice?.subject).not.toMatch(/[\r\n]/);
  });
  it('go to the recipient of the settings instead', () => {
    const to = rules({ ...EVERYTHING, recipient: { email: 'boss@b.c' } });
    expect(writeNotice(email(), ['email_with_no_attachments'], to)).toMatchObject({
      to: 'boss@b.c',
      label: 'automatic_rejection',
    });
  });
  it.each([
    ['written by a program', { isAutomatic: true }, EVERYTHING],
    ['imported by somebody', { creatorId: 3 }, EVERYTHING],
    ['without a sender', { from: null }, EVERYTHING],
    ['from the inbox itself', { from: { email: 'IN@example.org', name: '' } }, EVERYTHING],
    ['under a false name', { authentication: { dmarc: 'fail' } as Email['authentication'] }, EVERYTHING],
    ['where the inbox wants none', {}, { email_with_no_attachments: false }],
  ])('there is none about a mail %s', (_, more, settings) => {
    expect(writeNotice(email(more), ['email_with_no_attachments'], rules(settings))).toBeNull();
  });
  it('about a mail without documents is the default', () => {
    expect(writeNotice(email(), ['email_with_no_attachments'], rules({}))).not.toBeNull();
    expect(writeNotice(email({ attachments }), ['unprocessable_attachments'], rules({}))).toBeNull();
  });
});

describe('placeholders', () => {
  const values = { name: '<Jan & Co>', 'annotation.id': '7', document_list: '<ul></ul>' };
  it.each([
    ['{{name}} {{ name }} {{unknown}}|', '<Jan & Co> <Jan & Co> |'],
    ['{{annotation.id}} {{constructor}} {{name|upper}}', '7  {{name|upper}}'],
  ])('%j becomes %j', (template, text) => {
    expect(renderText(template, values)).toBe(text);
  });
  it('are escaped in HTML', () => {
    expect(renderHtml('<b>{{name}}</b>{{document_list}}', values)).toBe('<b>&#60;Jan &#38; Co&#62;</b><ul></ul>');
  });
});

describe('a mail that the relay does not take', () => {
  const delivery = { createdAt: new Date(0), attempts: 3, recipients: ['a@x', 'b@x'] } as unknown as Delivery;
  const refused = (recipient: string, responseCode: number) => ({ recipient, responseCode, text: `${recipient} no` });
  const by = (...rejections: Rejection[]) => ({ wasTaken: false, rejections });
  const away = by(refused('a@x', 0), refused('b@x', 0));

  it('is tried again later each time, for three days', () => {
    expect(remainderOf(delivery, away, new Date(1000))).toEqual({
      again: new Date(5000),
      rest: { recipients: ['a@x', 'b@x'], refusals: [], wasTaken: false },
    });
    expect(remainderOf({ ...delivery, attempts: 30 }, away, new Date(0)).again).toEqual(new Date(900_000));
    expect(remainderOf(delivery, away, new Date(4 * 86_400_000)).again).toBeNull();
  });

  it('is given up for those for whom it is refused for good, and tried again for the others', () => {
    const first = remainderOf(delivery, by(refused('a@x', 550), refused('b@x', 451)), new Date(0));
    const rest = { recipients: ['b@x'], refusals: ['a@x no'], wasTaken: false };
    expect(first).toEqual({ again: new Date(4000), rest });
    expect(remainderOf({ ...delivery, ...rest }, { wasTaken: true, rejections: [] }, new Date(0))).toEqual({
      again: null,
      rest: { recipients: [], refusals: ['a@x no'], wasTaken: true },
    });
  });
});

it('texts cannot make headers of their own', async () => {
  const raw = await composeMail(
    {
      from: { email: 'in@example.org', name: 'Q\r\nBcc: x@y.z' },
      to: [{ email: 'a@b.c', name: '' }],
      ...{ cc: [], bcc: [], text: 'Text', html: '', attachments: [] },
      subject: 'S\r\nBcc: x@y.z',
      messageId: 'm@example.org',
      references: ['r@b.c\r\nBcc: x@y.z'],
      isAutomatic: true,
    },
    'example.org',
  );
  const [header = ''] = raw.toString().split('\r\n\r\n');
  expect(header).not.toMatch(/^Bcc/im);
  expect(header).toMatch(/^Auto-Submitted: auto-replied$/m);
  expect(header).toMatch(/^X-Loop: example\.org$/m);
});
