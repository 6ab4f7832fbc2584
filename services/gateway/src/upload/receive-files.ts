import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { metadata as metadataShape, readShape, reference } from '@intake/resources';
import { invalidField, Refusal } from '@intake/rpc';
import busboy from 'busboy';
import { z } from 'zod';
import { mediaTypeOf, refuseCompressed } from '../request/body';
import { parseJson } from '../request/json';
import { Allowance, inChunks, MAX_UPLOAD_BYTES, tooLarge } from './chunks';
import { decodeRawUtf8, fileNameOf, lastPart } from './file-name';

/** A file on its way in. */
export interface IncomingFile {
  readonly fileName: string;
  readonly declaredMimeType: string;
  /** Bytes that are still allowed when it begins. */
  readonly maxSize: number;
  readonly chunks: AsyncIterable<Buffer>;
}

/** What an upload brings: its files as `store` answered them, and the fields beside them. */
export interface Received<Stored> {
  readonly files: Stored[];
  readonly values: Record<string, string>;
  readonly metadata: Record<string, unknown> | undefined;
  /** Of a document that is made without an upload. */
  readonly parentId: number | undefined;
}

const MOST_FILES = 100;
const MAX_FIELD_BYTES = 1024 * 1024;
/** What a multipart body may have beside its files: two fields and the frame. */
const MAX_FRAME_BYTES = 4 * MAX_FIELD_BYTES;

/**
 * Reads the files of an upload and hands each to `store` while it is coming in: never to disk, never whole in memory (API:
 * documents-and-uploads.md section 2). Either multipart with parts `content`, `values` and `metadata`, or one raw body whose name
 * stands in `Content-Disposition` or in the path.
 *
 * @throws INVALID, PARSE_ERROR, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, and what `store` throws
 */
export async function receiveFiles<Stored>(
  request: IncomingMessage,
  pathName: string | undefined,
  store: (file: IncomingFile) => Promise<Stored>,
): Promise<Received<Stored>> {
  refuseCompressed(request);
  return mediaTypeOf(request) === 'multipart/form-data'
    ? receiveMultipart(request, store)
    : receiveRaw(request, pathName, store);
}

async function receiveRaw<Stored>(
  request: IncomingMessage,
  pathName: string | undefined,
  store: (file: IncomingFile) => Promise<Stored>,
): Promise<Received<Stored>> {
  const fileName = fileNameOf(request.headers['content-disposition']) ?? (pathName && lastPart(pathName));
  if (!fileName) {
    throw new Refusal('PARSE_ERROR', {
      detail: 'Missing filename. Request should include a Content-Disposition header with a filename parameter.',
    });
  }
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > MAX_UPLOAD_BYTES) throw tooLarge();
  if (length === 0 && request.headers['transfer-encoding'] === undefined) throw emptyFile();
  const file = await store({
    fileName,
    declaredMimeType: mediaTypeOf(request),
    maxSize: MAX_UPLOAD_BYTES,
    chunks: notEmpty(inChunks(request.iterator({ destroyOnReturn: false }), new Allowance())),
  });
  return { files: [file], values: {}, metadata: undefined, parentId: undefined };
}

function receiveMultipart<Stored>(
  request: IncomingMessage,
  store: (file: IncomingFile) => Promise<Stored>,
): Promise<Received<Stored>> {
  // Said beforehand, so that it need not be sent.
  if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES + MAX_FRAME_BYTES) {
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const allowance = new Allowance();
    const files: Promise<Stored>[] = [];
    const fields: Record<string, string> = {};
    const open = new Set<Readable>();
    let failed = false;

    const fail = (error: unknown) => {
      if (failed) return;
      failed = true;
      request.unpipe();
      for (const stream of open) stream.destroy(new Refusal('PARSE_ERROR', { cause: error }));
      reject(error);
    };
    const parseError = (message: string) =>
      new Refusal('PARSE_ERROR', { detail: `Multipart form parse error - ${message}` });
    const readField = (name: string, text: string) => {
      if (name === 'values' || name === 'metadata' || name === 'parent') fields[name] = text;
    };

    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: request.headers,
        // The bytes of a name, whatever they are.
        defParamCharset: 'latin1',
        limits: { files: MOST_FILES + 1, fields: 100, fieldSize: MAX_FIELD_BYTES, parts: 300 },
      });
    } catch (error) {
      fail(parseError((error as Error).message));
      return;
    }
    parser.on('file', (name, stream, { filename, mimeType }) => {
      open.add(stream);
      stream.once('close', () => open.delete(stream));
      stream.on('error', () => undefined);
      if (failed) {
        stream.resume();
      } else if (name === 'content') {
        if (files.length >= MOST_FILES) return fail(invalidField('content', `More than ${MOST_FILES} files.`));
        const stored = store({
          fileName: lastPart(decodeRawUtf8(filename ?? '')) ?? 'document',
          declaredMimeType: mimeType,
          maxSize: allowance.left,
          chunks: notEmpty(inChunks(stream, allowance)),
        });
        files.push(stored);
        stored.catch(fail);
      } else {
        readSmall(stream).then((text) => readField(name, text), fail);
      }
    });
    parser.on('field', readField);
    parser.on('error', (error) => fail(parseError((error as Error).message)));
    parser.on('close', () => {
      if (failed) return;
      Promise.all(files)
        .then((stored) => resolve({ files: stored, ...readFields(fields, stored.length) }))
        .catch(fail);
    });
    request.on('close', () => {
      if (!request.complete) fail(parseError('the request ended too early'));
    });
    request.pipe(parser);
  });
}

/** `values` and `metadata`, which are JSON objects in text, and `parent`, a URL. */
function readFields(fields: Readonly<Record<string, string>>, files: number) {
  if (files === 0) throw invalidField('content', 'No file was submitted.');
  const { values, metadata, parent } = readShape(fieldsShape, {
    values: jsonOf('values', fields.values),
    metadata: jsonOf('metadata', fields.metadata),
    parent: urlOf(fields.parent),
  });
  const prefixed = Object.entries(values ?? {}).map(([key, value]) => [
    key.startsWith('upload:') ? key : `upload:${key}`,
    value === null ? '' : String(value),
  ]);
  return { values: Object.fromEntries(prefixed) as Record<string, string>, metadata, parentId: parent };
}

const fieldsShape = z.object({
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()], 'Not a valid string.'))
    .optional(),
  metadata: metadataShape.optional(),
  parent: reference('documents').optional(),
});

/** A URL as it is or in quotes, as one SDK sends it; nothing for `null`. */
function urlOf(text = ''): string | undefined {
  const url = text.trim().replace(/^"(.*)"$/, '$1');
  return url === '' || url === 'null' ? undefined : url;
}

function jsonOf(name: string, text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw invalidField(name, 'Value must be valid JSON.');
  }
}

async function readSmall(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) throw new Refusal('PAYLOAD_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* notEmpty(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let empty = true;
  for await (const chunk of chunks) {
    empty = false;
    yield chunk;
  }
  if (empty) throw emptyFile();
}

function emptyFile(): Refusal {
  return invalidField('content', 'The submitted file is empty.');
}
