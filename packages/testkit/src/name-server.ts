import { createSocket } from 'node:dgram';

/** Names and their TXT and A records: `{ 'example.org': { TXT: ['v=spf1 -all'] } }`. */
export type Zone = Record<string, { readonly TXT?: readonly string[]; readonly A?: readonly string[] }>;

/** A name server that knows what a test tells it. */
export interface NameServer {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** May be changed while it runs. */
  readonly zone: Zone;
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<number, 'A' | 'TXT'>> = { 1: 'A', 16: 'TXT' };
const HEADER_BYTES = 12;

/** Starts a name server (UDP); names that it does not know do not exist. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => socket.send(answer(question, zone), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 1035, section 4. */
function answer(question: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[question.readUInt16BE(at + 1)];
  const known = zone[labels.join('.').toLowerCase()];
  const records = (type && known?.[type])?.map((value) => record(type as 'A' | 'TXT', value)) ?? [];
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(known ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(records.length, 6);
  header.fill(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES, at + 5), ...records]);
}

function record(type: 'A' | 'TXT', value: string): Buffer {
  const data =
    type === 'A'
      ? Buffer.from(value.split('.').map(Number))
      : Buffer.concat(
          (value.match(/.{1,255}/gs) ?? ['']).map((part) =>
            Buffer.from(`${String.fromCharCode(part.length)}${part}`, 'latin1'),
          ),
        );
  // The name is the one of the question; class IN, one second.
  const head = Buffer.from([
    0xc0,
    HEADER_BYTES,
    0,
    type === 'A' ? 1 : 16,
    0,
    1,
    0,
    0,
    0,
    1,
    data.length >> 8,
    data.length & 0xff,
  ]);
  return Buffer.concat([head, data]);
}
