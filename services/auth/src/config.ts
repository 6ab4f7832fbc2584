import { ConfigError, type Environment, readConfig, text } from '@intake/service';

/** Settings of this service alone. */
export interface Config {
  /** `smtp://user:password@host:port` of the relay that takes the service's mails; null: none are sent. */
  readonly smtpRelayUrl: string | null;
  readonly mailFrom: string;
  /** Scheme, host and port where people see the service, for the links in mails. */
  readonly publicUrl: string;
}

/** Reads the service's settings. Throws ConfigError. */
export function readAuthConfig(env: Environment): Config {
  const { smtpRelayUrl, mailFrom, publicUrl } = readConfig(env, {
    smtpRelayUrl: relayUrl('INTAKE_SMTP_RELAY_URL', 'relay that takes mails; none: no mails are sent'),
    mailFrom: text('INTAKE_MAIL_FROM', 'sender of mails', 'no-reply@localhost'),
    publicUrl: text('INTAKE_PUBLIC_URL', 'where people see the service; links in mails begin with it', ''),
  });
  if (smtpRelayUrl && !publicUrl)
    throw new ConfigError('INTAKE_PUBLIC_URL is missing: the links in mails need it when INTAKE_SMTP_RELAY_URL is set');
  return { smtpRelayUrl: smtpRelayUrl || null, mailFrom, publicUrl: publicUrl.replace(/\/+$/, '') };
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
