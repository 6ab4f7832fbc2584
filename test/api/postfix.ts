import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@intake/testkit';

const run = promisify(execFile);

/** Why Postfix cannot be started here; undefined when it can. */
export function postfixProblem(): string | undefined {
  if (!existsSync('/usr/sbin/postfix'))
    return 'Postfix is not installed. On Debian or Ubuntu: sudo apt-get install postfix';
  return process.getuid?.() === 0 ? undefined : 'Postfix is started by root alone.';
}

/** A Postfix of its own that hands everything over to one server. */
export interface Postfix {
  readonly port: number;
  /** How many messages wait. */
  countWaiting(): Promise<number>;
  readLog(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts Postfix as the mail server of a company: it takes mail for a domain and relays it. */
export async function startPostfix(relayTo: { readonly host: string; readonly port: number }): Promise<Postfix> {
  const dir = await mkdtemp(join(tmpdir(), 'intake-postfix-'));
  const [port = 0] = await freePorts(1);
  // Its processes have other users.
  await chmod(dir, 0o755);
  await Promise.all(['queue', 'data'].map((name) => mkdir(join(dir, name))));
  await run('chown', ['postfix', join(dir, 'data')]);
  const settings = {
    compatibility_level: '3.6',
    queue_directory: join(dir, 'queue'),
    data_directory: join(dir, 'data'),
    maillog_file: join(dir, 'log'),
    maillog_file_prefixes: dir,
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    myhostname: 'mx.example.com',
    relayhost: `[${relayTo.host}]:${relayTo.port}`,
    smtp_tls_security_level: 'encrypt',
    smtp_tls_loglevel: '1',
    queue_run_delay: '1s',
    minimal_backoff_time: '1s',
    maximal_backoff_time: '2s',
  };
  const services = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 1 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
    'flush unix n - n 1000? 0 flush',
    'showq unix n - n - - showq',
    ...['smtp', 'relay'].map((name) => `${name} unix - - n - - smtp`),
    ...['error', 'retry'].map((name) => `${name} unix - - n - - error`),
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'proxymap unix - - n - - proxymap',
    'postlog unix-dgram n - n - 1 postlogd',
  ];
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(join(dir, 'main.cf'), `${lines.join('\n')}\n`);
  await writeFile(join(dir, 'master.cf'), `${services.join('\n')}\n`);
  await run('/usr/sbin/postfix', ['-c', dir, 'start']);
  return {
    port,
    async countWaiting() {
      const { stdout } = await run('/usr/sbin/postqueue', ['-c', dir, '-j']);
      return stdout.split('\n').filter((line) => line !== '').length;
    },
    readLog: () => readFile(join(dir, 'log'), 'utf8'),
    async stop() {
      await run('/usr/sbin/postfix', ['-c', dir, 'stop']);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
