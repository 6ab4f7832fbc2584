import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Whose `X-Forwarded-*` headers are believed. */
export interface ProxyTrust {
  /** Whether those of a request that comes from this address are. */
  believes(peer: string): boolean;
  /** Whether an address of a chain is a proxy's, so that the one before it counts. */
  isProxy(address: string): boolean;
}

/**
 * Reads the setting: `off`; `on`, the one proxy in front, whatever its address; or a comma list of addresses and networks
 * (`10.0.0.0/8`) of proxies. Throws an Error whose message says what is expected.
 */
export function readProxyTrust(text: string): ProxyTrust {
  if (/^(false|off|no|0)$/i.test(text)) return { believes: () => false, isProxy: () => false };
  if (/^(true|on|yes|1)$/i.test(text)) return { believes: () => true, isProxy: () => false };
  const list = new BlockList();
  for (const entry of text.split(',')) {
    const [address = '', bits, ...more] = entry.trim().split('/');
    const version = isIP(address);
    const length = bits === undefined ? (version === 4 ? 32 : 128) : Number(bits);
    if (version === 0 || more.length > 0 || !/^\d*$/.test(bits ?? '') || length > (version === 4 ? 32 : 128))
      throw new Error(`must be on, off, or a list of networks such as 10.0.0.0/8; "${entry.trim()}" is none`);
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  const contains = (address: string) => {
    const plain = unmap(address);
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
  };
  return { believes: contains, isProxy: contains };
}

/**
 * The address that a request is counted under. Behind a proxy it is the last of `X-Forwarded-For` that is no proxy's: what stands
 * before it the client may have written itself. Of an IPv6 address only the network counts (64 bits), as one customer has all of it.
 */
export function clientAddressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: ProxyTrust,
): string {
  const peer = socket.remoteAddress ?? '';
  if (!proxies.believes(peer)) return toNetwork(peer);
  const chain = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => entry.trim());
  let client = peer;
  for (const address of chain.reverse()) {
    if (isIP(address) === 0) break;
    client = address;
    if (!proxies.isProxy(address)) break;
  }
  return toNetwork(client);
}

/** An IPv4 address that is written as an IPv6 one. */
function unmap(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function toNetwork(address: string): string {
  const plain = unmap(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail = ''] = plain.replace(/%.*$/, '').split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
