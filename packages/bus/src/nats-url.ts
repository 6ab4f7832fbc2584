import type { ConnectionOptions } from 'nats';

/** Where NATS is, and who we are there. */
export type NatsServers = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>;

/**
 * Reads `INTAKE_NATS_URL`: `nats://user:password@host:4222`, `nats://token@host`, `tls://...`, several servers separated by commas. The
 * client itself ignores everything but host and port. One server with `tls://` makes it a must for all; authorities beside those of Node
 * come from `NODE_EXTRA_CA_CERTS`. Throws when an address cannot be read.
 */
export function readNatsUrl(text: string): NatsServers {
  const urls = text.split(',').map((one) => parse(one.trim()));
  const [login] = urls.filter(({ username }) => username !== '');
  const isEncrypted = urls.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...(login && readLogin(login)),
    ...(isEncrypted && { tls: {} }),
  };
}

function parse(address: string): URL {
  const url = /^[a-z]+:\/\//.test(address) ? address : `nats://${address}`;
  if (!URL.canParse(url) || new URL(url).hostname === '')
    throw new Error('must be nats://host:port, tls://host:port, or several of them');
  return new URL(url);
}

function readLogin({ username, password }: URL): Pick<NatsServers, 'user' | 'pass' | 'token'> {
  if (password === '') return { token: decodeURIComponent(username) };
  return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}
