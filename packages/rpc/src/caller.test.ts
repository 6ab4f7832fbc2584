import {
  type Caller,
  organizationOf,
  requireSystem,
  seesQueue,
  signCaller,
  systemCaller,
  verifyCaller,
} from './caller';

const USER: Caller = {
  kind: 'user',
  organizationId: 3,
  userId: 7,
  username: 'ünï@example.com',
  roles: ['annotator'],
  queueIds: [1, 2],
};
const NOW = 1_700_000_000_000;

describe('a signed caller', () => {
  it('is read back as it was', () => {
    expect(verifyCaller(signCaller(USER, 'secret', NOW), 'secret', NOW + 119_000)).toEqual(USER);
  });

  const [payload = '', signature = ''] = signCaller(USER, 'secret', NOW).split('.');
  const raised = Buffer.from(JSON.stringify({ ...USER, roles: ['admin'], exp: NOW + 1000 })).toString('base64url');
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['without a signature', payload],
    ['with a signature of other length', `${payload}.${signature}x`],
    ['of another payload', `${raised}.${signature}`],
    ['signed with another secret', signCaller(USER, 'other', NOW)],
    ['too old', signCaller(USER, 'secret', NOW - 121_000)],
  ])('is refused when it is %s', (_, signed) => {
    expect(() => verifyCaller(signed, 'secret', NOW)).toThrow(expect.objectContaining({ reason: 'UNVERIFIED_CALLER' }));
  });
});

it('a system caller passes where users do not', () => {
  expect(() => requireSystem(systemCaller('mail-ingest', 3))).not.toThrow();
  expect(() => requireSystem(USER)).toThrow(expect.objectContaining({ reason: 'PERMISSION_DENIED' }));
});

it('a caller without organization may not act in one', () => {
  expect(organizationOf(USER)).toBe(3);
  expect(() => organizationOf(systemCaller('gateway'))).toThrow(
    expect.objectContaining({ reason: 'PERMISSION_DENIED' }),
  );
});

it('sees the queues it is assigned to, or all', () => {
  expect([seesQueue(USER, 2), seesQueue(USER, 3), seesQueue(systemCaller('export', 3), 99)]).toEqual([
    true,
    false,
    true,
  ]);
});
