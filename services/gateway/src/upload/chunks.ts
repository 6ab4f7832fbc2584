import { Refusal } from '@intake/rpc';

/** Bytes a chunk on its way to the store has at least: small ones cost a lot on gRPC. What a socket gives at once is twice as much. */
const CHUNK_BYTES = 32 * 1024;

/** Largest sum of the files of one request. API: limits.md. */
export const MAX_UPLOAD_BYTES = 40 * 1024 * 1024;

/** Counts the bytes of all files of one request. */
export class Allowance {
  private used = 0;

  constructor(private readonly limit = MAX_UPLOAD_BYTES) {}

  /** Bytes that may still come. */
  get left(): number {
    return this.limit - this.used;
  }

  /** Throws PAYLOAD_TOO_LARGE as soon as there are more than allowed. */
  take(bytes: number): void {
    this.used += bytes;
    if (this.used > this.limit) throw tooLarge(this.limit);
  }
}

/** The refusal of files that are too large together. */
export function tooLarge(limit = MAX_UPLOAD_BYTES): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', {
    detail: `The files of one request may have ${limit / 1024 / 1024} MB together.`,
  });
}

/** Joins small pieces to larger chunks; large ones pass without being copied. Counts what goes through. */
export async function* inChunks(source: AsyncIterable<Buffer>, allowance: Allowance): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    allowance.take(piece.length);
    pieces.push(piece);
    size += piece.length;
    if (size >= CHUNK_BYTES) {
      yield joined(pieces);
      pieces = [];
      size = 0;
    }
  }
  if (size > 0) yield joined(pieces);
}

function joined(pieces: Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...more] = pieces;
  return more.length === 0 ? first : Buffer.concat(pieces);
}
