import { status as GrpcStatus } from '@grpc/grpc-js';

/**
 * Every way in which the service refuses: reason -> gRPC status -> HTTP status -> the API's machine code -> text for the client.
 * HTTP is chosen by reason (gRPC knows no 413 or 415). API: README.md section 8.
 */
export const REASONS = {
  INVALID: [GrpcStatus.INVALID_ARGUMENT, 400, 'bad_request', 'Bad Request.'],
  PARSE_ERROR: [GrpcStatus.INVALID_ARGUMENT, 400, 'parse_error', 'JSON parse error'],
  EMAIL_SENDING_DISABLED: [
    GrpcStatus.FAILED_PRECONDITION,
    400,
    'email_sending_disabled',
    'No e-mails are sent by this installation: it has no relay.',
  ],
  EMAIL_LIMIT_REACHED: [
    GrpcStatus.FAILED_PRECONDITION,
    400,
    'email_limit_reached',
    'The organization has sent as many e-mails today as it may; try again after midnight UTC, or ask the administrator for more.',
  ],
  QUEUE_DELETED: [GrpcStatus.FAILED_PRECONDITION, 400, 'bad_request', 'Queue is being deleted.'],
  INVALID_ANNOTATION: [GrpcStatus.FAILED_PRECONDITION, 400, 'bad_request', 'Annotation contains validation errors.'],
  HOOK_FAILED: [GrpcStatus.FAILED_PRECONDITION, 400, 'hook_failed', 'The hook failed.'],
  INVALID_TOKEN: [GrpcStatus.UNAUTHENTICATED, 401, 'authentication_failed', 'Invalid token.'],
  INVALID_LOGIN: [
    GrpcStatus.UNAUTHENTICATED,
    401,
    'authentication_failed',
    'Unable to log in with provided credentials.',
  ],
  INVALID_BASIC_AUTH: [GrpcStatus.UNAUTHENTICATED, 401, 'authentication_failed', 'Invalid username/password.'],
  NOT_AUTHENTICATED: [
    GrpcStatus.PERMISSION_DENIED,
    403,
    'not_authenticated',
    'Authentication credentials were not provided.',
  ],
  PERMISSION_DENIED: [
    GrpcStatus.PERMISSION_DENIED,
    403,
    'permission_denied',
    'You do not have permission to perform this action.',
  ],
  CSRF_FAILED: [GrpcStatus.PERMISSION_DENIED, 403, 'csrf_failed', 'CSRF Failed: CSRF token missing or incorrect.'],
  NOT_FOUND: [GrpcStatus.NOT_FOUND, 404, 'not_found', 'Not found.'],
  INVALID_PAGE: [GrpcStatus.NOT_FOUND, 404, 'not_found', 'Invalid page.'],
  INBOX_NOT_FOUND: [GrpcStatus.NOT_FOUND, 404, 'not_found', 'No inbox has this address.'],
  METHOD_NOT_ALLOWED: [GrpcStatus.UNIMPLEMENTED, 405, 'method_not_allowed', 'Method not allowed.'],
  GONE: [GrpcStatus.OUT_OF_RANGE, 410, 'gone', 'The search cursor is no longer valid; search again.'],
  CONFLICT: [GrpcStatus.ABORTED, 409, 'conflict', 'Conflict.'],
  CONFLICT_STATUS: [
    GrpcStatus.FAILED_PRECONDITION,
    409,
    'conflict_status',
    'The status of the annotation does not allow this.',
  ],
  ANNOTATION_NOT_YOURS: [
    GrpcStatus.FAILED_PRECONDITION,
    409,
    'conflict_user',
    'Document is being annotated by other user.',
  ],
  IDEMPOTENCY_CONFLICT: [
    GrpcStatus.ABORTED,
    409,
    'conflict',
    'This Idempotency-Key was used with other content, or its first call still runs.',
  ],
  IDENTICAL_DOCUMENT: [GrpcStatus.ALREADY_EXISTS, 409, 'conflict', 'Identical document already exists.'],
  PAYLOAD_TOO_LARGE: [GrpcStatus.RESOURCE_EXHAUSTED, 413, 'payload_too_large', 'The request is larger than allowed.'],
  UNSUPPORTED_MEDIA_TYPE: [
    GrpcStatus.INVALID_ARGUMENT,
    415,
    'unsupported_media_type',
    'Unsupported media type in request.',
  ],
  RANGE_NOT_SATISFIABLE: [GrpcStatus.OUT_OF_RANGE, 416, 'bad_request', 'The requested range is outside the file.'],
  RATE_LIMITED: [GrpcStatus.RESOURCE_EXHAUSTED, 429, 'rate_limited', 'Request was rate limited.'],
  UNVERIFIED_CALLER: [GrpcStatus.PERMISSION_DENIED, 500, 'error', 'Server error.'],
  INTERNAL: [GrpcStatus.INTERNAL, 500, 'error', 'Server error.'],
  STORAGE_FULL: [GrpcStatus.UNAVAILABLE, 503, 'service_unavailable', 'There is no room to store this.'],
  SERVICE_UNAVAILABLE: [GrpcStatus.UNAVAILABLE, 503, 'service_unavailable', 'Service Unavailable.'],
} as const satisfies Record<string, readonly [GrpcStatus, number, string, string]>;

