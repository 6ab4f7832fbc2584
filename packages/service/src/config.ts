/** The environment a service is started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its variable, how its text is read, and why it exists. */
export interface Setting<T> {
  readonly variable: string;
  readonly about: string;
  readonly fallback?: T;
  /** Throws an Error whose message says what is expected. */
  readonly parse: (text: string) => T;
}

type Values<S extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** A service was started with settings it cannot run with; the message lists all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const setting =
  <T>(parse: (text: string) => T) =>
  (variable: string, about: string, fallback?: T): Setting<T> => ({ variable, about, fallback, parse });

/** Any text. */
export const text = setting((value) => value);

/** A whole number, 0 or more. */
export const count = setting((value) => {
  if (!/^\d+$/.test(value)) throw new Error('must be a whole number, 0 or more');
  return Number(value);
});

/** A whole number, 1 or more. */
export const positive = setting((value) => {
  if (!/^0*[1-9]\d*$/.test(value)) throw new Error('must be a whole number, 1 or more');
  return Number(value);
});

/** Longest time that a timer of Node can wait, in milliseconds: with more it would not wait at all. */
const LONGEST_MS = 2 ** 31 - 1;

/** A time in milliseconds that a timer waits. */
export const milliseconds = setting((value) => {
  const ms = /^\d+$/.test(value) ? Number(value) : 0;
  if (ms < 1 || ms > LONGEST_MS) throw new Error(`must be a time in milliseconds, 1 to ${LONGEST_MS}`);
  return ms;
});

/** A port to listen on; 0 picks a free one. */
export const port = setting((value) => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new Error('must be a port, 0 to 65535');
  return Number(value);
});

/** Text of a form, which `expected` describes. */
export const textLike = (form: RegExp, expected: string) =>
  setting((value) => {
    if (!form.test(value)) throw new Error(`must be ${expected}`);
    return value;
  });

/** Scheme, host and port under which people and clients see the service; a path is kept, a trailing slash is not. */
export const publicUrl = setting((value) => {
  if (!/^https?:\/\/[^/\s?#]+(\/[^\s?#]*)?$/.test(value)) throw new Error('must be a URL such as https://host');
  return value.replace(/\/+$/, '');
});

/** What the names of databases and streams begin with. */
export const namePrefix = textLike(/^[\w-]{1,46}$/, '1 to 46 letters, digits, "_" and "-"');

/** Domain of inbox addresses, in lower case. */
export const mailDomain = setting((value) => {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)) throw new Error('must be a domain such as docs.example.com');
  return value.toLowerCase();
});

/** URL of a relay that takes mails. */
export const relayUrl = textLike(/^smtps?:\/\/[^/\s]+/, 'a URL such as smtp://host:25');

/** true/false, on/off, yes/no, 1/0. */
export const flag = setting((value) => {
  if (/^(true|on|yes|1)$/i.test(value)) return true;
  if (/^(false|off|no|0)$/i.test(value)) return false;
  throw new Error('must be on or off');
});

/** A comma list; empty entries are dropped. */
export const list = setting((value): readonly string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** Reads settings from the environment; a setting without fallback must be given. Throws ConfigError naming every problem. */
export function readConfig<S extends Record<string, Setting<unknown>>>(env: Environment, settings: S): Values<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, { variable, about, fallback, parse }] of Object.entries(settings)) {
    const given = env[variable];
    if (given === undefined || given === '') {
      if (fallback === undefined) problems.push(`${variable} is missing: ${about}`);
      values[key] = fallback;
      continue;
    }
    try {
      values[key] = parse(given);
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}: ${about}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values as Values<S>;
}
