import { resolve } from 'node:path';
import { count, type Environment, flag, list, readConfig, text } from '@intake/service';
import type { Limits } from './quota/quota';
import { type ProxyTrust, readProxyTrust } from './request/client-address';

/** Where the build puts the review page: beside the gateway, in the repository as in its image. */
const BUILT_PAGE = resolve(__dirname, '../../review/dist');

/** Settings of the gateway alone; those of rpc and of every service are read where they are used. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port without a trailing slash; empty: as the request says. */
  readonly publicUrl: string;
  /** `*`, or the origins that browsers may call from. */
  readonly corsOrigins: readonly string[];
  readonly embedOrigins: readonly string[];
  readonly proxies: ProxyTrust;
  readonly limits: Limits;
  /** Whether logins begin sessions of browsers. */
  readonly sessions: boolean;
  /** Key of registration; empty: nobody registers. */
  readonly createKey: string;
  /** Folder of the built review page. */
  readonly reviewDir: string;
  readonly natsUrl: string;
  readonly natsPrefix: string;
}

/** Reads the gateway's settings. Throws ConfigError. */
export function readGatewayConfig(env: Environment): Config {
  const { requests } = readConfig(env, {
    requests: count('INTAKE_RATE_LIMIT_PER_MINUTE', 'requests of a user in a minute; 0: any number', 600),
  });
  // Who turns the quota off means all of it, unless a limit is given by itself.
  const usual = (limit: number) => (requests === 0 ? 0 : limit);
  const { logins, passwords, ...config } = readConfig(env, {
    logins: count('INTAKE_LOGIN_LIMIT_PER_MINUTE', 'logins of an address in a minute; 0: any number', usual(30)),
    passwords: count('INTAKE_PASSWORD_LIMIT_PER_MINUTE', 'auth/password/* of an address in a minute', usual(10)),
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: count('INTAKE_PORT', 'port of the API; 0 picks a free one', 8080),
    publicUrl: origin('INTAKE_PUBLIC_URL', 'where clients see the service; URLs in answers begin with it', ''),
    corsOrigins: list('INTAKE_CORS_ORIGINS', 'origins that browsers may call from', ['*']),
    embedOrigins: list('INTAKE_EMBED_ORIGINS', 'origins whose pages may show a document for review in a frame', []),
    proxies: proxyTrust('INTAKE_TRUST_PROXY', 'whose X-Forwarded-Proto, -Host and -For are believed', 'off'),
    sessions: flag('INTAKE_SESSION_AUTH', 'logins begin sessions of browsers, by cookies', false),
    createKey: text('INTAKE_CREATE_KEY', 'whoever knows it may register organizations; empty: nobody', ''),
    reviewDir: text('INTAKE_REVIEW_DIR', 'folder of the built review page', BUILT_PAGE),
    natsUrl: text('INTAKE_NATS_URL', 'NATS, to hear of revoked tokens at once'),
    natsPrefix: text('INTAKE_NATS_PREFIX', 'subjects begin with it', 'intake'),
  });
  return { ...config, limits: { requests, logins, passwords } };
}

function proxyTrust(variable: string, about: string, fallback: string) {
  return { variable, about, fallback: readProxyTrust(fallback), parse: readProxyTrust };
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
