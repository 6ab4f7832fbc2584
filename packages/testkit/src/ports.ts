import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** `count` different ports of the loopback address that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

/** Runs that this process was given: who asked for one may not have taken its ports yet. */
const given = new Set<number>();

/**
 * The first of a run of ports that are free now: `base + offset` for each offset. Taken below the range from which the
 * operating system picks ports for outgoing connections, so that none of them becomes one of those meanwhile, and above
 * the last port that `fetch` refuses as bad (10080).
 */
export async function freePortBlock(offsets: readonly number[]): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const base = 11_000 + Math.floor(Math.random() * 180) * 100;
    if (given.has(base)) continue;
    const attempts = await Promise.allSettled(offsets.map((offset) => listen(base + offset)));
    const servers = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    await Promise.all(servers.map(close));
    if (servers.length !== offsets.length) continue;
    given.add(base);
    return base;
  }
  throw new Error('no free run of ports was found');
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
