/** What is known of a connection. */
export interface Connection {
  readonly id: string;
  readonly remoteAddress: string;
}

/** Keeps one sender from taking all connections, or one for ever. */
export interface ConnectionLimits {
  /** Counts a connection; false: its address has too many. */
  open(connection: Connection): boolean;
  close(connection: Connection): void;
  /** Counts a refused recipient of a connection; true: it has had enough of them. */
  refuseRecipient(connection: Connection): boolean;
  /** Connections that have lived longest enough. */
  findOld(now: number): string[];
}

/** Longest life of a connection, in milliseconds. */
export const MAX_CONNECTION_MS = 30 * 60_000;
/** Refused recipients of a connection; more look like somebody who tries addresses. */
export const MAX_REFUSED_RECIPIENTS = 20;

/** Limits of one listener. */
export function createConnectionLimits(maxPerAddress: number): ConnectionLimits {
  const connections = new Map<string, { address: string; since: number; refusedRecipients: number }>();
  return {
    open({ id, remoteAddress: address }) {
      const others = [...connections.values()].filter((one) => one.address === address).length;
      connections.set(id, { address, since: Date.now(), refusedRecipients: 0 });
      return others < maxPerAddress;
    },
    close({ id }) {
      connections.delete(id);
    },
    refuseRecipient({ id }) {
      const connection = connections.get(id);
      if (!connection) return false;
      connection.refusedRecipients += 1;
      return connection.refusedRecipients >= MAX_REFUSED_RECIPIENTS;
    },
    findOld: (now) => [...connections].filter(([, { since }]) => now - since > MAX_CONNECTION_MS).map(([id]) => id),
  };
}
