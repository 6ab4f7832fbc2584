/** The part of a message that is looked at for its Message-ID, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
const CR = 0x0d;
const LF = 0x0a;

/** Watches a message as it passes. */
export interface MessageWatch {
  see(chunk: Buffer): void;
  /** Bytes so far. */
  readonly size: number;
  /** Whether there is a CR or LF that is not part of a CRLF: a sign of SMTP smuggling. Known for sure after the last chunk. */
  hasBareLineEnd(): boolean;
  /** Value of the Message-ID header without angle brackets; empty when there is none in the first 64 kB. */
  messageId(): string;
}

/** A watch for one message. */
export function watchMessage(): MessageWatch {
  const head: Buffer[] = [];
  let headSize = 0;
  let headDone = false;
  let size = 0;
  let bare = false;
  let endedWithCr = false;

  const keepHead = (chunk: Buffer): void => {
    if (headDone) return;
    head.push(chunk.subarray(0, MAX_HEADER_BYTES - headSize));
    headSize += head.at(-1)?.length ?? 0;
    headDone = headSize >= MAX_HEADER_BYTES || Buffer.concat(head).includes('\r\n\r\n');
  };
  const checkLineEnds = (chunk: Buffer): void => {
    if (bare || chunk.length === 0) return;
    if (endedWithCr && chunk[0] !== LF) bare = true;
    for (let at = chunk.indexOf(LF); at >= 0 && !bare; at = chunk.indexOf(LF, at + 1))
      if (at === 0 ? !endedWithCr : chunk[at - 1] !== CR) bare = true;
    for (let at = chunk.indexOf(CR); at >= 0 && !bare; at = chunk.indexOf(CR, at + 1))
      if (at + 1 < chunk.length && chunk[at + 1] !== LF) bare = true;
    endedWithCr = chunk[chunk.length - 1] === CR;
  };

  return {
    see(chunk) {
      size += chunk.length;
      keepHead(chunk);
      checkLineEnds(chunk);
    },
    get size() {
      return size;
    },
    hasBareLineEnd: () => bare || endedWithCr,
    messageId() {
      const [header = ''] = Buffer.concat(head).toString('latin1').split('\r\n\r\n', 1);
      const value = /^message-id:(.*)$/im.exec(header.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? '';
      return (/<([^<>]*)>/.exec(value)?.[1] ?? value).slice(0, 998);
    },
  };
}
