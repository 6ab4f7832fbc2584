import { status as GrpcStatus } from '@grpc/grpc-js';
import { invalidField, isReason, REASONS, type Reason, Refusal } from './errors';
import { refusalFromError, refusalToStatus } from './wire';

const rows = Object.keys(REASONS) as Reason[];

/** Which gRPC statuses stand for which class of HTTP status (google.rpc.Code). */
const CLIENT_ERRORS = [
  GrpcStatus.INVALID_ARGUMENT,
  GrpcStatus.FAILED_PRECONDITION,
  GrpcStatus.OUT_OF_RANGE,
  GrpcStatus.UNAUTHENTICATED,
  GrpcStatus.PERMISSION_DENIED,
  GrpcStatus.NOT_FOUND,
  GrpcStatus.ALREADY_EXISTS,
  GrpcStatus.ABORTED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.UNIMPLEMENTED,
];

describe.each(rows)('%s', (reason) => {
  const [grpc, http, code, text] = REASONS[reason];

  it('has statuses of the same kind, a machine code and a sentence', () => {
    if (http === 503) expect(grpc).toBe(GrpcStatus.UNAVAILABLE);
    else if (http >= 500) expect([GrpcStatus.INTERNAL, GrpcStatus.PERMISSION_DENIED]).toContain(grpc);
    else expect(CLIENT_ERRORS).toContain(grpc);
    expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 416, 429, 500, 503]).toContain(http);
    expect(code).toMatch(/^[a-z_]+$/);
    expect(text).toMatch(/^[A-Z].*[.a-z]$/);
  });

  it('is the same refusal at the other end of the wire', () => {
    const extra = { messages: [{ id: 'all', content: 'x' }] };
    const sent = new Refusal(reason, { detail: 'Grüße', fields: { name: ['This field is required.'] }, extra });
    const { code: status, details, metadata } = refusalToStatus(sent);
    const error = Object.assign(new Error(), {
      code: status as GrpcStatus,
      details: String(details),
      metadata: metadata!,
    });
    const received = refusalFromError(error, '/x/Y');
    const shape = ({ detail, fields, grpcStatus, httpStatus }: Refusal) => ({ detail, fields, grpcStatus, httpStatus });
    expect(received.reason).toBe(reason);
    expect(received.extra).toEqual(extra);
    expect(shape(received)).toEqual(shape(sent));
  });
});

describe('Refusal', () => {
  it('carries the text of its row when it has no own', () => {
    expect(new Refusal('NOT_FOUND')).toMatchObject({ detail: 'Not found.', httpStatus: 404, code: 'not_found' });
    expect(new Refusal('NOT_FOUND', { detail: 'No such page.' }).detail).toBe('No such page.');
  });

  it('names a single field', () => {
    expect(invalidField('name', 'Too long.')).toMatchObject({ reason: 'INVALID', fields: { name: ['Too long.'] } });
  });

  it('does not send its cause', () => {
    const { metadata } = refusalToStatus(new Refusal('INTERNAL', { cause: new Error('secret') }));
    expect(JSON.stringify(metadata?.getMap())).not.toContain('secret');
  });
});

it('knows no inherited property as a reason', () => {
  expect(isReason('toString')).toBe(false);
  expect(isReason('INVALID')).toBe(true);
});