/** Name of a row of the error table. */
export type Reason = keyof typeof REASONS;

/** Nested field errors as the API shows them: `{"name": ["This field is required."]}`. */
export interface FieldErrors {
  [field: string]: string[] | FieldErrors | FieldErrors[];
}

/** What a refusal may carry beside its reason. */
export interface RefusalDetails {
  /** Replaces the reason's own text for the client. */
  readonly detail?: string;
  /** Makes the body a field error (no `detail`, no `code`). */
  readonly fields?: FieldErrors;
  /** Further keys of the body, such as `messages`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** After how many seconds the same call may succeed. */
  readonly retryAfterS?: number;
  /** For the log only, never sent. */
  readonly cause?: unknown;
}

/** The one error a service throws on purpose: a reason of the table, with what a person needs to know. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly detail: string;
  readonly fields?: FieldErrors;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retryAfterS?: number;

  constructor(
    readonly reason: Reason,
    details: RefusalDetails = {},
  ) {
    const text = details.detail ?? REASONS[reason][3];
    super(details.fields ? `${reason}: ${JSON.stringify(details.fields)}` : `${reason}: ${text}`, {
      cause: details.cause,
    });
    this.detail = text;
    this.fields = details.fields;
    this.extra = details.extra;
    this.retryAfterS = details.retryAfterS;
  }

  get grpcStatus(): GrpcStatus {
    return REASONS[this.reason][0];
  }
  /** HTTP status the edge answers with. */
  get httpStatus(): number {
    return REASONS[this.reason][1];
  }
  /** `code` of the API's error body. */
  get code(): string {
    return REASONS[this.reason][2];
  }
}

/** A refusal because of one field of the request: 400 `{"<field>": ["<message>"]}`. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal('INVALID', { fields: { [field]: [message] } });
}

/** The refusal of one call too many; `url` is for a page of help, which there is none of. API: limits.md, Request quota. */
export function rateLimited(retryAfterS: number): Refusal {
  return new Refusal('RATE_LIMITED', { retryAfterS, extra: { url: null } });
}

/** Whether text names a row of the table; a neighbour of a newer version may know more rows. */
export function isReason(value: string): value is Reason {
  return Object.hasOwn(REASONS, value);
}

/** Whether a failure says that a neighbour is away or full for now, so that the same call may succeed later. */
export function isNeighbourAway(error: unknown): boolean {
  return error instanceof Refusal && (error.reason === 'SERVICE_UNAVAILABLE' || error.reason === 'STORAGE_FULL');
}
