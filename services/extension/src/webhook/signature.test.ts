import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from './signature';

const id = '5c7b3b5e-0d0c-4c43-9a0a-2f2f34f0c0de';
const at = new Date();
const body = JSON.stringify({ event: 'annotation_status', name: 'Žluťoučký' });

describe('signatures of a call', () => {
  it.each([
    ['a text', 'some secret key', new Webhook('some secret key', { format: 'raw' })],
    [
      'a key of Standard Webhooks',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      new Webhook('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
    ],
  ])('are verified by a receiver of Standard Webhooks; the secret is %s', (_, secret, receiver) => {
    const headers = signatureHeaders(secret, { id, at, body });
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, headers)).toThrow();
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
  });

  it('are those of the API as well', () => {
    const headers = signatureHeaders('key', { id, at, body });
    expect(headers['X-Rossum-Signature-SHA256']).toBe(
      `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`,
    );
    expect(headers['X-Elis-Signature']).toBe(`sha1=${createHmac('sha1', 'key').update(body).digest('hex')}`);
  });

  it.each([null, undefined, ''])('are not there without a secret (%s)', (secret) => {
    expect(Object.keys(signatureHeaders(secret, { id, at, body }))).toEqual(['webhook-id', 'webhook-timestamp']);
  });
});
