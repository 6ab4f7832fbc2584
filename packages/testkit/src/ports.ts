import { createServer } from 'node:net';

/** `count` different ports of the loopback address that are free now, and that no other test run is given. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    own ??= { base: await holdBlock(async () => true), used: 0 };
    const { base, used } = own;
    own = used + 1 < GUARD ? { base, used: used + 1 } : null;
    if (await isFree(base + used)) ports.push(base + used);
  }
  return ports;
}

/** The block out of which single ports are given, and how many of it have been. */
let own: { readonly base: number; readonly used: number } | null = null;

/** The first of a run of ports that are free now: `base + offset` for each offset. No other test run is given any of them. */
export function freePortBlock(offsets: readonly number[]): Promise<number> {
  return holdBlock(async (base) => {
    const free = await Promise.all(offsets.map((offset) => isFree(base + offset)));
    return free.every(Boolean);
  });
}

/** Blocks of a hundred ports, of which the last is listened on for as long as the process lives: nobody else is given such a block. */
const GUARD = 99;

/**
 * A block of ports that is right, below the range from which the operating system picks ports for outgoing connections, so that none of them
 * becomes one of those meanwhile, and above the last port that `fetch` refuses as bad (10080).
 */
async function holdBlock(isRight: (base: number) => Promise<boolean>): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const base = 11_000 + Math.floor(Math.random() * 180) * 100;
    const guard = await listen(base + GUARD).catch(() => null);
    if (!guard) continue;
    if (await isRight(base)) {
      guard.unref();
      return base;
    }
    await close(guard);
  }
  throw new Error('no free run of ports was found');
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port).catch(() => null);
  if (server) await close(server);
  return server !== null;
}

function listen(port: number): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function close(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
