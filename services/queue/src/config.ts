import { type Environment, mailDomain, readConfig, text } from '@intake/service';

/** Settings of this service. */
export interface QueueConfig {
  /** Domain of every inbox address, in lower case. */
  readonly mailDomain: string;
  /** Passphrase for what is stored encrypted; empty: the secret of the rpcs. */
  readonly encryptionKey: string;
  /** The one before it; empty: there was none. */
  readonly previousEncryptionKey: string;
}

/** Reads the settings; throws ConfigError naming every problem. */
export function readQueueConfig(env: Environment): QueueConfig {
  return readConfig(env, {
    mailDomain: mailDomain('INTAKE_MAIL_DOMAIN', 'domain of inbox addresses', 'localhost'),
    encryptionKey: text(
      'INTAKE_ENCRYPTION_KEY',
      'passphrase for secrets of hooks and connectors in the database; empty: INTAKE_RPC_SECRET',
      '',
    ),
    previousEncryptionKey: text(
      'INTAKE_ENCRYPTION_KEY_PREVIOUS',
      'what INTAKE_ENCRYPTION_KEY was before it was changed: what it encrypted is read, and encrypted anew at the start',
      '',
    ),
  });
}
