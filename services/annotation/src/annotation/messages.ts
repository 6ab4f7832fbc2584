import type { Message } from './annotation.types';

/** Messages about the datapoints that those they are about became; about the whole document where they became none. */
export function readdress(messages: readonly Message[], to: (id: number) => number | undefined): Message[] {
  return messages.map((one) => (one.id === 'all' ? one : { ...one, id: String(to(Number(one.id)) ?? 'all') }));
}
