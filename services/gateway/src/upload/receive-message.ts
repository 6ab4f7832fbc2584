import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { metadata as metadataShape, readShape } from '@intake/resources';
import { invalidField, Refusal } from '@intake/rpc';
import busboy from 'busboy';
import { z } from 'zod';
import { mediaTypeOf, refuseCompressed } from '../request/body';
import { parseJson } from '../request/json';
import { Allowance, inChunks, tooLarge } from './chunks';

/** Largest raw message in bytes. API: limits.md. */
export const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
const MAX_FIELD_BYTES = 64 * 1024;

/** What an import of an e-mail brings. */
export interface ReceivedMessage<Stored> {
  readonly message: Stored;
  readonly recipient: string;
  readonly metadata: Record<string, unknown>;
  readonly values: Record<string, string>;
}

/**
 * Reads the multipart body of `POST /emails/import`: part `raw_message`, with a file name or without one, is handed to `store` while
 * it comes in. Throws INVALID, PARSE_ERROR, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, and what `store` throws.
 */
export async function receiveMessage<Stored>(
  request: IncomingMessage,
  store: (chunks: AsyncIterable<Buffer>) => Promise<Stored>,
): Promise<ReceivedMessage<Stored>> {
  refuseCompressed(request);
  if (Number(request.headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES + 4 * MAX_FIELD_BYTES)
    throw tooLarge(MAX_MESSAGE_BYTES);
  const type = mediaTypeOf(request);
  if (type !== 'multipart/form-data') {
    // A form without a file says so just as no body at all.
    const isMissing = type === '' || type === 'application/x-www-form-urlencoded';
    throw isMissing
      ? invalidField('raw_message', 'No file was submitted.')
      : new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: `Unsupported media type "${type}" in request.` });
  }
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const open = new Set<Readable>();
    let message: Promise<Stored> | undefined;
    let failed = false;
    const fail = (error: unknown) => {
      if (failed) return;
      failed = true;
      request.unpipe();
      for (const stream of open) stream.destroy(new Refusal('PARSE_ERROR', { cause: error }));
      reject(error);
    };
    const parseError = (text: string) => new Refusal('PARSE_ERROR', { detail: `Multipart form parse error - ${text}` });

    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: request.headers,
        defParamCharset: 'utf8',
        // A message without a file name comes as a field; this way its bytes stay what they are.
        defCharset: 'latin1',
        limits: { files: 1, fields: 20, fieldSize: MAX_MESSAGE_BYTES, parts: 30 },
      });
    } catch (error) {
      fail(parseError((error as Error).message));
      return;
    }
    const take = (bytes: AsyncIterable<Buffer>) => {
      message = store(inChunks(bytes, new Allowance(MAX_MESSAGE_BYTES)));
      message.catch(fail);
    };
    parser.on('file', (name, stream) => {
      open.add(stream);
      stream.once('close', () => open.delete(stream));
      stream.on('error', () => undefined);
      if (name === 'raw_message' && !message && !failed) take(stream);
      else stream.resume();
    });
    parser.on('field', (name, text, { valueTruncated }) => {
      if (failed) return;
      const isMessage = name === 'raw_message';
      if (valueTruncated || (!isMessage && text.length > MAX_FIELD_BYTES)) fail(tooLarge(MAX_MESSAGE_BYTES));
      else if (!isMessage) fields[name] = Buffer.from(text, 'latin1').toString();
      else if (!message) take(Readable.from([Buffer.from(text, 'latin1')]));
    });
    parser.on('error', (error) => fail(parseError((error as Error).message)));
    parser.on('close', () => {
      if (failed) return;
      finish(message, fields).then(resolve, fail);
    });
    request.on('close', () => {
      if (!request.complete) fail(parseError('the request ended too early'));
    });
    request.pipe(parser);
  });
}

async function finish<Stored>(
  message: Promise<Stored> | undefined,
  fields: Readonly<Record<string, string>>,
): Promise<ReceivedMessage<Stored>> {
  if (!message) throw invalidField('raw_message', 'No file was submitted.');
  const stored = await message;
  const { recipient, metadata, values } = readShape(fieldsShape, {
    recipient: fields.recipient,
    metadata: jsonOf('metadata', fields.metadata),
    values: jsonOf('values', fields.values),
  });
  const texts = Object.entries(values ?? {}).map(([key, value]) => [key, value === null ? '' : String(value)]);
  return { message: stored, recipient, metadata: metadata ?? {}, values: Object.fromEntries(texts) };
}

const fieldsShape = z.object({
  recipient: z.string('This field is required.').min(1, 'This field may not be blank.').max(320),
  metadata: metadataShape.optional(),
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()], 'Not a valid string.'))
    .optional(),
});

function jsonOf(name: string, text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw invalidField(name, 'Value must be valid JSON.');
  }
}
