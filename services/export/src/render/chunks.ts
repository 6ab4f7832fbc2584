/** Size of a chunk in characters at which it is passed on. */
const CHUNK_LENGTH = 64 * 1024;

/** Joins small pieces of text into larger ones, in UTF-8. */
export async function* gatherText(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let gathered = '';
  for await (const piece of pieces) {
    gathered += piece;
    if (gathered.length < CHUNK_LENGTH) continue;
    yield Buffer.from(gathered);
    gathered = '';
  }
  if (gathered !== '') yield Buffer.from(gathered);
}
