import { resolve } from 'node:path';
import { BUS_SETTINGS, type BusOptions } from '@intake/bus';
import { count, type Environment, flag, list, port, publicUrl, readConfig, text } from '@intake/service';
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
  /** The bus, to hear of revoked tokens and changes at once. */
  readonly bus: BusOptions;
}

/** Reads the gateway's settings. Throws ConfigError. */
export function readGatewayConfig(env: Environment): Config {
  const { requests } = readConfig(env, {
    requests: count('INTAKE_RATE_LIMIT_PER_MINUTE', 'requests of a user in a minute; 0: any number', 600),
  });
  // Who turns the quota off means all of it, unless a limit is given by itself.
  const usual = (limit: number) => (requests === 0 ? 0 : limit);
  const { logins, passwords, url, prefix, ...config } = readConfig(env, {
    ...BUS_SETTINGS,
    logins: count('INTAKE_LOGIN_LIMIT_PER_MINUTE', 'logins of an address in a minute; 0: any number', usual(30)),
    passwords: count('INTAKE_PASSWORD_LIMIT_PER_MINUTE', 'auth/password/* of an address in a minute', usual(10)),
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: port('INTAKE_PORT', 'port of the API; 0 picks a free one', 8080),
    publicUrl: publicUrl('INTAKE_PUBLIC_URL', 'where clients see the service; URLs in answers begin with it', ''),
    corsOrigins: origins('INTAKE_CORS_ORIGINS', 'origins that browsers may call from', ['*']),
    embedOrigins: origins('INTAKE_EMBED_ORIGINS', 'origins whose pages may show a document for review in a frame', []),
    proxies: proxyTrust('INTAKE_TRUST_PROXY', 'whose X-Forwarded-Proto, -Host and -For are believed', 'off'),
    sessions: flag('INTAKE_SESSION_AUTH', 'logins begin sessions of browsers, by cookies', false),
    createKey: text('INTAKE_CREATE_KEY', 'whoever knows it may register organizations; empty: nobody', ''),
    reviewDir: text('INTAKE_REVIEW_DIR', 'folder of the built review page', BUILT_PAGE),
  });
  return { ...config, bus: { url, prefix }, limits: { requests, logins, passwords } };
}

function proxyTrust(variable: string, about: string, fallback: string) {
  return { variable, about, fallback: readProxyTrust(fallback), parse: readProxyTrust };
}

/** Origins as browsers and policies write them; `*` any of them. */
function origins(variable: string, about: string, fallback: readonly string[]) {
  return {
    variable,
    about,
    fallback,
    parse: (value: string): readonly string[] => {
      const entries = list('', '').parse(value);
      const wrong = entries.find((entry) => !/^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/;]+)$/i.test(entry));
      if (wrong !== undefined)
        throw new Error(`must be a comma list of origins such as https://app.example.com; "${wrong}" is none`);
      return entries;
    },
  };
}
