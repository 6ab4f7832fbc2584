import { count, type Environment, flag, list, readConfig, text } from '@intake/service';

/** Settings of the gateway alone; those of rpc and of every service are read where they are used. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port without a trailing slash; empty: as the request says. */
  readonly publicUrl: string;
  /** `*`, or the origins that browsers may call from. */
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  readonly natsUrl: string;
  readonly natsPrefix: string;
}

/** Reads the gateway's settings. Throws ConfigError. */
export function readGatewayConfig(env: Environment): Config {
  return readConfig(env, {
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: count('INTAKE_PORT', 'port of the API; 0 picks a free one', 8080),
    publicUrl: origin('INTAKE_PUBLIC_URL', 'where clients see the service; URLs in answers begin with it', ''),
    corsOrigins: list('INTAKE_CORS_ORIGINS', 'origins that browsers may call from', ['*']),
    trustProxy: flag('INTAKE_TRUST_PROXY', 'believe X-Forwarded-Proto and X-Forwarded-Host', false),
    natsUrl: text('INTAKE_NATS_URL', 'NATS, to hear of revoked tokens at once'),
    natsPrefix: text('INTAKE_NATS_PREFIX', 'subjects begin with it', 'intake'),
  });
}

/** Scheme, host and port of a URL; a path is kept, a trailing slash is not. */
function origin(variable: string, about: string, fallback: string) {
  return {
    variable,
    about,
    fallback,
    parse: (value: string): string => {
      if (!/^https?:\/\/[^/\s?#]+(\/[^\s?#]*)?$/.test(value)) throw new Error('must be a URL such as https://host');
      return value.replace(/\/+$/, '');
    },
  };
}
