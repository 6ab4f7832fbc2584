import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A way to a server that a test may disturb, as networks do. */
export interface TcpProxy {
  /** On the loopback address. */
  readonly port: number;
  /** Every piece of data arrives so much later, in each direction. */
  delay(ms: number): void;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /** Takes connections and data and passes nothing on, as a machine does that vanished. */
  freeze(): void;
  /** Connections that are open now end when anything more is sent on them: the server has ended them a moment ago. */
  expire(): void;
  /** Of every `nth` piece of data that the server answers, the connection is gone before it arrives: done, but nobody hears. */
  loseAnswers(nth: number): void;
  /** Passes everything on again. Connections that were frozen are ended. */
  mend(): void;
  /** How many connections lost an answer so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let expired = new Set<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let delayMs = 0;
  let nth = 0;
  let answers = 0;
  let lost = 0;

  const pass = (from: Socket, to: Socket, isAnswer: boolean) => {
    from.on('data', (chunk) => {
      if (state === 'frozen') return;
      if (expired.has(from)) {
        from.destroy();
        return;
      }
      if (isAnswer && nth > 0 && ++answers % nth === 0) {
        lost += 1;
        from.destroy();
        to.destroy();
        return;
      }
      const write = () => {
        if (state === 'frozen' || to.destroyed) return;
        if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      };
      if (delayMs > 0) setTimeout(write, delayMs);
      else write();
    });
    const end = () => {
      if (state === 'frozen') return;
      if (delayMs > 0) setTimeout(() => to.destroy(), delayMs);
      else to.destroy();
    };
    from.once('close', () => {
      sockets.delete(from);
      end();
    });
    from.on('error', () => undefined); // 'close' follows
  };
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = createConnection({ host: '127.0.0.1', port: targetPort });
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    pass(client, upstream, false);
    pass(upstream, client, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => {
      delayMs = ms;
    },
    cut() {
      state = 'cut';
      endAll();
    },
    freeze: () => {
      state = 'frozen';
    },
    expire: () => {
      expired = new Set(sockets);
    },
    loseAnswers: (every) => {
      nth = every;
    },
    mend() {
      const wasFrozen = state === 'frozen';
      state = 'open';
      delayMs = 0;
      nth = 0;
      if (wasFrozen) endAll();
    },
    get lost() {
      return lost;
    },
    async stop() {
      state = 'cut';
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
