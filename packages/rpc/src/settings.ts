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
  /** `host:port` of a neighbour, or another name of gRPC: `INTAKE_<NAME>_ADDRESS`, by default `intake-<name>:7400` (as in Kubernetes). */
  addressOf(service: ServiceName): string;
}

const HOST_AND_PORT = String.raw`(?:\[[\da-f:.]+\]|[^\s:,/[\]]+):\d{1,5}`;

/** Also what gRPC knows of several replicas: `ipv4:` and `ipv6:` with a comma list, `dns:` with all addresses of a name. */
const rpcAddress = textLike(
  new RegExp(
    `^(?:${HOST_AND_PORT}|dns:(?://[^\\s/]*/)?${HOST_AND_PORT}|ipv[46]:${HOST_AND_PORT}(?:,${HOST_AND_PORT})*)$`,
    'i',
  ),
  'host:port, or ipv4:address:port,address:port of several',
);

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
      return readConfig(env, { address: rpcAddress(variable, `host:port of ${service}`, `intake-${service}:7400`) })
        .address;
    },
  };
}
