import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './api';

/** A call as a receiver got it. */
export interface ReceivedCall {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came, as text. */
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: Json;
  readonly at: Date;
}

/** What a receiver answers; `body` is sent as JSON unless it is text. `write` writes the answer itself, or never. */
export interface ReceiverAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly write?: (response: ServerResponse) => void;
}

/** An HTTP server that keeps what it is sent. */
export interface Receiver {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Calls of one path, in the order in which they came. */
  at(path: string): ReceivedCall[];
  /** What the path answers from now on; `{}` with 200 where nothing is said. */
  answer(path: string, answer: ReceiverAnswer | Answering): void;
  stop(): Promise<void>;
}

type Answering = (call: ReceivedCall) => ReceiverAnswer | Promise<ReceiverAnswer>;

/** Starts a receiver on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const answers = new Map<string, Answering>();
  const answerTo = async (call: ReceivedCall): Promise<ReceiverAnswer> => {
    try {
      return (await answers.get(call.path.split('?', 1)[0] as string)?.(call)) ?? {};
    } catch (error) {
      return { status: 501, body: `the test's own answer failed: ${error}` };
    }
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, text, body: parse(text), at: new Date() };
    calls.push(call);
    const { status = 200, body = {}, headers: more, write } = await answerTo(call);
    if (write) {
      write(response);
      return;
    }
    response.writeHead(status, { 'Content-Type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    at: (path) => calls.filter((call) => call.path.split('?', 1)[0] === path),
    answer: (path, answer) => void answers.set(path, typeof answer === 'function' ? answer : () => answer),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
