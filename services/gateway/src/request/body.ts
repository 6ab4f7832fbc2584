import type { IncomingMessage } from 'node:http';
import { Refusal } from '@intake/rpc';
import busboy from 'busboy';
import { parseJson } from './json';

/** Largest body that is not a file upload, in bytes. API: limits.md. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Reads the body of a request as JSON or as a form of scalars. No body, an empty one, and a form whose text is a JSON object
 * (curl without a content type) all count as JSON; nothing at all is `{}` (API: README.md section 4).
 *
 * @throws PARSE_ERROR, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const type = mediaTypeOf(request);
  if (!hasBody(request)) return {};
  if (type === 'multipart/form-data') return readMultipartForm(request);
  if (type !== '' && type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: `Unsupported media type "${type}" in request.` });
  }
  const text = await readText(request);
  if (text.trim() === '') return {};
  if (type !== 'application/x-www-form-urlencoded') return parseJson(text);
  return text.trimStart().startsWith('{') ? parseJson(text) : fromForm(new URLSearchParams(text));
}

/** `type/subtype` of the request in lower case, empty when it says none. */
export function mediaTypeOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function readText(request: IncomingMessage): Promise<string> {
  const tooLarge = () =>
    new Refusal('PAYLOAD_TOO_LARGE', { detail: `The body is larger than ${MAX_BYTES / 1024 / 1024} MB.` });
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('PARSE_ERROR', { detail: 'JSON parse error - the body is not UTF-8' });
  }
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
