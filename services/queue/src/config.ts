import { type Environment, readConfig, text } from '@intake/service';

/** Settings of this service. */
export interface QueueConfig {
  /** Domain of every inbox address, in lower case. */
  readonly mailDomain: string;
}

/** Reads the settings; throws ConfigError naming every problem. */
export function readQueueConfig(env: Environment): QueueConfig {
  const { mailDomain } = readConfig(env, {
    mailDomain: text('INTAKE_MAIL_DOMAIN', 'domain of inbox addresses', 'localhost'),
  });
  return { mailDomain: mailDomain.toLowerCase() };
}
