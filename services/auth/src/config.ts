import { ConfigError, count, type Environment, publicUrl, readConfig, relayUrl, textLike } from '@intake/service';
import { type Network, parseNetworks } from '@intake/untrusted';

/** Settings of this service alone. */
export interface Config {
  /** `smtp://user:password@host:port` of the relay that takes the service's mails; null: none are sent. */
  readonly smtpRelayUrl: string | null;
  readonly mailFrom: string;
  /** Scheme, host and port where people see the service, for the links in mails. */
  readonly publicUrl: string;
  /** Networks that are not public and may hold a provider of single sign-on. */
  readonly outgoingAllow: readonly Network[];
  /** Wrong passwords of a user name in a minute; 0: any number. */
  readonly failedLogins: number;
}

const mailAddress = textLike(/[^\s@]@[^\s@]/, 'an address such as no-reply@example.com');

/** Reads the service's settings. Throws ConfigError. */
export function readAuthConfig(env: Environment): Config {
  const { requests } = readConfig(env, {
    requests: count('INTAKE_RATE_LIMIT_PER_MINUTE', 'requests of a user in a minute; 0: no quota of any kind', 600),
  });
  const config = readConfig(env, {
    failedLogins: count(
      'INTAKE_FAILED_LOGIN_LIMIT_PER_MINUTE',
      'wrong passwords of a user name in a minute; 0: any number',
      requests === 0 ? 0 : 10,
    ),
    smtpRelayUrl: relayUrl('INTAKE_SMTP_RELAY_URL', 'relay that takes mails; none: no mails are sent', ''),
    mailFrom: mailAddress('INTAKE_MAIL_FROM', 'sender of mails', 'no-reply@localhost'),
    publicUrl: publicUrl('INTAKE_PUBLIC_URL', 'where people see the service; links in mails begin with it', ''),
    outgoingAllow: {
      variable: 'INTAKE_OUTGOING_ALLOW',
      about: 'networks beside the public ones where providers of single sign-on may be called',
      fallback: [],
      parse: parseNetworks,
    },
  });
  if (config.smtpRelayUrl && !config.publicUrl)
    throw new ConfigError('INTAKE_PUBLIC_URL is missing: the links in mails need it when INTAKE_SMTP_RELAY_URL is set');
  return { ...config, smtpRelayUrl: config.smtpRelayUrl || null };
}
