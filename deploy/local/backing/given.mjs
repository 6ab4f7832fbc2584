import { setTimeout as sleep } from 'node:timers/promises';
import { canConnect } from '../ports.mjs';

/** Ports that the schemes imply. */
const DEFAULT_PORTS = { 'mongodb:': 27017, 'nats:': 4222, 'tls:': 4222, 'http:': 80, 'https:': 443 };

/**
 * An address from the environment is used as it is; it only has to answer, so that a wrong one is named at once.
 * @template {{url: string}} T
 * @param {{program: import('./programs.mjs').Program}} service
 * @param {T} given
 * @param {(line: string) => void} log
 * @returns {Promise<T>}
 */
export async function checkAnswers({ program }, given, log) {
  const target = readHostAndPort(program.envName, given.url);
  if (target) {
    const deadline = Date.now() + 10_000;
    while (!(await canConnect(target.host, target.port))) {
      if (Date.now() > deadline) {
        throw new Error(
          `${program.envName}: nothing answers at ${target.host}:${target.port}; correct it, start it there, or unset it`,
        );
      }
      await sleep(200);
    }
  }
  log(`${program.title}: using the one of ${program.envName}${target ? ` (${target.host}:${target.port})` : ''}`);
  return given;
}

/** The first host of the address; undefined for those found by DNS (mongodb+srv). */
function readHostAndPort(envName, address) {
  const match = /^([a-z0-9+]+:)\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/,?]+)(?::(\d+))?/i.exec(address);
  if (!match) throw new Error(`${envName} is not an address: it must look like scheme://host:port`);
  const [, scheme, host, port] = match;
  if (scheme === 'mongodb+srv:') return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? DEFAULT_PORTS[scheme] ?? 80) };
}
