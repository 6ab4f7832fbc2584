import { invalidField, Refusal } from '@intake/rpc';
import { ConfigError } from '@intake/service';
import { UsageError } from './arguments';
import { describeError } from './errors';

it.each([
  [new UsageError('There is no command "x".'), 2, /^There is no command "x"\.\n.*--help/],
  [new ConfigError('INTAKE_RPC_SECRET is missing'), 2, /^INTAKE_RPC_SECRET is missing$/],
  [invalidField('admin_email', 'Enter a valid email address.'), 1, /^admin_email: Enter a valid email address\.$/],
  [
    new Refusal('INVALID', { fields: { content: [{}, { children: { id: ['This field is required.'] } }] } }),
    1,
    /^content\[1\]\.children\.id: This field is required\.$/,
  ],
  [
    new Refusal('SERVICE_UNAVAILABLE', { cause: new Error('connect ECONNREFUSED') }),
    1,
    /cannot be reached \(connect ECONNREFUSED\)/,
  ],
  [new Refusal('UNVERIFIED_CALLER'), 1, /INTAKE_RPC_SECRET/],
  [new Refusal('PERMISSION_DENIED'), 1, /^You do not have permission/],
  [new TypeError('broken'), 1, /TypeError: broken\n +at /],
])('%s', (error, exitCode, message) => {
  const described = describeError(error);
  expect(described.exitCode).toBe(exitCode);
  expect(described.message).toMatch(message);
});
