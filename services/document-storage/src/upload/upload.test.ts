import type { Refusal } from '@intake/rpc';
import type { StoredFile } from '../file/file';
import { checkSubmission, fingerprintOf, missingImports, nextLook, type Submission } from './upload';

const MB = 1024 * 1024;
const file = (more: Partial<StoredFile> = {}): StoredFile => ({
  key: 'k',
  organizationId: 1,
  fileName: 'a.pdf',
  mimeType: 'application/pdf',
  size: 10,
  sha256: 's',
  md5: 'm',
  ...more,
});
const submission = (files: readonly StoredFile[], more: Partial<Submission> = {}): Submission => ({
  queueId: 1,
  keys: files.map((_, i) => `k${i}`),
  values: {},
  metadata: {},
  creatorId: null,
  emailId: null,
  rejectIdentical: false,
  join: false,
  documentIds: [],
  ...more,
});
const queue = { status: 'active', acceptedMimeTypes: ['application/pdf'] };
const check = (files: readonly StoredFile[], more: Partial<Submission> = {}, target = queue) => {
  try {
    checkSubmission(submission(files, more), files, target);
    return 'fine';
  } catch (error) {
    const { reason, fields } = error as Refusal;
    return fields ?? reason;
  }
};

describe('a submission', () => {
  it('of accepted files is fine, up to 40 MB in all', () => {
    expect(check([file({ size: 20 * MB }), file({ size: 20 * MB })])).toBe('fine');
    expect(check([file({ size: 20 * MB }), file({ size: 20 * MB + 1 })])).toBe('PAYLOAD_TOO_LARGE');
  });
  it('to a queue that is being deleted is refused', () => {
    expect(check([file()], {}, { ...queue, status: 'deletion_requested' })).toBe('QUEUE_DELETED');
  });
  it('gets the errors of all fields at once', () => {
    expect(check([file({ mimeType: 'text/xml' })], { metadata: { x: 'y'.repeat(5000) } })).toEqual({
      content: ['MIME type text/xml is not allowed for this queue.'],
      metadata: [expect.any(String)],
    });
  });
  it('names each refused type once', () => {
    const files = ['text/xml', 'text/plain', 'text/xml'].map((mimeType) => file({ mimeType }));
    expect(check(files)).toEqual({
      content: [
        'MIME type text/xml is not allowed for this queue.',
        'MIME type text/plain is not allowed for this queue.',
      ],
    });
  });
  it.each([
    ['of a file that has gone', ['k0', 'k1']],
    ['of one file twice', ['k0', 'k0']],
  ])('%s is refused', (_, keys) => {
    expect(check([file()], { keys })).toEqual({ content: [expect.stringContaining('not available')] });
  });
  it.each([
    ['queueId', { queueId: 2 }],
    ['values', { values: { 'upload:a': '1' } }],
    ['metadata', { metadata: { a: 1 } }],
    ['rejectIdentical', { rejectIdentical: true }],
    ['join', { join: true }],
    ['documentIds', { documentIds: [5] }],
  ])('differs from another by %s', (_, more) => {
    const files = [file()];
    expect(fingerprintOf(submission(files, more), files)).not.toBe(fingerprintOf(submission(files), files));
  });
  it('is the same whatever the keys of its files and the order of its values', () => {
    const files = [file()];
    const one = fingerprintOf(submission(files, { values: { a: '1', b: '2' } }), files);
    const other = fingerprintOf(submission(files, { keys: ['other'], values: { b: '2', a: '1' } }), files);
    expect(other).toBe(one);
    expect(fingerprintOf(submission(files), [file({ fileName: 'b.pdf' })])).not.toBe(one);
  });
});

it('knows which annotations are missing', () => {
  const imports = [1, 2].map((documentId) => ({ documentId, values: {}, failure: '' }));
  const missing = missingImports({ imports, annotations: [{ annotationId: 9, documentId: 1 }] });
  expect(missing.map((one) => one.documentId)).toEqual([2]);
});

it('looks again after 1, 2, 4, ... minutes, at most 30', () => {
  const now = new Date(0);
  expect([0, 1, 2, 4, 5, 50].map((looks) => nextLook(looks, now).getTime() / 60_000)).toEqual([1, 2, 4, 16, 30, 30]);
});
