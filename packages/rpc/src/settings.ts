import { type Environment, port, readConfig, text, textLike } from '@intake/service';
import { type RpcTls, readRpcTls } from './tls';

/** The services that answer rpcs, as they are named in settings. */
export type ServiceName =
  | 'auth'
  | 'queue'
  | 'document-storage'
  | 'annotation'
  | 'extraction'
  | 'mail-ingest'
  | 'extension'
  | 'export'
  | 'reporting';

/** How a service serves and finds its neighbours. */
export interface RpcSettings {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** Certificates; undefined: the connections are not encrypted. */
  readonly tls: RpcTls | undefined;
  /** `host:port` of a neighbour: `INTAKE_<NAME>_ADDRESS`, by default `intake-<name>:7400` (as in Kubernetes). */
  addressOf(service: ServiceName): string;
}

const hostAndPort = textLike(/^(\[[\da-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i, 'host:port');

/** Reads the rpc settings that all services share. */
export function readRpcSettings(env: Environment): RpcSettings {
  const config = readConfig(env, {
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: port('INTAKE_RPC_PORT', 'port of the rpc server; 0 picks a free one', 7400),
    secret: text('INTAKE_RPC_SECRET', 'shared by all services; proves who calls'),
  });
  return {
    ...config,
    tls: readRpcTls(env),
    addressOf(service) {
      const variable = `INTAKE_${service.replaceAll('-', '_').toUpperCase()}_ADDRESS`;
      return readConfig(env, { address: hostAndPort(variable, `host:port of ${service}`, `intake-${service}:7400`) })
        .address;
    },
  };
}
