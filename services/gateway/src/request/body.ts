import type { IncomingMessage } from 'node:http';
import { Refusal } from '@intake/rpc';
import busboy from 'busboy';
import type { Context } from 'koa';
import { type KoaBodyMiddlewareOptions, koaBody } from 'koa-body';
import { cleanJson, parseJson } from './json';

/** Largest body that is not a file upload, in bytes. API: limits.md. */
const MAX_BYTES = 10 * 1024 * 1024;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Leaves the body at `context.request.body` and its text at `rawBody`. Multipart is not its task: it would write files to disk. */
const parseBody = koaBody({
  jsonTypes: [JSON_TYPE],
  urlencodedTypes: [FORM_TYPE],
  text: false,
  multipart: false,
  jsonStrict: false,
  includeUnparsed: true,
  jsonLimit: MAX_BYTES,
  formLimit: MAX_BYTES,
  // A form is a flat list of scalars: `a.b` and `a[b]` are names like any other.
  queryString: {
    allowDots: false,
    depth: 0,
    parseArrays: false,
    duplicates: 'last',
    throwOnLimitExceeded: true,
  } as KoaBodyMiddlewareOptions['queryString'],
  onError: (error, context) => {
    const text = (error as { body?: unknown }).body;
    if (typeof text !== 'string') throw toRefusal(error);
    context.request.rawBody = text;
    context.request.body = parseAgain(text, context.is(FORM_TYPE) === FORM_TYPE, error);
  },
});

/**
 * Reads the body of a request as JSON or as a form of scalars. No body, an empty one, and a form whose text is a JSON object
 * (curl without a content type) all count as JSON; nothing at all is `{}` (API: README.md section 4).
 *
 * @throws PARSE_ERROR, INVALID, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE
 */
export async function readBody(context: Context): Promise<unknown> {
  const { req: request } = context;
  const type = mediaTypeOf(request);
  if (!hasBody(request)) return {};
  if (type === 'multipart/form-data') return readMultipartForm(request);
  if (type !== '' && type !== JSON_TYPE && type !== FORM_TYPE) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: `Unsupported media type "${type}" in request.` });
  }
  refuseCompressed(request);
  // koa-body leaves alone what says no type or carries parameters that it cannot read.
  request.headers['content-type'] = type || JSON_TYPE;
  const stopWatching = watchEncoding(request);
  let isUtf8 = true;
  try {
    await parseBody(context, async () => undefined);
  } finally {
    isUtf8 = stopWatching();
  }
  if (!isUtf8) throw new Refusal('PARSE_ERROR', { detail: 'JSON parse error - the body is not UTF-8' });
  const { body, rawBody: text = '' } = context.request;
  if (text.trim() === '') return {};
  return type === FORM_TYPE && isJsonObject(text) ? parseJson(text) : cleanJson(body);
}

/** `type/subtype` of the request in lower case, empty when it says none. */
export function mediaTypeOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** Whether a JSON body comes with the request; what says no type counts as JSON. */
export function hasJsonBody(request: IncomingMessage): boolean {
  return hasBody(request) && ['', JSON_TYPE].includes(mediaTypeOf(request));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses a compressed body. koa-body would inflate it; once it gave one up as too large, nobody hears an error of the inflating, which
 * ends the process. Files are kept as they come, and would be taken for what they are not.
 */
export function refuseCompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: `Unsupported content encoding "${encoding}" in request.` });
  }
}

/** Watches until it is told to stop, and says then whether all bytes were UTF-8: koa-body puts U+FFFD in place of others. */
function watchEncoding(request: IncomingMessage): () => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let valid = true;
  const check = (chunk?: Buffer) => {
    try {
      if (valid) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      valid = false;
    }
  };
  request.on('data', check);
  return () => {
    request.off('data', check);
    check();
    return valid;
  };
}

/**
 * What koa-body could not parse: blank text is nothing, JSON in a form is left for later, `__proto__`, which koa-body refuses, is
 * dropped, and the rest is refused with the reason.
 */
function parseAgain(text: string, isForm: boolean, error: Error): Context['request']['body'] {
  if (text.trim() === '' || (isForm && isJsonObject(text))) return undefined;
  if (isForm) throw new Refusal('PARSE_ERROR', { detail: `Form parse error - ${error.message}` });
  return parseJson(text) as Context['request']['body'];
}

function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/** Why koa-body could not read a body. */
function toRefusal(error: Error & { status?: number }): Error {
  if (error.status === 413) {
    return new Refusal('PAYLOAD_TOO_LARGE', { detail: `The body is larger than ${MAX_BYTES / 1024 / 1024} MB.` });
  }
  return error.status === 400 ? new Refusal('PARSE_ERROR', { detail: `JSON parse error - ${error.message}` }) : error;
}

function readMultipartForm(request: IncomingMessage): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const fields = new URLSearchParams();
    const fail = (error: Error) => {
      request.unpipe();
      reject(new Refusal('PARSE_ERROR', { detail: `Multipart form parse error - ${error.message}` }));
    };
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers: request.headers, limits: { files: 0, fields: 100, fieldSize: 1024 * 1024 } });
    } catch (error) {
      fail(error as Error);
      return;
    }
    parser.on('field', (name, value) => fields.append(name, value));
    parser.on('error', (error) => fail(error as Error));
    parser.on('close', () => resolve(fromForm(fields)));
    request.on('close', () => request.complete || fail(new Error('the request ended too early')));
    request.pipe(parser);
  });
}

function fromForm(fields: URLSearchParams): Record<string, string> {
  const entries = [...fields].filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries);
}
