import http from 'node:http';
import https from 'node:https';

/** How long a connection to the store may take, in milliseconds. */
const CONNECT_MS = 1500;
/** How long the store may leave a request without a sign of life, in milliseconds. */
const SILENCE_MS = 10_000;
/** How long a connection is kept for the next request, in milliseconds. Stores and what stands before them keep theirs longer. */
const IDLE_MS = 4000;

const stale = new WeakSet<object>();

/**
 * Whether a request failed because the store had ended the connection it was sent on, after an earlier one: a store may do that at any
 * moment, and does when it restarts. The next request has a new connection.
 */
export function isStale(error: unknown): boolean {
  return stale.has(error as object);
}

/** Requests that fail soon when the store does not answer. Reading a body may take as long as its reader needs. */
export function createTransport(secure: boolean): Pick<typeof http, 'request'> {
  const options = { keepAlive: true, maxSockets: 128, timeout: IDLE_MS };
  const agent = secure ? new https.Agent(options) : new http.Agent(options);
  const dropIdle = () => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  };
  const request = (options: http.RequestOptions, callback?: (response: http.IncomingMessage) => void) => {
    const made = (secure ? https : http).request({ ...options, agent }, callback);
    const giveUp = (what: string) =>
      made.destroy(Object.assign(new Error(`the object store ${what}`), { code: 'ETIMEDOUT' }));
    made.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => giveUp('cannot be connected'), CONNECT_MS);
      socket.once('connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
    made.setTimeout(SILENCE_MS, () => giveUp('does not answer'));
    let isAnswered = false;
    made.once('response', () => {
      isAnswered = true;
      made.setTimeout(0);
    });
    made.once('error', (error: NodeJS.ErrnoException) => {
      if (!made.reusedSocket || isAnswered || !/^(ECONNRESET|EPIPE)$/.test(error.code ?? '')) return;
      stale.add(error);
      // The others are as old.
      dropIdle();
    });
    return made;
  };
  return { request: request as typeof http.request };
}
