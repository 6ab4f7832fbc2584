import { Resolver } from 'node:dns';
import { type RpcSettings, readRpcSettings } from '@intake/rpc';
import {
  ConfigError,
  count,
  type Environment,
  flag,
  list,
  mailDomain,
  port,
  positive,
  readConfig,
  publicUrl as readPublicUrl,
  relayUrl as readRelayUrl,
  text,
} from '@intake/service';
import { type Network, parseNetworks } from '@intake/untrusted';
import type { DailyLimits } from './outgoing/daily-limits';
import type { CertificateFiles } from './smtp/certificate';

/** Settings of this service. */
export interface Config {
  readonly rpc: RpcSettings;
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    /** Domain of the inbox addresses; mail to another one is refused. */
    readonly domain: string;
    /** Null: no STARTTLS. */
    readonly tls: CertificateFiles | null;
    readonly maxConnections: number;
    readonly maxConnectionsPerAddress: number;
    readonly idleMs: number;
  };
  /** Messages that are read at the same time. */
  readonly readers: number;
  /** `smtp://user:password@host:port` of the relay that takes outgoing mails; null: none are sent. */
  readonly relayUrl: string | null;
  readonly sendingLimits: DailyLimits;
  /** Where people see the service, without a trailing slash; empty: nobody knows. */
  readonly publicUrl: string;
  readonly sender: {
    /** Whether SPF, DKIM and DMARC are asked for. */
    readonly isChecked: boolean;
    /** `address` or `address:port`; empty: those of the system. */
    readonly dnsServers: readonly string[];
    /** Name in `Authentication-Results` of the server in front, whose verdict is taken; empty: there is none. */
    readonly frontServer: string;
    /** Where that server sends from. */
    readonly frontNetworks: readonly Network[];
  };
}

/** Reads the settings; throws ConfigError naming every problem. */
export function readSettings(env: Environment): Config {
  const settings = readConfig(env, {
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: port('INTAKE_SMTP_PORT', 'port of the SMTP listener; 0 picks a free one', 2525),
    domain: mailDomain('INTAKE_MAIL_DOMAIN', 'domain of inbox addresses', 'localhost'),
    certFile: text('INTAKE_SMTP_TLS_CERT', 'file of the certificate with its chain, for STARTTLS', ''),
    keyFile: text('INTAKE_SMTP_TLS_KEY', 'file of the key of that certificate', ''),
    maxConnections: positive('INTAKE_SMTP_CONNECTIONS', 'connections at the same time', 200),
    maxConnectionsPerAddress: positive('INTAKE_SMTP_CONNECTIONS_PER_ADDRESS', 'of these, from one address', 50),
    idleS: positive('INTAKE_SMTP_IDLE_S', 'seconds after which a silent connection is closed', 60),
    readers: positive('INTAKE_MAIL_READERS', 'child processes that read messages', 1),
    relayUrl: readRelayUrl('INTAKE_SMTP_RELAY_URL', 'relay that takes outgoing mails; none: none are sent', ''),
    emailsPerDay: count('INTAKE_EMAILS_PER_DAY', 'mails that people of an organization may send in a day', 1000),
    notificationsPerDay: count('INTAKE_NOTIFICATIONS_PER_DAY', 'automatic mails of an organization in a day', 1000),
    publicUrl: readPublicUrl('INTAKE_PUBLIC_URL', 'where people see the service; links in mails begin with it', ''),
    isChecked: flag('INTAKE_MAIL_CHECK_SENDER', 'whether SPF, DKIM and DMARC are asked for', true),
    dnsServers: {
      variable: 'INTAKE_MAIL_DNS_SERVERS',
      about: 'name servers for that; none: those of the system',
      fallback: [],
      parse: readNameServers,
    },
    frontServer: text('INTAKE_MAIL_FRONT_SERVER', 'authserv-id of a mail server in front of this one', ''),
    frontNetworks: {
      variable: 'INTAKE_MAIL_FRONT_NETWORKS',
      about: 'networks that the mail server in front sends from',
      fallback: [],
      parse: parseNetworks,
    },
  });
  const { readers, certFile, keyFile, idleS, relayUrl, publicUrl, ...others } = settings;
  const { isChecked, dnsServers, frontServer, frontNetworks, emailsPerDay, notificationsPerDay, ...smtp } = others;
  if (!certFile !== !keyFile) throw new ConfigError('INTAKE_SMTP_TLS_CERT and INTAKE_SMTP_TLS_KEY belong together');
  return {
    rpc: readRpcSettings(env),
    smtp: {
      ...smtp,
      tls: certFile ? { certFile, keyFile } : null,
      idleMs: idleS * 1000,
    },
    readers,
    relayUrl: relayUrl || null,
    sendingLimits: { emails: emailsPerDay, notifications: notificationsPerDay },
    publicUrl,
    sender: { isChecked, dnsServers, frontServer, frontNetworks },
  };
}

/** `address` or `address:port` of each. */
function readNameServers(value: string): readonly string[] {
  const servers = list('', '').parse(value);
  try {
    new Resolver().setServers(servers);
  } catch {
    throw new Error('must be a comma list of "address" or "address:port"');
  }
  return servers;
}
