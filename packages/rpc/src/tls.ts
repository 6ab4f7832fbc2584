import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js';
import { ConfigError, type Environment, readConfig, text } from '@intake/service';

/** By what services know each other, in PEM: both sides show a certificate that the authority has signed. */
export interface RpcTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Name in the certificates of all services; empty: that of the address that is called. */
  readonly name: string;
}

/** Reads the certificates; undefined when none are set. Throws ConfigError when some are missing or cannot be read. */
export function readRpcTls(env: Environment): RpcTls | undefined {
  const { name, ...files } = readConfig(env, {
    ca: text(
      'INTAKE_RPC_TLS_CA',
      'file with the authority of the certificates of all services (PEM); empty: no TLS',
      '',
    ),
    cert: text('INTAKE_RPC_TLS_CERT', 'file with the certificate of this service (PEM)', ''),
    key: text('INTAKE_RPC_TLS_KEY', 'file with the key of that certificate (PEM)', ''),
    name: text('INTAKE_RPC_TLS_NAME', 'name in the certificates of all services; empty: that of the address', ''),
  });
  const given = Object.values(files).filter((file) => file !== '').length;
  if (given === 0) return undefined;
  if (given < 3)
    throw new ConfigError(
      'INTAKE_RPC_TLS_CA, INTAKE_RPC_TLS_CERT and INTAKE_RPC_TLS_KEY go together: set all or none.',
    );
  return { ca: readPem('INTAKE_RPC_TLS_CA', files.ca), ...readPair(files), name };
}

function readPair({ cert: certFile, key: keyFile }: { readonly cert: string; readonly key: string }) {
  const cert = readPem('INTAKE_RPC_TLS_CERT', certFile);
  const key = readPem('INTAKE_RPC_TLS_KEY', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(`INTAKE_RPC_TLS_CERT and INTAKE_RPC_TLS_KEY do not go together: ${(error as Error).message}`);
  }
  return { cert, key };
}

function readPem(variable: string, file: string): Buffer {
  try {
    const pem = readFileSync(file);
    if (!pem.includes('-----BEGIN ')) throw new Error(`${file} is no PEM file`);
    return pem;
  } catch (error) {
    throw new ConfigError(`${variable} cannot be read: ${(error as Error).message}`);
  }
}

/** Who does not show a certificate of the authority is not served. */
export function toServerCredentials(tls: RpcTls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(tls.ca, [{ private_key: tls.key, cert_chain: tls.cert }], true);
}

/** What a client of an address connects with. */
export function toChannel(
  tls: RpcTls | undefined,
  address: string,
): { credentials: ChannelCredentials; options: Record<string, string> } {
  if (!tls) return { credentials: ChannelCredentials.createInsecure(), options: {} };
  const { ca, key, cert, name } = tls;
  const ip = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (name || isIP(ip) === 0)
    return {
      credentials: credentials.createSsl(ca, key, cert),
      options: name ? { [TARGET_NAME]: name } : {},
    };
  // A client must not announce an address as the name of its server (RFC 6066, section 3); the certificate is checked for the address.
  return {
    credentials: credentials.createSsl(ca, key, cert, {
      checkServerIdentity: (_announced, shown) => checkServerIdentity(ip, shown),
    }),
    options: { [TARGET_NAME]: 'localhost' },
  };
}

/** grpc-js: the name that is announced to the server, and looked for in its certificate. */
const TARGET_NAME = 'grpc.ssl_target_name_override';
