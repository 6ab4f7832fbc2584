import { embedded } from '../session/embedded';
import { noteSessionLost } from '../session/session-store';

/** Path of the API on this site. */
export const API = '/api/v1';

/** What the API refused, or could not be asked (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    super(describe(status, body));
  }

  get code(): string | undefined {
    return typeof this.body.code === 'string' ? this.body.code : undefined;
  }

  /** The service cannot be reached, or is away for now: the same call may succeed later. */
  get isAway(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }

  /** Nobody is logged in any more. */
  get isLoggedOut(): boolean {
    return this.status === 401 || this.code === 'not_authenticated';
  }
}

/** How a call is made. `body` is sent as JSON. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
  /** The call outlives the page. */
  readonly keepalive?: boolean;
  /** Is told the id of the request (`X-Request-Id`), when it has succeeded. */
  readonly onRequestId?: (id: string) => void;
  /** A login, whose 401 does not mean that a session has ended. */
  readonly isLogin?: boolean;
}

/** Path below the API of one of its URLs, or of a path: `/annotations/7`. */
export function pathOf(url: string): string {
  const at = url.indexOf('/v1/');
  return at < 0 ? url : url.slice(at + 3);
}

/** The same object by this site's own origin, which the page may show and call. */
export function localUrl(url: string): string {
  return API + pathOf(url);
}

/** The number at the end of an object's URL. */
export function idOf(url: string): number {
  return Number(/(\d+)\/?$/.exec(url)?.[1]);
}

/** Calls the API in the session of this browser. Throws ApiError. */
export async function call<T>(path: string, options?: CallOptions): Promise<T> {
  return parse(await (await request(path, options)).text()) as T;
}

/** The same, where the answer is a file. */
export async function callForFile(path: string, options?: CallOptions): Promise<Blob> {
  return (await request(path, options)).blob();
}

async function request(
  path: string,
  { method = 'GET', body, signal, headers = {}, keepalive, onRequestId, isLogin = false }: CallOptions = {},
): Promise<Response> {
  const isRead = method === 'GET';
  const response = await fetch(API + pathOf(path), {
    method,
    signal,
    keepalive,
    credentials: embedded ? 'omit' : 'same-origin',
    headers: {
      ...(isRead ? {} : { 'Content-Type': 'application/json' }),
      ...(embedded ? { Authorization: `Bearer ${embedded.token}` } : isRead ? {} : { 'X-CSRFToken': csrfToken() }),
      ...headers,
    },
    body: isRead ? undefined : JSON.stringify(body ?? {}),
  }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, {});
  });
  if (!response.ok) {
    const error = new ApiError(response.status, parse(await response.text()) as Record<string, unknown>);
    if (error.isLoggedOut && !isLogin) noteSessionLost();
    throw error;
  }
  onRequestId?.(response.headers.get('X-Request-Id') ?? '');
  return response;
}

/** Reads an image or file that the browser cannot ask for by itself, since it has no session. Throws ApiError. */
export async function fetchBlob(url: string, signal?: AbortSignal): Promise<Blob> {
  const headers = { Authorization: `Bearer ${embedded?.token}` };
  const response = await fetch(localUrl(url), { signal, credentials: 'omit', headers });
  if (!response.ok) throw new ApiError(response.status, {});
  return response.blob();
}

/** Sends a file, telling how much of it is sent (0..1). Throws ApiError. */
export function sendFile(path: string, file: File, onProgress: (part: number) => void): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', API + path);
    request.setRequestHeader('X-CSRFToken', csrfToken());
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onerror = () => reject(new ApiError(0, {}));
    request.onload = () => {
      const answer = parse(request.responseText) as { url: string };
      if (request.status < 400) return resolve(answer);
      const error = new ApiError(request.status, answer as unknown as Record<string, unknown>);
      if (error.isLoggedOut) noteSessionLost();
      reject(error);
    };
    const form = new FormData();
    form.append('content', file);
    request.send(form);
  });
}

function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? '';
}

/** Whether the last login began a session that this page can use. */
export function hasSession(): boolean {
  return csrfToken() !== '';
}

function parse(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Fields whose messages say by themselves what they are about. */
const UNNAMED = ['non_field_errors', 'new_password2', 'token'];

/** One text of an error of the API, with the fields it names. */
function describe(status: number, body: Record<string, unknown>): string {
  if (status === 0) return 'The service cannot be reached.';
  if (typeof body.detail === 'string') return body.detail;
  const texts = Object.entries(body).flatMap(([field, value]) =>
    textsOf(value).map((text) => (UNNAMED.includes(field) ? text : `${field.replaceAll('_', ' ')}: ${text}`)),
  );
  return texts.join(' ') || `The service answered ${status}.`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return value && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}
