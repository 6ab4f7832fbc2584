/** Object identifier of SignedData (RFC 5652, 5.1) as it stands in the file. */
const SIGNED_DATA = Buffer.from([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]);
const OCTET_STRING = 0x04;
const CONSTRUCTED = 0x20;
/** Signatures around signatures; more of them nobody needs. */
const MAX_LAYERS = 4;
/** Parts of one content, and how deep they may lie in each other. */
const MAX_DEPTH = 8;

interface Element {
  tag: number;
  /** Where the content begins and ends. */
  start: number;
  end: number;
  /** Where the next element begins. */
  next: number;
}

/**
 * What was signed, if the bytes are a signed file (`.p7m`, CAdES, S/MIME: DER or BER, also in base64), else the bytes as they
 * are. The signature is not checked.
 */
export function unwrapSigned(bytes: Uint8Array): Uint8Array {
  let content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const binary = findSignedData(content);
    const inner = binary && contentOf(binary);
    if (!inner) return content;
    content = inner;
  }
  return content;
}

/** The bytes, out of base64, if they begin a signed file. */
export function findSignedData(bytes: Buffer): Buffer | undefined {
  const binary = fromBase64(bytes) ?? bytes;
  return binary.subarray(0, 40).includes(SIGNED_DATA) ? binary : undefined;
}

function fromBase64(bytes: Buffer): Buffer | undefined {
  const start = bytes.toString('latin1', 0, 64).trimStart();
  if (!/^(?:-----BEGIN (?:PKCS7|CMS)|MI[A-Za-z0-9+/]{20})/.test(start)) return undefined;
  return Buffer.from(bytes.toString('latin1').replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64');
}

/** ContentInfo -> SignedData -> encapContentInfo -> eContent (RFC 5652). */
function contentOf(bytes: Buffer): Buffer | undefined {
  const info = childrenOf(bytes, readElement(bytes, 0));
  const wrapped = childrenOf(bytes, info[1]);
  const signed = childrenOf(bytes, wrapped[0]);
  const encapsulated = childrenOf(bytes, signed[2]);
  const explicit = childrenOf(bytes, encapsulated[1]);
  return explicit[0] && joinOctets(bytes, explicit[0], 0);
}

/** Large contents are cut into parts. */
function joinOctets(bytes: Buffer, element: Element, depth: number): Buffer | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (element.tag === OCTET_STRING) return bytes.subarray(element.start, element.end);
  if (element.tag !== (OCTET_STRING | CONSTRUCTED)) return undefined;
  const parts = childrenOf(bytes, element).map((part) => joinOctets(bytes, part, depth + 1));
  return parts.every((part) => part !== undefined) ? Buffer.concat(parts) : undefined;
}

function childrenOf(bytes: Buffer, parent: Element | undefined): Element[] {
  const children: Element[] = [];
  if (!parent || !(parent.tag & CONSTRUCTED)) return children;
  for (let at = parent.start; at < parent.end; ) {
    const child = readElement(bytes, at);
    if (!child || child.next > parent.end) break;
    children.push(child);
    at = child.next;
  }
  return children;
}

/** An element of BER; one of indefinite length reaches to its end-of-contents. */
function readElement(bytes: Buffer, at: number, depth = 0): Element | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || depth > 4 * MAX_DEPTH) return undefined;
  if (first === 0x80) return (tag & CONSTRUCTED) === 0 ? undefined : readIndefinite(bytes, at, tag, depth);
  const count = first & 0x80 ? first & 0x7f : 0;
  if (count > 4 || at + 2 + count > bytes.length) return undefined;
  const length = count > 0 ? bytes.readUIntBE(at + 2, count) : first;
  const start = at + 2 + count;
  return start + length > bytes.length ? undefined : { tag, start, end: start + length, next: start + length };
}

function readIndefinite(bytes: Buffer, at: number, tag: number, depth: number): Element | undefined {
  let next = at + 2;
  while (bytes[next] !== 0 || bytes[next + 1] !== 0) {
    const child = readElement(bytes, next, depth + 1);
    if (!child) return undefined;
    next = child.next;
  }
  return { tag, start: at + 2, end: next, next: next + 2 };
}
