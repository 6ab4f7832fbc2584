import { isObjectMissing, isStoreAway, isStoreFull } from './store-errors';

const withCode = (code: string) => Object.assign(new Error('problem'), { code });

describe('errors of the object store', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'SlowDown'])('%s passes', (code) => {
    expect(isStoreAway(withCode(code))).toBe(true);
  });
  it.each(['NoSuchKey', 'AccessDenied', 'SignatureDoesNotMatch', 'InvalidAccessKeyId'])('%s does not pass', (code) => {
    expect(isStoreAway(withCode(code))).toBe(false);
  });
  it.each(['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'])('%s means that there is no room', (code) => {
    expect(isStoreFull(withCode(code))).toBe(true);
    expect(isStoreFull(withCode('SlowDown'))).toBe(false);
  });
  it('knows a refused retry by its text', () => {
    expect(isStoreAway(new Error('Request failed after 0 retries: Error: Retryable HTTP status: 503'))).toBe(true);
  });
  it('tells a missing object from a store that is away', () => {
    expect(isObjectMissing(withCode('NotFound'))).toBe(true);
    expect(isObjectMissing(withCode('ECONNREFUSED'))).toBe(false);
  });
});
