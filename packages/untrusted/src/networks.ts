import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network of addresses, as `parseNetworks` reads it. */
export type Network = readonly [Address, number];

/** What may be said of an address: anybody's, one of a listed network, or one that is not called. */
export type AddressVerdict = 'public' | 'listed' | 'refused';

/** Where clouds answer with credentials of the machine, beside the link-local addresses. */
const METADATA = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'];
/** Of IPv6, only these were given out to the public. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 networks whose addresses carry an IPv4 address, and the byte it begins at. */
const CARRIERS: readonly (readonly [network: [ipaddr.IPv6, number], byte: number])[] = [
  [ipaddr.IPv6.parseCIDR('::/96'), 12],
  [ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
];

/**
 * Reads a comma list of networks (`10.1.0.0/16`, `fd00::/8`) and single addresses; empty entries are dropped. Throws an Error
 * whose message says what is expected.
 */
export function parseNetworks(text: string): readonly Network[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(parseNetwork);
}

function parseNetwork(entry: string): Network {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return [ipaddr.parse(entry), 32];
  if (ipaddr.IPv6.isValid(entry)) return [ipaddr.parse(entry), 128];
  throw new Error(`must be a comma list of networks such as 10.1.0.0/16; "${entry}" is none`);
}

/**
 * Judges an address before it is called. Link-local and metadata addresses are refused whatever is listed; others that are
 * not public unless they are listed. An IPv4 address inside an IPv6 one counts. API: hooks-and-connectors.md section 7.4.
 *
 * @param address as a resolver gives it
 */
export function judgeAddress(address: string, listed: readonly Network[]): AddressVerdict {
  // `process` makes an IPv4 address of an IPv4-mapped one.
  const parsed = ipaddr.process(address);
  const carried = parsed instanceof ipaddr.IPv6 ? carriedBy(parsed) : null;
  if (isNeverCalled(parsed) || (carried && isNeverCalled(carried))) return 'refused';
  if (listed.some((network) => isIn(parsed, network))) return 'listed';
  const isPublic = parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || isIn(parsed, GLOBAL_UNICAST));
  return isPublic ? 'public' : 'refused';
}

function isNeverCalled(address: Address): boolean {
  return address.range() === 'linkLocal' || METADATA.includes(address.toString());
}

function isIn(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function carriedBy(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const carrier = CARRIERS.find(([network]) => isIn(address, network));
  return carrier ? new ipaddr.IPv4(address.toByteArray().slice(carrier[1], carrier[1] + 4)) : null;
}
