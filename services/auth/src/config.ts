import { ConfigError, count, type Environment, readConfig, text } from '@intake/service';
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

/** Reads the service's settings. Throws ConfigError. */
export function readAuthConfig(env: Environment): Config {
  const { requests } = readConfig(env, {
    requests: count('INTAKE_RATE_LIMIT_PER_MINUTE', 'requests of a user in a minute; 0: no quota of any kind', 600),
  });
  const { smtpRelayUrl, mailFrom, publicUrl, outgoingAllow, failedLogins } = readConfig(env, {
    failedLogins: count(
      'INTAKE_FAILED_LOGIN_LIMIT_PER_MINUTE',
      'wrong passwords of a user name in a minute; 0: any number',
      requests === 0 ? 0 : 10,
    ),
    smtpRelayUrl: relayUrl('INTAKE_SMTP_RELAY_URL', 'relay that takes mails; none: no mails are sent'),
    mailFrom: text('INTAKE_MAIL_FROM', 'sender of mails', 'no-reply@localhost'),
    publicUrl: text('INTAKE_PUBLIC_URL', 'where people see the service; links in mails begin with it', ''),
    outgoingAllow: {
      variable: 'INTAKE_OUTGOING_ALLOW',
      about: 'networks beside the public ones where providers of single sign-on may be called',
      fallback: [],
      parse: parseNetworks,
    },
  });
  if (smtpRelayUrl && !publicUrl)
    throw new ConfigError('INTAKE_PUBLIC_URL is missing: the links in mails need it when INTAKE_SMTP_RELAY_URL is set');
  return {
    smtpRelayUrl: smtpRelayUrl || null,
    mailFrom,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    outgoingAllow,
    failedLogins,
  };
}

function relayUrl(variable: string, about: string) {
  return {
    variable,
    about,
    fallback: '',
    parse: (value: string): string => {
      if (!/^smtps?:\/\/[^/\s]+/.test(value)) throw new Error('must be a URL such as smtp://host:25');
      return value;
    },
  };
}
