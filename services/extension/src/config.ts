import { type Environment, port, publicUrl, readConfig, text } from '@intake/service';
import { type Network, parseNetworks } from '@intake/untrusted';

/** Settings of the extension service alone. */
export interface Config {
  /** Scheme, host and port under which extensions reach the API; `/api/v1/...` follows. */
  readonly origin: string;
  /** Networks beside the public ones that may be called. */
  readonly outgoingAllow: readonly Network[];
}

/** Reads the service's settings. Throws ConfigError. */
export function readExtensionConfig(env: Environment): Config {
  const { outgoingAllow, ...api } = readConfig(env, {
    publicUrl: publicUrl('INTAKE_PUBLIC_URL', 'where extensions reach the API; URLs in payloads begin with it', ''),
    host: text('INTAKE_HOST', 'of the API, while no public URL is given', '127.0.0.1'),
    port: port('INTAKE_PORT', 'of the API, while no public URL is given', 8080),
    outgoingAllow: {
      variable: 'INTAKE_OUTGOING_ALLOW',
      about: 'networks beside the public ones where hooks and connectors may be called',
      fallback: [],
      parse: parseNetworks,
    },
  });
  const local = `http://${['0.0.0.0', '::'].includes(api.host) ? '127.0.0.1' : api.host}:${api.port}`;
  return { origin: api.publicUrl || local, outgoingAllow };
}
