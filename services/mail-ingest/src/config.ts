import { type RpcSettings, readRpcSettings } from '@intake/rpc';
import { count, type Environment, readConfig, text } from '@intake/service';

/** Settings of this service. */
export interface Config {
  readonly rpc: RpcSettings;
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    /** Domain of the inbox addresses; mail to another one is refused. */
    readonly domain: string;
  };
  /** Messages that are read at the same time. */
  readonly readers: number;
}

/** Reads the settings; throws ConfigError naming every problem. */
export function readSettings(env: Environment): Config {
  const { readers, ...smtp } = readConfig(env, {
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    port: count('INTAKE_SMTP_PORT', 'port of the SMTP listener; 0 picks a free one', 2525),
    domain: text('INTAKE_MAIL_DOMAIN', 'domain of inbox addresses', 'localhost'),
    readers: count('INTAKE_MAIL_READERS', 'child processes that read messages', 1),
  });
  return {
    rpc: readRpcSettings(env),
    smtp: { ...smtp, domain: smtp.domain.toLowerCase() },
    readers: Math.max(readers, 1),
  };
}
