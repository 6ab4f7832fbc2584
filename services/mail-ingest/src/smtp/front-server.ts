import { BlockList, isIP } from 'node:net';
import type { Network } from '@intake/untrusted';

/** Whether an IP address belongs to one of the networks. */
export function createNetworkCheck(networks: readonly Network[]): (address: string) => boolean {
  const members = new BlockList();
  for (const [address, bits] of networks) {
    const text = address.toString();
    members.addSubnet(text, bits, isIP(text) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIP(plain);
    return family !== 0 && members.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}
